import { hasCode } from '../shared/errors.ts';
import type { Kind } from '../../events/facts/recording.ts';
import type {
  ProjectionStorage,
  ProjectionBehind,
  ProjectionStopped,
} from '../../projections/runner/projection.ts';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import { withKnownNames } from '../../projections/recording/written-texts.ts';
import { InvalidCursor } from '../../projections/list-page.ts';
import { utcTime } from '../shared/time.ts';
import { recordingById, recordings } from '../../projections/recordings.ts';
import { foldName } from '../../projections/library.ts';
import { transcriptOf } from '../../projections/texts.ts';
import type { Log } from '../shared/log.ts';
import { type Passage, passagesOf, withSidenotePlaces } from './passages.ts';
import { foldWord, wordsOf } from '../shared/folded-words.ts';
import { type Place, bestPlace } from './words.ts';
import { type Readable, type UserIndex, ownAlone, userIndex } from './user-index.ts';
import { openIndexes } from './indexes.ts';
import { inTime } from '../shared/abort.ts';

export type Hit = Place & {
  recording_id: string;
  /** Null: it is somebody else's. */
  filename: string | null;
  /** What the user is called whose it is; null: the searching one's own. */
  by: string | null;
  /** Whether there is audio that may be heard. */
  audio: boolean;
  title: string | null;
  /** Name of the file it was imported from. */
  source: string | null;
  created_at: string;
};

export type Found = {
  /** Best first. */
  hits: Hit[];
  /** False: not all of the user's transcripts are searched (yet). */
  complete: boolean;
  /** Share of the user's transcripts that are searched, 0 to 1; the newest are searched first. */
  fraction: number;
};

/** What a search is narrowed to; left out: all. `speaker` as `GET /transcripts` takes it. */
export type Only = {
  kind?: Kind | undefined;
  speaker?: string | undefined;
  /** Those that began then or later, then or earlier (RFC 3339). */
  from?: string | undefined;
  to?: string | undefined;
  /** Ids of folders, one of which it is in; null: in none. */
  folders?: readonly (string | null)[] | undefined;
  /** Ids of tags, all of which it has. */
  tags?: readonly string[] | undefined;
  recordingId?: string | undefined;
  /** By titles and names alone. */
  headings?: boolean | undefined;
};

export type NoteFound = {
  recording_id: string;
  /** What the user is called whose it is; null: the searching one's own. */
  by: string | null;
  /** Whether there is audio that may be heard. */
  audio: boolean;
  title: string | null;
  source: string | null;
  kind: Kind;
  created_at: string;
  /** As `passagesOf` chooses them, with names in the place of labels. */
  passages: Passage[];
  /** How many passages there are besides. */
  more: number;
};

export type NotesFound = {
  notes: NoteFound[];
  /** How many passages are in these notes, and how many notes there are on all pages. */
  passages: number;
  notes_found: number;
  next_cursor: string | null;
} & Pick<Found, 'complete' | 'fraction'>;

export interface Search {
  /**
   * The transcripts of a user in which all words of a question are, or begin, or nearly are. While the index
   * is made: those of what is indexed so far.
   * @throws `PROJECTION_STOPPED`
   */
  find(owner: string, question: string, options: { limit: number; only?: Only }): Promise<Found>;
  /**
   * The same, a page after the other, with the passages of each.
   * @throws {InvalidCursor}, `PROJECTION_STOPPED`
   */
  findNotes(
    owner: string,
    question: string,
    options: {
      limit: number;
      /** Passages of each at most. */
      passages: number;
      order: 'best' | 'newest';
      cursor?: string | undefined;
      only?: Only;
    },
  ): Promise<NotesFound>;
}

/** The share of the machine's memory that all indexes together may take. */
const memoryShare = 0.1;
/** A word of a transcript costs an index so much, bytes; one of 1,500 words has about 800 different ones. */
const pairBytes = 10;
/** A search waits this long for its index, then answers from what is indexed so far. */
const indexWaitMs = 500;
const questionWordsMax = 16;

export type SearchParts = {
  storage: ProjectionStorage;
  projections: Pick<ProjectionRunner, 'assertRunning' | 'onApplied'>;
  /** What others share; without it users search their own alone. */
  readable?: Readable;
  log: Pick<Log, 'error'>;
  /** Of the machine, in bytes. */
  memoryBytes: number;
};

/**
 * Full-text search over transcripts: an index for each user who searches, made in the background from
 * the projections' rows, kept up to date by the facts they apply, dropped when others need the room.
 */
