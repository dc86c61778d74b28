/** Correcting turns where they stand: which one is open, what was typed in others, and why something was refused. */
import { type ReadableAtom, type WritableAtom, atom } from 'nanostores';
import { queue } from '../../client/queue.ts';
import { type Refusal, attempt, seenBy } from './attempt.ts';
import { type Note, type Plan, correcting, cutting, joining } from './changes.ts';
import { type Draft, type Drafts, draftOf, editOf, tidy, turnOfDraft } from './drafts.ts';
import type { Edit } from './find.ts';
import { type MyChanges } from './my-changes.ts';
import type { Turn } from './turn-key.ts';
import { placeInSpeech } from './words-of-turn.ts';

export type Editing = {
  /** The block that is open. */
  open: ReadableAtom<string | null>;
  refusal: ReadableAtom<Refusal | null>;
  begin(turn: Turn): void;
  change(draft: Draft): void;
  /** What was typed stays. */
  leave(): void;
  discard(block: string): void;
  /** Closes the turn, unless more was typed meanwhile. @returns whether it is saved, or needed no saving */
  save(): Promise<boolean>;
  /** Before the first word behind the caret. */
  split(caret: number): Promise<boolean>;
  merge(): Promise<boolean>;
};

/** In words, what was done to a turn that begins at a time in seconds. */
export type Saying = (what: 'corrected' | 'split' | 'joined', start: number) => string;

export function openEditing(parts: Parts): Editing {
  const inTurn = queue();
  const desk: Desk = { ...parts, inTurn, open: atom<string | null>(null), refusal: atom(null) };
  const { drafts, open, refusal } = desk;
  /** Goes by what the one before led to. What is not open any more needs no saving. */
  const pressed = (act: (draft: Draft) => Promise<boolean>): Promise<boolean> => {
    const block = open.get() ?? '';
    const isSeen = seenBy(desk, block);
    return inTurn(async () => {
      const draft = drafts.all.get().get(block);
      return draft === undefined || (isSeen() && (await act(draft)));
    });
  };
  return {
    open,
    refusal,
    begin: (turn) => begin(desk, turn),
    change: (draft) => drafts.put({ ...draft, at: Date.now() }),
    leave: () => leave(desk),
    discard: (block) => close(desk, block),
    save: () => pressed((draft) => save(desk, draft)),
    split: (caret) => pressed((draft) => split(desk, draft, caret)),
    merge: () => pressed((draft) => merge(desk, draft)),
  };
}

type Parts = {
  note: Note;
  drafts: Drafts;
  changes: MyChanges;
  saying: Saying;
  /** With the toast of a change that was made. */
  onmade: (id: number, said: string) => void;
  /** The words of a turn are others now. */
  oncorrected: (edits: readonly Edit[]) => void;
};

/** The parts, and what is shown of them: see `Editing`. */
type Desk = Parts & {
  inTurn: ReturnType<typeof queue>;
  open: WritableAtom<string | null>;
  refusal: WritableAtom<Refusal | null>;
};

const draftNow = ({ drafts, open }: Desk): Draft | undefined =>
  drafts.all.get().get(open.get() ?? '');

const turnNow = ({ note }: Desk, draft: Draft): Turn | undefined =>
  turnOfDraft(draft, note.now().utterances);

const begunOn = ({ note }: Desk, turn: Turn): Draft | null => {
  const draft = draftOf(turn);
  return draft && { ...draft, of: note.now().speakers_revision };
};

function begin(desk: Desk, turn: Turn): void {
  const { drafts, open } = desk;
  if (open.get() !== null) leave(desk);
  const begun = begunOn(desk, turn);
  if (begun === null) return;
  const kept = drafts.all.get().get(begun.block);
  // What was saved may have been shown only since.
  const isNone = kept && editOf({ ...kept, before: begun.before }) === null;
  if (kept === undefined || turnNow(desk, kept) === undefined || isNone) drafts.put(begun);
  else if (kept.before.text !== turn.text || kept.before.speaker !== turn.speaker)
    showMeanwhile(desk, kept);
  open.set(begun.block);
}

function leave(desk: Desk): void {
  const draft = draftNow(desk);
  // What says the same as the turn is nothing to keep.
  if (draft !== undefined && editOf(draft) === null) desk.drafts.drop(draft.block);
  desk.refusal.set(null);
  desk.open.set(null);
}

function close({ drafts, open, refusal }: Desk, block: string): void {
  drafts.drop(block);
  refusal.set(null);
  if (open.get() === block) open.set(null);
}

async function save(desk: Desk, draft: Draft): Promise<boolean> {
  const edit = editOf(draft);
  if (edit === null) {
    close(desk, draft.block);
    return true;
  }
  const { block, span, of: revision = null } = draft;
  const [start, end] = span;
  const seen = { revision, spans: new Map([[block, { start, end }]]) };
  const said = desk.saying('corrected', start);
  const isMade = await make(desk, draft, said, correcting(desk.note, [edit], seen));
  if (isMade) desk.oncorrected([edit]);
  return isMade;
}

async function split(desk: Desk, draft: Draft, caret: number): Promise<boolean> {
  const turn = turnNow(desk, draft);
  if (turn === undefined) return false;
  const plan = cutting(desk.note, turn, placeInSpeech(turn, caret));
  return await make(desk, draft, desk.saying('split', draft.span[0]), plan);
}

async function merge(desk: Desk, draft: Draft): Promise<boolean> {
  const { note, saying } = desk;
  const turn = turnNow(desk, draft);
  const { utterances } = note.now();
  const next = turn && utterances[utterances.indexOf(turn) + 1];
  if (turn === undefined || next === undefined) return false;
  return await make(desk, draft, saying('joined', draft.span[0]), joining(note, turn, next));
}

const make = (desk: Desk, draft: Draft, said: string, plan: Plan): Promise<boolean> => {
  const { block } = draft;
  const done = () => {
    if (!keepTyped(desk, draft)) close(desk, block);
  };
  const elsewhere = () => {
    const now = desk.drafts.all.get().get(block);
    if (now !== undefined) showMeanwhile(desk, now);
  };
  return attempt(desk, { block, said, plan, done, elsewhere });
};

/** What was typed and chosen since a draft was sent stays, on what the turn says now. @returns whether there is any */
function keepTyped(desk: Desk, sent: Draft): boolean {
  const { drafts } = desk;
  const draft = drafts.all.get().get(sent.block);
  const isChosen = draft?.speaker !== sent.speaker || draft.newName !== sent.newName;
  if (draft === undefined || (draft.text === sent.text && !isChosen)) return false;
  const turn = turnNow(desk, draft);
  const saved = turn && begunOn(desk, turn);
  // It was cut or joined, or others wrote in it.
  if (saved == null || saved.text !== tidy(sent.text)) showMeanwhile(desk, draft);
  else {
    const { text, speaker, newName } = draft;
    drafts.put({ ...saved, text, ...(isChosen ? { speaker, newName } : {}) });
  }
  return true;
}

/** Both texts are shown, and the person chooses. */
function showMeanwhile(desk: Desk, draft: Draft): void {
  const turn = turnNow(desk, draft);
  // It is not there any more: what was typed stands above the transcript.
  if (turn === undefined) {
    if (desk.open.get() === draft.block) desk.open.set(null);
    return;
  }
  const { text, speaker } = turn;
  const of = desk.note.now().speakers_revision;
  const isChosen = draft.speaker !== draft.before.speaker && draft.of === of;
  desk.drafts.put({
    ...draft,
    meanwhile: text,
    before: { text, speaker },
    speaker: isChosen ? draft.speaker : speaker,
    of,
  });
}
