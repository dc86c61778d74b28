import { knownLocale } from './sentences.ts';
import { type SpokenWord, spokenWords } from './spoken-words.ts';
import { streamSafe } from '../shared/stream-safe.ts';
import { wordPatches } from '../shared/word-patches.ts';

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
  words.length === others.length && words.every(({ word }, index) => word === others[index]?.word);

const partOf = (text: string, { start, end }: SpokenWord): string => text.slice(start, end);

/**
 * What became of a word's case: `free` (none, or the first letter), `name` (capitals as names have
 * them), or `other`. What was heard with a capital inside (`mW`, `iPhone`) keeps its case.
 */
function caseChange(heard: string, written: string, locale: string): 'free' | 'name' | 'other' {
  const isUpper = (letter: string) => letter !== letter.toLocaleLowerCase(locale);
  const [, ...before] = casedLetters(heard);
  const [first, ...after] = casedLetters(written);
  if (streamSafe(heard).normalize('NFC') === streamSafe(written).normalize('NFC')) return 'free';
  if (before.join('') === after.join('')) return before.some(isUpper) ? 'other' : 'free';
  if (first === undefined || before.some(isUpper)) return 'other';
  const capitals = [first, ...after].filter(isUpper).length;
  const isName = capitals <= nameCapitalsMax || capitals === after.length + 1;
  return after.some(isUpper) && isName ? 'name' : 'other';
}

const casedLetters = (word: string): string[] =>
  streamSafe(word)
    .normalize('NFC')
    .match(/[\p{Lu}\p{Ll}\p{Lt}]\p{M}*/gu) ?? [];

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

/** An answer with fewer of the words that were heard is about something else. */
const sameShareMin = 0.6;

/** What follows the end of a sentence, with what closes round it. */
const endsSentence = /[.!?…。！？।؟۔][\p{Pe}\p{Pf}"'”’»]*\s*$/u;

/**
 * The words that were heard, with the marks and capitals of an answer that changed some of them: taken wherever words
 * of both are the same, and beside what was changed. Where `forty` became `40`, “forty” stays, and so do the marks round
 * it. Null where too much was changed. What comes out is proven as every answer is.
 */
export function alignedText(heard: Heard, answer: string): ProvenText | null {
  const spoken = spokenWords(heard.text, heard.language);
  const written = spokenWords(answer, heard.language);
  const places = placesIn(spoken, written);
  const same = places.filter((place) => place !== null).length;
  if (same < 2 || same < sameShareMin * Math.max(spoken.length, written.length)) return null;
  const locale = knownLocale(heard.language) ?? 'und';
  let text = '';
  for (const [index, word] of spoken.entries()) {
    text += between(index);
    const place = places[index] ?? null;
    const own = heard.text.slice(word.start, word.end);
    const shown = place === null ? own : answer.slice(written[place]!.start, written[place]!.end);
    const isBesideChange = place === null || place !== (places[index - 1] ?? -1) + 1;
    const begins = isBesideChange && (text === '' || endsSentence.test(text));
    text += begins ? capitalised(shown, locale) : shown;
  }
  return provenText(heard, (text + between(spoken.length)).trim());

  /** What is to stand before the word of this number. */
  function between(index: number): string {
    const plain = gap(heard.text, spoken, index);
    const left = index === 0 ? -1 : (places[index - 1] ?? null);
    const right = index === spoken.length ? written.length : (places[index] ?? null);
    if (left === null && right === null) return plain;
    if (left !== null && right !== null && right > left + 1)
      return besideAdded(left, right) ?? plain;
    // Marks before a change stand behind the last word that is the same, marks after it before the next one.
    const next = places.slice(index).find((at) => at !== null) ?? written.length;
    const isDropped = right === null && next === left! + 1;
    if (isDropped) return plain;
    const marks = gap(answer, written, right ?? left! + 1);
    return /\s/u.test(plain) && !/\s/u.test(marks) && (left === null || right === null)
      ? plain
      : marks;
  }

  /** Words were added between two that were heard: a sentence that ends among them ends there. */
  function besideAdded(left: number, right: number): string | undefined {
    const gaps = Array.from({ length: right - left }, (_, at) =>
      gap(answer, written, left + 1 + at),
    );
    return gaps.find((marks) => endsSentence.test(marks));
  }
}

/** Where each word that was heard stands in an answer; null for one that does not. */
function placesIn(
  spoken: readonly SpokenWord[],
  written: readonly SpokenWord[],
): (number | null)[] {
  const places: (number | null)[] = [];
  let place = 0;
  const patches = wordPatches(
    spoken.map(({ word }) => word),
    written.map(({ word }) => word),
  );
  for (const { from, to, inserted } of [...patches, { from: spoken.length, to: 0, inserted: [] }]) {
    while (places.length < from) places.push(place++);
    while (places.length < to) places.push(null);
    place += inserted.length;
  }
  return places;
}

/** What stands in a text before a word; behind the last one, for the number after it. */
const gap = (text: string, words: readonly SpokenWord[], index: number): string =>
  text.slice(words[index - 1]?.end ?? 0, words[index]?.start ?? text.length);

const capitalised = (word: string, locale: string): string =>
  word.replace(/^\p{Ll}/u, (letter) => letter.toLocaleUpperCase(locale));
