import { createHmac } from 'node:crypto';
import { EventStoreError } from '../../../events/store.ts';
import { limited } from '../../shared/mutex.ts';
import type { AttemptKey, LoginAttempts } from '../login-attempts.ts';
import type { Postgres } from './connection.ts';

/** Changes that wait at this node; more are refused. */
const waitingMax = 256;
/** How often a change is tried while other nodes change the same. */
const triesMax = 20;
/** Rows that a sweep leaves, the newest. */
const rowsMax = 100_000;

/**
 * Attempts at all nodes. Names are kept as their HMAC: people type passwords where a name belongs, and a plain hash in a
 * copy of the database could be guessed at. The time is the database's, since clocks of nodes differ.
 * @param key which all nodes have and the database does not
 */
export function postgresLoginAttempts(db: Postgres, key: Buffer): LoginAttempts {
  /** Which kind it is stays readable: it says how long the row is of use. */
  const hashed = ({ kind, name }: AttemptKey): string =>
    `${kind} ${createHmac('sha256', key).update(name).digest('base64url')}`;
  const inTurn = limited(1, waitingMax);
  return {
    change: async (given, decide) =>
      await inTurn(async () => {
        const keys = given.map(hashed);
        for (let tries = 0; tries < triesMax; tries += 1) {
          const found = await db.ask<{ state: string | null; now: string }>({ ...reading(keys) });
          const before = found.map(({ state }) => state);
          const remembered = before.map((state): unknown =>
            state === null ? undefined : JSON.parse(state),
          );
          const now = Number(found[0]!.now);
          const { remember, result } = decide(remembered, now);
          if (remember === remembered) return result;
          const then = keys.map((_, n) => JSON.stringify(remember[n] ?? null));
          const [swapped] = await db.ask<{ done: boolean }>({
            name: 'swap-attempts',
            text: 'select swap_attempts($1, $2, $3) as done',
            values: [keys, before, then.map((state) => (state === 'null' ? null : state))],
          });
          if (swapped!.done) return result;
        }
        throw new EventStoreError('BUSY', 'Too many people log in at once. Try again in a moment.');
      }),
    async sweep() {
      // Under 64 digits: plain hashes, which the release 0.1 kept.
      await db.ask({
        text: `delete from login_attempts where changed_at < now() - interval '30 days'
          or (key not like 'known %' and changed_at < now() - interval '1 hour')
          or key ~ ' [0-9a-f]{64}$'
          or key in (select key from login_attempts order by changed_at desc offset ${rowsMax})`,
      });
    },
  };
}

const reading = (keys: readonly string[]) => ({
  name: 'attempts',
  text: `select a.state, (extract(epoch from clock_timestamp()) * 1000)::bigint as now
    from unnest($1::text[]) with ordinality as k(key, n) left join login_attempts a using (key) order by n`,
  values: [keys],
});
