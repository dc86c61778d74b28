import { oneRow } from './one-row.ts';
import { ulid } from 'ulid';
import type { Held, Ownership } from '../../../events/ownership.ts';
import { onAbort, untilAborted } from '../../shared/abort.ts';
import type { Postgres } from './connection.ts';
import { failureOf } from './failures.ts';
import { type LeasedSession, openSession } from './session.ts';
import { openListeners } from '../../shared/listeners.ts';

/** Names by session locks of one session, which the server frees when it ends. */
export type PostgresOwnership = Ownership & {
  /**
   * What is held here, and since when by `performance.now()`. `marker` names the session, which holds that too
   * (`nodes.ts`); null: there is none.
   */
  holding(): { marker: string | null; claims: { name: string; since: number }[] };
  /** Calls back when the session, or what is held, is another. */
  onChange(listener: () => void): () => void;
  /** Gives up everything that is held: `lost` aborts. */
  close(): Promise<void>;
};

/** A name that is held here since then, or asked for. */
type Claim = { session: LeasedSession | undefined; losing: AbortController; since: number };

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
  const { tell: changed, add: onChange } = openListeners();
  /** A session may take a lock that it has again and again: what is held here is known here. */
  const claims = new Map<string, Claim>();
  const sessions = sessionKeeper(() => openMarked(db, leaseMs), {
    onOpened: changed,
    onLost(session) {
      for (const [name, claim] of claims) {
        if (claim.session !== session) continue;
        claims.delete(name);
        claim.losing.abort(session.lost.reason);
      }
    },
  });
  const free = (name: string, claim: Claim): void => {
    if (claims.get(name) !== claim) return;
    claims.delete(name);
    if (claim.session !== undefined) changed();
  };
  const lock = async (name: string, claim: Claim): Promise<Held | null> =>
    await lockIn({ db, session: await sessions.current(), name, claim }, () => free(name, claim));

  return {
    async claim(name, signal) {
      signal.throwIfAborted();
      if (claims.has(name)) return null;
      const claim: Claim = { session: undefined, losing: new AbortController(), since: 0 };
      claims.set(name, claim);
      const locking = lock(name, claim).then(
        (held) => {
          if (held === null) free(name, claim);
          else changed();
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
    async freeFor(names) {
      const rows = await db.ask<{ name: string; ms: number }>({
        name: 'free-names',
        text: freeNames,
        values: [db.logId, names],
      });
      return new Map(rows.map(({ name, ms }) => [name, ms]));
    },
    holding: () => ({
      marker: sessions.present()?.marker ?? null,
      claims: [...claims]
        .filter(([, { session }]) => session !== undefined)
        .map(([name, { since }]) => ({ name, since })),
    }),
    onChange,
    close: () => sessions.close(),
  };
}

/** A session by which others see that this node is there. */
type MarkedSession = LeasedSession & { marker: string };

/** Each has a marker of its own: the server may hold the locks of the one before for a while. */
async function openMarked(db: Postgres, leaseMs: number): Promise<MarkedSession> {
  const session = await openSession(db, leaseMs);
  const marker = ulid();
  try {
    await session.ask({ text: takes, values: [db.logId, `node:${marker}`] });
    return { ...session, marker };
  } catch (error) {
    await session.end();
    throw failureOf(error, db.where);
  }
}

/** One session at a time, opened when it is asked for. */
function sessionKeeper(
  open: () => Promise<MarkedSession>,
  on: { onOpened(): void; onLost(session: LeasedSession): void },
) {
  let opening: Promise<MarkedSession> | undefined;
  let opened: MarkedSession | undefined;
  let closed = false;
  const current = async (): Promise<MarkedSession> => {
    if (closed) throw new Error('Ownership is closed.');
    const present = (opening ??= open().then((session) => {
      opened = session;
      onAbort(session.lost, () => on.onLost(session));
      on.onOpened();
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
    /** The one that lives, if there is one. */
    present: () => (opened?.lost.aborted === false ? opened : undefined),
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
    const values = text === takes ? [db.logId, name] : [`${db.logId} ${name}`];
    const rows = await session.ask<{ done: boolean }>({ text, values }).catch((error: unknown) => {
      throw failureOf(error, db.where);
    });
    return oneRow(rows).done;
  };
  const taken = await ask(takes);
  if (session.lost.aborted) throw session.lost.reason;
  if (!taken) return null;
  claim.session = session;
  claim.since = performance.now();
  const { signal: lost } = claim.losing;
  const giveBack = async (): Promise<void> => {
    if (lost.aborted) return;
    // A lock that no one here knows of would be held for good: with the session the server frees it.
    await ask(givesBack).catch(() => session.end());
    freed();
    claim.session = undefined;
  };
  let given: Promise<void> | undefined;
  return { lost, release: () => (given ??= giveBack()) };
}

/** What is held waits for no one any more. */
const takes = `
  with taken as materialized (
    select pg_try_advisory_lock(hashtextextended($1::text || ' ' || $2::text, 0)) as done
  ), waits as (
    delete from free_names where name = $2 and (select done from taken)
  )
  select done from taken`;
const givesBack = 'select pg_advisory_unlock(hashtextextended($1, 0)) as done';

/** Advisory locks of this database on one number of 64 bits; the server has it in halves. */
export const locksHeld = `
  select pid, (classid::bigint << 32) | objid::bigint as key from pg_locks
    where locktype = 'advisory' and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())`;

/** A name that is found free is written down; one that is held again is not. */
const freeNames = `
  with held as materialized (${locksHeld}), asked as materialized (
    select n.name, exists (
      select from held where key = hashtextextended($1::text || ' ' || n.name, 0)
    ) as is_held from unnest($2::text[]) as n(name)
  ), found as (
    insert into free_names (name) select name from asked where not is_held on conflict (name) do nothing
  ), taken as (
    delete from free_names f using asked a where a.is_held and f.name = a.name
  )
  select a.name,
      coalesce(extract(epoch from clock_timestamp() - f.since) * 1000, 0)::float8 as ms
    from asked a left join free_names f using (name) where not a.is_held`;
