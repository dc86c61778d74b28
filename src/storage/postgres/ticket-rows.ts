import {
  type TicketRow,
  type TicketRows,
  ticketsMax,
  ticketsPerSessionMax,
} from '../ticket-rows.ts';
import type { Postgres } from './connection.ts';

/** Tickets for all nodes, by the clock of the database. A crash of it takes them, and browsers ask for others. */
export function postgresTicketRows(
  db: Pick<Postgres, 'ask'>,
  { max = ticketsMax }: { max?: number } = {},
): TicketRows {
  return {
    async get(hash) {
      const [row] = await db.ask<TicketRow>({
        name: 'ticket',
        text: `select session_id, recording_id from tickets where hash = $1 and expires_at > ${now}`,
        values: [hash],
      });
      return row;
    },
    async put(hash, { session_id, recording_id }, forMs) {
      await db.ask({
        name: 'put-ticket',
        text: `with over as (delete from tickets where hash <> $1 and (expires_at <= ${now} or hash in (
              select hash from tickets where hash <> $1 order by expires_at desc offset $5) or hash in (
              select hash from tickets where hash <> $1 and session_id = $2
              order by expires_at desc offset ${ticketsPerSessionMax - 1})))
          insert into tickets (hash, session_id, recording_id, expires_at) values ($1, $2, $3, ${now} + $4)
          on conflict (hash) do update set session_id = excluded.session_id,
            recording_id = excluded.recording_id, expires_at = excluded.expires_at`,
        values: [hash, session_id, recording_id, forMs, max - 1],
      });
    },
  };
}

/** Milliseconds since the epoch. */
const now = '(extract(epoch from now()) * 1000)::bigint';
