/** Editing lines of a summary where they stand: which one is open, what was typed in others, and why one was refused. */
import { type ReadableAtom, type WritableAtom, atom } from 'nanostores';
import { type Refusal, attempt, seenBy } from '../attempt.ts';
import type { Note, Plan } from '../changes.ts';
import { type Draft, type Drafts, newDraft, tidy } from '../drafts.ts';
import { queue } from '../../../client/queue.ts';
import type { MyChanges } from '../my-changes.ts';
import {
  type Fields,
  type Kind,
  abridging,
  adding,
  changing,
  decide,
  kinds,
  lineIn,
  linesBeside,
  linesOf,
  moving,
  predecessor,
  removing,
} from './plans.ts';
import type { Rewriting } from './rewriting.ts';

/** The id of the abstract, and that of a line which is not there yet, by its kind. */
export const abstractId = 'short';
const newId = (kind: Kind): string => `new-${kind}`;
/** Whether that is the id of a line which is not there yet. */
export const isNewId = (id: string): boolean => kinds.some((kind) => id === newId(kind));

/** A line that is edited: where it is to come, if it is new. */
export type OpenLine = { id: string; kind: Kind; after: string | null };
/** In words, what was done to a line. */
export type LineSaying = (
  what: 'edited' | 'added' | 'removed' | 'moved' | 'kind' | 'person' | 'due' | 'done' | 'undone',
) => string;

export type LineDesk = {
  open: ReadableAtom<OpenLine | null>;
  drafts: Drafts;
  refusal: ReadableAtom<Refusal | null>;
  begin(id: string): void;
  /** Opens a new line of a kind behind another one; without one at the end. */
  add(kind: Kind, after?: string): void;
  type(text: string): void;
  /** What was typed stays. */
  leave(): void;
  discard(id: string): void;
  /** Saves what was typed, and closes the line. @returns its id when it is saved, or needed no saving; else null */
  save(): Promise<string | null>;
  remove(id: string): Promise<boolean>;
  /** Changes what a line says besides its text. */
  set(id: string, to: Omit<Fields, 'text'>): Promise<boolean>;
  /** Of a line that was not saved yet when it was opened. */
  rekind(kind: Kind): Promise<void>;
  move(id: string, way: 'up' | 'down'): Promise<boolean>;
  /** Says what becomes of the summary that a model made since. @throws {ApiError} @throws {ChangedSince} */
  decide(offered: 'used' | 'declined'): Promise<void>;
  /** The whole summary, by a model. */
  rewriting: Rewriting;
};

type Parts = {
  note: Note;
  drafts: Drafts;
  changes: MyChanges;
  saying: LineSaying;
  /** With the toast of a change that was made. */
  onmade: (id: number, said: string) => void;
  rewriting: Rewriting;
};
type Desk = Parts & {
  inTurn: ReturnType<typeof queue>;
  open: WritableAtom<OpenLine | null>;
  refusal: WritableAtom<Refusal | null>;
  /** Ids of lines that were new when they were opened, once they are saved. */
  made: WeakMap<OpenLine, string>;
};

export function openLineDesk(parts: Parts): LineDesk {
  const open = atom<OpenLine | null>(null);
  // Each goes by what the one before led to: somebody may choose back and forth.
  const inTurn = queue();
  const refusal = atom<Refusal | null>(null);
  const desk: Desk = { ...parts, inTurn, open, refusal, made: new WeakMap() };
  const { drafts } = desk;
  return {
    open,
    refusal,
    drafts,
    begin: (id) => begin(desk, id),
    add: (kind, after) => add(desk, kind, after),
    type(text) {
      const draft = draftNow(desk);
      if (draft) drafts.put({ ...draft, text, at: Date.now() });
    },
    leave: () => leave(desk),
    discard: (id) => close(desk, id),
    async save() {
      const line = open.get();
      if (line === null) return null;
      const isSeen = seenBy(desk, line.id);
      return await inTurn(async () => (isSeen() ? await save(desk, line) : null));
    },
    remove: (id) => change(desk, id, parts.saying('removed'), removing(parts.note, id)),
    set: (id, to) => inTurn(() => set(desk, id, to)),
    rekind(kind) {
      const line = open.get();
      return inTurn(() => rekind(desk, line, kind));
    },
    move: (id, way) => move(desk, id, way),
    decide: (offered) => decide(parts.note, offered),
    rewriting: parts.rewriting,
  };
}

