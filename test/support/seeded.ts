import { randomInt } from 'node:crypto';

/** Pseudo-random numbers from a seed (mulberry32, Tommy Ettinger, public domain): the same seed, the same run. */
export type Random = {
  /** 0 ≤ x < 1 */
  next(): number;
  /** 0 ≤ n < below */
  below(below: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
};

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (from) => from[below(from.length)]!,
  };
}

/** The seed of this run: `SEED=n` repeats one; a fresh one otherwise. Tests have it in their names. */
export const seed = Number(process.env['SEED'] ?? randomInt(1, 1_000_000));
if (!Number.isInteger(seed)) throw new Error(`SEED=${process.env['SEED']} is not a whole number`);

/** Few times, or little, in `npm test`, many in `npm run test:long`. */
export const times = <T = number>(counts: { short: T; long: T }): T =>
  process.env['MITSCHRIFT_LONG'] ? counts.long : counts.short;

/** The seeds of a test that is run several times: this run's and those that follow it. */
export const seeds = (counts: { short: number; long: number }): number[] =>
  Array.from({ length: times(counts) }, (_, index) => seed + index);
