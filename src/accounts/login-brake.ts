import { LRUCache } from 'lru-cache';
import { setTimeout as passed } from 'node:timers/promises';
import { networkOf } from '../shared/network.ts';

/** Attempts that cost no waiting: at one account, out of one IPv4 address or IPv6 /56, out of one /48. */
const free = { account: 10, site: 20, provider: 40 };
/** What each further one waits longer than the one before it, and at most, in milliseconds. */
const stepMs = 1000;
const delayMaxMs = 10_000;
/** After this long one attempt is forgiven, in milliseconds. */
const forgiveMs = 60_000;
/** Attempts that wait at the same time: at one account, out of one network. */
const waitingMax = 4;
/** Accounts and networks that are remembered, together; the longest unseen go first. */
const entriesMax = 30_000;

export interface LoginBrake {
  /**
   * Takes an attempt down, and returns when it may be looked at, after ten seconds at most. Returns the
   * seconds after which to come back instead, at once and without taking it down, when too many wait already.
   */
  hold(account: string, address: string): Promise<number>;
  /** An attempt that was taken down has succeeded, or has not been looked at after all. */
  takeBack(account: string, address: string): void;
}

/**
 * Slows down guessing that comes from many addresses (`login-limits.ts` sees each by itself): at one
 * account, or out of a large network. It delays and locks nobody out; an account is not slowed down
 * where it logged in before (`login.ts`). Names that no account has are counted alike, so nothing tells.
 * Kept in memory: a restart forgives.
 * @param pause waits for so many milliseconds
 */
export function loginBrake(
  clock: () => Date,
  pause: (ms: number) => Promise<unknown> = (ms) => passed(ms),
): LoginBrake {
  const counters = new LRUCache<string, Counter>({ max: entriesMax });
  const countersOf = (account: string, address: string): Counter[] =>
    keysOf(account, address).map(([key, freeTries]) => {
      const known = counters.get(key);
      const counter = known ?? { free: freeTries, tries: 0, at: 0, waiting: 0 };
      if (!known) counters.set(key, counter);
      return counter;
    });

  return {
    async hold(account, address) {
      const now = clock().getTime();
      const all = countersOf(account, address);
      const slowing = all.filter((counter) => delayBy(counter, now) > 0);
      if (slowing.some(({ waiting }) => waiting >= waitingMax)) return delayMaxMs / 1000;
      const delay = Math.max(0, ...slowing.map((counter) => delayBy(counter, now)));
      for (const counter of all) {
        counter.tries = Math.min(triesOf(counter, now) + 1, counter.free + delayMaxMs / stepMs);
        counter.at = now;
      }
      if (delay === 0) return 0;
      for (const counter of slowing) counter.waiting += 1;
      await pause(delay).finally(() => {
        for (const counter of slowing) counter.waiting -= 1;
      });
      return 0;
    },
    takeBack(account, address) {
      for (const counter of countersOf(account, address)) {
        counter.tries = Math.max(0, counter.tries - 1);
      }
    },
  };
}

type Counter = {
  free: number;
  /** Attempts that count, as of `at` (milliseconds since the epoch). */
  tries: number;
  at: number;
  /** Attempts that this counter makes wait now. */
  waiting: number;
};

const triesOf = ({ tries, at }: Counter, now: number): number =>
  Math.max(0, tries - (now - at) / forgiveMs);

function delayBy(counter: Counter, now: number): number {
  const over = Math.round(triesOf(counter, now)) - counter.free;
  return over < 0 ? 0 : Math.min(delayMaxMs, (over + 1) * stepMs);
}

/** What an attempt counts for, and how many of that are free. Long names share an entry. */
function keysOf(account: string, address: string): [key: string, free: number][] {
  const [site, provider] = [networkOf(address, 56), networkOf(address, 48)];
  const keys: [string, number][] = [
    [`account ${account.slice(0, 64)}`, free.account],
    [`site ${site}`, free.site],
  ];
  // An IPv4 address is its own network.
  return site === provider ? keys : [...keys, [`provider ${provider}`, free.provider]];
}
