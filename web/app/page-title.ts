/** The title of the page; while the page is not looked at, it says what goes on. */
import { atom } from 'nanostores';
import { status } from '../client/feed.ts';
import { browserRecording } from '../client/microphone/browser-recording.ts';
import { recorded } from '../client/recorded.ts';
import { clock } from '../components/durations.ts';

/** What is shown, as `PageTitle.svelte` says it; nothing before the first page. */
export const pageTitle = atom('');

/** @param seconds of the recording that runs @param waiting meetings that wait for names; null: the page's own */
export function titleWhenHidden(seconds: number | null, waiting: number): string | null {
  if (seconds !== null) return `● ${clock(seconds)} Mitschrift`;
  return waiting > 0 ? `(${waiting}) Mitschrift` : null;
}

/** Writes the title as long as the page is open: nothing else does. */
export function followTitle(): void {
  let stops: (() => void)[] = [];
  pageTitle.listen(write);
  document.addEventListener('visibilitychange', () => {
    for (const stop of stops) stop();
    stops = document.hidden
      ? [recorded.listen(write), browserRecording.listen(write), status.listen(write)]
      : [];
    write();
  });
}

function write(): void {
  const own = pageTitle.get() === '' ? 'Mitschrift' : `${pageTitle.get()} · Mitschrift`;
  document.title = (document.hidden ? goingOn() : null) ?? own;
}

function goingOn(): string | null {
  const here = browserRecording.get();
  const seconds = here === null || here.state === 'held' ? recorded.get() : here.seconds;
  return titleWhenHidden(seconds, status.get()?.speakers_pending.length ?? 0);
}
