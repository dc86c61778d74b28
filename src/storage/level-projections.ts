import type { Checkpoint, ProjectionStorage, Row } from '../../projections/projection.ts';
import { entriesOf, sublevelPrefix, whenOpen, type RowsDatabase } from './rows-database.ts';

/**
 * The rows of projections in the log's database, as JSON: `!projections!<name>/<key>`, and the
 * checkpoint at `!projections!<name>#checkpoint`. Not synced: a power cut takes rows and checkpoint
 * back together to an earlier moment, and the log makes up for it.
 */
export function levelProjectionStorage(db: RowsDatabase): ProjectionStorage {
  return {
    async get<T>(projection: string, key: string) {
      const text = await whenOpen(() => db.get(rowsOf(projection) + key));
      return parsed(text) as T | undefined;
    },
    async getMany(projection, keys) {
      if (keys.length === 0) return [];
      const prefix = rowsOf(projection);
      const texts = await whenOpen(() => db.getMany(keys.map((key) => prefix + key)));
      return texts.map(parsed);
    },
    async *range<T>(
      projection: string,
      { gte, lt, ...how }: { gte: string; lt: string; reverse?: boolean; limit?: number },
    ) {
      const prefix = rowsOf(projection);
      const within = { ...how, gte: prefix + gte, lt: prefix + lt };
      for await (const [key, text] of entriesOf(db, within)) {
        yield [key.slice(prefix.length), JSON.parse(text) as T] as [string, T];
      }
    },
    async checkpoint(projection) {
      return parsed(await db.get(checkpointOf(projection))) as Checkpoint | undefined;
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
const projections = sublevelPrefix('projections');

const rowsOf = (projection: string): string => `${projections}${nameOf(projection)}/`;
const checkpointOf = (projection: string): string =>
  `${projections}${nameOf(projection)}#checkpoint`;

/** Any other name might reach into a neighbour's keys. */
function nameOf(projection: string): string {
  if (/^[a-z][a-z0-9-]{0,63}$/.test(projection)) return projection;
  throw new TypeError('The name of a projection consists of small letters, digits and hyphens');
}

const parsed = (text: string | undefined): Row =>
  text === undefined ? undefined : (JSON.parse(text) as Row);
