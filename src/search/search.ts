import { recordingOf } from '../../events/facts/recording.ts';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import type { ProjectionStorage } from '../../projections/projection.ts';
import type { ProjectionRunner } from '../../projections/runner.ts';
import { recordingById, recordings } from '../../projections/recordings.ts';
import { transcriptOf, transcripts } from '../../projections/transcripts.ts';
import type { Log } from '../shared/log.ts';
import { type Place, bestPlace, foldWord, wordsOf } from './words.ts';
import { type UserIndex, userIndex } from './user-index.ts';

export type Hit = Place & { recording_id: string; filename: string; title: string | null };

export type Found = {
  /** Best first. */
  hits: Hit[];
  /** False: the index has no room for this user's oldest transcripts. */
  complete: boolean;
};

export interface Search {
  /**
   * The transcripts of a user in which all words of a question are, or begin, or nearly are.
   * @throws `PROJECTION_STOPPED`, `PROJECTION_BEHIND`; {IndexBusy} while the index is being made.
   */
  find(owner: string, question: string, options: { limit: number }): Promise<Found>;
}

/** The index of this user is being made, or too many are. Asking again in a moment helps. */
export class IndexBusy extends Error {
  override name = 'IndexBusy';
  readonly code = 'BUSY';
}

/** Pairs of word and transcript in all indexes together (about 45 bytes each): some 10 000 transcripts. */
const sizeMax = 9_000_000;
/** Users whose indexes are in memory, and indexes being made at the same time. */
const usersMax = 50;
const buildsMax = 2;
/** Somebody who asks waits this long for the index to be made. */
const patienceMs = 10_000;
const questionWordsMax = 16;

/**
 * Full-text search over transcripts: an index for each user who searches, made when it is needed from
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
  const room = parts.sizeMax ?? sizeMax;
  /** In the order of their last use. */
  const kept = new Map<string, Kept>();

  projections.onApplied((facts) => {
    for (const fact of facts) {
      const recordingId = recordingOf(fact.stream);
      if (recordingId === undefined || unchanging.has(fact.type)) continue;
      for (const { index } of kept.values()) {
        if (erases(fact)) index.erased(recordingId);
        else index.changed(recordingId);
      }
    }
  });

  return {
    async find(owner, question, { limit }) {
      projections.assertRunning([recordings.name, transcripts.name]);
      const words = new Set<string>();
      for (const { word } of wordsOf(question)) words.add(foldWord(word));
      words.delete('');
      if (words.size === 0) return { hits: [], complete: true };
      const index = await upToDate(owner);
      const found = index.words.find([...words].slice(0, questionWordsMax), limit);
      const hits: Hit[] = [];
      for (const { id, words } of found) {
        const hit = await describe(owner, id, words);
        if (hit) hits.push(hit);
      }
      return { hits, complete: index.complete() };
    },
  };

  /** The rows have the last word: what was erased or handed over meanwhile is no hit. */
  async function describe(owner: string, id: string, words: string[]): Promise<Hit | undefined> {
    const row = await recordingById(storage, id);
    if (!row || row.owner !== owner || row.documents === null) return undefined;
    const transcript = await transcriptOf(storage, id);
    if (!transcript) return undefined;
    const texts = [transcript.summary ?? '', row.abstract ?? '', row.title ?? ''];
    const place = bestPlace(transcript.blocks, texts, words);
    return { recording_id: id, filename: row.documents.index, title: row.title, ...place };
  }

  async function upToDate(owner: string): Promise<UserIndex> {
    const mine = kept.get(owner) ?? open(owner);
    // To the end: it was used last.
    kept.delete(owner);
    kept.set(owner, mine);
    await patiently(mine.ready);
    // One after the other, each for all that was changed before it.
    mine.refreshed = mine.refreshed.then(() => mine.index.refresh());
    try {
      await mine.refreshed;
    } catch (error) {
      drop(owner, mine);
      throw error;
    }
    makeRoom();
    return mine.index;
  }

  function open(owner: string): Kept {
    if ([...kept.values()].filter(({ building }) => building).length >= buildsMax) {
      throw new IndexBusy('Other users’ transcripts are being made searchable.');
    }
    const stop = new AbortController();
    const index = userIndex(owner, storage, () => {
      makeRoom();
      return total() < room;
    });
    const mine: Kept = {
      index,
      stop,
      building: true,
      ready: index.build(stop.signal).finally(() => {
        mine.building = false;
      }),
      refreshed: Promise.resolve(),
    };
    mine.ready.catch((error: unknown) => {
      drop(owner, mine);
      if (!stop.signal.aborted) log.error({ err: error }, 'an index for searching failed');
    });
    kept.set(owner, mine);
    return mine;
  }

  /** Drops the indexes that were not used for longest, but for the last one used. */
  function makeRoom(): void {
    const last = [...kept.keys()].at(-1);
    for (const [owner, mine] of kept) {
      if (owner === last || (total() < room && kept.size <= usersMax)) return;
      if (!mine.building) drop(owner, mine);
    }
  }

  function drop(owner: string, mine: Kept): void {
    mine.stop.abort();
    if (kept.get(owner) === mine) kept.delete(owner);
  }

  function total(): number {
    let size = 0;
    for (const { index } of kept.values()) size += index.words.size;
    return size;
  }
}

type Kept = {
  index: UserIndex;
  stop: AbortController;
  building: boolean;
  ready: Promise<void>;
  refreshed: Promise<void>;
};

/** Facts after which a transcript says what it said before. */
const unchanging: ReadonlySet<LoggedFact['type']> = new Set<LoggedFact['type']>([
  'stage.started',
  'stage.interrupted',
  'speech.detected',
  'utterance.recognised',
]);

const erases = (fact: LoggedFact): boolean => fact.to === 'idle.erased' || fact.erased === true;

/** @throws {IndexBusy} after a while; making the index goes on. */
async function patiently(ready: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new IndexBusy('Your transcripts are still being made searchable.')),
      patienceMs,
    );
  });
  try {
    await Promise.race([ready, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