export function openSearch(parts: SearchParts): Search {
  const { storage, projections, log, memoryBytes, readable = ownAlone } = parts;
  const signatures = new WeakMap<UserIndex, string>();
  const reading = { storage, readable };
  const assertRunning = () => projections.assertRunning([recordings.name]);
  const indexes = openIndexes({
    room: (memoryBytes * memoryShare) / pairBytes,
    open: (owner, hasRoom, limited) =>
      userIndex(owner, { ...reading, hasRoom, assertRunning, limited }),
  });
  projections.onApplied((facts) => facts.forEach((fact) => indexes.apply(fact)));

  /** @returns null: nothing can be found yet */
  async function indexOf(owner: string) {
    if (!rowsAreComplete(assertRunning)) return null;
    const signature = await readable.signature(owner);
    const index = indexes.of(owner, (kept) => signatures.get(kept) === signature);
    if (!index) return null;
    signatures.set(index, signature);
    await caughtUp(index, (error) => {
      indexes.drop(owner, index);
      // Those end with the service, which has said so.
      if (!isStopped(error)) log.error({ err: error }, 'search index failed');
    });
    // Before the hits are read: what is indexed meanwhile was not searched.
    const fraction = index.fraction();
    return { index, searched: { complete: fraction === 1, fraction } };
  }

  return {
    async find(owner, question, { limit, only }) {
      const words = questionWords(question);
      if (words.length === 0) return { hits: [], complete: true, fraction: 1 };
      const ready = await indexOf(owner);
      if (!ready) return { hits: [], ...nothingYet };
      const { index, searched } = ready;
      const hits: Hit[] = [];
      for (const { id, words: found } of index.words.find(
        words,
        limit,
        fitting(index, only),
        only?.headings,
      )) {
        const hit = await hitOf(reading, owner, id, found);
        if (hit) hits.push(hit);
      }
      return { hits, ...searched };
    },

    async findNotes(owner, question, { limit, passages, order, cursor, only }) {
      const none = { notes: [], passages: 0, notes_found: 0, next_cursor: null };
      const after = cursor === undefined ? undefined : placeOf(cursor);
      const words = questionWords(question);
      if (words.length === 0) return { ...none, complete: true, fraction: 1 };
      const ready = await indexOf(owner);
      if (!ready) return { ...none, ...nothingYet };
      const { index, searched } = ready;
      const found = index.words.find(words, Infinity, fitting(index, only), only?.headings);
      const startOf = ({ id }: { id: string }) => index.about.get(id)?.startedAt ?? '';
      if (order === 'newest') found.sort((one, other) => (startOf(one) < startOf(other) ? 1 : -1));
      const from = after === undefined ? 0 : behind(found, after);
      const page = await notesFrom(reading, owner, found, { from, limit, passages });
      return { ...page, notes_found: found.length, ...searched };
    },
  };
}

/** A page of the notes that were found. @param from place of the first of them */
async function notesFrom(
  rows: SearchedRows,
  owner: string,
  found: ReturnType<UserIndex['words']['find']>,
  { from, limit, passages }: { from: number; limit: number; passages: number },
): Promise<Pick<NotesFound, 'notes' | 'passages' | 'next_cursor'>> {
  const notes: NoteFound[] = [];
  let at = from;
  let last = '';
  for (const { id, words } of found.slice(from)) {
    if (notes.length === limit) break;
    const note = await noteOf(rows, owner, id, { words, limit: passages });
    if (note) notes.push(note);
    last = id;
    at += 1;
  }
  const all = notes.reduce((sum, note) => sum + note.passages.length + note.more, 0);
  const next_cursor = at < found.length ? cursorTo(at, last) : null;
  return { notes, passages: all, next_cursor };
}

const nothingYet = { complete: false, fraction: 0 };

/** A page goes on behind a note; where that is no longer found, behind as many as were shown. */
type PlaceAmong = { count: number; id: string };

const cursorTo = (count: number, id: string): string =>
  Buffer.from(`${count} ${id}`).toString('base64url');

