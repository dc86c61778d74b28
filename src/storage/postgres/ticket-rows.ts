import type { TicketRow, TicketRows } from '../ticket-rows.ts';
import type { Postgres } from './connection.ts';

/** Tickets for all nodes. A crash of the database takes them, and browsers ask for others. */
export function postgresTicketRows(db: Postgres): TicketRows {
  return {
    async get(hash) {
      const [row] = await db.ask<Record<keyof TicketRow, string>>({
        name: 'ticket',
        text: 'select session_id, recording_id, expires_at from tickets where hash = $1',
        values: [hash],
      });
      return row && { ...row, expires_at: Number(row.expires_at) };
    },
    async put(hash, { session_id, recording_id, expires_at }, now) {
      await db.ask({
        name: 'put-ticket',
        text: `with over as (delete from tickets where expires_at <= $5 and hash <> $1)
          insert into tickets (hash, session_id, recording_id, expires_at) values ($1, $2, $3, $4)
          on conflict (hash) do update set session_id = excluded.session_id,
            recording_id = excluded.recording_id, expires_at = excluded.expires_at`,
        values: [hash, session_id, recording_id, expires_at, now],
      });
    },
  };
}
