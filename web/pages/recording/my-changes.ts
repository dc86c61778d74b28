/** What a person changed of a note in this tab: each can be taken back, in any order, as long as nobody went on from it. */
import { type ReadableAtom, type WritableAtom, atom } from 'nanostores';
import { ApiError, isUnanswered } from '../../client/api.ts';
import { queue } from '../../client/queue.ts';
import { ChangedSince, type Note, type Plan } from './changes.ts';

/** `said`: what it was, in words. `turned`: counts on each time one is made, taken back or made again. */
export type Made = {
  id: number;
  said: string;
  at: number;
  state: 'done' | 'undone' | 'changed';
  turned: number;
};

export type MyChanges = {
  /** The newest first. */
  list: ReadableAtom<readonly Made[]>;
  /**
   * Makes a change, and shows it. When no answer comes, the recording is read again to see.
   * @throws {ApiError} `unanswered`, or the service's own, when that is not known; `not-saved` when it was not made
   * @throws {ChangedSince}
   */
  make(said: string, plan: Plan): Promise<Made>;
  /** After an answer that did not say whether it was made: reads again. Throws as `make`. */
  look(said: string, plan: Plan, lost: ApiError): Promise<Made>;
  /** Takes a change back; without an id the newest that stands. Throws as `make`. */
  undo(id?: number): Promise<Turned>;
  /** Makes a change again; without an id the one that was taken back last. */
  redo(id?: number): Promise<Turned>;
};
/** What was taken back or made again; `changed`: others went on from it; null: there is none. */
type Turned = Made | null;

/** More are not listed. */
const keptMost = 200;
/** The service may still be at it when its answer is lost: so often it is read, with this wait between, milliseconds. */
const looks = 3;
const lookAfterMs = 700;

export const notSaved = new ApiError({ type: 'not-saved', title: '', status: 0 });

export function openChanges(note: Note): MyChanges {
  const ledger: Ledger = {
    note,
    list: atom([]),
    backOf: new Map(),
    last: 0,
    turned: 0,
    isUnread: false,
  };
  const inTurn = queue();
  // Which one is meant is seen when it is its turn: keys come faster than answers.
  const turnBack = (to: 'done' | 'undone', from: 'done' | 'undone', id?: number) =>
    inTurn(() => undoOrRedo(ledger, to, within(ledger.list.get(), from, id)));
  return {
    list: ledger.list,
    make: (said, plan) =>
      inTurn(async () => {
        await carryOut(ledger, plan);
        return noted(ledger, said, plan);
      }),
    look: (said, plan, lost) =>
      inTurn(async () => {
        await lookFor(note, plan, lost);
        return noted(ledger, said, plan);
      }),
    undo: (id) => turnBack('undone', 'done', id),
    redo: (id) => turnBack('done', 'undone', id),
  };
}

/**
 * What was made, the plans that take it back by id, the id given last, the count of `turned` so far, and whether what the
 * last one led to could not be read.
 */
type Ledger = {
  note: Note;
  list: WritableAtom<readonly Made[]>;
  backOf: Map<number, Plan>;
  last: number;
  turned: number;
  isUnread: boolean;
};

async function carryOut(ledger: Ledger, plan: Plan): Promise<void> {
  const { note } = ledger;
  try {
    if (ledger.isUnread) ledger.isUnread = !(await note.refresh());
    await plan.send();
    ledger.isUnread = !(await note.refresh());
  } catch (error) {
    if (isUnanswered(error)) return await lookFor(note, plan, error);
    await note.refresh();
    // Made by the try before, whose answer was lost.
    if (!(error instanceof ChangedSince) || !plan.isDone(note.now())) throw error;
  }
}

async function lookFor(note: Note, plan: Plan, lost: unknown): Promise<void> {
  // Its own word, that it does not know either or cannot show it yet, stands as long as reading does not tell.
  const isSaid = lost instanceof ApiError && lost.problem.type !== 'unanswered';
  for (let at = 0; at < looks; at += 1) {
    if (at > 0) await new Promise((resolve) => setTimeout(resolve, lookAfterMs));
    if (!(await note.refresh()))
      throw isSaid ? lost : new ApiError({ type: 'unanswered', title: '', status: 0 });
    if (plan.isDone(note.now())) return;
  }
  throw isSaid ? lost : notSaved;
}

function noted(ledger: Ledger, said: string, plan: Plan): Made {
  const { list, backOf } = ledger;
  ledger.last += 1;
  ledger.turned += 1;
  const { last: id, turned } = ledger;
  const made: Made = { id, said, at: Date.now(), state: 'done', turned };
  backOf.set(id, plan.back());
  list.set([made, ...list.get()].slice(0, keptMost));
  return made;
}

async function undoOrRedo(
  ledger: Ledger,
  to: 'done' | 'undone',
  wanted: Made | undefined,
): Promise<Turned> {
  const { list, backOf } = ledger;
  const id = wanted?.id ?? 0;
  const plan = backOf.get(id);
  if (plan === undefined) return null;
  try {
    await carryOut(ledger, plan);
    backOf.set(id, plan.back());
    mark(ledger, id, to);
  } catch (error) {
    if (!(error instanceof ChangedSince)) throw error;
    mark(ledger, id, 'changed');
  }
  return list.get().find((one) => one.id === id) ?? null;
}

function mark(ledger: Ledger, id: number, state: Made['state']): void {
  const { list } = ledger;
  ledger.turned += 1;
  const { turned } = ledger;
  list.set(list.get().map((one) => (one.id === id ? { ...one, state, turned } : one)));
}

/** The one of this id; without an id the newest that stands, or the one that was taken back last. */
const within = (all: readonly Made[], state: Made['state'], id?: number): Made | undefined =>
  id === undefined
    ? all
        .filter((one) => one.state === state)
        .toSorted((a, b) => (state === 'done' ? b.id - a.id : b.turned - a.turned))[0]
    : all.find((one) => one.id === id);
