import { knownLocale } from './sentences.ts';
import { type SpokenWord, spokenWords } from './spoken-words.ts';

/** A text that was proven to say what was heard. */
export type ProvenText = {
  text: string;
  words: number;
  /** Words that got capitals beyond the first letter, as names have them: `NATO`, `WhatsApp`. */
  names: number;
};

export type Heard = {
  text: string;
  /** ISO 639-1 code; null when it is unknown. */
  language: string | null;
  /** The engine wrote capitals only, so that its case says nothing. */
  shouted: boolean;
};

const marksMax = 3;
const nameCapitalsMax = 3;
const namesShare = 0.1;
const namesAlways = 2;

/**
 * The answer as it may be written: the words that were heard, with other marks between them and
 * other first letters. Null where an answer says anything else. A word in a case that no word has is
 * written as it was heard, and of more than three marks in a row the first three are kept.
 */
export function provenText(heard: Heard, answer: string): ProvenText | null {
  const spoken = spokenWords(heard.text, heard.language);
  const written = spokenWords(answer, heard.language);
  if (!saysTheSame(spoken, written)) return null;
  const locale = knownLocale(heard.language) ?? 'und';
  let text = '';
  let names = 0;
  let end = 0;
  for (const [index, word] of written.entries()) {
    const asHeard = partOf(heard.text, spoken[index]!);
    const asWritten = partOf(answer, word);
    const base = heard.shouted ? asHeard.toLocaleLowerCase(locale) : asHeard;
    const change = asHeard === asWritten ? 'free' : caseChange(base, asWritten, locale);
    if (change === 'name') names += 1;
    text += fewMarks(answer.slice(end, word.start)) + (change === 'other' ? asHeard : asWritten);
    end = word.end;
  }
  return { text: (text + fewMarks(answer.slice(end))).trim(), words: written.length, names };
}

/** Whether two texts say the same words in the same order. */
export const sameWords = (one: string, other: string, language: string | null): boolean =>
  saysTheSame(spokenWords(one, language), spokenWords(other, language));

/** Whether so many of a part's words can be names; a model that shouts has more. */
export const plausibleNames = ({ words, names }: Pick<ProvenText, 'words' | 'names'>): boolean =>
  names <= Math.max(namesAlways, Math.floor(words * namesShare));

/** Whether a talk is written in capitals only. */
export const isShouted = (text: string): boolean =>
  !/\p{Ll}/u.test(text) && /\p{Lu}.*\p{Lu}/su.test(text);

const saysTheSame = (words: readonly SpokenWord[], others: readonly SpokenWord[]): boolean =>
  words.length === others.length && words.every(({ word }, index) => word === others[index]!.word);

const partOf = (text: string, { start, end }: SpokenWord): string => text.slice(start, end);

/**
 * What became of a word's case: `free` (none, or the first letter), `name` (capitals as names have
 * them), or `other`. What was heard with a capital inside (`mW`, `iPhone`) keeps its case.
 */
function caseChange(heard: string, written: string, locale: string): 'free' | 'name' | 'other' {
  const isUpper = (letter: string) => letter !== letter.toLocaleLowerCase(locale);
  const [, ...before] = casedLetters(heard);
  const [first, ...after] = casedLetters(written);
  if (heard.normalize('NFC') === written.normalize('NFC')) return 'free';
  if (before.join('') === after.join('')) return before.some(isUpper) ? 'other' : 'free';
  if (first === undefined || before.some(isUpper)) return 'other';
  const capitals = [first, ...after].filter(isUpper).length;
  const isName = capitals <= nameCapitalsMax || capitals === after.length + 1;
  return after.some(isUpper) && isName ? 'name' : 'other';
}

const casedLetters = (word: string): string[] =>
  word.normalize('NFC').match(/[\p{Lu}\p{Ll}\p{Lt}]\p{M}*/gu) ?? [];

/** What stands between two words, with at most three marks. */
function fewMarks(between: string): string {
  const count = (text: string) => text.match(/\S/gu)?.length ?? 0;
  if (count(between) <= marksMax) return between;
  let kept = 0;
  const cut = between
    .replaceAll(/\.{3,}/gu, '…')
    .replaceAll(/\S/gu, (mark) => ((kept += 1) <= marksMax ? mark : ''));
  return cut.replaceAll(/\s+/gu, ' ');
}
