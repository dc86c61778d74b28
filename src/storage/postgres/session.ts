import type pg from 'pg';
import { EventStoreError } from '../../../events/store.ts';
import { untilAborted } from '../../shared/abort.ts';
import { mutex } from '../../shared/mutex.ts';
import { failureOf } from './failures.ts';
import { prepareSession } from './session-settings.ts';

/** A database that gives connections, not connected yet. `where`: for people, without user and password. */
export type SessionPlace = { client(): pg.Client; readonly where: string };

/**
 * A session that the server ends when it has heard nothing from us for a lease: with its locks and
 * notifications, whether this process died, hangs, or is cut off.
 */
export type LeasedSession = {
  /** Asks in turn with the others. @throws what `pg` says; at once when the session is lost */
  ask<R extends pg.QueryResultRow>(question: string | pg.QueryConfig): Promise<R[]>;
  /** Calls back with each notification of the channels that it listens to. */
  onNotification(heard: (channel: string, payload: string) => void): void;
  /** Aborts at once when the session ended, or may have ended at the server: before it can have, as far as clocks go. */
  lost: AbortSignal;
  /** Ends it; `lost` aborts too. Resolves within a second, also when the server is silent. */
  end(): Promise<void>;
};

/** What of a lease has passed without an answer when the session is given up here. */
const givenUpAfter = 0.8;
/** Signs of life in that time. */
const beats = 3;
/** How long it may take until it is open, and until a server has heard that it is over, in milliseconds. */
const openingMs = 10_000;
const partingMs = 1_000;

/**
 * Opens a session with a lease.
 * @param leaseMs milliseconds
 * @throws {EventStoreError} `BUSY`
 */
export async function openSession(db: SessionPlace, leaseMs: number): Promise<LeasedSession> {
  const client = db.client();
  const inTurn = mutex();
  const losing = new AbortController();
  const gone = new Promise<void>((resolve) => client.once('end', resolve));
  const lose = (cause: Error = ended): void => {
    if (losing.signal.aborted) return;
    clearTimeout(deadline);
    clearTimeout(beat);
    const message = `The session with the database ${db.where} is over.`;
    losing.abort(new EventStoreError('BUSY', message, { cause }));
    // A server that hears it frees the locks at once; one that is silent is not waited for.
    const cut = setTimeout(() => client.connection.stream.destroy(), partingMs);
    client.end(() => clearTimeout(cut));
    if (cause === silent) client.connection.stream.destroy();
  };
  let deadline = setTimeout(() => lose(silent), openingMs);
  let beat: NodeJS.Timeout | undefined;
  client.on('error', lose);
  client.on('end', () => lose());

  /** What was asked then was answered: without another answer the session is over here before it is over there. */
  const isAlive = (sent: number): void => {
    if (losing.signal.aborted) return;
    clearTimeout(deadline);
    clearTimeout(beat);
    const left = sent + leaseMs * givenUpAfter - performance.now();
    deadline = setTimeout(() => lose(silent), left);
    beat = setTimeout(() => void ask('select 1').catch(lose), left / beats);
  };
  const ask = async <R extends pg.QueryResultRow>(question: string | pg.QueryConfig) =>
    await inTurn(async () => {
      losing.signal.throwIfAborted();
      const sent = performance.now();
      const { rows } = await client.query<R>(question);
      isAlive(sent);
      return rows;
    });

  const open = async (): Promise<void> => {
    await client.connect();
    await prepareSession(client);
    await ask(`set idle_session_timeout = ${Math.ceil(leaseMs)}`);
  };
  try {
    // A client that is ended while it connects says nothing more.
    await untilAborted(open(), losing.signal);
  } catch (error) {
    lose(error as Error);
    throw failureOf(error, db.where);
  }
  return {
    ask,
    onNotification: (heard) =>
      void client.on('notification', ({ channel, payload = '' }) => heard(channel, payload)),
    lost: losing.signal,
    async end() {
      lose();
      await gone;
    },
  };
}

/** Whether a session ended since nothing was heard of its server. */
export const isSilent = (reason: unknown): boolean =>
  reason instanceof EventStoreError && reason.cause === silent;

const failed = (message: string): Error => Object.assign(new Error(message), { code: '08006' });
const ended = failed('the session ended');
const silent = failed('the session is silent');
