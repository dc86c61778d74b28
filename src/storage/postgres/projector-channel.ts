import { oneRow } from './one-row.ts';
import type { ProjectorChannel } from '../../../projections/runner/tenure.ts';
import type { Postgres } from './connection.ts';

/** How far rows are, by `NOTIFY`; times as the projector are counted by the database. @param channel that of their generation */
export function postgresProjectorChannel(
  db: Pick<Postgres, 'ask' | 'channels'>,
  channel: string,
  report: (message: string, error: unknown) => void,
): ProjectorChannel {
  return {
    async nextTenure() {
      const text = "select nextval('tenures') as tenure";
      return Number(oneRow(await db.ask<{ tenure: string }>({ text })).tenure);
    },
    tell: (text) =>
      void db.channels
        .tell(channel, text)
        .catch((error: unknown) =>
          report('progress of the projections could not be sent to other nodes', error),
        ),
    listen: (heard, opened) => db.channels.listen(channel, { heard, opened }),
  };
}
