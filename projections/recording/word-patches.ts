import type { Block, Word } from '../../events/facts/transcript.ts';

/** Replace the words `from` up to (not including) `to` of the old text by these. */
export type WordPatch = { from: number; to: number; inserted: readonly string[] };

/** Comparisons of words in one text; a longer difference is one patch. Bounds time and memory. */
const comparisonsMax = 4_000_000;

/**
 * The least changes of words that lead from one text to another, in order, none touching another:
 * what stays is a longest common subsequence (Wagner and Fischer, 1974).
 */
export function wordPatches(
  before: readonly string[],
  after: readonly string[],
  same: (a: string, b: string) => boolean = (a, b) => a === b,
): WordPatch[] {
  const isSame: Same = (a, b) => a !== undefined && b !== undefined && same(a, b);
  let start = 0;
  while (isSame(before[start], after[start])) start += 1;
  let ends = 0;
  const room = Math.min(before.length, after.length) - start;
  while (ends < room && isSame(before.at(-1 - ends), after.at(-1 - ends))) ends += 1;
  const old = before.slice(start, before.length - ends);
  const fresh = after.slice(start, after.length - ends);
  if (old.length === 0 && fresh.length === 0) return [];
  if (old.length * fresh.length > comparisonsMax) {
    return [{ from: start, to: start + old.length, inserted: fresh }];
  }
  return patchesWithin(old, fresh, isSame).map(({ from, to, inserted }) => ({
    from: from + start,
    to: to + start,
    inserted,
  }));
}

/** A text's words: what white space separates. */
export const splitWords = (text: string): string[] => text.match(/\S+/gu) ?? [];

/** The word without case and punctuation: what is the same word to a listener. */
export const spokenForm = (word: string): string => {
  const bare = word
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]/gu, '');
  return bare === '' ? word : bare;
};

export const soundsSame = (a: string, b: string): boolean => spokenForm(a) === spokenForm(b);

/** Whether there are two words, and they are the same. */
type Same = (a: string | undefined, b: string | undefined) => boolean;

function patchesWithin(
  old: readonly string[],
  fresh: readonly string[],
  isSame: Same,
): WordPatch[] {
  const width = fresh.length + 1;
  /** Length of the longest common subsequence of what follows in both. */
  const common = new Uint32Array((old.length + 1) * width);
  const commonFrom = (a: number, b: number): number => common[a * width + b] ?? 0;
  for (let a = old.length - 1; a >= 0; a -= 1) {
    for (let b = fresh.length - 1; b >= 0; b -= 1) {
      common[a * width + b] = isSame(old[a], fresh[b])
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
    if (isSame(old[a], fresh[b]) && commonFrom(a, b) === commonFrom(a + 1, b + 1) + 1) {
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

/**
 * Each word of a text with when it was said. Words that the recogniser timed keep their times; those
 * a person wrote share the time between their neighbours, by their length.
 */
export function timedWords(
  text: string,
  { words, start, end }: Pick<Block, 'words' | 'start' | 'end'>,
): Word[] {
  const tokens = splitWords(text);
  const spoken = words.flatMap((word) =>
    splitWords(word.text).map((one) => ({ ...word, text: one })),
  );
  const timed: (Word | undefined)[] = [];
  let at = 0;
  const patches = wordPatches(
    spoken.map((word) => word.text),
    tokens,
    soundsSame,
  );
  for (const { from, to, inserted } of patches) {
    for (; at < from; at += 1) timed.push(spoken[at]);
    for (let index = 0; index < inserted.length; index += 1) timed.push(undefined);
    at = to;
  }
  for (; at < spoken.length; at += 1) timed.push(spoken[at]);
  return filled(tokens, timed, start, Math.max(start, end));
}

/** The words of a corrected block; none when the recogniser gave no times. */
export const retimed = (text: string, block: Block): Word[] =>
  block.words.length === 0 ? [] : timedWords(text, block);

function filled(
  tokens: readonly string[],
  timed: readonly (Word | undefined)[],
  start: number,
  end: number,
): Word[] {
  const result: Word[] = [];
  for (let index = 0; index < tokens.length;) {
    const [text, known] = [tokens[index], timed[index]];
    if (known && text !== undefined) {
      result.push({ text, start: known.start, end: known.end });
      index += 1;
      continue;
    }
    let next = index;
    while (next < tokens.length && !timed[next]) next += 1;
    const from = result.at(-1)?.end ?? start;
    const to = Math.max(from, timed[next]?.start ?? end);
    result.push(...spread(tokens.slice(index, next), from, to));
    index = next;
  }
  return result;
}

/** Words sharing a span by their length. */
export function spread(words: readonly string[], start: number, end: number): Word[] {
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  let said = 0;
  return words.map((text) => {
    const from = start + ((end - start) * said) / letters;
    said += text.length;
    return { text, start: from, end: start + ((end - start) * said) / letters };
  });
}
