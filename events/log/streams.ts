import { LRUCache } from 'lru-cache';
import { type LogDatabase, levelCode } from './database.ts';
import type { DamageRegister } from './damage.ts';
import { intactAt } from './reader.ts';
import { placeOf, streamRange, streamsRange } from './records.ts';
import { parseRecord } from './sealing.ts';
import { finding } from '../../src/words/findings.ts';

/** Versions of streams: as durable, and as they will be when everything queued is. */
export type StreamHeads = {
  /** The version that the next fact of a stream must follow. */
  queued(stream: string): number | Promise<number>;
  /** The version of the last durable fact; 0 when there is none. */
  durable(stream: string): number | Promise<number>;
  /** Facts up to this version were accepted into the queue. */
  accept(stream: string, version: number): void;
  /** Facts up to this version are durable. */
  settle(stream: string, version: number): void;
  /** Forgets all: the database was opened again. */
  reset(): void;
};

/** Heads that are kept though nothing is queued for their streams; about 100 bytes each. */
const headsKept = 10_000;

export function streamHeads(db: LogDatabase, damage: DamageRegister): StreamHeads {
  const kept = new LRUCache<string, number>({ max: headsKept });
  /** Bounded by the queue: an entry is there only while facts of its stream wait. */
  const waiting = new Map<string, number>();
  /** One look-up at a time for a stream, so nothing is appended to it before its head is known. */
  const loading = new Map<string, Promise<number>>();

  const durable = (stream: string): number | Promise<number> => {
    const known = kept.get(stream);
    if (known !== undefined) return known;
    const under = loading.get(stream);
    if (under) return under;
    const load = loadHead(db, stream, damage)
      .then((version) => {
        if (loading.get(stream) === load) kept.set(stream, version);
        return version;
      })
      .finally(() => {
        if (loading.get(stream) === load) loading.delete(stream);
      });
    loading.set(stream, load);
    return load;
  };

  return {
    durable,
    queued(stream) {
      const known = waiting.get(stream) ?? durable(stream);
      if (typeof known === 'number') return known;
      return known.then((version) => waiting.get(stream) ?? kept.get(stream) ?? version);
    },
    accept(stream, version) {
      waiting.set(stream, version);
    },
    settle(stream, version) {
      kept.set(stream, version);
      if (waiting.get(stream) === version) waiting.delete(stream);
    },
    reset() {
      kept.clear();
      waiting.clear();
      loading.clear();
    },
  };
}

/** Names of all streams in the order of their bytes, one look-up each; nothing is held between two. */
export async function* streamNames(
  db: LogDatabase,
  after?: string,
): AsyncGenerator<string, void, void> {
  let gte: string = after === undefined ? streamsRange.gte : streamRange(after).lt;
  for (;;) {
    const [key] = await db.keys({ gte, lt: streamsRange.lt, limit: 1 }).all();
    if (key === undefined) return;
    const place = placeOf(key);
    if (place) yield place.stream;
    // An entry of another kind is for `verify` to report; here it is skipped.
    gte = place ? streamRange(place.stream).lt : `${key}\0`;
  }
}

/** The last entry of a stream's index, checked against the record it points to. */
async function loadHead(db: LogDatabase, stream: string, damage: DamageRegister): Promise<number> {
  const entries = db.iterator({ ...streamRange(stream), reverse: true, limit: 1 });
  let entry: [string, string] | undefined;
  try {
    entry = await entries.next();
  } catch (error) {
    if (levelCode(error) !== 'LEVEL_CORRUPTION') throw error;
    throw damage.report({ kind: 'index', stream, said: finding('index-unreadable') }, error);
  } finally {
    await entries.close();
  }
  if (!entry) return 0;
  const place = placeOf(entry[0]);
  const position = Number(entry[1]);
  const record = Number.isSafeInteger(position) ? await intactAt(db, position) : undefined;
  const fact = record === undefined ? undefined : parseRecord(record);
  if (!place || fact?.stream !== stream || fact.version !== place.version) {
    throw damage.report({
      kind: 'index',
      stream,
      said: finding('index-wrong', { position: entry[1] }),
    });
  }
  return place.version;
}
