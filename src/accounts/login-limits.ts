import { LRUCache } from 'lru-cache';
import { networkOf } from '../shared/network.ts';

/** Attempts that fail, or are not decided yet, an address has within a minute. */
const attemptsPerMinute = 10;
/** Failures in a row that cost no waiting. */
const freeFailures = 3;
/** The longest wait, and for how long failures are remembered, in milliseconds. */
const delayMaxMs = 15 * 60_000;
const memoryMs = 60 * 60_000;
/** Addresses, pairs of account and address, and accounts that are remembered; the longest unseen go first. */
const entriesMax = 10_000;
/** Addresses an account is known at; the one it used longest ago goes first. */
const knownPerAccountMax = 32;

export interface LoginLimits {
  /** Whether this account has logged in from this address before, as far as is remembered. */
  isKnown(account: string, address: string): boolean;
  /**
   * Takes down an attempt before it is looked at, as if it failed. Returns the seconds to wait, in
   * which case it must not be looked at; 0 when it may.
   */
  attempt(account: string, address: string): number;
  /** An attempt that was taken down has not been looked at after all. */
  takeBack(account: string, address: string): void;
  /** Forgets the failures of this account from this address, and knows it from now on. */
  succeeded(account: string, address: string): void;
}

/**
 * Slows guessing from one place down without letting a stranger lock a user out: an address has ten attempts
 * a minute for all accounts together, and from the fourth failure on, one account from one address
 * waits 1, 2, 4, … seconds, at most 15 minutes. The ten do not count for an account where it logged in
 * before, so that others behind the same router do not use them up. An address is an IPv4 address or an IPv6 /64.
 * Kept in memory: a restart forgives and forgets.
 */
export function loginLimits(clock: () => Date): LoginLimits {
  /** Times of the attempts within the last minute, oldest first. */
  const addresses = new LRUCache<string, number[]>({ max: entriesMax });
  const pairs = new LRUCache<string, { failures: number; last: number }>({ max: entriesMax });
  const knownPlaces = new LRUCache<string, LRUCache<string, true>>({ max: entriesMax });

  const isKnown = (account: string, address: string): boolean =>
    knownPlaces.get(account)?.has(networkOf(address)) ?? false;

  function takeBack(account: string, address: string): void {
    const place = networkOf(address);
    addresses.set(place, (addresses.peek(place) ?? []).slice(0, -1));
    const pair = pairs.peek(pairOf(account, place));
    if (pair) pair.failures -= 1;
  }

  return {
    isKnown,
    attempt(account, address) {
      const now = clock().getTime();
      const place = networkOf(address);
      const recent = (addresses.peek(place) ?? []).filter((time) => time > now - 60_000);
      if (recent.length >= attemptsPerMinute && !isKnown(account, address)) {
        return seconds(recent[0]! + 60_000 - now);
      }

      const pair = pairOf(account, place);
      const known = pairs.peek(pair);
      const remembered = known && known.last > now - memoryMs ? known : { failures: 0, last: 0 };
      const wait = remembered.last + delayAfter(remembered.failures) - now;
      if (wait > 0) return seconds(wait);

      addresses.set(place, [...recent, now].slice(-attemptsPerMinute));
      pairs.set(pair, { failures: remembered.failures + 1, last: now });
      return 0;
    },
    takeBack,
    succeeded(account, address) {
      const place = networkOf(address);
      takeBack(account, address);
      pairs.delete(pairOf(account, place));
      const places = knownPlaces.get(account) ?? new LRUCache({ max: knownPerAccountMax });
      places.set(place, true);
      knownPlaces.set(account, places);
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
