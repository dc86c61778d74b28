import { whenOpen, type RowsDatabase } from './rows-database.ts';

/** What `classic-level` offers beyond what `level` types: rewriting a range without what is gone from it. */
interface Compactable {
  compactRange(start: string, end: string): Promise<void>;
}

/**
 * Makes LevelDB forget what was deleted and overwritten among the rows beside the log (views, search):
 * what is in memory goes to a table, tables are merged down to the last level, and the files before
 * are removed. Facts need none of this: their words are sealed, and unreadable with their key gone.
 * Whoever asks while one runs shares the next.
 */
export function rowCompaction(db: RowsDatabase): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const compact = () => whenOpen(() => (db as unknown as Compactable).compactRange(first, last));
  const rewrite = async (): Promise<void> => {
    // The first time tables are written as they were in memory, with all that was overwritten there,
    // and those of the last level are left alone (LevelDB's DBImpl::CompactRange). A table that spans
    // the range, of two deletions of nothing, makes the second time merge with every one of them.
    await compact();
    await db.batch(
      [
        { type: 'del', key: first },
        { type: 'del', key: last },
      ],
      { sync: false },
    );
    await compact();
  };
  const run = async (): Promise<void> => {
    await running?.catch(() => undefined);
    next = undefined;
    running = rewrite();
    await running;
  };
  return () => (next ??= run());
}

/** All of `!projections!`, `!search!`, `!sessions!`: neither end is a key of anything. */
const first = '!projections!';
const last = '!sessions"';
