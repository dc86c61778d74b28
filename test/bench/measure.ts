/** One line of the table: a ratio measured in one run, against the raw limit. */
export type Measured = {
  what: string;
  /** What ours and the bare thing did, with their unit. */
  ours: string;
  bare: string;
  ratio: number;
  /** What the ratio should be, e.g. `≥ 0.8`. */
  aim: string;
};

/** Milliseconds that something takes. */
export async function msOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Takes turns measuring two things so that both see the same machine; the best of each counts, because
 * what disturbs only ever makes slower.
 */
export async function bestOf(
  times: number,
  ours: () => Promise<number>,
  bare: () => Promise<number>,
): Promise<{ ours: number; bare: number }> {
  let best = { ours: Infinity, bare: Infinity };
  for (let time = 0; time < times; time += 1) {
    best = { ours: Math.min(best.ours, await ours()), bare: Math.min(best.bare, await bare()) };
  }
  return best;
}

export const perSecond = (count: number, ms: number): string =>
  `${Math.round((count * 1000) / ms).toLocaleString('en')}/s`;

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

export const milliseconds = (ms: number): string => `${Math.round(ms)} ms`;
