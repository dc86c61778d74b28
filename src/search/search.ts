import { hasCode } from '../shared/errors.ts';
import pLimit from 'p-limit';
import { recordingOf } from '../../events/facts/recording.ts';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import { withKnownNames } from '../../projections/recording/labels-in-text.ts';
import { recordingById, recordings } from '../../projections/recordings.ts';
import { transcriptOf } from '../../projections/transcripts.ts';
import type { Log } from '../shared/log.ts';
import { type Place, bestPlace, foldWord, wordsOf } from './words.ts';
import { type UserIndex, userIndex } from './user-index.ts';

export type Hit = Place & {
  recording_id: string;
  filename: string;
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

export interface Search {
  /**
   * The transcripts of a user in which all words of a question are, or begin, or nearly are. While the index
   * is made: those of what is indexed so far.
   * @throws `PROJECTION_STOPPED`
   */
  find(owner: string, question: string, options: { limit: number }): Promise<Found>;
}

/** Pairs of word and transcript in all indexes together (about 10 bytes each): some 25 000 transcripts, 200 MB. */
const sizeMax = 20_000_000;
/** Users whose indexes are in memory, and indexes being made at the same time. */
const usersMax = 50;
const buildsMax = 4;
/** A search waits this long for its index, then answers from what is indexed so far. */
const indexWaitMs = 500;
const questionWordsMax = 16;

/**
 * Full-text search over transcripts: an index for each user who searches, made in the background from
 * the projections' rows, kept up to date by the facts they apply, dropped when others need the room.
 */
export function openSearch(parts: {
  storage: ProjectionStorage;
  projections: Pick<ProjectionRunner, 'assertRunning' | 'onApplied'>;
  log: Pick<Log, 'error'>;
  /** Room for all indexes together; for tests. */
  sizeMax?: number;
}): Search {
  const { storage, projections, log } = parts;
  const assertRunning = () => projections.assertRunning([recordings.name]);
  const indexes = openIndexes({
    room: parts.sizeMax ?? sizeMax,
    open: (owner, hasRoom, limited) =>
      userIndex(owner, { storage, hasRoom, assertRunning, limited }),
  });
  projections.onApplied((facts) => facts.forEach((fact) => indexes.apply(fact)));

  return {
    async find(owner, question, { limit }) {
      const words = questionWords(question);
      if (words.length === 0) return { hits: [], complete: true, fraction: 1 };
      if (!rowsAreComplete(assertRunning)) return nothingYet;
      const index = indexes.of(owner);
      if (!index) return nothingYet;
      await caughtUp(index, (error) => {
        indexes.drop(owner, index);
        // Those end with the service, which has said so.
        if (!isStopped(error)) log.error({ err: error }, 'an index for searching failed');
      });
      // Before the hits are read: what is indexed meanwhile was not searched.
      const fraction = index.fraction();
      const hits: Hit[] = [];
      for (const { id, words: found } of index.words.find(words, limit)) {
        const hit = await describe(storage, owner, id, found);
        if (hit) hits.push(hit);
      }
      return { hits, complete: fraction === 1, fraction };
    },
  };
}

const nothingYet: Found = { hits: [], complete: false, fraction: 0 };

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
    if (hasCode(error, 'PROJECTION_BEHIND')) return false;
    throw error;
  }
}

const isStopped = (error: unknown): boolean => hasCode(error, 'PROJECTION_STOPPED');

/** Resolves when the index is up to date, at the latest after `indexWaitMs`; the work goes on. @throws what it throws meanwhile */
async function caughtUp(index: UserIndex, onError: (error: unknown) => void): Promise<void> {
  const work = index.catchUp();
  work.catch(onError);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, indexWaitMs);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The rows have the last word: what was erased or handed over meanwhile is not a hit. */
async function describe(
  storage: ProjectionStorage,
  owner: string,
  id: string,
  words: string[],
): Promise<Hit | undefined> {
  const row = await recordingById(storage, id);
  if (!row || row.owner !== owner || row.documents === null) return undefined;
  const transcript = await transcriptOf(storage, id);
  if (!transcript) return undefined;
  const { title, source, started_at: created_at } = row;
  const summary = withKnownNames(transcript.summary ?? '', row.speakers);
  const texts = [summary, row.abstract ?? '', title ?? '', source ?? ''];
  const place = bestPlace(transcript.blocks, texts, words);
  return { recording_id: id, filename: row.documents.index, title, source, created_at, ...place };
}

/** The indexes in memory. */
function openIndexes(deps: {
  room: number;
  open(
    owner: string,
    hasRoom: () => boolean,
    limited: (work: () => Promise<void>) => Promise<void>,
  ): UserIndex;
}) {
  /** In the order of their last use. */
  const kept = new Map<string, UserIndex>();
  const limited = pLimit(buildsMax);
  const total = () => [...kept.values()].reduce((size, { words }) => size + words.size, 0);

  /** Drops the indexes that were not used for longest, but for the last one used and those being made. */
  const makeRoom = (): void => {
    const last = [...kept.keys()].at(-1);
    for (const [owner, index] of kept) {
      if (owner === last || (total() < deps.room && kept.size <= usersMax)) return;
      if (!index.busy()) kept.delete(owner);
    }
  };
  const hasRoom = (): boolean => {
    makeRoom();
    return total() < deps.room;
  };

  return {
    /** The index of a user; undefined while those of too many others are made. */
    of(owner: string): UserIndex | undefined {
      makeRoom();
      if (!kept.has(owner) && kept.size > usersMax) return undefined;
      const index = kept.get(owner) ?? deps.open(owner, hasRoom, limited);
      // To the end: it was used last.
      kept.delete(owner);
      kept.set(owner, index);
      return index;
    },
    drop(owner: string, index: UserIndex): void {
      if (kept.get(owner) === index) kept.delete(owner);
    },
    apply(fact: LoggedFact): void {
      const recordingId = recordingOf(fact.stream);
      if (recordingId === undefined || unchanging.has(fact.type)) return;
      for (const [owner, index] of kept) {
        if (erases(fact)) index.erased(recordingId);
        else if (!index.changed(recordingId)) kept.delete(owner);
      }
    },
  };
}

/** Facts after which a transcript says what it said before. */
const unchanging: ReadonlySet<LoggedFact['type']> = new Set<LoggedFact['type']>([
  'stage.started',
  'stage.interrupted',
  'speech.followed',
  'speech.detected',
  'utterance.recognised',
]);

const erases = (fact: LoggedFact): boolean => fact.to === 'idle.erased' || fact.erased === true;
