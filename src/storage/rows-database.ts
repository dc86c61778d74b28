import { setTimeout as delay } from 'node:timers/promises';

/**
 * What is asked of the database under the log. Rows are kept at keys with the prefix a sublevel of
 * that name would give them, but without sublevel objects: those close with the database when the
 * log opens it again after a failed write, the database itself is then the same object, open.
 */
export interface RowsDatabase {
  get(key: string): Promise<string | undefined>;
  getMany(keys: string[]): Promise<(string | undefined)[]>;
  batch(operations: RowOperation[], options: { sync: boolean }): Promise<void>;
  /** Cheaper than an array for many rows: nothing is cloned. */
  batch(): RowBatch;
  clear(range: { gte: string; lt: string }): Promise<void>;
  iterator(range: { gte: string; lt: string; reverse: boolean; limit: number }): {
    all(): Promise<[string, string][]>;
  };
}

interface RowBatch {
  put(key: string, value: string): unknown;
  del(key: string): unknown;
  write(options: { sync: boolean }): Promise<void>;
  close(): Promise<void>;
}

type RowOperation = { type: 'put'; key: string; value: string } | { type: 'del'; key: string };

/** The prefix of a sublevel's keys. */
export const sublevelPrefix = (name: string): string => `!${name}!`;

/** How long a reader waits for the database to be opened again, and how often it looks, in milliseconds. */
const reopening = { waitMs: 2000, everyMs: 20 };

/**
 * Reads; when the database is just being opened again, waits a little for it.
 * @throws the database's error when it is still closed after two seconds, and any other at once.
 */
export async function whenOpen<T>(read: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + reopening.waitMs;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!isReopening(error) || performance.now() > deadline) throw error;
    }
    await delay(reopening.everyMs);
  }
}

/**
 * Entries with `gte <= key < lt`, a page at a time. Each page is read at one moment; an iterator
 * that stayed open would neither survive the database being opened again nor a slow consumer.
 */
export async function* entriesOf(
  db: RowsDatabase,
  range: { gte: string; lt: string; reverse?: boolean; limit?: number },
): AsyncGenerator<[key: string, value: string], void, void> {
  const { reverse = false, limit = Infinity } = range;
  let { gte, lt } = range;
  for (let left = limit; left > 0;) {
    const wanted = Math.min(left, pageEntriesMax);
    const bounds = { gte, lt };
    const page = await whenOpen(() => db.iterator({ ...bounds, reverse, limit: wanted }).all());
    yield* page;
    if (page.length < wanted) return;
    left -= page.length;
    const last = page.at(-1)![0];
    // The smallest key after another one is that key and a zero byte.
    if (reverse) lt = last;
    else gte = `${last}\0`;
  }
}

/** Entries read at once. */
const pageEntriesMax = 200;

const isReopening = (error: unknown): boolean => {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'LEVEL_DATABASE_NOT_OPEN' || code === 'LEVEL_ITERATOR_NOT_OPEN';
};
