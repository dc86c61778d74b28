import { knownLocale } from './sentences.ts';

/** A word of a text as it is compared, and where it stands. */
export type SpokenWord = {
  /** Without case and with one kind of apostrophe. */
  word: string;
  /** Offsets into the text, end exclusive. */
  start: number;
  end: number;
};

/** Scripts without spaces between words: compared character by character. */
const unspaced =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]';
/** Invisible characters count as letters: an answer must not smuggle any in. */
const letters = `[[\\p{L}\\p{M}\\p{N}\\p{Cf}\\p{Co}]--${unspaced}]`;
/** A sign belongs to its number; `3,5`, `10:30`, `24/7` are one number, `3 5` are two. */
const sign = '(?:(?<![\\p{L}\\p{N}])[\\-−+](?=\\p{N}))?';
const joint = "(?:['’](?=\\p{L})|(?<=\\p{N})[.,:\\/–\\-'’](?=\\p{N}))";
/**
 * Signs that mean something or would become markup: they count as words. What is left, and may be
 * added or taken away, is punctuation.
 */
const signs = '[[\\p{S}\\p{Cc}%‰&@#§*\\\\_\\[\\]\\{\\}]--[\\n\\r\\t]]';
const pattern = new RegExp(
  `${unspaced}\\p{M}*|${sign}${letters}+(?:${joint}${letters}+)*|${signs}`,
  'gv',
);

/**
 * The words of a text for the proof that two texts differ in nothing but punctuation and case.
 * Numbers are words as they are written, with their separators. Canonically equal characters are
 * equal (NFC); compatible ones (`²` and `2`) are not. Case follows the language (Turkish has its
 * own).
 */
export function spokenWords(text: string, language: string | null): SpokenWord[] {
  const locale = knownLocale(language) ?? 'und';
  return Array.from(text.matchAll(pattern), (match) => ({
    word: folded(match[0], locale),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** Whether two texts say the same words in the same order. */
export function sameWords(one: string, other: string, language: string | null): boolean {
  const words = spokenWords(one, language);
  const others = spokenWords(other, language);
  return (
    words.length === others.length && words.every(({ word }, index) => word === others[index]!.word)
  );
}

const folded = (word: string, locale: string): string =>
  word.normalize('NFC').toLocaleLowerCase(locale).replaceAll('’', "'").replaceAll('ς', 'σ');
