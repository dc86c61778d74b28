import { LRUCache } from 'lru-cache';

/** One thing that attempts to log in are counted for: an account at an address, a network, … */
export type AttemptKey = { kind: AttemptKind; name: string };
export type AttemptKind = 'address' | 'pair' | 'known' | 'brake';

/**
 * What is remembered of attempts to log in, as JSON; for all nodes where there are several. None of it has to
 * survive a restart.
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
const entriesMax = { address: 10_000, pair: 10_000, known: 10_000, brake: 30_000 } as const;

/** In memory: a restart forgives and forgets. */
export function memoryLoginAttempts(clock: () => Date): LoginAttempts {
  const of = (kind: AttemptKind) => new LRUCache<string, object>({ max: entriesMax[kind] });
  const all = {
    address: of('address'),
    pair: of('pair'),
    known: of('known'),
    brake: of('brake'),
  };
  return {
    async change(keys, decide) {
      const remembered = keys.map(({ kind, name }) => all[kind].peek(name));
      const { remember, result } = decide(remembered, clock().getTime());
      for (const [n, { kind, name }] of keys.entries()) {
        const value = remember[n];
        if (value === remembered[n]) continue;
        if (value === null || value === undefined) all[kind].delete(name);
        else all[kind].set(name, value);
      }
      return result;
    },
    sweep: async () => {},
  };
}
