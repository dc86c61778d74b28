/** What a person changes of a recording: what is sent for it, how it is seen to be done, and what takes it back. */
import { ApiError, answer, api } from '../../client/api.ts';
import type { Edit } from './find.ts';
import type { OpenRecording } from './recording.ts';
import type { Recording, Turn } from './turn-key.ts';

/** A change, of turns by their blocks: it finds them wherever they stand by now. */
export type Plan = {
  /** @throws {ApiError} @throws {ChangedSince} before or instead of anything is changed */
  send(): Promise<void>;
  /** Whether a recording says what it would say then. */
  isDone(now: Recording): boolean;
  /** The change that takes it back, asked for when it is done and has been read. */
  back(): Plan;
};

/** What was to be changed says something else by now, or is not there any more. */
export class ChangedSince extends Error {}

/** The recording that a page shows, as it was read last. */
export type Note = {
  id: string;
  now(): Recording;
  refresh(): Promise<boolean>;
  /** Blocks that were joined into another one and are cut out of it again have another id then. */
  renamed: Map<string, string>;
};

export function noteOf(id: string, opened: OpenRecording): Note {
  let last: Recording;
  return {
    id,
    now() {
      const state = opened.state.get();
      if (state.state === 'there') last = state.shown.recording;
      return last;
    },
    refresh: opened.refresh,
    renamed: new Map(),
  };
}

/** So many the service takes at once. */
const editsMax = 1000;

/** Edits as parts that the service takes at once: each is a change of its own, which can be taken back. */
export const inParts = (edits: readonly Edit[]): Edit[][] =>
  Array.from({ length: Math.ceil(edits.length / editsMax) }, (_, at) =>
    edits.slice(at * editsMax, (at + 1) * editsMax),
  );

/** Corrects turns, all or none. @param edits as many as the service takes at once @param seen what they were made on */
export function correcting(note: Note, edits: readonly Edit[], seen = seenOf(note, edits)): Plan {
  const found = (recording: Recording, { block }: Edit) => turnIn(note, recording, block);
  const says = (recording: Recording, edit: Edit, part: 'from' | 'to'): boolean => {
    const turn = found(recording, edit);
    const { text, speaker } = edit[part];
    if (turn === undefined || (text !== undefined && text !== turn.text)) return false;
    if (speaker === undefined) return true;
    return isStill(seen, edit, { recording, turn }) && isSaidBy(recording, turn, speaker);
  };
  return {
    async send() {
      const now = note.now();
      if (!edits.every((edit) => says(now, edit, 'from'))) throw new ChangedSince();
      const body = edits.map((edit) => {
        const { block, revision } = known(found(now, edit));
        return { block, revision, ...edit.to };
      });
      await asSeen(
        api.PATCH('/recordings/{id}/utterances', {
          params: { path: { id: note.id } },
          body: { edits: body },
        }),
      );
    },
    isDone: (now) => edits.every((edit) => says(now, edit, 'to')),
    back: () =>
      correcting(
        note,
        edits.map(({ block, from, to }) => ({ block, from: to, to: from })),
        seen,
      ),
  };
}

/** Of which transcript labels are, and where each turn is in the recording, by its block. */
type Seen = {
  revision: Recording['speakers_revision'];
  spans: ReadonlyMap<string, Pick<Turn, 'start' | 'end'>>;
};

function seenOf(note: Note, edits: readonly Edit[]): Seen {
  const now = note.now();
  const spans = edits.flatMap(({ block }) => {
    const turn = turnIn(note, now, block);
    return turn === undefined ? [] : [[block, turn] as const];
  });
  return { revision: now.speakers_revision, spans: new Map(spans) };
}

/** In another transcript the same block may be another sentence, and the same label another voice. */
function isStill(
  { revision, spans }: Seen,
  { block }: Edit,
  { recording, turn }: { recording: Recording; turn: Turn },
): boolean {
  const span = spans.get(block);
  const isThere = span !== undefined && turn.start < span.end && turn.end > span.start;
  return isThere && recording.speakers_revision === revision;
}

/** Cuts a turn before a word. @param as whose the second half is to be; else the turn's */
export function cutting(note: Note, turn: Turn, word: number, as: Half = {}): Plan {
  const { text } = turn;
  const block = turn.block ?? '';
  const isCut = (now: Turn | undefined) =>
    now !== undefined && now.text !== text && text.startsWith(now.text);
  return {
    async send() {
      const now = known(turnIn(note, note.now(), block));
      if (now.text !== text) throw new ChangedSince();
      const params = {
        path: { id: note.id, index: now.block },
        header: { 'If-Match': now.revision },
      };
      const body = { word, ...(as.speaker == null ? {} : { speaker: as.speaker }) };
      await asSeen(api.POST('/recordings/{id}/utterances/{index}/split', { params, body }));
    },
    isDone: (now) => isCut(turnIn(note, now, block)),
    back() {
      const first = known(turnIn(note, note.now(), block));
      const second = known(turnAfter(note.now(), first));
      if (as.former !== undefined) note.renamed.set(as.former, second.block);
      return joining(note, first, second);
    },
  };
}

