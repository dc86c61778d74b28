import { LRUCache } from 'lru-cache';
import { hash } from 'node:crypto';
import { type RowsDatabase, entriesOf, sublevelPrefix } from './level-rows.ts';

/**
 * One thing that attempts to log in are counted for: an account at an address, a network, …; `confirmed`: the session
 * in which a password was given once more.
 */
export type AttemptKey = { kind: AttemptKind; name: string };
export type AttemptKind = 'address' | 'pair' | 'known' | 'brake' | 'confirmed';

/**
 * What is remembered of attempts to log in, as JSON; for all nodes where there are several. Where accounts logged in
 * (`known`) survives a restart; the rest need not.
 */
export interface LoginAttempts {
  /**
   * Hands what is remembered to `decide`, with the time in milliseconds since the epoch, and remembers instead what
   * it returns, null for nothing. One change at a time, at however many nodes; `decide` may be asked again.
   * @throws {Busy} when too many wait; {EventStoreError} `BUSY`
   */
  change<T>(
    keys: readonly AttemptKey[],
    decide: (
      remembered: readonly unknown[],
      now: number,
    ) => { remember: readonly unknown[]; result: T },
  ): Promise<T>;
  /** Forgets what is long over. For now and then. */
  sweep(): Promise<void>;
}

/** How many of each kind are remembered in memory; those unseen for longest go first. */
const entriesMax = {
  address: 10_000,
  pair: 10_000,
  known: 10_000,
  brake: 30_000,
  confirmed: 1000,
} as const;

/** Keeps what has to survive a restart. */
type KeptAttempts = {
  /** By the hash of its name. */
  known: ReadonlyMap<string, object>;
  keep(nameHash: string, value: object): Promise<void>;
};

/** In the log's database `!known-places!<SHA-256 of the name>`; all else in memory. @throws what the database says */
export async function levelLoginAttempts(
  db: RowsDatabase,
  clock: () => Date,
): Promise<LoginAttempts> {
  const known = new Map<string, object>();
  for await (const [key, text] of entriesOf(db, everyPlace)) {
    known.set(key.slice(places.length), JSON.parse(text) as object);
  }
  return memoryLoginAttempts(clock, {
    known,
    keep: (name, value) =>
      db.batch([{ type: 'put', key: places + name, value: JSON.stringify(value) }], {
        sync: false,
      }),
  });
}

const places = sublevelPrefix('known-places');
/** `"` follows `!`. */
const everyPlace = { gte: places, lt: `${places.slice(0, -1)}"` };

const hashOf = (name: string): string => hash('sha256', name, 'hex');

/** In memory: a restart forgives and, but for what is kept, forgets. */
export function memoryLoginAttempts(clock: () => Date, kept?: KeptAttempts): LoginAttempts {
  const of = (kind: AttemptKind) => new LRUCache<string, object>({ max: entriesMax[kind] });
  const all = {
    address: of('address'),
    pair: of('pair'),
    known: of('known'),
    brake: of('brake'),
    confirmed: of('confirmed'),
  };
  for (const [name, value] of kept?.known ?? []) all.known.set(name, value);
  return {
    async change(given, decide) {
      const keys = given.map(({ kind, name }) => ({
        kind,
        name: kind === 'known' ? hashOf(name) : name,
      }));
      const remembered = keys.map(({ kind, name }) => all[kind].peek(name));
      const { remember, result } = decide(remembered, clock().getTime());
      for (const [n, { kind, name }] of keys.entries()) {
        const value = remember[n];
        if (value === remembered[n]) continue;
        if (value === null || value === undefined) all[kind].delete(name);
        else all[kind].set(name, value);
        if (kind === 'known' && kept && value) await kept.keep(name, value);
      }
      return result;
    },
    sweep: async () => {},
  };
}
