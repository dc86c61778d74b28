import { hasCode } from '../shared/errors.ts';
import type { Kind } from '../../events/facts/recording.ts';
import type {
  ProjectionStorage,
  ProjectionBehind,
  ProjectionStopped,
} from '../../projections/runner/projection.ts';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import { InvalidCursor } from '../../projections/list-page.ts';
import { utcTime } from '../shared/time.ts';
import { recordings } from '../../projections/recordings.ts';
import { foldName } from '../../projections/library.ts';
import type { Log } from '../shared/log.ts';
import type { PassageRows } from '../storage/passage-rows.ts';
import {
  type AskedMeaning,
  type FoundNote,
  type MeaningOf,
  joinedRanks,
  nearPassages,
  nearRecordings,
} from './by-meaning.ts';
import { foldWord, wordsOf } from '../shared/folded-words.ts';
import type { Hit, HitsFound, NoteFound, NotesFound, SearchMode } from './found.ts';
import { newerFirst } from './newer-first.ts';
import { type SearchedRows, shownHit, shownNote, saidInPassages } from './shown.ts';
import { type Readable, type UserIndex, userIndex } from './user-index.ts';
import { openIndexes } from './indexes.ts';
import { inTime } from '../shared/abort.ts';

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
  /** Ids, one of which it has. */
  recordings?: readonly string[] | undefined;
  /** By titles and names alone. */
  headings?: boolean | undefined;
};

export interface Search {
  /**
   * The transcripts of a user in which all words of a question are, or begin, or nearly are. While the index
   * is made: those of what is indexed so far. And those that are about the question by their meaning, if a server says so.
   * @param options.mode `both`, unless given; `both` is as `words` where nothing is known of meaning
   * @throws `PROJECTION_STOPPED`; {StageError} for `meaning` alone: its server does not answer
   */
  find(
    owner: string,
    question: string,
    options: { limit: number; only?: Only; mode?: SearchMode },
  ): Promise<HitsFound>;
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
      mode?: SearchMode;
    },
  ): Promise<NotesFound>;
  /**
   * Transcripts in which all words of one of the terms are as given, newest first. @throws `PROJECTION_STOPPED`
   */
  having(
    owner: string,
    terms: readonly string[],
    only?: Only,
  ): Promise<{ found: { id: string; startedAt: string }[]; complete: boolean; fraction: number }>;
  /** The passages that are about a question by their meaning, nearest first; none where nothing is known of it. @throws as `find` */
  near(
    owner: string,
    question: string,
    options: { limit: number; only?: Only },
  ): Promise<{
    /** Each with the blocks that it is of. */
    passages: { recordingId: string; blocks: string[] }[];
    complete: boolean;
  }>;
  /** Ids of the notes that began last. @throws `PROJECTION_STOPPED` */
  newest(
    owner: string,
    options: { limit: number; only?: Only },
  ): Promise<{ ids: string[]; complete: boolean }>;
}

/** The share of the machine's memory that all indexes together may take. */
const memoryShare = 0.1;
/** What passages mean takes no more than that, or than this share. */
const meantBytesMax = 512 * 1024 * 1024;
const meantShare = 0.15;
/** A word of a transcript costs an index so much, bytes; one of 1,500 words has about 800 different ones. */
const pairBytes = 10;
/** A search waits this long for its index, then answers from what is indexed so far. */
const indexWaitMs = 500;
/** As many as a question of the longest length has, if its words are no shorter than usual. */
const questionWordsMax = 64;

export type SearchParts = {
  storage: ProjectionStorage;
  projections: Pick<ProjectionRunner, 'assertRunning' | 'onApplied'>;
  /** What others share. */
  readable: Readable;
  /** What finds by meaning. */
  meaning: {
    of: MeaningOf;
    passages: Pick<PassageRows, 'read'>;
    /** Hears of recordings that have other passages; null: any may have. */
    onMade(listener: (recordingId: string | null) => void): void;
  };
  log: Pick<Log, 'error'>;
  /** Of the machine, in bytes. */
  memoryBytes: number;
};

