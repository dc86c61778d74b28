import { textSegments, unspacedScripts } from './segments.ts';
import { streamSafe } from './stream-safe.ts';

/**
 * The form in which words are compared, so that `Müller`, `MUELLER` and `Muller` are one word: lower
 * case, without accents, `ß` as `ss`, and `ae`, `oe`, `ue` as `a`, `o`, `u` (`ue` not after a vowel or
 * `q`: `neue`, `Quelle`), as Snowball's "German2" and Lucene's GermanNormalizationFilter have it. The
 * same on both sides, so that no search finds less for it.
 */
export function foldWord(word: string): string {
  const letters = isPlain.test(word) ? word.toLowerCase() : plainLetters(word);
  return (spelling.test(letters) ? withoutSpelling(letters) : letters).slice(0, wordCharactersMax);
}

/** The words of a text and where each begins, in UTF-16 units. Scripts without spaces by dictionary. */
export function* wordsOf(text: string): Generator<{ word: string; at: number }> {
  const spaced = !unspaced.test(text);
  for (const { 0: word, index: at } of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    if (spaced || !unspaced.test(word)) {
      yield { word, at };
      continue;
    }
    for (const { segment, index } of textSegments(segmenter, word)) {
      yield { word: segment, at: at + index };
    }
  }
}

/** Most words need neither: they are told apart first, since this runs for every word of every transcript. */
const isPlain = /^[A-Za-z0-9]*$/;
const spelling = /[aou]e/;

const plainLetters = (word: string): string =>
  streamSafe(word)
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/(\P{M}?)\p{M}+/gu, (whole, letter: string) =>
      accented.test(letter) ? letter : whole.replaceAll(leftOut, '').normalize('NFC'),
    )
    .replaceAll(/[ßæœøðđþłıς]|\u0901/gu, (letter) => latin[letter] ?? letter);

/** Behind letters of other scripts marks are vowels, tones or voicing: without them `काम` would be `कम`. */
const accented =
  /^(?:\P{L}|\p{Script=Latin}|\p{Script=Greek}|\p{Script=Cyrillic}|\p{Script=Hebrew}|\p{Script=Arabic})?$/u;
/** Marks that say nothing, and the nukta, which is written or not (as Lucene's HindiNormalizer has it). */
const leftOut = /[\p{Variation_Selector}\u093C]/gu;

const withoutSpelling = (letters: string): string =>
  letters
    .replaceAll('ae', 'a')
    .replaceAll('oe', 'o')
    .replaceAll(/(?<![aeiouyq])ue/g, 'u');

/** Longer words are compared by their beginnings. */
const wordCharactersMax = 64;

const latin: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ð: 'd',
  đ: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ς: 'σ',
  // Candrabindu: people write the anusvara for it.
  '\u0901': '\u0902',
};

const unspaced = new RegExp(`[${unspacedScripts}]`, 'u');
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
