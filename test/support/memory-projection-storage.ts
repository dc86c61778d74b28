import type { Checkpoint, ProjectionStorage } from '../../projections/runner/projection.ts';

/** Rows of projections that are forgotten with the process. Held as JSON, so that nobody shares an object. */
export function memoryProjectionStorage(): ProjectionStorage & {
  /** How many rows there are, and the characters of their keys and JSON. */
  size(): { rows: number; characters: number };
} {
  const projections = new Map<string, { checkpoint?: Checkpoint; rows: Map<string, string> }>();
  const of = (name: string) => {
    const held = projections.get(name) ?? { rows: new Map<string, string>() };
    projections.set(name, held);
    return held;
  };
  const read = (name: string, key: string): unknown => {
    const text = of(name).rows.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  };
  return {
    async get<T>(name: string, key: string) {
      return read(name, key) as T | undefined;
    },
    async getMany<T>(name: string, keys: readonly string[]) {
      return keys.map((key) => read(name, key) as T | undefined);
    },
    async *range<T>(
      name: string,
      { gte, lt, reverse = false, limit = Infinity }: RangeOptions,
    ): AsyncGenerator<[string, T], void, void> {
      const keys = [...of(name).rows.keys()]
        .filter((key) => compare(key, gte) >= 0 && compare(key, lt) < 0)
        .toSorted(compare);
      const ordered = reverse ? keys.toReversed() : keys;
      for (const key of ordered.slice(0, limit)) yield [key, read(name, key) as T];
    },
    async checkpoint(name) {
      return of(name).checkpoint;
    },
    async commit(name, checkpoint, changes) {
      const held = of(name);
      const written = Array.from(changes, ([key, row]) => [key, JSON.stringify(row)] as const);
      for (const [key, text] of written) {
        if (text === undefined) held.rows.delete(key);
        else held.rows.set(key, text);
      }
      held.checkpoint = { ...checkpoint };
    },
    async remove(name, { gte, lt }) {
      const { rows } = of(name);
      for (const key of rows.keys()) {
        if (compare(key, gte) >= 0 && compare(key, lt) < 0) rows.delete(key);
      }
    },
    async clear(name) {
      projections.delete(name);
    },
    size() {
      const all = [...projections.values()].flatMap(({ rows }) => [...rows]);
      const characters = all.reduce((sum, [key, text]) => sum + key.length + text.length, 0);
      return { rows: all.length, characters };
    },
  };
}

/** All rows of a projection, to be compared. */
export async function rowsOf(
  storage: ProjectionStorage,
  projection: string,
): Promise<Record<string, unknown>> {
  const rows: Record<string, unknown> = {};
  const everything = { gte: '', lt: '\u{10ffff}' };
  for await (const [key, row] of storage.range(projection, everything)) rows[key] = row;
  return rows;
}

type RangeOptions = { gte: string; lt: string; reverse?: boolean; limit?: number };

/** LevelDB compares bytes, JavaScript UTF-16 units. */
const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
