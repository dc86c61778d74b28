/** Replace the words `from` up to (not including) `to` of the old text by these. */
export type WordPatch = { from: number; to: number; inserted: readonly string[] };

/** Comparisons of words in one text; a longer difference is one patch. Bounds time and memory. */
const comparisonsMax = 4_000_000;

/**
 * The least changes of words that lead from one text to another, in order, none touching another:
 * what stays is a longest common subsequence (Wagner and Fischer, 1974).
 */
export function wordPatches(before: readonly string[], after: readonly string[]): WordPatch[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let ends = 0;
  while (ends < shorter - start && before.at(-1 - ends) === after.at(-1 - ends)) ends += 1;
  const old = before.slice(start, before.length - ends);
  const fresh = after.slice(start, after.length - ends);
  if (old.length === 0 && fresh.length === 0) return [];
  if (old.length * fresh.length > comparisonsMax) {
    return [{ from: start, to: start + old.length, inserted: fresh }];
  }
  return patchesWithin(old, fresh).map(({ from, to, inserted }) => ({
    from: from + start,
    to: to + start,
    inserted,
  }));
}

function patchesWithin(old: readonly string[], fresh: readonly string[]): WordPatch[] {
  const width = fresh.length + 1;
  /** Length of the longest common subsequence of what follows in both. */
  const common = new Uint32Array((old.length + 1) * width);
  const commonFrom = (a: number, b: number): number => common[a * width + b] ?? 0;
  for (let a = old.length - 1; a >= 0; a -= 1) {
    for (let b = fresh.length - 1; b >= 0; b -= 1) {
      common[a * width + b] =
        old[a] === fresh[b]
          ? commonFrom(a + 1, b + 1) + 1
          : Math.max(commonFrom(a + 1, b), commonFrom(a, b + 1));
    }
  }
  const patches: WordPatch[] = [];
  let [a, b] = [0, 0];
  let [from, added] = [0, 0];
  const flush = () => {
    if (a > from || b > added) patches.push({ from, to: a, inserted: fresh.slice(added, b) });
  };
  while (a < old.length && b < fresh.length) {
    if (old[a] === fresh[b] && commonFrom(a, b) === commonFrom(a + 1, b + 1) + 1) {
      flush();
      [a, b] = [a + 1, b + 1];
      [from, added] = [a, b];
    } else if (commonFrom(a + 1, b) >= commonFrom(a, b + 1)) a += 1;
    else b += 1;
  }
  [a, b] = [old.length, fresh.length];
  flush();
  return patches;
}
