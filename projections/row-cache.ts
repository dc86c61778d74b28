import type { Row } from './projection.ts';

/** Rows that were looked at lately; also that a row is not there. The least recently used go first. */
export interface RowCache {
  has(key: string): boolean;
  get(key: string): Row;
  set(key: string, row: Row): void;
  /** Takes in a row that was written, if its key is held. */
  refresh(key: string, row: Row): void;
  clear(): void;
}

export function rowCache(rowsMax: number): RowCache {
  // A Map keeps the order of insertion: the first key is the one not used for longest.
  const rows = new Map<string, Row>();
  return {
    has: (key) => rows.has(key),
    get: (key) => rows.get(key),
    set(key, row) {
      rows.delete(key);
      rows.set(key, row);
      if (rows.size > rowsMax) rows.delete(rows.keys().next().value!);
    },
    refresh(key, row) {
      if (rows.has(key)) rows.set(key, row);
    },
    clear: () => rows.clear(),
  };
}
