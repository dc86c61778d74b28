/** What was counted so far under each combination of labels. */
export type Tally<Label extends string> = {
  /** Labels are names of ours, so there are few combinations: each is kept for good. */
  add(labels: Labels<Label>): void;
  counts(): Iterable<{ labels: Labels<Label>; count: number }>;
};

/** How often something took how long, under each combination of labels. */
export type Durations<Label extends string> = {
  add(labels: Labels<Label>, seconds: number): void;
  taken(): Iterable<Taken<Label>>;
};

export type Taken<Label extends string> = {
  labels: Labels<Label>;
  count: number;
  /** Seconds, of all together. */
  sum: number;
  /** How many took at most so many seconds, each bound including those before it. */
  upTo: { bound: number; count: number }[];
};

export type Labels<Label extends string> = Readonly<Record<Label, string>>;

/**
 * Counts, so that what is counted at every request and fact costs one look into a map. Told to
 * Prometheus by `figures.ts`, which is loaded only when somebody asks.
 */
export function tally<Label extends string>(names: readonly Label[]): Tally<Label> {
  const kept = keptBy(names, () => ({ count: 0 }));
  return {
    add: (labels) => void (kept.of(labels).count += 1),
    counts: kept.all,
  };
}

/** @param bounds seconds, rising */
export function durations<Label extends string>(
  names: readonly Label[],
  bounds: readonly number[],
): Durations<Label> {
  const kept = keptBy(names, () => ({ count: 0, sum: 0, within: bounds.map(() => 0) }));
  return {
    add(labels, seconds) {
      const mine = kept.of(labels);
      mine.count += 1;
      mine.sum += seconds;
      const index = bounds.findIndex((bound) => seconds <= bound);
      if (index >= 0) mine.within[index]! += 1;
    },
    *taken() {
      for (const { labels, count, sum, within } of kept.all()) {
        let below = 0;
        const upTo = bounds.map((bound, index) => ({ bound, count: (below += within[index]!) }));
        yield { labels, count, sum, upTo };
      }
    },
  };
}

/** A value for each combination of labels, made when it is first met. */
function keptBy<Label extends string, V extends object>(names: readonly Label[], make: () => V) {
  const kept = new Map<string, V & { labels: Labels<Label> }>();
  return {
    of(labels: Labels<Label>): V {
      let key = '';
      for (const name of names) key += `${labels[name]}\n`;
      let mine = kept.get(key);
      if (!mine) {
        mine = { ...make(), labels: { ...labels } };
        kept.set(key, mine);
      }
      return mine;
    },
    all: () => kept.values(),
  };
}
