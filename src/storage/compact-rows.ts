import { whenOpen } from './rows-database.ts';

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
export function rowCompaction(db: unknown): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    await running?.catch(() => undefined);
    next = undefined;
    running = whenOpen(() => (db as Compactable).compactRange(first, last));
    await running;
  };
  return () => (next ??= run());
}

/** All of `!projections!`, `!search!`, `!sessions!`: what lies between the index of streams and the views. */
const first = '!projections!';
const last = '!sessions"';
