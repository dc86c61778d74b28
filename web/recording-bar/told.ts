/** What screen readers hear of recordings, whatever page is shown: each change once, from one place. */
import { announce } from '../app/announce.ts';
import { type Status, onFrame, status } from '../client/feed.ts';
import {
  browserRecording,
  discarded,
  isListening,
} from '../client/microphone/browser-recording.ts';
import { type Said, type Surface, saidOf } from '../client/microphone/recording-surface.ts';
import { exactly } from '../components/durations.ts';
import { sentences, span } from './sentences.ts';
import { surface } from './surface.ts';
import { words } from './words.ts';

/** Listens as long as the page is open. */
export function tellOfRecordings(): void {
  let before: Surface | null | undefined;
  surface.subscribe((now) => {
    const said = before === undefined ? null : saidOf(before, now, discarded.get());
    before = now;
    if (said !== null) announce(textOf(said, now), { danger: said.danger });
  });
  onFrame((frame) => {
    if (frame.type === 'transition' && frame.event === 'recording.discarded')
      discarded.set(frame.recording_id);
  });
  tellOfNotes();
  // What is said from now on would not be recorded.
  addEventListener('beforeunload', (event) => {
    if (isListening(browserRecording.get())) event.preventDefault();
  });
}

const keys = {
  started: 'saidStarted',
  paused: 'saidPaused',
  resumed: 'saidResumed',
  sent: 'saidSent',
  isSilent: 'saidSilent',
  interrupted: 'saidInterrupted',
  gone: 'saidGone',
  behind: 'saidBehind',
  memory: 'saidMemory',
} as const;

function textOf(said: Said, now: Surface | null): string {
  const say = words.get();
  if (said.key === 'asShown') return now === null ? '' : sentences.get()(now, true).join('. ');
  if (said.key === 'stopped' || said.key === 'stoppedUnsent') {
    const time = exactly(now?.waiting ?? 0);
    const stopped = said.key === 'stopped' ? say.saidStopped : say.saidStoppedUnsent({ time });
    return said.danger ? `${say.noStorage} ${stopped}` : stopped;
  }
  if (said.key !== 'continues') return say[keys[said.key]];
  if (said.missed === null) return say.saidContinues;
  return say.saidMissed(span.get()(said.missed));
}

/** That a note is there, waits for names or failed, of what was worked on for longer than an edit is. */
function tellOfNotes(): void {
  let underWay = new Set<string>();
  let known: Status | null = null;
  const saved = new Set<string>();
  onFrame((frame) => {
    if (frame.type === 'saved') saved.add(frame.recording_id);
  });
  status.listen((now) => {
    const before = known;
    known = now;
    if (now === null) {
      underWay.clear();
      return;
    }
    if (before !== null)
      for (const text of newsOf(before, now, (id) => underWay.has(id) && saved.has(id)))
        announce(text);
    underWay = underWayIn(now, underWay);
    for (const id of saved) if (!underWay.has(id)) saved.delete(id);
  });
}

/** Recordings that run, or are worked on in another stage than that of writing after an edit. */
function underWayIn(now: Status, before: ReadonlySet<string>): Set<string> {
  const ids = now.processing.flatMap(({ recording_id: id, stage }) =>
    stage !== 'write' || before.has(id) ? [id] : [],
  );
  return new Set(now.recording === null ? ids : [...ids, now.recording.recording_id]);
}

/** @param isDone whether one that is worked on no longer has become a note */
function newsOf(before: Status, now: Status, isDone: (id: string) => boolean): string[] {
  const say = words.get();
  const title = (one: { title: string | null; source: string | null }) =>
    one.title ?? one.source ?? say.untitled;
  const isNew = (list: readonly { recording_id: string }[]) => {
    const ids = new Set(list.map(({ recording_id: id }) => id));
    return ({ recording_id: id }: { recording_id: string }) => !ids.has(id);
  };
  const still = new Set([
    ...now.processing.map(({ recording_id: id }) => id),
    ...now.speakers_pending.map(({ recording_id: id }) => id),
    ...now.errors.map(({ recording_id: id }) => id),
    now.recording?.recording_id,
  ]);
  const done = before.processing.filter(({ recording_id: id }) => isDone(id) && !still.has(id));
  return [
    ...now.speakers_pending
      .filter(isNew(before.speakers_pending))
      .map((one) => say.saidWaits({ title: title(one) })),
    ...now.errors.filter(isNew(before.errors)).map((one) => say.saidFailed({ title: title(one) })),
    ...done.map((one) => say.saidReady({ title: title(one) })),
  ];
}
