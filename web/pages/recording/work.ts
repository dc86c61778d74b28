/** Everything a person does with the note that is open: its changes and drafts, and what is said of them. */
import { type WritableAtom, atom } from 'nanostores';
import { announce } from '../../app/announce.ts';
import { toast } from '../../app/toasts.ts';
import { type Problem, problemIn } from '../../client/api.ts';
import type { Asking } from '../../client/asking.ts';
import { onFrame } from '../../client/feed.ts';
import { session } from '../../client/session.ts';
import { clock } from '../../components/durations.ts';
import { offerAlways } from '../../spelling/suggestions.ts';
import { words as spelled } from '../../spelling/words.ts';
import {
  ChangedSince,
  type Note,
  type Plan,
  correcting,
  entitling,
  inParts,
  noteOf,
  renaming,
} from './changes.ts';
import {
  type Drafts,
  openDrafts,
  sidenoteDraftsOf,
  summaryDraftsOf,
  titleDraftsOf,
} from './drafts.ts';
import { type Editing, openEditing } from './editing.ts';
import type { Edit } from './find.ts';
import { type MyChanges, openChanges } from './my-changes.ts';
import { type QuestionDesk, openQuestions } from './questions/desk.ts';
import { type MissedDesk, openMissed } from './questions/missed.ts';
import type { OpenRecording } from './recording.ts';
import { type NoteDesk, openNoteDesk } from './sidenotes/desk.ts';
import { type LineDesk, openLineDesk } from './summary/desk.ts';
import { openRewriting } from './summary/rewriting.ts';
import { restoring } from './switching.ts';
import type { Recording, Turn } from './turn-key.ts';
import type { WholeVersion } from './versions.ts';
import type { Replaced } from './words-of-turn.ts';
import { words } from './words.ts';

export interface Work {
  readonly changes: MyChanges;
  readonly drafts: Drafts;
  /** What was typed as the title. */
  readonly titles: Drafts;
  readonly editing: Editing;
  /** The summary's lines, where they are edited. */
  readonly lines: LineDesk;
  /** One's own side notes. */
  readonly sidenotes: NoteDesk;
  readonly questions: QuestionDesk;
  readonly missed: MissedDesk;
  /** What went wrong at last and has no place of its own. */
  readonly problem: Asking['problem'];
  /** The list of what this person changed is open. */
  readonly isListed: WritableAtom<boolean>;
  /** @param of the transcript whose labels these are. @returns why it was refused; null when it is done */
  rename(
    names: Record<string, string>,
    of: Recording['speakers_revision'],
  ): Promise<Problem | null>;
  /** As `rename`. */
  retitle(title: string, from: string): Promise<Problem | null>;
  replace(edits: readonly Edit[]): Promise<boolean>;
  /** Writes what was heard where a word was put in its place. @returns whether it is done */
  putBack(turn: Turn, replaced: Replaced): Promise<boolean>;
  /** Switches to an earlier version. @returns whether it is done */
  restore(version: WholeVersion): Promise<boolean>;
  /** Without an id the newest change that stands. */
  undo(change?: number): Promise<void>;
  /** Without an id the change that was taken back last. */
  redo(change?: number): Promise<void>;
  close(): void;
}

export function openWork(id: string, opened: OpenRecording): Work {
  const note = noteOf(id, opened);
  const changes = openChanges(note);
  const drafts = openDrafts(session.get()?.username ?? '', id);
  const titles = openDrafts(session.get()?.username ?? '', titleDraftsOf(id));
  const problem = atom<Problem | null>(null);
  const isListed = atom(false);
  const told = openTold();

  /** Makes a change, and offers the way back. @param elsewhere what is said where others changed it */
  async function make(said: string, plan: Plan, elsewhere: string): Promise<Problem | null> {
    try {
      onmade((await changes.make(said, plan)).id, said);
      return null;
    } catch (error) {
      if (error instanceof ChangedSince) return { type: 'changed', title: elsewhere, status: 412 };
      return problemIn(error);
    }
  }

  const makeInHead = (said: string, plan: Plan) => {
    problem.set(null);
    return make(said, plan, words.get().changedSince);
  };
  async function makeAtTop(said: string, plan: Plan): Promise<boolean> {
    const refused = await makeInHead(said, plan);
    if (refused !== null) problem.set(refused);
    return refused === null;
  }

  const turnBack = async (way: 'undo' | 'redo', change?: number) => {
    told.isTurned(await turn({ changes, problem, isListed }, way, change));
  };
  const undo = (change?: number) => turnBack('undo', change);

  const stopHearing = announceSaves(id);
  const onmade = (change: number, said: string) => told.tell(change, said, () => void undo(change));
  const onrewritten = (plan: Plan) => makeAtTop(words.get().summaryRewritten, plan);
  const rewriting = openRewriting({ note, opened, onmade: onrewritten });
  const lines = openLines(id, { note, changes, onmade, rewriting });
  const sidenotes = openSidenotes(id, { note, make });
  const questions = openQuestions(note);
  const missed = openMissed(note);
  return {
    changes,
    drafts,
    titles,
    editing: openEditing({ note, drafts, changes, saying: ofTurn, onmade, oncorrected }),
    lines,
    sidenotes,
    questions,
    missed,
    problem,
    isListed,
    rename: (names, of) => makeInHead(words.get().speakersRenamed, renaming(note, names, of)),
    retitle: (title, from) => makeInHead(words.get().titleChanged, entitling(note, title, from)),
    ...correctingTurns(note, makeAtTop),
    restore: (to) => makeAtTop(ofVersion(to), restoring(note, to, rewriting.settled)),
    undo,
    redo: (change) => turnBack('redo', change),
    close() {
      for (const one of [drafts, titles, lines.drafts, sidenotes.drafts]) one.close();
      rewriting.close();
      questions.leave();
      missed.close();
      stopHearing();
    },
  };
}

