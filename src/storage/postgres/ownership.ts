import type { Held, Ownership } from '../../../events/ownership.ts';
import { onAbort, untilAborted } from '../../shared/abort.ts';
import type { Postgres } from './connection.ts';
import { failureOf } from './failures.ts';
import { type LeasedSession, openSession } from './session.ts';

/** Names by session locks of one session, which the server frees when it ends. */
export type PostgresOwnership = Ownership & {
  /** Gives up everything that is held: `lost` aborts. */
  close(): Promise<void>;
};

/** A name that is held here, or asked for. */
type Claim = { session: LeasedSession | undefined; losing: AbortController };

/**
 * Ownership by PostgreSQL's session advisory locks. What this process holds is free at once when it dies or
 * its connection is reset, after a lease when it hangs or its network is silent. A lock is on a hash of
 * 64 bits: of two names with the same one, one would wait for the other.
 * @param leaseMs milliseconds; everything is given up here when four fifths have passed without an answer
 */
export function postgresOwnership(
  db: Postgres,
  { leaseMs }: { leaseMs: number },
): PostgresOwnership {
  /** A session may take a lock that it has again and again: what is held here is known here. */
  const claims = new Map<string, Claim>();
  const sessions = sessionKeeper(db, leaseMs, (session) => {
    for (const [name, claim] of claims) {
      if (claim.session !== session) continue;
      claims.delete(name);
      claim.losing.abort(session.lost.reason);
    }
  });
  const free = (name: string, claim: Claim): void => {
    if (claims.get(name) === claim) claims.delete(name);
  };
  const lock = async (name: string, claim: Claim): Promise<Held | null> =>
    await lockIn({ db, session: await sessions.current(), name, claim }, () => free(name, claim));

  return {
    async claim(name, signal) {
      signal.throwIfAborted();
      if (claims.has(name)) return null;
      const claim: Claim = { session: undefined, losing: new AbortController() };
      claims.set(name, claim);
      const locking = lock(name, claim).then(
        (held) => {
          if (held === null) free(name, claim);
          return held;
        },
        (error: unknown) => {
          free(name, claim);
          throw error;
        },
      );
      return await untilAborted(locking, signal).catch(async (error: unknown) => {
        // What is granted after all goes back.
        if (signal.aborted) void locking.then((held) => held?.release()).catch(() => {});
        throw error;
      });
    },
    close: () => sessions.close(),
  };
}

/** One session at a time, opened when it is asked for. */
function sessionKeeper(db: Postgres, leaseMs: number, onLost: (session: LeasedSession) => void) {
  let opening: Promise<LeasedSession> | undefined;
  let closed = false;
  const current = async (): Promise<LeasedSession> => {
    if (closed) throw new Error('Ownership is closed.');
    const present = (opening ??= openSession(db, leaseMs).then((session) => {
      onAbort(session.lost, () => onLost(session));
      return session;
    }));
    const session = await present.catch(() => undefined);
    if (session && !session.lost.aborted) return session;
    if (opening === present) opening = undefined;
    return session ? await current() : await present;
  };
  return {
    /** @throws {EventStoreError} `BUSY` */
    current,
    async close() {
      closed = true;
      await (await opening?.catch(() => undefined))?.end();
    },
  };
}

/** Takes a lock in a session; null while another session has it. @param freed called when it was given back */
async function lockIn(
  parts: { db: Postgres; session: LeasedSession; name: string; claim: Claim },
  freed: () => void,
): Promise<Held | null> {
  const { db, session, name, claim } = parts;
  const ask = async (text: string): Promise<boolean> => {
    const values = [`${db.logId} ${name}`];
    const { rows } = await session.client
      .query<{ done: boolean }>({ text, values })
      .catch((error: unknown) => {
        throw failureOf(error, db.where);
      });
    return rows[0]!.done;
  };
  const taken = await ask(takes);
  if (session.lost.aborted) throw session.lost.reason;
  if (!taken) return null;
  claim.session = session;
  const { signal: lost } = claim.losing;
  const giveBack = async (): Promise<void> => {
    if (lost.aborted) return;
    // Where the session ends meanwhile, the server frees it.
    await ask(givesBack).catch((error: unknown) => {
      if (!lost.aborted) throw error;
    });
    claim.session = undefined;
    freed();
  };
  let given: Promise<void> | undefined;
  return { lost, release: () => (given ??= giveBack()) };
}

const takes = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as done';
const givesBack = 'select pg_advisory_unlock(hashtextextended($1, 0)) as done';