/** The second half of a turn: whose it is, and the id that it had before it was joined to the first. */
type Half = { speaker?: string | null; former?: string };

/** Joins a turn with the next one, whose words then are its speaker's. */
export function joining(note: Note, turn: Turn, next: Turn): Plan {
  const joined = `${turn.text} ${next.text}`.trim();
  const [block, nextBlock] = [turn.block ?? '', next.block ?? ''];
  return {
    async send() {
      const now = known(turnIn(note, note.now(), block));
      const after = known(turnIn(note, note.now(), nextBlock));
      if (now.text !== turn.text || after.text !== next.text) throw new ChangedSince();
      const params = {
        path: { id: note.id, index: now.block },
        header: { 'If-Match': now.revision },
      };
      const body = { next: after.block };
      await asSeen(api.POST('/recordings/{id}/utterances/{index}/merge', { params, body }));
    },
    isDone: (now) => turnIn(note, now, block)?.text === joined,
    back() {
      const words = turn.words.length > 0 ? turn.words.length : turn.text.split(/\s+/).length;
      const now = known(turnIn(note, note.now(), block));
      return cutting(note, now, words, { speaker: next.speaker, former: nextBlock });
    },
  };
}

/**
 * Gives speakers other names, by label; an empty one takes a name away.
 * @param of the transcript whose labels these are
 */
export function renaming(
  note: Note,
  names: Record<string, string>,
  of: Recording['speakers_revision'],
): Plan {
  const present = (recording: Recording) =>
    Object.fromEntries(
      Object.keys(names).map((label) => [
        label,
        recording.speakers.find((speaker) => speaker.label === label)?.name ?? '',
      ]),
    );
  const before = present(note.now());
  const isDone = (now: Recording): boolean =>
    now.speakers_revision === of && JSON.stringify(present(now)) === JSON.stringify(names);
  return {
    async send() {
      const header = of === null ? {} : { 'If-Match': of };
      const params = { path: { id: note.id }, header };
      const body = { speakers: names };
      await asSeen(api.PATCH('/recordings/{id}/speakers', { params, body }));
    },
    isDone,
    back: () => ifStill(note, isDone, () => renaming(note, before, of)),
  };
}

/** @param from what it was when a person began to write another one; nothing where there was none */
export function entitling(note: Note, title: string, from: string): Plan {
  return {
    async send() {
      if ((note.now().title ?? '') !== from) throw new ChangedSince();
      const params = { path: { id: note.id } };
      await answer(api.PATCH('/recordings/{id}', { params, body: { title } }));
    },
    isDone: (now) => now.title === title,
    back: () => entitling(note, from || title, title),
  };
}

/** A way back that is gone once somebody else went on from there. */
function ifStill(note: Note, holds: (now: Recording) => boolean, plan: () => Plan): Plan {
  const own = plan();
  return {
    ...own,
    async send() {
      if (!holds(note.now())) throw new ChangedSince();
      await own.send();
    },
  };
}

/** An answer. @throws {ChangedSince} when it was asked for what is not so any more */
export async function asSeen<Data>(asked: Parameters<typeof answer<Data>>[0]) {
  try {
    return await answer(asked);
  } catch (error) {
    const gone = [404, 412];
    if (error instanceof ApiError && gone.includes(error.problem.status)) throw new ChangedSince();
    throw error;
  }
}

/** A turn that is there. @throws {ChangedSince} it is not, or is none that can be changed */
function known(turn: Turn | undefined): Changeable {
  if (!isChangeable(turn)) throw new ChangedSince();
  return turn;
}

type Changeable = Turn & { block: string; revision: string };
const isChangeable = (turn: Turn | undefined): turn is Changeable =>
  turn?.block != null && turn.revision != null;

function turnIn({ renamed }: Note, { utterances }: Recording, wanted: string): Turn | undefined {
  let block = wanted;
  // A former id may have come back: then it is another turn's.
  for (
    let next = renamed.get(block);
    next !== undefined && next !== wanted;
    next = renamed.get(next)
  )
    block = next;
  return utterances.find((turn) => turn.block === block);
}

const turnAfter = ({ utterances }: Recording, turn: Turn): Turn | undefined =>
  utterances[utterances.indexOf(turn) + 1];

/** By label, or by the name of somebody who had none until then. */
const isSaidBy = ({ speakers }: Recording, turn: Turn, who: string): boolean =>
  turn.speaker === who ||
  speakers.some(({ label, name }) => label === turn.speaker && name === who);
