import { hash } from 'node:crypto';
import { hasCode } from '../shared/errors.ts';
import { retry } from '../shared/retry.ts';
import type { Checkpoint, ProjectionStorage } from '../../projections/runner/projection.ts';
import type { PassageCells } from './passage-rows.ts';
import { type Cells, type Kept, type WholeKind, keptIn } from './kept.ts';

/**
 * The rows of projections in the log's database, as JSON: `!projections!<name>/<key>`, and the
 * checkpoint at `!projections!<name>#checkpoint`. Not synced: a power cut takes rows and checkpoint
 * back together to an earlier moment, and the log makes up for it.
 */
export function levelProjectionStorage(db: RowsDatabase): ProjectionStorage {
  return {
    async get<T>(projection: string, key: string) {
      const row: T | undefined = parsed(await whenOpen(() => db.get(rowsOf(projection) + key)));
      return row;
    },
    async getMany<T>(projection: string, keys: readonly string[]) {
      if (keys.length === 0) return [];
      const prefix = rowsOf(projection);
      const texts = await whenOpen(() => db.getMany(keys.map((key) => prefix + key)));
      return texts.map((text): T | undefined => parsed(text));
    },
    async *range<T>(
      projection: string,
      { gte, lt, ...how }: { gte: string; lt: string; reverse?: boolean; limit?: number },
    ) {
      const prefix = rowsOf(projection);
      const within = { ...how, gte: prefix + gte, lt: prefix + lt };
      for await (const [key, text] of entriesOf(db, within)) {
        const entry: [string, T] = [key.slice(prefix.length), JSON.parse(text)];
        yield entry;
      }
    },
    async checkpoint(projection) {
      const checkpoint: Checkpoint | undefined = parsed(await db.get(checkpointOf(projection)));
      return checkpoint;
    },
    async commit(projection, checkpoint, changes) {
      const prefix = rowsOf(projection);
      const batch = db.batch();
      try {
        for (const [key, row] of changes) {
          if (row === undefined) batch.del(prefix + key);
          else batch.put(prefix + key, JSON.stringify(row));
        }
        batch.put(checkpointOf(projection), JSON.stringify(checkpoint));
        await batch.write(unsynced);
      } finally {
        // What was not written would be held until the database is closed.
        await batch.close();
      }
    },
    async remove(projection, { gte, lt }) {
      const prefix = rowsOf(projection);
      await db.clear({ gte: prefix + gte, lt: prefix + lt });
    },
    async clear(projection) {
      // The checkpoint first: without one, rows that are left are cleared at the next start.
      await db.batch([{ type: 'del', key: checkpointOf(projection) }], unsynced);
      const prefix = rowsOf(projection);
      // `0` follows `/`.
      await db.clear({ gte: prefix, lt: `${prefix.slice(0, -1)}0` });
    },
  };
}

const unsynced = { sync: false };

const rowsOf = (projection: string): string => `${projections}${nameOf(projection)}/`;

const checkpointOf = (projection: string): string =>
  `${projections}${nameOf(projection)}#checkpoint`;

/** What was written here; its shape is known to the projection. */
const parsed = (text: string | undefined) => (text === undefined ? undefined : JSON.parse(text));

/**
 * What is asked of the database under the log. Rows are kept at keys with the prefix a sublevel of
 * that name would give them, but without sublevel objects: those close with the database when the
 * log opens it again after a failed write, the database itself is then the same object, open.
 */