/** What a line says, or the abstract; undefined where there is no such line. */
export function textNow({ note }: Pick<Parts, 'note'>, id: string): string | undefined {
  const now = note.now();
  return id === abstractId ? (now.summary.abstract ?? '') : lineIn(now, id)?.text;
}

const draftNow = ({ drafts, open }: Desk): Draft | undefined =>
  drafts.all.get().get(open.get()?.id ?? '');

function begin(desk: Desk, id: string): void {
  const text = textNow(desk, id);
  if (text === undefined) return;
  leave(desk);
  const kept = desk.drafts.all.get().get(id);
  // What was saved may have been shown only since.
  if (kept === undefined || tidy(kept.text) === text) desk.drafts.put(newDraft(id, text));
  else if (kept.before.text !== text) showMeanwhile(desk, kept);
  desk.open.set({ id, kind: lineIn(desk.note.now(), id)?.kind ?? 'text', after: null });
}

function add(desk: Desk, kind: Kind, after?: string): void {
  leave(desk);
  const id = newId(kind);
  const last = linesOf(desk.note.now(), kind).at(-1)?.id;
  if (!desk.drafts.all.get().has(id)) desk.drafts.put(newDraft(id, ''));
  desk.open.set({ id, kind, after: after ?? last ?? null });
}

function leave(desk: Desk): void {
  const draft = draftNow(desk);
  // What says the same as the line is nothing to keep.
  if (draft !== undefined && tidy(draft.text) === draft.before.text) desk.drafts.drop(draft.block);
  desk.refusal.set(null);
  desk.open.set(null);
}

function close({ drafts, open, refusal }: Desk, id: string): void {
  drafts.drop(id);
  refusal.set(null);
  if (open.get()?.id === id) open.set(null);
}

async function set(desk: Desk, id: string, to: Omit<Fields, 'text'>): Promise<boolean> {
  const { note, saying } = desk;
  const line = lineIn(note.now(), id);
  if (line === undefined) return false;
  const keys = Object.keys(to) as (keyof typeof to)[];
  if (keys.every((key) => line[key] === to[key])) return true;
  const from = Object.fromEntries(keys.map((key) => [key, line[key]]));
  const [key = 'kind'] = keys;
  const what = key === 'done' ? (to.done ? 'done' : 'undone') : key;
  return await change(desk, id, saying(what), changing(note, id, from, to));
}

async function rekind(desk: Desk, line: OpenLine | null, kind: Kind): Promise<void> {
  const { drafts, open, refusal, made } = desk;
  const saved = line === null ? undefined : made.get(line);
  if (saved !== undefined) return void (await set(desk, saved, { kind }));
  const draft = drafts.all.get().get(line?.id ?? '');
  if (line === null || draft === undefined) return;
  const id = newId(kind);
  const isOpen = open.get()?.id === line.id;
  // Another one was typed there, and stays.
  if (line.id !== id && drafts.all.get().has(id)) return;
  drafts.put({ ...draft, block: id });
  if (isOpen) open.set({ id, kind, after: null });
  const refused = refusal.get();
  // A look goes by the block that it was begun with.
  if (refused?.block === line.id && !refused.look) refusal.set({ ...refused, block: id });
  if (line.id !== id) drafts.drop(line.id);
}

async function move(desk: Desk, id: string, way: 'up' | 'down'): Promise<boolean> {
  const { note, saying } = desk;
  const now = note.now();
  const line = lineIn(now, id);
  const lines = line ? linesBeside(now, line) : [];
  const at = lines.findIndex((one) => one.id === id);
  const before = predecessor(now, id);
  const after = way === 'down' ? lines[at + 1]?.id : before && predecessor(now, before);
  const isThere = line !== undefined && (way === 'up' ? before !== null : after !== undefined);
  if (!isThere || after === undefined) return false;
  return await change(desk, id, saying('moved'), moving(note, id, after));
}

