import { hash } from 'node:crypto';
import { networkOf } from '../shared/network.ts';
import type { AttemptKey, LoginAttempts } from '../storage/login-attempts.ts';

/** Attempts that fail, or are not decided yet, an address has within a minute. */
const attemptsPerMinute = 10;
/** Failures in a row that cost no waiting. */
const freeFailures = 3;
/** The longest wait, and for how long failures are remembered, in milliseconds. */
const delayMaxMs = 15 * 60_000;
const memoryMs = 60 * 60_000;
/** Addresses an account is known at; the one it used longest ago goes first. */
const knownPerAccountMax = 32;

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
}

/**
 * Slows guessing from one place down without letting a stranger lock a user out: an address has ten attempts
 * a minute for all accounts together, and from the fourth failure on, one account from one address
 * waits 1, 2, 4, … seconds, at most 15 minutes. The ten do not count for an account where it logged in
 * before, so that others behind the same router do not use them up. An address is an IPv4 address or an IPv6 /64.
 */
export function loginLimits(attempts: LoginAttempts): LoginLimits {
  return {
    async isKnown(account, address) {
      const place = networkOf(address);
      return await attempts.change([knownKey(account)], (remembered) => {
        const [places = []] = remembered as [Known?];
        return { remember: remembered, result: places.includes(hashed(account, place)) };
      });
    },
    async attempt(account, address) {
      const place = networkOf(address);
      return await attempts.change(keysOf(account, place), (remembered, now) => {
        const [times = [], pair, places = []] = remembered as Remembered;
        const recent = times.filter((time) => time > now - 60_000);
        if (recent.length >= attemptsPerMinute && !places.includes(hashed(account, place))) {
          return { remember: remembered, result: seconds(recent[0]! + 60_000 - now) };
        }
        const counted = pair && pair.last > now - memoryMs ? pair : { failures: 0, last: 0 };
        const wait = counted.last + delayAfter(counted.failures) - now;
        if (wait > 0) return { remember: remembered, result: seconds(wait) };
        const attempted = [...recent, now].slice(-attemptsPerMinute);
        const failed = { failures: counted.failures + 1, last: now };
        return { remember: [attempted, failed, remembered[2]], result: 0 };
      });
    },
    async takeBack(account, address) {
      await attempts.change(keysOf(account, networkOf(address)), (remembered) => {
        const [times, pair, places] = remembered as Remembered;
        const fewer = pair && { ...pair, failures: pair.failures - 1 };
        return { remember: [times?.slice(0, -1), fewer, places], result: undefined };
      });
    },
    async succeeded(account, address) {
      const place = networkOf(address);
      await attempts.change(keysOf(account, place), (remembered) => {
        const [times, , places = []] = remembered as Remembered;
        const own = hashed(account, place);
        // The same again is not written again.
        const known =
          places.at(-1) === own
            ? places
            : [...places.filter((one) => one !== own), own].slice(-knownPerAccountMax);
        return { remember: [times?.slice(0, -1), null, known], result: undefined };
      });
    },
  };
}

/** What is kept of an address where an account logged in: it outlives the service, and names no place. */
const hashed = (account: string, place: string): string =>
  hash('sha256', `${account}\n${place}`, 'base64url').slice(0, 22);

/** Times of the attempts within the last minute, oldest first; failures in a row; places, used last last. */
type Remembered = [times?: number[], pair?: { failures: number; last: number }, known?: Known];
type Known = string[];

const knownKey = (account: string): AttemptKey => ({ kind: 'known', name: account.slice(0, 64) });
const keysOf = (account: string, place: string): AttemptKey[] => [
  { kind: 'address', name: place },
  { kind: 'pair', name: pairOf(account, place) },
  knownKey(account),
];

const delayAfter = (failures: number): number =>
  failures < freeFailures
    ? 0
    : Math.min(delayMaxMs, 1000 * 2 ** Math.min(failures - freeFailures, 20));

const seconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/** Long names cannot be accounts; they share an entry rather than fill the memory. */
const pairOf = (account: string, place: string): string => `${account.slice(0, 64)}\n${place}`;