/** @throws {InvalidCursor} */
function placeOf(cursor: string): PlaceAmong {
  const [, count, id] = /^(\d{1,9}) (\S+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (count === undefined || id === undefined) throw new InvalidCursor();
  return { count: Number(count), id };
}

function behind(found: readonly { id: string }[], { count, id }: PlaceAmong): number {
  const place = found.findIndex((one) => one.id === id);
  return place === -1 ? Math.min(count, found.length) : place + 1;
}

function fitting({ about }: UserIndex, only: Only = {}): ((id: string) => boolean) | undefined {
  if (Object.values(only).every((value) => value === undefined)) return undefined;
  const { kind, recordingId, folders, tags = [] } = only;
  const speaker = only.speaker === undefined ? undefined : foldName(only.speaker);
  const [from, to] = [only.from, only.to].map((at) => (at === undefined ? at : utcTime(at)));
  return (id) => {
    const note = about.get(id);
    return (
      note !== undefined &&
      (recordingId === undefined || id === recordingId) &&
      (kind === undefined || note.kind === kind) &&
      (speaker === undefined || note.speakers.includes(speaker)) &&
      (from === undefined || note.startedAt >= from) &&
      (to === undefined || note.startedAt <= to) &&
      (folders === undefined || folders.includes(note.folder)) &&
      tags.every((tag) => note.tags.includes(tag))
    );
  };
}

const questionWords = (question: string): string[] => {
  const words = new Set<string>();
  for (const { word } of wordsOf(question)) words.add(foldWord(word));
  words.delete('');
  return [...words].slice(0, questionWordsMax);
};

/** False while rows are made: they would show whose a recording was, not whose it is. @throws `PROJECTION_STOPPED` */
function rowsAreComplete(assertRunning: () => void): boolean {
  try {
    assertRunning();
    return true;
  } catch (error) {
    if (hasCode<ProjectionBehind>(error, 'PROJECTION_BEHIND')) return false;
    throw error;
  }
}

const isStopped = (error: unknown): boolean =>
  hasCode<ProjectionStopped>(error, 'PROJECTION_STOPPED');

/** Resolves when the index is up to date, at the latest after `indexWaitMs`; the work goes on. @throws what it throws meanwhile */
async function caughtUp(index: UserIndex, onError: (error: unknown) => void): Promise<void> {
  const work = index.catchUp();
  work.catch(onError);
  await inTime(indexWaitMs, work, () => {});
}

async function hitOf(
  rows: SearchedRows,
  owner: string,
  id: string,
  words: string[],
): Promise<Hit | undefined> {
  const said = await saidIn(rows, owner, id);
  if (!said) return undefined;
  const { row, blocks, texts } = said;
  const { title, source, startedAt: created_at } = row;
  const place = bestPlace(blocks, texts, words);
  return {
    recording_id: id,
    filename: said.filename,
    by: said.by,
    audio: said.audio,
    title,
    source,
    created_at,
    ...place,
  };
}

async function noteOf(
  rows: SearchedRows,
  owner: string,
  id: string,
  { words, limit }: { words: string[]; limit: number },
): Promise<NoteFound | undefined> {
  const said = await saidIn(rows, owner, id);
  if (!said) return undefined;
  const { row, blocks, texts } = said;
  const { title, source, kind, startedAt: created_at } = row;
  const { passages, all } = passagesOf(blocks, texts, words, limit);
  const names = new Map(row.speakers.map(({ label, name }) => [label, name ?? label]));
  return {
    recording_id: id,
    by: said.by,
    audio: said.audio,
    title,
    source,
    kind,
    created_at,
    passages: passages.map((one) => ({
      ...one,
      speaker: one.speaker === null ? null : (names.get(one.speaker) ?? one.speaker),
    })),
    more: all - passages.length,
  };
}

type SearchedRows = { storage: ProjectionStorage; readable: Readable };

/** The rows have the last word: what was erased, handed over or withdrawn meanwhile is not found. */
async function saidIn({ storage, readable }: SearchedRows, owner: string, id: string) {
  const row = await recordingById(storage, id);
  if (!row || row.documents === null) return undefined;
  const isOwn = row.owner === owner;
  const right = isOwn ? { audio: true } : await readable.rightOf(owner, row);
  if (!right) return undefined;
  const transcript = await transcriptOf(storage, id);
  if (!transcript) return undefined;
  const summary = withKnownNames(transcript.summary ?? '', row.speakers);
  const texts = [summary, row.abstract ?? '', row.title ?? '', row.source ?? ''];
  const whose = isOwn
    ? { filename: row.documents.index, by: null }
    : { filename: null, by: readable.nameOf(row.owner) };
  const audio = right.audio && row.audio !== null;
  return { row, ...whose, audio, blocks: withSidenotePlaces(transcript), texts };
}
