import type { Postgres } from './connection.ts';
import { factsChannel } from './schema.ts';

/**
 * Hears how far the log has come by appends of all nodes.
 * @param onPosition called with positions up to which the log has grown, not for each; also whenever nodes can be heard
 *   again, since nothing is heard in between
 * @returns how to stop
 */
export const listenForFacts = (
  db: Postgres,
  onPosition: (position: number) => void,
): (() => void) =>
  db.channels.listen(factsChannel, {
    heard: (payload) => onPosition(Number(payload)),
    async opened() {
      const [row] = await db.ask<{ head: string }>({ text: headQuery });
      onPosition(Number(row!.head));
    },
  });

/** Where the log ends. */
export const headQuery = 'select coalesce(max(position), 0) as head from facts';
