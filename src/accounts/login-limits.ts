import { networkOf } from '../shared/network.ts';

/** Attempts an address has within a minute. */
const attemptsPerMinute = 10;
/** Failures in a row that cost no waiting. */
const freeFailures = 3;
/** The longest wait, and for how long failures are remembered, in milliseconds. */
const delayMaxMs = 15 * 60_000;
const memoryMs = 60 * 60_000;
/** Addresses, and pairs of account and address, that are remembered; the longest unseen go first. */
const entriesMax = 10_000;

export interface LoginLimits {
  /**
   * Takes down an attempt before it is looked at, as if it failed. Returns the seconds to wait, in
   * which case it must not be looked at; 0 when it may.
   */
  attempt(account: string, address: string): number;
  /** Forgets the failures of this account from this address. */
  succeeded(account: string, address: string): void;
}

/**
 * Slows guessing down without letting a stranger lock a user out: an address has ten attempts a
 * minute for all accounts together, and from the fourth failure on, one account from one address
 * waits 1, 2, 4, … seconds, at most 15 minutes. Kept in memory: a restart forgives.
 */
export function loginLimits(clock: () => Date): LoginLimits {
  /** Times of the attempts within the last minute, oldest first. */
  const addresses = new Map<string, number[]>();
  const pairs = new Map<string, { failures: number; last: number }>();

  return {
    attempt(account, address) {
      const now = clock().getTime();
      const place = networkOf(address);
      const recent = (addresses.get(place) ?? []).filter((time) => time > now - 60_000);
      if (recent.length >= attemptsPerMinute) return seconds(recent[0]! + 60_000 - now);

      const pair = pairOf(account, place);
      const known = pairs.get(pair);
      const remembered = known && known.last > now - memoryMs ? known : { failures: 0, last: 0 };
      const wait = remembered.last + delayAfter(remembered.failures) - now;
      if (wait > 0) return seconds(wait);

      remember(addresses, place, [...recent, now]);
      remember(pairs, pair, { failures: remembered.failures + 1, last: now });
      return 0;
    },
    succeeded(account, address) {
      pairs.delete(pairOf(account, networkOf(address)));
    },
  };
}

const delayAfter = (failures: number): number =>
  failures < freeFailures
    ? 0
    : Math.min(delayMaxMs, 1000 * 2 ** Math.min(failures - freeFailures, 20));

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/** Long names cannot be accounts; they share an entry rather than fill the memory. */
const pairOf = (account: string, place: string): string => `${account.slice(0, 64)}\n${place}`;

/** The last entry of a Map is the one set last: deleting first keeps the order that of use. */
function remember<T>(table: Map<string, T>, key: string, value: T): void {
  table.delete(key);
  table.set(key, value);
  if (table.size <= entriesMax) return;
  const [oldest] = table.keys();
  if (oldest !== undefined) table.delete(oldest);
}