interface RowsDatabase {
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

/** Passages, at `!passages!h/<id>` what is readable of them and at `!passages!r/<id>` the rest. */
export function levelPassageCells(db: RowsDatabase): PassageCells {
  const at = (part: 'h' | 'r') => {
    const prefix = `${sublevelPrefix('passages')}${part}/`;
    return (id: string): string => prefix + id;
  };
  const [headOf, restOf] = [at('h'), at('r')];
  const many = async (keys: string[]) =>
    keys.length === 0 ? [] : await whenOpen(() => db.getMany(keys));
  return {
    heads: (ids) => many(ids.map(headOf)),
    sealed: (ids) => many(ids.map(restOf)),
    async put(id, { head, sealed }) {
      await db.batch(
        [
          { type: 'put', key: headOf(id), value: head },
          { type: 'put', key: restOf(id), value: sealed },
        ],
        unsynced,
      );
    },
    async remove(ids) {
      const keys = ids.flatMap((id) => [headOf(id), restOf(id)]);
      await db.batch(
        keys.map((key) => ({ type: 'del' as const, key })),
        unsynced,
      );
    },
    async ids(after, limit) {
      const prefix = headOf('');
      const range = { gte: `${prefix}${after}\0`, lt: `${prefix}\u{10ffff}`, limit };
      const found: string[] = [];
      for await (const [key] of entriesOf(db, range)) found.push(key.slice(prefix.length));
      return found;
    },
  };
}

/** The prefix of a sublevel's keys. */
export const sublevelPrefix = (name: string): string => `!${name}!`;

/**
 * Of one process: in the log's database, as JSON at `!<kind>!<key>`, and what need not outlive the process in memory.
 * Hashed keys are SHA-256 in hexadecimal digits.
 */
export const levelKept = (db: RowsDatabase, clock: () => Date): Kept =>
  keptIn((kind) =>
    kind.volatileMax === null ? cellsIn(db, kind, clock) : memoryCells(kind, clock),
  );

/** Rows in memory: the end of the process takes them. */
export function memoryCells({ volatileMax }: WholeKind, clock: () => Date): Cells {
  const rows = new Map<string, { text: string; endsAt: number | null }>();
  const cellOf = ({ text, endsAt }: { text: string; endsAt: number | null }) => ({
    text,
    hasEnded: (endsAt ?? Infinity) <= clock().getTime(),
  });
  return {
    async read(keys) {
      const found = keys.map((key) => rows.get(key));
      return { cells: found.map((row) => row && cellOf(row)), now: clock().getTime() };
    },
    async list(prefix) {
      const keys = [...rows.keys()].filter((key) => key.startsWith(prefix)).toSorted();
      return keys.flatMap((key) => {
        const row = rows.get(key);
        return row ? [{ key, cell: cellOf(row) }] : [];
      });
    },
    async swap(keys, _, after) {
      for (const [n, key] of keys.entries()) {
        const row = after[n];
        rows.delete(key);
        if (row) rows.set(key, row);
        // A Map keeps the order of insertion: the first is the one that was written longest ago.
        const [oldest] = rows.keys();
        if (oldest !== undefined && rows.size > (volatileMax ?? Infinity)) rows.delete(oldest);
      }
      return true;
    },
    async sweep() {
      for (const [key, row] of rows) if (cellOf(row).hasEnded) rows.delete(key);
    },
  };
}

const projections = sublevelPrefix('projections');

/**
 * Reads; when the database is just being opened again, waits a little for it.
 * @throws the database's error when it is still closed after two seconds, and any other at once.
 */
const whenOpen = <T>(read: () => Promise<T>): Promise<T> =>
  retry(read, {
    pauses: { first: 20, max: 20 },
    isTransient: isReopening,
    limitMs: () => 2000,
    signal: neverAborted,
  });

const neverAborted = new AbortController().signal;

/**
 * Entries with `gte <= key < lt`, a page at a time. Each page is read at one moment; an iterator
 * that stayed open would neither survive the database being opened again nor a slow consumer.
 */
async function* entriesOf(
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
    const [last] = page.at(-1) ?? [];
    if (last === undefined || page.length < wanted) return;
    left -= page.length;
    // The smallest key after another one is that key and a zero byte.
    if (reverse) lt = last;
    else gte = `${last}\0`;
  }
}

/** Entries read at once. */
const pageEntriesMax = 200;

const isReopening = (error: unknown): boolean =>
  hasCode(error, 'LEVEL_DATABASE_NOT_OPEN', 'LEVEL_ITERATOR_NOT_OPEN');

/** Any other name might reach into a neighbour's keys. */
function nameOf(projection: string): string {
  if (/^[a-z][a-z0-9-]{0,63}$/.test(projection)) return projection;
  throw new TypeError('The name of a projection consists of small letters, digits and hyphens');
}

interface RowBatch {
  put(key: string, value: string): unknown;
  del(key: string): unknown;
  write(options: { sync: boolean }): Promise<void>;
  close(): Promise<void>;
}

type RowOperation = { type: 'put'; key: string; value: string } | { type: 'del'; key: string };

function cellsIn(db: RowsDatabase, kind: WholeKind, clock: () => Date): Cells {
  const prefix = sublevelPrefix(kind.name);
  const pathOf = (key: string): string =>
    prefix + (kind.keys === 'hashed' ? hash('sha256', key, 'hex') : key);
  const cellOf = (text: string, now: number) => ({
    text,
    hasEnded: (kind.endsAt(JSON.parse(text), now) ?? Infinity) <= now,
  });
  const cells: Cells = {
    async read(keys) {
      const texts = await whenOpen(() => db.getMany(keys.map(pathOf)));
      const now = clock().getTime();
      return { cells: texts.map((text) => (text === undefined ? text : cellOf(text, now))), now };
    },
    async list(start) {
      const gte = prefix + start;
      const now = clock().getTime();
      const found = [];
      // Behind each key that begins so.
      for await (const [path, text] of entriesOf(db, { gte, lt: `${gte}\u{10ffff}` }))
        found.push({ key: path.slice(prefix.length), cell: cellOf(text, now) });
      return found;
    },
    async swap(keys, _, after) {
      const writes = keys.map((path, n) => {
        const key = pathOf(path);
        const value = after[n]?.text;
        return value === undefined
          ? { type: 'del' as const, key }
          : { type: 'put' as const, key, value };
      });
      // A session that was ended stays ended after a power cut too, and a job is on the disk before its fact.
      await db.batch(writes, { sync: true });
      return true;
    },
    async sweep() {
      const ended = (await cells.list('')).filter(({ cell }) => cell.hasEnded);
      const gone = ended.map(({ key }) => ({ type: 'del' as const, key: prefix + key }));
      await db.batch(gone, { sync: true });
    },
  };
  return cells;
}
