/** Two versions of a transcript, turn beside turn and word by word (jsdiff). */
import { diffArrays, diffWords } from 'diff';

export type Part = { text: string; change: 'same' | 'removed' | 'added' };
export type Said = { speaker: string; text: string };

/** A pair of turns, by who speaks; either may be missing. `words` counts those that differ; `parts` is both in one. */
export type Pair = {
  before: string | null;
  after: string | null;
  parts: Part[];
  words: number;
};
export type Comparison = { pairs: Pair[]; words: number };

/** Finding turns that are the same, and comparing two turns, are given up after so long, milliseconds. */
const withinMs = { turns: 10_000, words: 200 };

/**
 * What differs between two versions; turns that are the same are left out. Of hours it takes seconds.
 * @returns null when they differ in so much that it cannot be said in time
 */
export function compareVersions(
  before: readonly Said[],
  after: readonly Said[],
): Comparison | null {
  const same = (a: Said, b: Said) => a.text === b.text && a.speaker === b.speaker;
  const changes = diffArrays([...before], [...after], {
    comparator: same,
    timeout: withinMs.turns,
  });
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
  return { pairs, words: pairs.reduce((sum, pair) => sum + pair.words, 0) };
}

/** What one of the two says; null when it has no such turn. */
export function sideOf(
  pair: Pair,
  side: 'before' | 'after',
): { speaker: string; parts: Part[] } | null {
  const speaker = pair[side];
  const other = side === 'before' ? 'added' : 'removed';
  return speaker === null
    ? null
    : { speaker, parts: pair.parts.filter(({ change }) => change !== other) };
}

/** Pairs turns that were replaced by as many in their order, and what remains with nothing. */
function pairsOf(before: readonly Said[], after: readonly Said[]): Pair[] {
  return Array.from({ length: Math.max(before.length, after.length) }, (_, at) => {
    const [old, now] = [before[at], after[at]];
    const parts = partsOf(old?.text ?? '', now?.text ?? '');
    return {
      before: old?.speaker ?? null,
      after: now?.speaker ?? null,
      parts,
      words: Math.max(wordsIn(parts, 'removed'), wordsIn(parts, 'added')),
    };
  });
}

/** What differs between two texts, word by word: both in one. */
export function partsOf(old: string, now: string): Part[] {
  const found = diffWords(old, now, { timeout: withinMs.words }) ?? [
    { value: old, removed: true, added: false },
    { value: now, removed: false, added: true },
  ];
  return found.map(({ value, added, removed }) => ({
    text: value,
    change: added ? 'added' : removed ? 'removed' : 'same',
  }));
}

const wordsIn = (parts: readonly Part[], change: Part['change']): number =>
  parts
    .filter((part) => part.change === change)
    .reduce((sum, { text }) => sum + (text.match(/\S+/g)?.length ?? 0), 0);
