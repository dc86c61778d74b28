import { unspacedScripts } from '../shared/segments.ts';
import { streamSafe } from '../shared/stream-safe.ts';
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
const unspaced = `[${unspacedScripts}]`;
/** Invisible characters count as letters: an answer must not smuggle any in. */
const letters = `[[\\p{L}\\p{M}\\p{N}\\p{Cf}\\p{Co}]--${unspaced}]`;
/** Signs that mean something or would become markup count as letters do. */
const signs =
  '[[\\p{S}\\p{Cc}\\p{Cs}\\p{Cn}%％‰‱٪\\&＆@＠\\#＃§*＊\\\\＼_＿\\[\\]\\{\\}¶†‡•‣※′″‴ฯ]--[\\n\\r\\t]]';
const counted = `[${letters}${signs}]`;
/**
 * Marks between letters, digits and signs belong to their word: `F-16`, `example.com`, `3,5`. Long
 * dashes, ellipses and dots in a row part words, except between digits.
 */
const joint = `(?:(?!(?<!\\p{N})\\.\\.+(?![.\\p{N}]))[\\p{P}--[${signs}—―…‥]]+|(?<=\\p{N})[—―…‥]+(?=\\p{N}))`;
/** A sign and a leading decimal point belong to their number: `-5`, `.5`, `-$.5`. */
const sign = `(?<!${counted})(?:[\\-‐‑–](?=[.,٫]?\\p{Sc}?[.,٫]?\\p{N}))?(?:[.,٫](?=\\p{N}))?`;
const loneMinus = '(?<!\\S)-(?=[ \\u00A0]+[.,\\p{Sc}]*\\p{N})';
/** Apart, too, it is part of a fraction, or stands for “or”. */
const loneSlash = '(?<!\\S)\\/(?!\\S)';
/** Between characters without spaces every mark is free but these, which make words and numbers. */
const hard = `(?<=${unspaced}\\p{M}*|${counted})[\\-‐‑–\\/・·〜](?=${unspaced}|${counted})`;
const numeral = '[〇零一二三四五六七八九十百千万億亿两]';
const pattern = new RegExp(
  `${unspaced}\\p{M}*|(?:${sign})?${counted}+(?:${joint}${counted}+)*|${loneMinus}|${loneSlash}|${hard}|(?<=${numeral})[.．,，:：](?=${numeral})`,
  'gv',
);
const letter = new RegExp(`(?:${unspaced}|${counted})\\p{M}*`, 'gv');

/**
 * The words of a text for the proof that two texts differ in nothing but punctuation and case. What
 * stands between two words, and may be changed, is white space and marks. Canonically equal
 * characters are equal (NFC); compatible ones (`²` and `2`) are not. Case follows the language
 * (Turkish has its own).
 */
export function spokenWords(text: string, language: string | null): SpokenWord[] {
  const locale = knownLocale(language) ?? 'und';
  const words: SpokenWord[] = [];
  const add = (start: number, end: number) => {
    if (start < end) words.push({ word: folded(text.slice(start, end), locale), start, end });
  };
  const quotes = { '"': 0, "'": 0 };
  let last = 0;
  for (const { index: start, 0: match } of text.matchAll(pattern)) {
    for (const mark of text.slice(last, start)) if (mark === '"' || mark === "'") quotes[mark] += 1;
    last = start + match.length;
    const after = text[last];
    // Feet, inches and minutes: a straight quote after a number that closes nothing.
    if ((after === '"' || after === "'") && quotes[after] % 2 === 0 && /\p{N}$/u.test(match))
      last += 1;
    // A unit may stand apart from its number: `50%` is `50 %`.
    const unit = /(?<=\p{N})[%‰°\p{Sc}]$/u.test(match) ? 1 : 0;
    add(start, last - unit);
    add(last - unit, last);
  }
  return words;
}

/** The letters, digits and signs of a text, folded as words are, whatever words they make. */
export function spokenLetters(text: string, language: string | null): SpokenWord[] {
  const locale = knownLocale(language) ?? 'und';
  return Array.from(text.matchAll(letter), ({ index, 0: match }) => ({
    word: folded(match, locale),
    start: index,
    end: index + match.length,
  }));
}

const folded = (word: string, locale: string): string =>
  streamSafe(word)
    .normalize('NFC')
    .toLocaleLowerCase(locale)
    .replaceAll('’', "'")
    .replaceAll('ς', 'σ');
