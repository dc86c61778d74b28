import type { PassageCells } from '../passage-rows.ts';
import type { Postgres } from './connection.ts';

/** In the table `passages`, for all nodes. @throws {EventStoreError} `BUSY` (from all) */
export function postgresPassageCells(db: Pick<Postgres, 'ask'>): PassageCells {
  const column = async (name: 'head' | 'sealed', recordingIds: readonly string[]) => {
    if (recordingIds.length === 0) return [];
    const found = await db.ask<{ recording_id: string; text: string }>({
      text: `select recording_id, ${name} as text from passages where recording_id = any ($1::text[])`,
      values: [recordingIds],
    });
    const texts = new Map(found.map(({ recording_id, text }) => [recording_id, text]));
    return recordingIds.map((id) => texts.get(id));
  };
  return {
    heads: (recordingIds) => column('head', recordingIds),
    sealed: (recordingIds) => column('sealed', recordingIds),
    async put(recordingId, { head, sealed }) {
      await db.ask({
        text: `insert into passages (recording_id, head, sealed) values ($1, $2, $3)
          on conflict (recording_id) do update set head = excluded.head, sealed = excluded.sealed`,
        values: [recordingId, head, sealed],
      });
    },
    async remove(recordingIds) {
      await db.ask({
        text: 'delete from passages where recording_id = any ($1::text[])',
        values: [recordingIds],
      });
    },
    async ids(after, limit) {
      const found = await db.ask<{ recording_id: string }>({
        text: 'select recording_id from passages where recording_id > $1 order by recording_id limit $2',
        values: [after, limit],
      });
      return found.map(({ recording_id }) => recording_id);
    },
  };
}
