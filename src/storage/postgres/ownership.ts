import type { Held, Ownership } from '../../../events/ownership.ts';
import { onAbort, untilAborted } from '../../shared/abort.ts';
import { type Postgres, failureOf } from './connection.ts';
import { type Session, openSession } from './session.ts';

/** Names by session locks of one session, which the server frees when it ends. */
export type PostgresOwnership = Ownership & {
  /** Gives up everything that is held: `lost` aborts. */
  close(): Promise<void>;
};

/** A name that is held here, or asked for. */
type Claim = { session: Session | undefined; losing: AbortController };

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
  let opening: Promise<Session> | undefined;
  let closed = false;

  const lose = (session: Session): void => {
    for (const [name, claim] of claims) {
      if (claim.session !== session) continue;
      claims.delete(name);
      claim.losing.abort(session.lost.reason);
    }
  };
  const current = async (): Promise<Session> => {
    if (closed) throw new Error('Ownership is closed.');
    const present = (opening ??= openSession(db, leaseMs).then((session) => {
      onAbort(session.lost, () => lose(session));
      return session;
    }));
    const forget = (): void => {
      if (opening === present) opening = undefined;
    };
    const session = await present.catch((error: unknown) => {
      forget();
      throw error;
    });
    if (!session.lost.aborted) return session;
    forget();
    return await current();
  };
  const free = (name: string, claim: Claim): void => {
    if (claims.get(name) === claim) claims.delete(name);
  };

  const lock = async (name: string, claim: Claim): Promise<Held | null> => {
    const session = await current();
    const lockName = `${db.logId} ${name}`;
    const ask = async (text: string): Promise<boolean> => {
      const { rows } = await session.client
        .query<{ done: boolean }>({ text, values: [lockName] })
        .catch((error: unknown) => {
          throw failureOf(error, db.where);
        });
      return rows[0]!.done;
    };
    if (!(await ask(takes)) || session.lost.aborted) {
      if (session.lost.aborted) throw session.lost.reason;
      return null;
    }
    claim.session = session;
    const giveBack = async (): Promise<void> => {
      if (claim.losing.signal.aborted) return;
      // Where the session ends meanwhile, the server frees it.
      await ask(givesBack).catch((error: unknown) => {
        if (!claim.losing.signal.aborted) throw error;
      });
      claim.session = undefined;
      free(name, claim);
    };
    let given: Promise<void> | undefined;
    return { lost: claim.losing.signal, release: () => (given ??= giveBack()) };
  };

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
    async close() {
      closed = true;
      await (await opening?.catch(() => undefined))?.end();
    },
  };
}

const takes = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as done';
const givesBack = 'select pg_advisory_unlock(hashtextextended($1, 0)) as done';
