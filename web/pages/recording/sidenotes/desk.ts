/** Writing side notes: the field, which one is being edited, and what was typed in either, kept in this browser. */
import { type ReadableAtom, atom } from 'nanostores';
import { announce } from '../../../app/announce.ts';
import type { Problem } from '../../../client/api.ts';
import { writeSidenote } from '../../../client/unsent-sidenotes.ts';
import { clock } from '../../../components/durations.ts';
import type { Note, Plan } from '../changes.ts';
import { type Draft, type Drafts, newDraft } from '../drafts.ts';
import type { Turn } from '../turn-key.ts';
import { words } from '../words.ts';
import { removingNote, rewording } from './plans.ts';

/** Under which the field's text is among the drafts. */
const field = 'new';

export type NoteDesk = {
  drafts: Drafts;
  /** What is in the field: since when, and of which passage. */
  typed(all: ReadonlyMap<string, Draft>): Draft | undefined;
  /** Number of the note that is being edited. */
  open: ReadableAtom<number | null>;
  refusal: ReadableAtom<{ note: number; problem: Problem } | null>;
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
  const refusal = atom<{ note: number; problem: Problem } | null>(null);
  const draftOf = (block: string) => drafts.all.get().get(block);
  const change = async (of: number, said: string, plan: Plan) => {
    const problem = await make(said, plan, words.get().noteElsewhere);
    refusal.set(problem && { note: of, problem });
    return problem === null;
  };
  const leave = () => {
    const draft = draftOf(String(open.get()));
    if (draft !== undefined && draft.text.trim() === draft.before.text) drafts.drop(draft.block);
    open.set(null);
  };
  return {
    drafts,
    ...fieldOver(note, drafts),
    open,
    refusal,
    begin(number) {
      const now = note.now().sidenotes.find((one) => one.note === number);
      if (now === undefined) return;
      leave();
      refusal.set(null);
      if (draftOf(String(number)) === undefined)
        drafts.put(newDraft(String(number), now.text, [now.at, now.at]));
      open.set(number);
    },
    edit(text) {
      const draft = draftOf(String(open.get()));
      if (draft) drafts.put({ ...draft, text, at: Date.now() });
    },
    leave,
    discard(number) {
      drafts.drop(String(number));
      refusal.set(null);
      if (open.get() === number) open.set(null);
    },
    async save() {
      const number = open.get();
      const draft = draftOf(String(number));
      if (number === null || draft === undefined) return false;
      const text = draft.text.trim();
      const isMark = note.now().sidenotes.some((one) => one.note === number && one.mark);
      const isEmpty = text === '' && !isMark;
      if (text !== draft.before.text && !isEmpty) {
        const plan = rewording(note, number, draft.before.text, text);
        if (!(await change(number, words.get().noteEdited, plan))) return false;
        if (keepTyped(drafts, String(number), text)) return true;
      }
      drafts.drop(String(number));
      // Another one may have been opened while this one was saved.
      if (open.get() === number) open.set(null);
      return true;
    },
    async remove(number) {
      const plan = removingNote(note, number);
      if (!(await change(number, words.get().noteRemoved, plan))) return false;
      drafts.drop(String(number));
      if (open.get() === number) open.set(null);
      return true;
    },
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

/** What was typed while a text was saved stays, on that text. @returns whether there is any */
function keepTyped(drafts: Drafts, block: string, saved: string): boolean {
  const draft = drafts.all.get().get(block);
  if (draft === undefined || draft.text.trim() === saved) return false;
  drafts.put({ ...draft, before: { text: saved, speaker: null } });
  return true;
}
