import { oneRow } from './one-row.ts';
import type { Checkpoint, ProjectionStorage, Row } from '../../../projections/runner/projection.ts';
import type { Postgres } from './connection.ts';
import type { Generation } from './generation.ts';

/** Rows asked for at once: each page is read at one moment. */
const pageRowsMax = 200;
/** Rows cleared by one question, which may take half a minute: a projection may have any number. */
const clearedAtOnceMax = 10_000;

/**
 * The rows of projections as JSON. Not synced: a crash of the server takes rows and checkpoint back together to an
 * earlier moment, and the log makes up for it. Keys are compared by their bytes.
 * @param options.generation whose rows they are; without one a projection's name is where its rows are
 * @param options.fenced writes only behind its own checkpoints; otherwise it throws {RowsTaken}, for good
 * @param options.signal ends what is cleared before all is
 * @param options.clearedAtOnce for tests
 */
export function postgresProjectionStorage(
  db: Postgres,
  { generation, fenced = false, signal, clearedAtOnce = clearedAtOnceMax }: StorageOptions = {},
): ProjectionStorage {
  const placeOf = generation?.placeOf ?? ((projection: string) => projection);
  /** Positions of the checkpoints that were read or written here last. */
  const positions = new Map<string, number>();
  const getMany = async <T>(projection: string, keys: readonly string[]) => {
    if (keys.length === 0) return [];
    const found = await db.ask<KeyedRow>({
      name: 'rows',
      text: 'select key, row from rows where projection = $1 and key = any ($2::text[])',
      values: [placeOf(projection), keys],
    });
    const rows = new Map(found.map(({ key, row }) => [key, row]));
    // What was written here; its shape is known to the projection.
    return keys.map((key): T | undefined => {
      const row = rows.get(key);
      return row === undefined ? undefined : JSON.parse(row);
    });
  };
  return {
    getMany,
    async get<T>(projection: string, key: string) {
      return (await getMany<T>(projection, [key]))[0];
    },
    range: <T>(projection: string, options: RangeOptions) =>
      rangeOf<T>(db, placeOf(projection), options),
    async checkpoint(projection) {
      const [found] = await db.ask<{ version: number; position: string }>({
        text: 'select version, position from checkpoints where projection = $1',
        values: [placeOf(projection)],
      });
      if (!found) positions.delete(projection);
      else positions.set(projection, Number(found.position));
      return found && { version: found.version, position: Number(found.position) };
    },
    async commit(projection, { version, position }: Checkpoint, changes) {
      const { keys, rows, gone } = asColumns(changes);
      const after = positions.get(projection) ?? null;
      await db.ask({
        name: 'commit-rows',
        text: 'select commit_rows($1, $2, $3, $4::text[], $5::text[], $6::text[], $7, $8)',
        values: [placeOf(projection), version, position, keys, rows, gone, fenced, after],
      });
      positions.set(projection, position);
    },
    async remove(projection, { gte, lt }) {
      await db.ask({
        text: 'delete from rows where projection = $1 and key >= $2 and key < $3',
        values: [placeOf(projection), gte, lt],
      });
    },
    async clear(projection) {
      for (let isLeft = true; isLeft;) {
        signal?.throwIfAborted();
        const after = positions.get(projection) ?? null;
        const cleared = await db.ask<{ left: boolean }>({
          text: 'select clear_rows($1, $2, $3, $4) as left',
          values: [placeOf(projection), fenced, after, clearedAtOnce],
        });
        isLeft = oneRow(cleared).left;
        positions.delete(projection);
      }
    },
  };
}

type StorageOptions = {
  generation?: Generation;
  fenced?: boolean;
  signal?: AbortSignal;
  clearedAtOnce?: number;
};

function asColumns(changes: ReadonlyMap<string, Row>) {
  const columns: Record<'keys' | 'rows' | 'gone', string[]> = { keys: [], rows: [], gone: [] };
  for (const [key, row] of changes) {
    if (row === undefined) columns.gone.push(key);
    else {
      columns.keys.push(key);
      columns.rows.push(JSON.stringify(row));
    }
  }
  return columns;
}

type KeyedRow = { key: string; row: string };
type RangeOptions = { gte: string; lt: string; reverse?: boolean; limit?: number };

const rangeQuery = (reverse: boolean): string => `
  select key, row from rows where projection = $1 and key >= $2 and key < $3 and ($4::text is null or key ${reverse ? '<' : '>'} $4)
  order by key ${reverse ? 'desc' : 'asc'} limit $5`;

async function* rangeOf<T>(
  db: Postgres,
  projection: string,
  { gte, lt, reverse = false, limit = Infinity }: RangeOptions,
): AsyncGenerator<[key: string, row: T], void, void> {
  let last: string | null = null;
  for (let left = limit; left > 0;) {
    const wanted = Math.min(left, pageRowsMax);
    const page: KeyedRow[] = await db.ask<KeyedRow>({
      text: rangeQuery(reverse),
      values: [projection, gte, lt, last, wanted],
    });
    for (const { key, row } of page) {
      yield [key, JSON.parse(row)];
      last = key;
    }
    if (page.length < wanted) return;
    left -= page.length;
  }
}
