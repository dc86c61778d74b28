import type pg from 'pg';
import type { Postgres } from './connection.ts';
import { failureOf } from './failures.ts';
import { prepareSession } from './session-settings.ts';

/**
 * A session that the server ends when it has heard nothing from us for a lease: with its locks and
 * notifications, whether this process died, hangs, or is cut off.
 */
export type LeasedSession = {
  client: pg.Client;
  /** Aborts at once when the session ended, or may have ended at the server: before it can have, as far as clocks go. */
  lost: AbortSignal;
  /** Ends it; `lost` aborts too. */
  end(): Promise<void>;
};

/** What of a lease has passed without an answer when the session is given up here. */
const givenUpAfter = 0.8;
/** Signs of life in that time. */
const beats = 3;

/**
 * Opens a session with a lease.
 * @param leaseMs milliseconds
 * @throws {EventStoreError} `BUSY`
 */
export async function openSession(
  db: Pick<Postgres, 'client' | 'where'>,
  leaseMs: number,
): Promise<LeasedSession> {
  const client = db.client();
  const losing = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const lose = (error?: Error): void => {
    if (losing.signal.aborted) return;
    clearTimeout(timer);
    losing.abort(failureOf(error ?? ended, db.where));
    // A server that hears it frees the locks at once; one that is silent is not waited for.
    client.end(() => {});
    if (error === silent) client.connection.stream.destroy();
  };
  client.on('error', lose);
  client.on('end', () => lose());

  /** Asks for a sign of life; without one the session is over here before it is over there. */
  const ask = async (question: string): Promise<void> => {
    const sent = performance.now();
    clearTimeout(timer);
    timer = setTimeout(() => lose(silent), leaseMs * givenUpAfter - (sent - confirmed));
    await client.query(question);
    confirmed = sent;
    if (losing.signal.aborted) return;
    clearTimeout(timer);
    const pauseMs = Math.max(0, (leaseMs * givenUpAfter) / beats - (performance.now() - sent));
    timer = setTimeout(() => void ask('select 1').catch(lose), pauseMs);
  };

  let confirmed = performance.now();
  try {
    await client.connect();
    await prepareSession(client);
    confirmed = performance.now();
    await ask(`set idle_session_timeout = ${Math.ceil(leaseMs)}`);
  } catch (error) {
    lose(error as Error);
    throw failureOf(error, db.where);
  }
  return {
    client,
    lost: losing.signal,
    async end() {
      lose();
      await client.end().catch(() => {});
    },
  };
}

const failed = (message: string): Error => Object.assign(new Error(message), { code: '08006' });
const ended = failed('the session ended');
const silent = failed('the session is silent');
