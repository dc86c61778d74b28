import { hash } from 'node:crypto';
import { networkOf } from '../shared/network.ts';
import { pauseAfter } from '../shared/pauses.ts';
import type { Kept, KeptKind } from '../storage/kept.ts';

/** Attempts that fail, or are not decided yet, an address has within a minute. */
const attemptsPerMinute = 10;
/** Failures in a row that cost no waiting. */
const freeFailures = 3;
/** Waits after those that cost waiting, and for how long failures are remembered, in milliseconds. */
const delays = { first: 1000, max: 15 * 60_000 };
const memoryMs = 60 * 60_000;
/** Addresses an account is known at; the one it used longest ago goes first. */
const knownPerAccountMax = 32;

/** Of an address the times of its attempts within the last minute, oldest first; of an account at one the failures in a row. */
type Counted = { times?: number[]; failures?: number; last?: number };

const counters: KeptKind<Counted> = {
  name: 'login-attempts',
  endsAt: (_, now) => now + memoryMs,
  volatileMax: 20_000,
  keys: 'hashed',
};

/** By account: `hashed` addresses where it logged in, that of the last login last. LevelDB never forgets one. */
const knownPlaces: KeptKind<string[]> = {
  name: 'known-places',
  endsAt: (_, now) => now + 30 * 24 * 3_600_000,
  keys: 'hashed',
};

export interface LoginLimits {
  /** Whether this account has logged in from this address before, as far as is remembered. */
  isKnown(account: string, address: string): Promise<boolean>;
  /**
   * Takes down an attempt before it is looked at, as if it failed. Returns the seconds to wait, in
   * which case it must not be looked at; 0 when it may.
   */
  attempt(account: string, address: string): Promise<number>;
  /** An attempt that was taken down has not been looked at after all. */
  takeBack(account: string, address: string): Promise<void>;
  /** Forgets the failures of this account from this address, and knows it from now on. */
  succeeded(account: string, address: string): Promise<void>;
  /** Forgets where these accounts logged in. */
  forget(accounts: readonly string[]): Promise<void>;
}

/**
 * Slows guessing from one place down without letting a stranger lock a user out: an address has ten attempts
 * a minute for all accounts together, and from the fourth failure on, one account from one address
 * waits 1, 2, 4, … seconds, at most 15 minutes. The ten do not count for an account where it logged in
 * before, so that others behind the same router do not use them up. An address is an IPv4 address or an IPv6 /64.
 */
export function loginLimits(kept: Kept): LoginLimits {
  const attempts = kept.of(counters);
  const known = kept.of(knownPlaces);
  const isKnown = async (account: string, address: string): Promise<boolean> =>
    ((await known.get(accountKey(account))) ?? []).includes(hashed(account, networkOf(address)));
  return {
    isKnown,
    async attempt(account, address) {
      const isFree = await isKnown(account, address);
      return await attempts.change(keysOf(account, address), ([at, pair], now) => {
        const recent = (at?.times ?? []).filter((time) => time > now - 60_000);
        const [first] = recent;
        if (first !== undefined && recent.length >= attemptsPerMinute && !isFree)
          return { result: seconds(first + 60_000 - now) };
        const { failures = 0, last = 0 } = pair ?? {};
        const wait = last + delayAfter(failures) - now;
        if (wait > 0) return { result: seconds(wait) };
        const times = [...recent, now].slice(-attemptsPerMinute);
        return { keep: [{ times }, { failures: failures + 1, last: now }], result: 0 };
      });
    },
    async takeBack(account, address) {
      await attempts.change(keysOf(account, address), ([at, pair]) => {
        const fewer = pair && { ...pair, failures: (pair.failures ?? 1) - 1 };
        return { keep: [withoutLast(at), fewer], result: undefined };
      });
    },
    async succeeded(account, address) {
      await attempts.change(keysOf(account, address), ([at]) => ({
        keep: [withoutLast(at), undefined],
        result: undefined,
      }));
      const own = hashed(account, networkOf(address));
      await known.change([accountKey(account)], ([places = []]) => {
        const others = places.filter((one) => one !== own);
        return { keep: [[...others, own].slice(-knownPerAccountMax)], result: undefined };
      });
    },
    forget: (accounts) => known.delete(accounts.map(accountKey)),
  };
}

const withoutLast = (at: Counted | undefined): Counted | undefined =>
  at && { times: at.times?.slice(0, -1) ?? [] };

/** What is kept of an address where an account logged in: it outlives the service, and names no place. */
const hashed = (account: string, place: string): string =>
  hash('sha256', `${account}\n${place}`, 'base64url').slice(0, 22);

/** Long names cannot be accounts; they share an entry rather than fill the memory. */
const accountKey = (account: string): string => account.slice(0, 64);
const keysOf = (account: string, address: string): string[] => {
  const place = networkOf(address);
  return [place, `${accountKey(account)}\n${place}`];
};

const delayAfter = (failures: number): number =>
  failures < freeFailures ? 0 : pauseAfter(delays, failures - freeFailures);

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));
