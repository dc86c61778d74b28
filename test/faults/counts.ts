/** The seed of a fault test: `SEED=n` repeats a run. */
export const seed = Number(process.env['SEED'] ?? 1);

/** How often a fault is tried: few times in `npm test`, many in `npm run test:long`. */
export const times = (counts: { short: number; long: number }): number =>
  process.env['MITSCHRIFT_LONG'] ? counts.long : counts.short;
