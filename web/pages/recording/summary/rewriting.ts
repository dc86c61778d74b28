/** Writing a summary anew as a person wants it: it takes the place of the one that is shown once it is complete. */
import { type ReadableAtom, atom } from 'nanostores';
import { answer, api, isUnanswered } from '../../../client/api.ts';
import type { Note, Plan } from '../changes.ts';
import type { OpenRecording } from '../recording.ts';
import { type State, stateIn, switching } from '../switching.ts';
import { decide } from './plans.ts';

/** What is wanted besides another try. */
export type Wanted = { length?: 'shorter' | 'longer'; language?: string };

export type Rewriting = {
  /** A summary was asked for here and is not there yet. */
  isGoing: ReadableAtom<boolean>;
  /** Resolves when the summary took its place, or did not come. @throws {ApiError} it is refused */
  begin(wanted: Wanted): Promise<void>;
  /** The summary that is shown stays. @throws {ApiError} */
  cancel(): Promise<void>;
  /** Resolves when nothing is done with the recording. @returns false when that is not waited for any more */
  settled(): Promise<boolean>;
  /** What comes later is offered, as it is to everybody else. */
  close(): void;
};

type Parts = {
  note: Note;
  opened: Pick<OpenRecording, 'state'>;
  /** Makes the change that puts it in its place. */
  onmade: (plan: Plan) => Promise<unknown>;
};

export function openRewriting({ note, opened, onmade }: Parts): Rewriting {
  const isGoing = atom(false);
  const closed = new AbortController();
  const { id } = note;
  const params = { path: { id } };
  const settled = () => untilSettled(opened, closed.signal);
  /** What is asked for: given up before the service has heard of it, or on its way there. */
  let asked: { giveUp: AbortController; accepted: Promise<unknown> | null } | null = null;

  return {
    isGoing,
    settled,
    async begin(wanted) {
      if (isGoing.get()) return;
      isGoing.set(true);
      const mine: NonNullable<typeof asked> = { giveUp: new AbortController(), accepted: null };
      asked = mine;
      try {
        // What was changed a moment ago is still being written down.
        await untilSettled(opened, mine.giveUp.signal);
        if (mine.giveUp.signal.aborted) return;
        const before = stateIn(note);
        const body = { from: 'summary' as const, ...wanted };
        mine.accepted = answer(api.POST('/recordings/{id}/reprocess', { params, body }));
        await mine.accepted;
        await note.refresh();
        const isSettled = await settled();
        const now = note.now();
        // Given up, or failed: the page says so, and the summary stays.
        if (!isSettled || now.status === 'ERROR' || now.version === before.version) return;
        await onmade(takingItsPlace(note, before, settled));
      } finally {
        isGoing.set(false);
      }
    },
    async cancel() {
      if (asked === null) return;
      asked.giveUp.abort();
      const { accepted } = asked;
      // Sooner there is nothing to cancel; and where it is refused, never.
      const isAccepted = await accepted?.then(() => true, isUnanswered);
      if (!isAccepted) return;
      await answer(api.POST('/recordings/{id}/cancel', { params }));
      await note.refresh();
    },
    close() {
      closed.abort();
      asked?.giveUp.abort();
    },
  };
}

/** Waits until nothing is done with a recording. @returns false when that is not waited for any more */
function untilSettled(
  { state }: Pick<OpenRecording, 'state'>,
  signal: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    let stop: (() => void) | undefined;
    const end = (isSettled: boolean) => {
      stop?.();
      resolve(isSettled);
    };
    signal.addEventListener('abort', () => end(false));
    stop = state.subscribe((now) => {
      if (now.state === 'missing') end(false);
      if (now.state !== 'there') return;
      const { status } = now.shown.recording;
      if (status === 'IDLE' || status === 'ERROR') end(true);
    });
    // It was settled from the beginning.
    if (signal.aborted) stop();
  });
}

/** The new summary is shown: at once where nobody had edited the old one, else a person's word is given for it. */
function takingItsPlace(note: Note, before: State, settled: () => Promise<boolean>): Plan {
  return {
    async send() {
      if (note.now().summary.offered !== null) await decide(note, 'used');
      await settled();
    },
    isDone: ({ summary }) => summary.offered === null,
    back: () => switching(note, { to: before, from: stateIn(note) }, settled),
  };
}
