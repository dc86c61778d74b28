/** Switching between versions of a note. */
import { ApiError } from '../../client/api.ts';
import { ChangedSince, type Note, type Plan } from './changes.ts';
import type { Recording } from './turn-key.ts';
import { type WholeVersion, restoreVersion } from './versions.ts';

/** To an earlier version. */
export const restoring = (
  note: Note,
  earlier: WholeVersion,
  settled: () => Promise<boolean>,
): Plan =>
  switching(
    note,
    { to: { version: earlier.version, said: saidIn(earlier) }, from: stateIn(note) },
    settled,
  );

/** To another version and back, as long as nobody changed since what goes with a version. */
export function switching(
  note: Note,
  { to, from }: { to: State; from: State },
  settled: () => Promise<boolean>,
): Plan {
  return {
    async send() {
      await settled();
      if (saidIn(note.now()) !== from.said) throw new ChangedSince();
      try {
        await restoreVersion(note.id, to.version);
      } catch (error) {
        const isGone = error instanceof ApiError && error.problem.status === 404;
        throw isGone ? new ChangedSince() : error;
      }
      await note.refresh();
      await settled();
    },
    isDone: (now) => saidIn(now) === to.said,
    back: () => switching(note, { to: from, from: { ...to, said: saidIn(note.now()) } }, settled),
  };
}

/** A version, and what it says. */
export type State = { version: number; said: string };
export const stateIn = (note: Note): State => ({
  version: note.now().version,
  said: saidIn(note.now()),
});

type Said = Pick<Recording, 'title' | 'language' | 'summary' | 'speakers' | 'utterances'>;

/** What goes back to what it was when a version is restored: a correction made since would be lost with it. */
const saidIn = ({ title, language, summary, speakers, utterances }: Said): string =>
  JSON.stringify([
    title,
    language,
    summary.abstract,
    summary.lines.map(({ kind, text, person, due, done }) => [kind, text, person, due, done]),
    speakers.map(({ label, name }) => [label, name]),
    utterances.map(({ text, speaker }) => [text, speaker]),
  ]);
