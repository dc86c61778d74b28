import type { Block } from '../../events/facts/transcript.ts';

/** For each label of the new turns the name under which most of its time was said before, if most was. */
export function carriedNames(
  before: readonly Block[],
  names: Readonly<Record<string, string>>,
  turns: readonly Block[],
): Map<string, CarriedName> {
  const carried = new Map<string, CarriedName>();
  for (const label of new Set(turns.map(({ speaker }) => speaker))) {
    if (label === null) continue;
    const own = turns.filter(({ speaker }) => speaker === label);
    const spoken = own.reduce((sum, { start, end }) => sum + end - start, 0);
    const shared = new Map<string, number>();
    for (const old of before) {
      const name = old.speaker === null ? undefined : names[old.speaker]?.trim();
      if (name === undefined || name === '') continue;
      for (const turn of own) {
        const seconds = Math.min(turn.end, old.end) - Math.max(turn.start, old.start);
        if (seconds > 0) shared.set(name, (shared.get(name) ?? 0) + seconds);
      }
    }
    const [most] = [...shared].toSorted((a, b) => b[1] - a[1]);
    if (!most || spoken === 0 || most[1] < shareMin * spoken) continue;
    carried.set(label, { name: most[0], confidence: Math.min(1, most[1] / spoken) });
  }
  return carried;
}

/** A label is taken for the same person when that much of their speech was under one name. */
const shareMin = 0.5;

/** Names that were given before, for the labels of another attribution of the same audio. */
type CarriedName = { name: string; confidence: number };
