/** Writing side notes: the field, which one is being edited, and what was typed in either, kept in this browser. */
import { type ReadableAtom, type WritableAtom, atom } from 'nanostores';
import { announce } from '../../../app/announce.ts';
import type { Problem } from '../../../client/api.ts';
import { writeSidenote } from '../../../client/unsent-sidenotes.ts';
import { queue } from '../../../client/queue.ts';
import { clock } from '../../../components/durations.ts';
import { type Refusal, seenBy } from '../attempt.ts';
import type { Note, Plan } from '../changes.ts';
import { type Draft, type Drafts, newDraft } from '../drafts.ts';
import type { Turn } from '../turn-key.ts';
import { words } from '../words.ts';
import { noteIn, removingNote, reworded, rewording } from './plans.ts';

/** Under which the field's text is among the drafts. */
const field = 'new';
/** Whether a draft is the field's, by its block; else its block is the number of a note. */
export const isOfField = (block: string): boolean => block === field;

export type NoteDesk = {
  drafts: Drafts;
  /** What is in the field: since when, and of which passage. */
  typed(all: ReadonlyMap<string, Draft>): Draft | undefined;
  /** Number of the note that is being edited. */
  open: ReadableAtom<number | null>;
  refusal: ReadableAtom<Refusal | null>;
  /** @param at seconds of the recording, which count at the first key */
  type(text: string, at: number): void;
  /** The next line is about this passage; null: about none. */
  rest(turn: Pick<Turn, 'start' | 'block'> | null): void;
  /** Takes the line out of the field and sends it. @returns false when there is none */
  add(): boolean;
  begin(note: number): void;
  edit(text: string): void;
  /** What was typed stays. */
  leave(): void;
  discard(note: number): void;
  /** Closes it, unless more was typed meanwhile. @returns whether it is saved, or needed no saving */
  save(): Promise<boolean>;
  remove(note: number): Promise<boolean>;
};

type Parts = {
  note: Note;
  drafts: Drafts;
  /** @param elsewhere what is said where others changed it. @returns why it was refused; null when it is done */
  make(said: string, plan: Plan, elsewhere: string): Promise<Problem | null>;
};

export function openNoteDesk({ note, drafts, make }: Parts): NoteDesk {
  const open = atom<number | null>(null);
  const refusal = atom<Refusal | null>(null);
  const draftOf = (number: number | null) => drafts.all.get().get(String(number));
  const close = (number: number) => {
    drafts.drop(String(number));
    // Another one may have been opened meanwhile.
    if (open.get() === number) open.set(null);
  };
  const leave = () => {
    const draft = draftOf(open.get());
    if (draft !== undefined && draft.text.trim() === draft.before.text) drafts.drop(draft.block);
    open.set(null);
  };
  return {
    drafts,
    ...fieldOver(note, drafts),
    open,
    refusal,
    begin(number) {
      const now = noteIn(note.now(), number);
      if (now === undefined) return;
      leave();
      refusal.set(null);
      const kept = draftOf(number);
      // What was saved may have been shown only since.
      if (kept === undefined || kept.text.trim() === now.text)
        drafts.put(newDraft(String(number), now.text, [now.at, now.at]));
      open.set(number);
    },
    edit(text) {
      const draft = draftOf(open.get());
      if (draft) drafts.put({ ...draft, text, at: Date.now() });
    },
    leave,
    discard(number) {
      refusal.set(null);
      close(number);
    },
    ...savingOver({ note, drafts, make }, { open, refusal, close }),
  };
}

type Shown = {
  open: WritableAtom<number | null>;
  refusal: WritableAtom<Refusal | null>;
  close(number: number): void;
};

/** Saving and removing, one after another: each goes by what the one before led to. */
function savingOver(
  { note, drafts, make }: Parts,
  { open, refusal, close }: Shown,
): Pick<NoteDesk, 'save' | 'remove'> {
  const inTurn = queue();
  const draftOf = (number: number) => drafts.all.get().get(String(number));
  /** What was typed stays, on what the note says now. */
  const rebase = (number: number, text = noteIn(note.now(), number)?.text) => {
    const draft = draftOf(number);
    if (draft && text !== undefined) drafts.put({ ...draft, before: { text, speaker: null } });
  };
  const change = async (number: number, said: string, plan: Plan) => {
    const problem = await make(said, plan, words.get().noteElsewhere);
    refusal.set(problem && { block: String(number), problem });
    // The message has said that others changed it: the next press saves.
    if (problem?.type === 'changed') rebase(number);
    return problem === null;
  };
  const save = async (number: number): Promise<boolean> => {
    const draft = draftOf(number);
    // The one before has saved it.
    if (draft === undefined) return true;
    const text = draft.text.trim();
    const isEmpty = text === '' && noteIn(note.now(), number)?.mark !== true;
    if (text !== draft.before.text && !isEmpty) {
      const plan = rewording(note, number, draft.before.text, text);
      if (!(await change(number, words.get().noteEdited, plan))) return false;
    }
    if (isEmpty || (draftOf(number)?.text.trim() ?? text) === text) close(number);
    else rebase(number, reworded(note, number, { from: draft.before.text, to: text }));
    return true;
  };
  return {
    async save() {
      const number = open.get();
      if (number === null) return false;
      const isSeen = seenBy({ drafts, refusal }, String(number));
      return await inTurn(async () => isSeen() && (await save(number)));
    },
    remove: (number) =>
      inTurn(async () => {
        const plan = removingNote(note, number);
        const isGone = await change(number, words.get().noteRemoved, plan);
        if (isGone) close(number);
        return isGone;
      }),
  };
}

/** The field for the next line. */
function fieldOver(note: Note, drafts: Drafts): Pick<NoteDesk, 'typed' | 'type' | 'rest' | 'add'> {
  const present = () => drafts.all.get().get(field);
  return {
    typed: (all) => all.get(field),
    type(text, at) {
      const draft = present();
      if (text === '' && draft?.about === undefined) drafts.drop(field);
      else if (draft === undefined) drafts.put(newDraft(field, text, [at, at]));
      else {
        // The first key counts, also where the passage was chosen before it.
        const begun = draft.text === '' && draft.about === undefined ? at : draft.span[0];
        drafts.put({ ...draft, text, span: [begun, begun], at: Date.now() });
      }
    },
    rest(turn) {
      const draft = present();
      if (turn === null && (draft === undefined || draft.text === '')) return drafts.drop(field);
      const at = turn?.start ?? draft?.span[0] ?? 0;
      const about = turn === null ? undefined : (turn.block ?? '');
      drafts.put({ ...newDraft(field, draft?.text ?? '', [at, at]), about });
    },
    add() {
      const draft = present();
      const text = draft?.text.trim() ?? '';
      if (draft === undefined || text === '') return false;
      const [at] = draft.span;
      const block = draft.about === undefined || draft.about === '' ? {} : { block: draft.about };
      drafts.drop(field);
      writeSidenote({ recordingId: note.id, at, text, ...block });
      announce(words.get().noteAdded({ time: clock(at) }));
      return true;
    },
  };
}
