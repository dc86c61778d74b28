/** One row of the table: ours against the bare thing, measured in turns on the same machine. */
export type Measured = {
  what: string;
  /** What ours and the bare thing did, with their unit. */
  ours: string;
  bare: string;
  ratio: number;
  /** What the ratio should be, `≤ 1.1` or `≥ 0.8`; with `met` whatever else, e.g. `≤ 1 s`; '' for none. */
  aim: string;
  /** Whether an aim that is not about the ratio is met. */
  met?: boolean;
};

/** What a file `<name>.bench.ts` exports. */
export type Bench = {
  /** What it measures, a line for `--list`. */
  about: string;
  /** Measures the built service alone, so `--dist` can put that of another checkout in its place. */
  throughBuild: boolean;
  /** Too long to be run with all others. */
  onlyByName?: boolean;
  bench(): AsyncIterable<Measured>;
};

/** Whether a row meets its aim; undefined when it has none. @throws when the aim cannot be read */
export function isMet({ ratio, aim, met }: Measured): boolean | undefined {
  if (met !== undefined) return met;
  if (aim === '') return undefined;
  const [, sign, limit] = /^([≤≥]) (\d+(?:\.\d+)?)$/.exec(aim) ?? [];
  if (limit === undefined) throw new Error(`Not an aim for a ratio: ${aim}`);
  return sign === '≤' ? ratio <= Number(limit) : ratio >= Number(limit);
}

/** Milliseconds that something takes. */
export async function msOf(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Measures two things in turns, so that both see the same machine. What they measured, in that order. */
export async function inTurns(
  times: number,
  ours: () => Promise<number>,
  bare: () => Promise<number>,
): Promise<{ ours: number[]; bare: number[] }> {
  const all: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  for (let time = 0; time < times; time += 1) {
    all.ours.push(await ours());
    all.bare.push(await bare());
  }
  return all;
}

/** In turns; the best of each counts, because what disturbs only ever makes slower. */
export async function bestOf(
  times: number,
  ours: () => Promise<number>,
  bare: () => Promise<number>,
): Promise<{ ours: number; bare: number }> {
  const all = await inTurns(times, ours, bare);
  return { ours: Math.min(...all.ours), bare: Math.min(...all.bare) };
}

/** In turns; the median of each: what a person feels, and what cannot be repeated often. */
export const medians = (all: {
  ours: number[];
  bare: number[];
}): { ours: number; bare: number } => ({
  ours: percentile(all.ours, 0.5),
  bare: percentile(all.bare, 0.5),
});

/** @param part 0 to 1: 0.5 is the median, 1 the worst */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
}

/** A count from an environment variable, so that a bench can be tried with small ones. */
export const countFrom = (variable: string, usual: number): number =>
  Number(process.env[variable] ?? usual);

export const perSecond = (count: number, ms: number): string =>
  `${Math.round((count * 1000) / ms).toLocaleString('en')}/s`;

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

export const milliseconds = (ms: number): string =>
  `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
