import { hash } from 'node:crypto';
import { type Cells, type Kept, type KeptKind, keptIn } from './kept.ts';
import { type RowsDatabase, entriesOf, sublevelPrefix, whenOpen } from './level-rows.ts';

/**
 * Of one process: in the log's database, as JSON at `!<kind>!<key>`, and what need not outlive the process in memory.
 * Hashed keys are SHA-256 in hexadecimal digits.
 */
export const levelKept = (db: RowsDatabase, clock: () => Date): Kept =>
  keptIn((kind) =>
    kind.volatileMax === null ? cellsIn(db, kind, clock) : memoryCells(kind, clock),
  );

/** Rows in memory: the end of the process takes them. */
export function memoryCells({ volatileMax }: KeptKind<unknown>, clock: () => Date): Cells {
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

function cellsIn(db: RowsDatabase, kind: KeptKind<unknown>, clock: () => Date): Cells {
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
      const [gte, now] = [prefix + start, clock().getTime()];
      const found = [];
      // Behind each key that begins so.
      for await (const [path, text] of entriesOf(db, { gte, lt: `${gte}\u{10ffff}` }))
        found.push({ key: path.slice(prefix.length), cell: cellOf(text, now) });
      return found;
    },
    async swap(keys, _, after) {
      const writes = keys.map((path, n) => {
        const [key, value] = [pathOf(path), after[n]?.text];
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
