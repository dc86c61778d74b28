import type { Postgres } from './connection.ts';

/** When a task of housekeeping was last done, by whichever node; by the database's clock. */
export type LastDone = {
  /** Whether it was done within so many milliseconds. */
  isWithin(ms: number): Promise<boolean>;
  note(): Promise<void>;
};

/** @throws {EventStoreError} `BUSY` (from both) */
export const postgresLastDone = (db: Pick<Postgres, 'ask'>, task: string): LastDone => ({
  async isWithin(ms) {
    const rows = await db.ask({
      text: "select from housekeeping where task = $1 and done_at > clock_timestamp() - $2 * interval '1 millisecond'",
      values: [task, ms],
    });
    return rows.length > 0;
  },
  async note() {
    await db.ask({
      text: `insert into housekeeping (task, done_at) values ($1, clock_timestamp())
        on conflict (task) do update set done_at = excluded.done_at`,
      values: [task],
    });
  },
});
