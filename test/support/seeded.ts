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

/** The seeds of a test: `SEED=n` repeats one, `MITSCHRIFT_LONG` runs many. */
export function seeds(counts: { short: number; long: number }): number[] {
  if (process.env['SEED']) return [Number(process.env['SEED'])];
  const count = process.env['MITSCHRIFT_LONG'] ? counts.long : counts.short;
  return Array.from({ length: count }, (_, index) => index + 1);
}