/** What finds, by the indexes in memory. */
function finderOver(parts: SearchParts) {
  const { storage, projections, log, memoryBytes, readable, meaning } = parts;
  const signatures = new WeakMap<UserIndex, string>();
  const { passages } = meaning;
  const reading = { storage, readable, passages };
  const assertRunning = () => projections.assertRunning([recordings.name]);
  const indexes = openIndexes({
    room: (memoryBytes * memoryShare) / pairBytes,
    roomToMean: Math.min(meantBytesMax, memoryBytes * meantShare),
    open: (owner, rooms, limited) =>
      userIndex(owner, {
        ...reading,
        ...rooms,
        passages: meaning.of.isOn() ? passages : null,
        assertRunning,
        limited,
      }),
  });
  meaning.onMade((recordingId) => indexes.embedded(recordingId));
  projections.onApplied((facts) => facts.forEach((fact) => indexes.apply(fact)));

  /** @returns null: nothing can be found yet */
  async function indexOf(owner: string) {
    if (!rowsAreComplete(assertRunning)) return null;
    const signature = `${meaning.of.isOn()} ${await readable.signature(owner)}`;
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

  /** What a question means; null where only words are looked for. @throws as `find` */
  const meantBy = async (owner: string, question: string, mode: SearchMode, only?: Only) =>
    mode === 'words' || only?.headings === true || !meaning.of.isOn()
      ? null
      : await meaning.of.ask(question, owner, { alone: mode === 'meaning' });

  /** Best first, and how much was searched; null: nothing can be found yet, or nothing is asked for. */
  async function foundBy(owner: string, question: string, how: How) {
    const { mode = 'both', only, limit } = how;
    const words = mode === 'meaning' ? [] : questionWords(question);
    if (questionWords(question).length === 0) return null;
    // Beside each other: a server may take as long as an index.
    const [ready, asked] = await Promise.all([
      indexOf(owner),
      meantBy(owner, question, mode, only),
    ]);
    if (!ready) return { found: [], searched: nothingYet };
    const { index, searched } = ready;
    const fits = fitting(index, only);
    const matched = words.length === 0 ? [] : index.words.find(words, limit, fits, only?.headings);
    const near = asked ? await nearRecordings(index, asked, fits) : [];
    return {
      found: joinedRanks(matched, near),
      about: index.about,
      searched: { ...searched, meaning: asked && searchedByMeaning(index, asked, searched) },
    };
  }

  return { reading, indexOf, meantBy, foundBy };
}

/**
 * Full-text search over transcripts: an index for each user who searches, made in the background from
 * the projections' rows, kept up to date by the facts they apply, dropped when others need the room.
 */
export function openSearch(parts: SearchParts): Search {
  const { reading, indexOf, meantBy, foundBy } = finderOver(parts);
  return {
    async find(owner, question, how) {
      const all = await foundBy(owner, question, how);
      if (!all) return { hits: [], ...nothingAsked };
      const hits: Hit[] = [];
      for (const one of all.found.slice(0, how.limit)) {
        const hit = await shownHit(reading, owner, one);
        if (hit) hits.push(hit);
      }
      return { hits, ...all.searched };
    },

    async findNotes(owner, question, { limit, passages: shown, order, cursor, ...how }) {
      const after = cursor === undefined ? undefined : placeOf(cursor);
      const all = await foundBy(owner, question, { ...how, limit: Infinity });
      if (!all)
        return { notes: [], passages: 0, notes_found: 0, next_cursor: null, ...nothingAsked };
      const { found, searched, about } = all;
      const startOf = ({ id }: { id: string }) => about?.get(id)?.startedAt ?? '';
      if (order === 'newest') found.sort((one, other) => (startOf(one) < startOf(other) ? 1 : -1));
      const from = after === undefined ? 0 : behind(found, after);
      const page = await notesFrom(reading, owner, found, { from, limit, passages: shown });
      return { ...page, notes_found: found.length, ...searched };
    },

    async having(owner, terms, only) {
      const ready = await indexOf(owner);
      if (!ready) return { found: [], complete: false, fraction: 0 };
      const { index, searched } = ready;
      const asked = terms.map(questionWords).filter((words) => words.length > 0);
      const ids = new Set(asked.flatMap((words) => index.words.having(words)));
      const fits = fitting(index, only) ?? (() => true);
      const begun = (id: string) => ({ id, startedAt: index.about.get(id)?.startedAt ?? '' });
      const found = [...ids].filter(fits).map(begun);
      return { found: found.toSorted(newerFirst), ...searched };
    },

    async near(owner, question, { limit, only }) {
      // Such as one that says only when: servers refuse a text without words, and would be left alone for a while.
      if (questionWords(question).length === 0) return { passages: [], complete: true };
      const asked = await meantBy(owner, question, 'both', only);
      const ready = asked && (await indexOf(owner));
      // A server that did not answer would have found more.
      if (!asked || !ready) return { passages: [], complete: !asked && !parts.meaning.of.isOn() };
      const { index, searched } = ready;
      const near = await nearPassages(index, asked, { limit, fits: fitting(index, only) });
      const { complete } = searchedByMeaning(index, asked, searched);
      return { passages: await saidInPassages(reading, owner, near), complete };
    },

    async newest(owner, { limit, only }) {
      const ready = await indexOf(owner);
      if (!ready) return { ids: [], complete: false };
      const { index, searched } = ready;
      const fits = fitting(index, only);
      const ids = [...index.about.keys()].filter((id) => !fits || fits(id));
      const startOf = (id: string) => index.about.get(id)?.startedAt ?? '';
      ids.sort((one, other) => (startOf(one) < startOf(other) ? 1 : -1));
      return { ids: ids.slice(0, limit), complete: searched.complete };
    },
  };
}

type How = { limit: number; only?: Only; mode?: SearchMode };

/** Known of those that are indexed, of which not all may be. */
function searchedByMeaning(
  index: UserIndex,
  { model }: AskedMeaning,
  { fraction }: { fraction: number },
): { complete: boolean; fraction: number } {
  const known = index.fractionMeant(model) * fraction;
  return { complete: known === 1, fraction: known };
}

/** A page of the notes that were found. @param from place of the first of them */
async function notesFrom(
  rows: SearchedRows,
  owner: string,
  found: readonly FoundNote[],
  { from, limit, passages }: { from: number; limit: number; passages: number },
): Promise<Pick<NotesFound, 'notes' | 'passages' | 'next_cursor'>> {
  const notes: NoteFound[] = [];
  let at = from;
  let last = '';
  for (const one of found.slice(from)) {
    if (notes.length === limit) break;
    const note = await shownNote(rows, owner, one, passages);
    if (note) notes.push(note);
    last = one.id;
    at += 1;
  }
  const all = notes.reduce((sum, note) => sum + note.passages.length + note.more, 0);
  const next_cursor = at < found.length ? cursorTo(at, last) : null;
  return { notes, passages: all, next_cursor };
}

const nothingYet = { complete: false, fraction: 0, meaning: null };
const nothingAsked = { complete: true, fraction: 1, meaning: null };

/** A page goes on behind a note; where that is no longer found, behind as many as were shown but for that one. */
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
  return place === -1 ? Math.max(0, Math.min(count - 1, found.length)) : place + 1;
}

function fitting({ about }: UserIndex, only: Only = {}): ((id: string) => boolean) | undefined {
  if (Object.values(only).every((value) => value === undefined)) return undefined;
  const { kind, recordings: ids, folders, tags = [] } = only;
  const speaker = only.speaker === undefined ? undefined : foldName(only.speaker);
  const [from, to] = [only.from, only.to].map((at) => (at === undefined ? at : utcTime(at)));
  return (id) => {
    const note = about.get(id);
    return (
      note !== undefined &&
      (ids === undefined || ids.includes(id)) &&
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
