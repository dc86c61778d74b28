/** Two versions of a transcript, turn beside turn and word by word (jsdiff). */
import { diffArrays, diffWords } from 'diff';

export type Part = { text: string; change: 'same' | 'removed' | 'added' };
type Said = { speaker: string; text: string };

/** A pair of turns: either may be missing. `words` counts those that differ; `unified` is both in one. */
export type Pair = {
  before: (Said & { parts: Part[] }) | null;
  after: (Said & { parts: Part[] }) | null;
  unified: Part[];
  words: number;
};
export type Comparison = { pairs: Pair[]; turns: number; words: number };

/** A comparison that would take longer than this is given up, milliseconds. */
const withinMs = 1000;

/**
 * What differs between two versions; turns that are the same are left out.
 * @returns null when they differ in so much that it cannot be said in time
 */
export function compareVersions(
  before: readonly Said[],
  after: readonly Said[],
): Comparison | null {
  const same = (a: Said, b: Said) => a.text === b.text && a.speaker === b.speaker;
  const changes = diffArrays([...before], [...after], { comparator: same, timeout: withinMs });
  if (changes === undefined) return null;
  const pairs: Pair[] = [];
  for (let at = 0; at < changes.length; at += 1) {
    const change = changes[at]!;
    if (!change.added && !change.removed) continue;
    const next = changes[at + 1];
    if (change.removed && next?.added) {
      at += 1;
      pairs.push(...pairsOf(change.value, next.value));
    } else {
      pairs.push(...(change.removed ? pairsOf(change.value, []) : pairsOf([], change.value)));
    }
  }
  const words = pairs.reduce((sum, pair) => sum + pair.words, 0);
  return { pairs, turns: pairs.length, words };
}

/** Pairs turns that were replaced by as many in their order, and what remains with nothing. */
function pairsOf(before: readonly Said[], after: readonly Said[]): Pair[] {
  return Array.from({ length: Math.max(before.length, after.length) }, (_, at) => {
    const [old, now] = [before[at], after[at]];
    const unified = diffWords(old?.text ?? '', now?.text ?? '').map(
      ({ value, added, removed }): Part => ({
        text: value,
        change: added ? 'added' : removed ? 'removed' : 'same',
      }),
    );
    const without = (other: Part['change']) => unified.filter(({ change }) => change !== other);
    return {
      before: old === undefined ? null : { ...old, parts: without('added') },
      after: now === undefined ? null : { ...now, parts: without('removed') },
      unified,
      words: Math.max(wordsIn(unified, 'removed'), wordsIn(unified, 'added')),
    };
  });
}

const wordsIn = (parts: readonly Part[], change: Part['change']): number =>
  parts
    .filter((part) => part.change === change)
    .reduce((sum, { text }) => sum + (text.match(/\S+/g)?.length ?? 0), 0);