const ofVersion = ({ version }: WholeVersion): string =>
  words.get().versionRestored({ version: String(version) });

/** A pair that was corrected before may be wanted so always. */
const oncorrected = (edits: readonly Edit[]) => void offerAlways(edits);

/** Corrections whose refusal has no place of its own. */
const correctingTurns = (
  note: Note,
  makeAtTop: (said: string, plan: Plan) => Promise<boolean>,
): Pick<Work, 'replace' | 'putBack'> => ({
  async replace(edits) {
    for (const part of inParts(edits)) {
      const said = words.get().replaced(part.length);
      if (!(await makeAtTop(said, correcting(note, part)))) return false;
    }
    oncorrected(edits);
    return true;
  },
  putBack({ block, text }, { from, to, heard }) {
    const after = text.slice(0, from) + heard + text.slice(to);
    const edit = { block: block ?? '', from: { text }, to: { text: after } };
    return makeAtTop(spelled.get().wasPutBack({ text: heard }), correcting(note, [edit]));
  },
});

/** More messages are not on the screen at once. */
const toldMost = 20;

/** The messages of changes, each with its way back: one that is taken back by a key or in the list is said no longer. */
function openTold() {
  const removals = new Map<number, () => void>();
  return {
    tell(change: number, said: string, back: () => void): void {
      removals.set(change, toast(said, back));
      const [first] = removals.keys();
      if (removals.size > toldMost) removals.delete(first!);
    },
    isTurned(change: number | undefined): void {
      if (change === undefined) return;
      removals.get(change)?.();
      removals.delete(change);
    },
  };
}

/**
 * Takes a change back, or makes it again; says so, or shows the list where others went on from it.
 * @returns the change that was turned
 */
async function turn(
  { changes, problem, isListed }: Pick<Work, 'changes' | 'problem' | 'isListed'>,
  way: 'undo' | 'redo',
  change?: number,
): Promise<number | undefined> {
  problem.set(null);
  try {
    const turned = await changes[way](change);
    if (turned?.state === 'changed') isListed.set(true);
    else if (turned !== null) {
      const what = { what: turned.said };
      announce(way === 'undo' ? words.get().undone(what) : words.get().redone(what));
    }
    return turned?.id;
  } catch (error) {
    problem.set(problemIn(error));
    return undefined;
  }
}

/** The desk of the summary's lines, whose drafts are kept apart. */
function openLines(
  id: string,
  parts: Pick<Parameters<typeof openLineDesk>[0], 'note' | 'changes' | 'onmade' | 'rewriting'>,
): LineDesk {
  const drafts = openDrafts(session.get()?.username ?? '', summaryDraftsOf(id));
  return openLineDesk({ ...parts, drafts, saying: (what) => words.get()[lineWords[what]] });
}

const openSidenotes = (
  id: string,
  parts: Omit<Parameters<typeof openNoteDesk>[0], 'drafts'>,
): NoteDesk => {
  const drafts = openDrafts(session.get()?.username ?? '', sidenoteDraftsOf(id));
  return openNoteDesk({ ...parts, drafts });
};

/** Tells of each version that is written. @returns how to stop */
const announceSaves = (id: string) =>
  onFrame((frame) => {
    if (frame.type === 'saved' && frame.recording_id === id)
      announce(words.get().savedVersion({ version: String(frame.version) }));
  });

const lineWords = {
  edited: 'lineEdited',
  added: 'lineAdded',
  removed: 'lineRemoved',
  moved: 'lineMoved',
  kind: 'kindChanged',
  person: 'personChanged',
  due: 'dueChanged',
  done: 'taskChecked',
  undone: 'taskReopened',
} as const;

const ofTurn = (what: keyof typeof turnWords, start: number): string =>
  words.get()[turnWords[what]]({ time: clock(start) });

const turnWords = {
  corrected: 'turnCorrected',
  split: 'turnSplit',
  joined: 'turnsMerged',
} as const;
