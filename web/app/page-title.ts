/** The title of a page that is not looked at says what goes on. */
import { status } from '../client/feed.ts';
import { browserRecording } from '../client/microphone/browser-recording.ts';
import { recorded } from '../client/recorded.ts';
import { clock } from '../components/durations.ts';

/** @param seconds of the recording that runs @param waiting meetings that wait for names; null: the page's own */
export function titleWhenHidden(seconds: number | null, waiting: number): string | null {
  if (seconds !== null) return `● ${clock(seconds)} Mitschrift`;
  return waiting > 0 ? `(${waiting}) Mitschrift` : null;
}

/** Changes the title while the page is hidden, and puts back what it was. */
export function followHiding(): void {
  let own: string | null = null;
  let stop = () => {};
  const change = () => {
    const here = browserRecording.get();
    const seconds = here === null || here.state === 'held' ? recorded.get() : here.seconds;
    const title = titleWhenHidden(seconds, status.get()?.speakers_pending.length ?? 0);
    document.title = title ?? own ?? document.title;
  };
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') {
      own ??= document.title;
      const stops = [recorded.subscribe(change), browserRecording.subscribe(change)];
      stop = () => stops.forEach((each) => each());
      return;
    }
    stop();
    if (own !== null) document.title = own;
    own = null;
  });
}
