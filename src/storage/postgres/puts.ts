import type { Postgres } from './connection.ts';

/** Recordings of which a file was put, until it is looked at whether a fact names it. By the database's clock. */
export type Puts = {
  /** Before a file is put. */
  note(recordingId: string): Promise<void>;
  /** Those of which nothing was put for so many milliseconds. */
  older(ms: number): AsyncIterable<string>;
  /** One of those was looked at; unless something was put since. */
  forget(recordingId: string, ms: number): Promise<void>;
};

/** Asked for at once. */
const pageMax = 500;

/** @throws {EventStoreError} `BUSY` (from all) */
export const postgresPuts = (db: Pick<Postgres, 'ask'>): Puts => ({
  async note(recordingId) {
    await db.ask({
      text: `insert into puts (recording_id) values ($1)
        on conflict (recording_id) do update set put_at = excluded.put_at`,
      values: [recordingId],
    });
  },
  async *older(ms) {
    for (let last = '', isMore = true; isMore;) {
      const page = await db.ask<{ recording_id: string }>({
        text: `select recording_id from puts where recording_id > $1 and put_at < ${ago('$2')}
          order by recording_id limit ${pageMax}`,
        values: [last, ms],
      });
      for (const { recording_id } of page) yield recording_id;
      last = page.at(-1)?.recording_id ?? last;
      isMore = page.length === pageMax;
    }
  },
  async forget(recordingId, ms) {
    await db.ask({
      text: `delete from puts where recording_id = $1 and put_at < ${ago('$2')}`,
      values: [recordingId, ms],
    });
  },
});

const ago = (ms: string): string => `clock_timestamp() - ${ms} * interval '1 millisecond'`;
