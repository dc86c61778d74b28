/** What a person changes of a summary: what is sent for it, how it is seen to be done, and what takes it back. */
import { type Sent, api } from '../../../client/api.ts';
import { ChangedSince, type Note, type Plan, asSeen } from '../changes.ts';
import type { SentLine } from '../drafts.ts';
import type { SummaryLine } from '../recording.ts';
import type { Recording } from '../turn-key.ts';

export type Kind = SummaryLine['kind'];
/** What of a line is changed; what is left out stays. */
export type Fields = Partial<Pick<SummaryLine, 'text' | 'kind' | 'person' | 'due' | 'done'>>;

/** In the order in which people read them. */
export const kinds = ['text', 'decision', 'task', 'open', 'point'] as const satisfies Kind[];

export const lineIn = ({ summary }: Recording, id: string): SummaryLine | undefined =>
  summary.lines.find((line) => line.id === id);

/** Lines of a kind in their order. */
export const linesOf = ({ summary }: Recording, kind: Kind): SummaryLine[] =>
  summary.lines.filter((line) => line.kind === kind);

/** Changes a line that still says what it said. */
export function changing(note: Note, id: string, from: Fields, to: Fields): Plan {
  const says = (now: Recording, part: Fields): boolean => {
    const line = lineIn(now, id);
    return line !== undefined && keysIn(part).every((key) => line[key] === part[key]);
  };
  return {
    async send() {
      const line = lineIn(note.now(), id);
      if (line === undefined || !says(note.now(), from)) throw new ChangedSince();
      await send(note, { edits: [{ line: id, revision: line.revision, ...to }] });
    },
    isDone: (now) => says(now, to),
    back: () => changing(note, id, to, from),
  };
}

/** Puts a line behind another one, or before all. */
export function moving(note: Note, id: string, after: string | null): Plan {
  const before = predecessor(note.now(), id);
  return {
    async send() {
      const line = lineIn(note.now(), id);
      if (line === undefined) throw new ChangedSince();
      await send(note, { edits: [{ line: id, revision: line.revision, after }] });
    },
    isDone: (now) => predecessor(now, id) === after,
    back: () => moving(note, id, before),
  };
}

/** Removes a line; taken back, it is there as it was. */
export function removing(note: Note, id: string): Plan {
  return {
    async send() {
      const line = lineIn(note.now(), id);
      if (line === undefined) throw new ChangedSince();
      await send(note, { edits: [{ line: id, revision: line.revision, remove: true }] });
    },
    isDone: (now) => lineIn(now, id) === undefined,
    back: () => returning(note, id),
  };
}

function returning(note: Note, id: string): Plan {
  return {
    send: async () => void (await send(note, { edits: [{ line: id, remove: false }] })),
    isDone: (now) => lineIn(now, id) !== undefined,
    back: () => removing(note, id),
  };
}

/** Adds a line, once however often it is sent under its key. */
export function adding(note: Note, added: SentLine): Plan & { id(): string | undefined } {
  const before = new Set(note.now().summary.lines.map(({ id }) => id));
  let id: string | undefined;
  const found = (now: Recording) =>
    id === undefined
      ? now.summary.lines.find((one) => !before.has(one.id) && one.text === added.text)
      : lineIn(now, id);
  return {
    async send() {
      const { key, ...add } = added;
      [id] = (await send(note, { edits: [{ add }] }, key)).added;
    },
    isDone: (now) => found(now) !== undefined,
    back: () => removing(note, id ?? found(note.now())?.id ?? ''),
    id: () => id ?? found(note.now())?.id,
  };
}

/** Changes the abstract. */
export function abridging(note: Note, from: string, to: string): Plan {
  return {
    async send() {
      const { abstract, abstract_revision: revision } = note.now().summary;
      if ((abstract ?? '') !== from) throw new ChangedSince();
      await send(note, { edits: [{ line: 'short', revision, text: to }] });
    },
    isDone: ({ summary }) => summary.abstract === to,
    back: () => abridging(note, to, from),
  };
}

/** Says what becomes of the summary that a model made since. */
export async function decide(note: Note, offered: 'used' | 'declined'): Promise<void> {
  await send(note, { offered });
  await note.refresh();
}

/** The lines that a line is moved among: those of its section, or of its kind. */
export const linesBeside = ({ summary }: Recording, beside: SummaryLine): SummaryLine[] =>
  summary.lines.filter(({ of_template: isOfTemplate, section, kind }) =>
    beside.of_template
      ? isOfTemplate && section === beside.section
      : !isOfTemplate && kind === beside.kind,
  );

/** The line before it among those; null: it is the first. */
export function predecessor(now: Recording, id: string): string | null {
  const line = lineIn(now, id);
  const lines = line ? linesBeside(now, line) : [];
  return lines[lines.findIndex((one) => one.id === id) - 1]?.id ?? null;
}

/** @throws {ChangedSince} when it was asked for what is not so any more */
async function send({ id }: Note, body: Sent<'editSummary'>, key?: string) {
  const header = key === undefined ? {} : { 'Idempotency-Key': key };
  const params = { path: { id }, header };
  return await asSeen(api.PATCH('/recordings/{id}/summary', { params, body }));
}

const keysIn = (fields: Fields): (keyof Fields)[] => Object.keys(fields) as (keyof Fields)[];
