import { setTimeout as passed } from 'node:timers/promises';
import { networkOf } from '../shared/network.ts';
import type { Kept, KeptKind } from '../storage/kept.ts';
import { openCounts } from '../shared/counts.ts';

/** Attempts that cost no waiting: at one account, out of one IPv4 address or IPv6 /56, out of one /48. */
const free = { account: 10, site: 20, provider: 40 };
/** What each further one waits longer than the one before it, and at most, in milliseconds. */
const stepMs = 1000;
const delayMaxMs = 10_000;
/** After this long one attempt is forgiven, in milliseconds. */
const forgiveMs = 60_000;
/**
 * Attempts that wait at the same time: out of one network that is slowed down; at one account out of one IPv4 /24 or
 * IPv6 /48, so that who fills the places of their own network leaves those of all others; and in all.
 */
const waitingMax = { network: 4, account: 1, all: 256 };

export interface LoginBrake {
  /**
   * Takes an attempt down, and returns when it may be looked at, after ten seconds at most. Returns the
   * seconds after which to come back instead, at once and without taking it down, when too many wait already.
   */
  hold(account: string, address: string): Promise<number>;
  /** An attempt that was taken down has succeeded, or has not been looked at after all. */
  takeBack(account: string, address: string): Promise<void>;
}

/**
 * Slows down guessing that comes from many addresses (`login-limits.ts` sees each by itself): at one
 * account, or out of a large network. It delays; only who comes out of the network that guesses is sent away. An account
 * is not slowed down where it logged in before (`login.ts`). Names that no account has are counted alike, so nothing tells.
 * How many wait is each node's own.
 * @param pause waits for so many milliseconds
 */
export function loginBrake(
  kept: Kept,
  pause: (ms: number) => Promise<unknown> = (ms) => passed(ms),
): LoginBrake {
  const attempts = kept.of(brake);
  /** Attempts that wait, or are looked at, by the place they wait at. */
  const waiting = openCounts();
  let pausing = 0;
  const enter = (names: readonly string[]): void => {
    for (const name of names) waiting.add(name);
  };
  const leave = (names: readonly string[]): void => {
    for (const name of names) waiting.remove(name);
  };

  return {
    async hold(account, address) {
      const keys = keysOf(account, address);
      let held = keys.map(({ place }) => place);
      enter(held);
      try {
        const decided = await attempts.change(namesOf(keys), (remembered, now) => {
          const counters = keys.map((key, n) => ({ ...key, ...remembered[n] }));
          const slowing = counters.filter((counter) => delayBy(counter, now) > 0);
          // This one is counted already.
          const isFull = slowing.some(({ place, places }) => waiting.of(place) > places);
          if (isFull || (slowing.length > 0 && pausing >= waitingMax.all)) {
            return { result: null };
          }
          const delay = Math.max(0, ...slowing.map((counter) => delayBy(counter, now)));
          const keep = counters.map((counter) => ({
            tries: Math.min(triesOf(counter, now) + 1, counter.free + delayMaxMs / stepMs),
            at: now,
          }));
          return { keep, result: { delay, slowing: slowing.map(({ place }) => place) } };
        });
        if (decided === null) return delayMaxMs / 1000;
        leave(held.filter((place) => !decided.slowing.includes(place)));
        held = decided.slowing;
        if (decided.delay === 0) return 0;
        pausing += 1;
        await pause(decided.delay).finally(() => (pausing -= 1));
        return 0;
      } finally {
        leave(held);
      }
    },
    async takeBack(account, address) {
      await attempts.change(namesOf(keysOf(account, address)), (remembered) => {
        const keep = remembered.map(
          (counter) => counter && { ...counter, tries: Math.max(0, counter.tries - 1) },
        );
        return { keep, result: undefined };
      });
    },
  };
}

/** Attempts that count, as of `at` (milliseconds since the epoch). */
type Counter = { tries: number; at: number };

const brake: KeptKind<Counter> = {
  name: 'login-brake',
  endsAt: (_, now) => now + 3_600_000,
  volatileMax: 30_000,
  keys: 'hashed',
};

/** `place`: where it waits, with so many `places`. */
type CountedKey = { name: string; free: number; place: string; places: number };

const namesOf = (keys: readonly CountedKey[]): string[] => keys.map(({ name }) => name);

const triesOf = ({ tries = 0, at = 0 }: Partial<Counter>, now: number): number =>
  Math.max(0, tries - (now - at) / forgiveMs);

function delayBy(counter: Partial<Counter> & CountedKey, now: number): number {
  const over = Math.round(triesOf(counter, now)) - counter.free;
  return over < 0 ? 0 : Math.min(delayMaxMs, (over + 1) * stepMs);
}

/** What an attempt counts for, and how many of that are free. Long names share an entry. */
function keysOf(account: string, address: string): CountedKey[] {
  const [site, provider] = [networkOf(address, 56), networkOf(address, 48)];
  const key = (name: string, freeTries: number): CountedKey => ({
    name,
    free: freeTries,
    place: name,
    places: waitingMax.network,
  });
  const counted = key(`account ${account.slice(0, 64)}`, free.account);
  const neighbours = site === provider ? site.replace(/\.\d+$/u, '') : provider;
  const keys = [
    { ...counted, place: `${counted.name} from ${neighbours}`, places: waitingMax.account },
    key(`site ${site}`, free.site),
  ];
  // An IPv4 address is its own network.
  return site === provider ? keys : [...keys, key(`provider ${provider}`, free.provider)];
}
