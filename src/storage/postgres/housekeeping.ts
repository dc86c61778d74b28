import type { Ownership } from '../../../events/ownership.ts';
import type { ByOne, DoneByOne } from '../by-one.ts';
import type { Postgres } from './connection.ts';

/** Among nodes: who does a task holds its name, and writes down what came of it, by the database's clock. */
export function postgresByOne(db: Pick<Postgres, 'ask'>, ownership: Ownership): ByOne {
  const last = async <T>(task: string, ms: number): Promise<DoneByOne<T> | undefined> => {
    const [row] = await db.ask<{ value: T; agoMs: number; tookMs: number }>({
      text: `select value, took_ms as "tookMs",
          (extract(epoch from clock_timestamp() - done_at) * 1000)::float8 + took_ms as "agoMs"
        from housekeeping where task = $1 and value is not null
          and done_at > clock_timestamp() - $2 * interval '1 millisecond'`,
      values: [task, ms],
    });
    return row && { ...row, isMine: false };
  };
  return async <T>(
    task: string,
    { withinMs, signal }: Parameters<ByOne>[1],
    work: (signal: AbortSignal) => Promise<T>,
  ) => {
    const before = await last<T>(task, withinMs);
    if (before) return before;
    const held = await ownership.claim(task, signal);
    if (held === null) return null;
    try {
      // Another one may have ended meanwhile.
      const meanwhile = await last<T>(task, withinMs);
      if (meanwhile) return meanwhile;
      const began = performance.now();
      const value = await work(AbortSignal.any([signal, held.lost]));
      const tookMs = performance.now() - began;
      await db.ask({
        text: `insert into housekeeping (task, done_at, took_ms, value) values ($1, clock_timestamp(), $2, $3::jsonb)
          on conflict (task) do update set done_at = excluded.done_at, took_ms = excluded.took_ms, value = excluded.value`,
        values: [task, tookMs, JSON.stringify(value)],
      });
      return { value, agoMs: performance.now() - began, tookMs, isMine: true };
    } finally {
      await held.release();
    }
  };
}
