/** The side notes as a page shows them: what the recording has, and what this browser has not sent yet. */
import type { Sidenote, Unsent } from '../../../client/unsent-sidenotes.ts';
import type { Recording, Turn } from '../turn-key.ts';
import { writtenWords } from '../words-of-turn.ts';

export type ShownNote = Pick<Sidenote, 'at' | 'text' | 'block' | 'mark'> & {
  /** Of the row; the number, where it has one. */
  id: string;
  note: number | null;
  unsent: Unsent | null;
};

/** All of them by their times. @param arrived what was sent, and may not be in the recording that was read last */
export function shownNotes(
  { recording_id: id, sidenotes }: Pick<Recording, 'recording_id' | 'sidenotes'>,
  arrived: readonly Sidenote[],
  unsent: readonly Unsent[],
): ShownNote[] {
  const numbers = new Set(sidenotes.map(({ note }) => note));
  const sent = arrived.filter((one) => one.recording_id === id && !numbers.has(one.note));
  const there = [...sidenotes, ...sent].map(({ note, at, text, block, mark }): ShownNote => ({
    id: String(note),
    note,
    at,
    text,
    block,
    mark,
    unsent: null,
  }));
  // It is there, and that has not been answered yet, or the answer was lost.
  const isThere = ({ at, text, mark }: Unsent) =>
    there.some((one) => one.at === at && one.text === text && one.mark === (mark ?? false));
  const here = unsent
    .filter((one) => one.recordingId === id && !isThere(one))
    .map((one): ShownNote => ({
      id: one.key,
      note: null,
      at: one.at,
      text: one.text,
      block: one.block ?? null,
      mark: one.mark ?? false,
      unsent: one,
    }));
  return [...there, ...here].toSorted((a, b) => a.at - b.at);
}

/** Start of a passage and time of a note that was written on it, in seconds, as numbers are rounded on their way. */
const same = 0.01;

/** The passage that a side note rests on; of a moment the one that was said then. */
export function passageOf(
  { block, at, mark }: Pick<ShownNote, 'block' | 'at' | 'mark'>,
  turns: readonly Turn[],
): Turn | undefined {
  const named = block === null ? undefined : turns.find((turn) => turn.block === block);
  if (named !== undefined) return named;
  const near = turns.findLast(({ start }) => start <= at + same);
  if (near === undefined) return undefined;
  return mark || Math.abs(near.start - at) <= same ? near : undefined;
}

/** One marks what was just said: so many seconds before. */
const before = 8;
/** Of a passage that ended earlier, its last words. */
const lastWords = 15;

/** What a passage says around a time in it, in seconds; of a long passage what comes earlier is left out. */
export function saidAround(turn: Turn, at: number): string {
  const written = writtenWords(turn);
  const found = written.findIndex(({ start }) => start >= at - before);
  const first = found === -1 ? written.length - lastWords : found;
  if (first <= 0) return turn.text;
  const rest = written.slice(first).map(({ text }) => text);
  return `… ${rest.join(' ')}`;
}
