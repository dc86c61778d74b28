import type { Cells, KeptKind } from './kept.ts';

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
