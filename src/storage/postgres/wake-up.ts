import { setTimeout as delay } from 'node:timers/promises';
import type { Postgres } from './connection.ts';
import { factsChannel } from './schema.ts';
import { type LeasedSession, openSession } from './session.ts';

/** Hears of appends of other nodes until it is closed, over a session of its own. */
export type WakeUps = {
  close(): Promise<void>;
};

/** How long the server and this process believe in a session that is silent, in milliseconds. */
const leaseMs = 10_000;
/** Before it is opened again. */
const pauses = { firstMs: 50, maxMs: 2_000 };

/**
 * Listens, and opens the session again whenever it is lost.
 * @param onPosition called with positions up to which the log has grown, not for each; also after each
 *   opening, since nothing is heard in between
 */
export function listenForFacts(
  db: Postgres,
  onPosition: (position: number) => void,
  report: (message: string, error: unknown) => void,
): WakeUps {
  const closing = new AbortController();
  let session: LeasedSession | undefined;

  const listen = async (): Promise<void> => {
    session = await openSession(db, leaseMs);
    if (closing.signal.aborted) return await session.end();
    session.client.on('notification', ({ payload }) => onPosition(Number(payload)));
    await session.client.query(`listen "${factsChannel(db.logId)}"`);
    const [{ head }] = (await db.ask<{ head: string }>({ text: headQuery })) as [{ head: string }];
    onPosition(Number(head));
  };
  const listening = (async () => {
    let pauseMs = pauses.firstMs;
    while (!closing.signal.aborted) {
      try {
        await listen();
        pauseMs = pauses.firstMs;
        await lossOf(session!);
      } catch (error) {
        if (closing.signal.aborted) return;
        if (pauseMs === pauses.firstMs)
          report('Appends of other nodes are not heard of now.', error);
        await session?.end();
        await delay(pauseMs, undefined, { signal: closing.signal }).catch(() => {});
        pauseMs = Math.min(pauseMs * 2, pauses.maxMs);
      }
    }
  })();

  return {
    async close() {
      closing.abort();
      await session?.end();
      await listening;
    },
  };
}

/** Where the log ends. */
export const headQuery = 'select coalesce(max(position), 0) as head from facts';

const lossOf = ({ lost }: LeasedSession): Promise<never> =>
  new Promise((_, reject) => {
    if (lost.aborted) reject(lost.reason);
    lost.addEventListener('abort', () => reject(lost.reason), { once: true });
  });