async function save(desk: Desk, line: OpenLine): Promise<string | null> {
  const { note, saying, drafts } = desk;
  const { kind, after } = line;
  const id = desk.made.get(line) ?? line.id;
  const isNew = id === newId(kind);
  const draft = drafts.all.get().get(id);
  const typed = tidy(draft?.text ?? '');
  if (draft === undefined || typed === draft.before.text || typed === '') {
    // An empty line is none; one that was there stays as it is until it is removed.
    if (draft !== undefined) close(desk, id);
    return isNew ? null : id;
  }
  const { text: from } = draft.before;
  const sent = isNew ? (draft.sent ?? newLine({ text: typed, kind, after })) : undefined;
  if (sent) drafts.put({ ...draft, sent });
  // What was typed since is a change of the line, once that is there.
  const text = sent?.text ?? typed;
  const added = sent && adding(note, sent);
  const plan =
    added ??
    (id === abstractId
      ? abridging(note, from, text)
      : changing(note, id, { text: from }, { text }));
  const done = () => saved(desk, line, { id, text, now: added?.id() ?? id });
  const said = saying(isNew ? 'added' : 'edited');
  const isMade = await attempt(desk, {
    block: id,
    said,
    plan,
    done,
    elsewhere: () => elsewhere(desk, id),
  });
  const refused = desk.refusal.get();
  const left = drafts.all.get().get(id);
  if (left?.sent && refused?.look === undefined && refused?.problem.type !== 'not-saved')
    drafts.put({ ...left, sent: undefined });
  if (!isMade) return null;
  const now = desk.made.get(line) ?? (isNew ? null : id);
  if (sent && sent.kind !== kind && now !== null) {
    const plan = changing(note, now, { kind: sent.kind }, { kind });
    if (!(await change(desk, now, saying('kind'), plan))) return null;
  }
  return text === typed ? now : await save(desk, line);
}

const newLine = ({ after, ...line }: Pick<OpenLine, 'kind' | 'after'> & { text: string }) => ({
  ...line,
  ...(after === null ? {} : { after }),
  key: crypto.randomUUID(),
});

/** What was typed for it goes; what was typed since is a change of what the line says now. @param now its id */
function saved(
  desk: Desk,
  line: OpenLine,
  { id, text, now }: { id: string; text: string; now: string },
): void {
  const { drafts, open, made } = desk;
  if (now !== id) made.set(line, now);
  const draft = drafts.all.get().get(id);
  if (draft === undefined) return;
  if (tidy(draft.text) === text) return close(desk, id);
  if (now !== id) drafts.drop(id);
  const before = { text, speaker: null };
  drafts.put({ ...draft, block: now, before, meanwhile: undefined, sent: undefined });
  if (open.get()?.id === id) open.set({ ...line, id: now });
}

/** Changes something else of a line than its text: what is being typed there stays, as long as the line does. */
const change = (desk: Desk, id: string, said: string, plan: Plan): Promise<boolean> => {
  const done = () => {
    if (textNow(desk, id) === undefined) close(desk, id);
  };
  return attempt(desk, { block: id, said, plan, done, elsewhere: () => elsewhere(desk, id) });
};

function elsewhere(desk: Desk, id: string): void {
  const draft = desk.drafts.all.get().get(id);
  if (draft !== undefined && showMeanwhile(desk, draft)) return;
  desk.refusal.set({ block: id, problem: { type: 'changed', title: '', status: 412 } });
}

/** Both texts are shown, and the person chooses. @returns whether there is another one */
function showMeanwhile(desk: Desk, draft: Draft): boolean {
  const now = textNow(desk, draft.block);
  if (now === undefined || now === draft.before.text) return false;
  desk.drafts.put({ ...draft, meanwhile: now, before: { text: now, speaker: null } });
  return true;
}
