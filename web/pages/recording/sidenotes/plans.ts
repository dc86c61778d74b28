/** What a person changes of side notes that are written: what is sent, how it is seen to be done, and what takes it back. */
import { ulid } from 'ulid';
import { answer, api } from '../../../client/api.ts';
import type { Sidenote } from '../../../client/unsent-sidenotes.ts';
import { ChangedSince, type Note, type Plan, asSeen } from '../changes.ts';
import type { Recording } from '../turn-key.ts';

/** Changes the words of a side note that still says what it said. */
export function rewording(note: Note, number: number, from: string, to: string): Plan {
  return {
    async send() {
      if (noteIn(note.now(), number)?.text !== from) throw new ChangedSince();
      const params = { path: { id: note.id, n: String(number) } };
      await asSeen(api.PATCH('/recordings/{id}/sidenotes/{n}', { params, body: { text: to } }));
    },
    isDone: (now) => noteIn(now, number)?.text === to,
    back: () => rewording(note, number, reworded(note, number, { from, to }), from),
  };
}

/**
 * What a side note says whose words were changed: the service may write them otherwise than they were typed, and what is
 * read may still be what it said before.
 */
export function reworded(
  note: Note,
  number: number,
  { from, to }: { from: string; to: string },
): string {
  const text = noteIn(note.now(), number)?.text ?? to;
  return text === from ? to : text;
}

/** Removes a side note. Taken back, it is written again. */
export function removingNote(note: Note, number: number): Plan {
  const before = noteIn(note.now(), number);
  return {
    async send() {
      const params = { path: { id: note.id, n: String(number) } };
      await asSeen(api.DELETE('/recordings/{id}/sidenotes/{n}', { params }));
    },
    isDone: (now) => noteIn(now, number) === undefined,
    back() {
      if (before === undefined) throw new ChangedSince();
      return writingAgain(note, before);
    },
  };
}

function writingAgain(note: Note, { at, text, block, mark }: Sidenote): Plan {
  const key = ulid();
  let number: number | undefined;
  return {
    async send() {
      const params = { path: { id: note.id }, header: { 'Idempotency-Key': key } };
      const body = { at, text, ...(block ? { block } : {}), ...(mark ? { mark } : {}) };
      number = (await answer(api.POST('/recordings/{id}/sidenotes', { params, body }))).note;
    },
    isDone: (now) => number !== undefined && noteIn(now, number) !== undefined,
    back: () => removingNote(note, number ?? 0),
  };
}

/** A side note of a recording; undefined where it is gone. */
export const noteIn = ({ sidenotes }: Recording, number: number): Sidenote | undefined =>
  sidenotes.find((one) => one.note === number);
