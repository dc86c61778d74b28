/** Longest phrase looked for, in words. */
const phraseWordsMax = 12;
/** Repetitions in a row of a phrase of one, two, or more words that people do not say. */
const timesMin = (length: number) => (length === 1 ? 8 : length === 2 ? 6 : 4);

/** Whether a phrase stands there over and over. */
export const repeats = (words: readonly string[]): boolean => repeatedWords(words).size > 0;

/** Which words are phrases that stand there over and over. At most `phraseWordsMax` comparisons a word. */
export function repeatedWords(words: readonly string[]): Set<number> {
  const repeated = new Set<number>();
  for (let length = 1; length <= phraseWordsMax; length += 1) {
    let matched = 0; // words equal to the one a phrase's length before
    for (let i = length; i < words.length; i += 1) {
      matched = words[i] === words[i - length] ? matched + 1 : 0;
      if (matched < length * (timesMin(length) - 1)) continue;
      // The next word of a run has only itself to add.
      for (let at = i; at > i - length - matched && !repeated.has(at); at -= 1) repeated.add(at);
    }
  }
  return repeated;
}
