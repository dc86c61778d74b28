import { textSegments } from '../shared/segments.ts';
import { knownLocale, stopWords } from './sentences.ts';

/** Words shorter than this have no forms that could be told from other words. */
export const formLettersMin = 4;

const endingMax = 3;

/** Whether two words are the same but for an ending of three letters at most. */
export function isFormOf(word: string, other: string): boolean {
  if (word === other) return true;
  const stem = Math.max(formLettersMin, Math.max(word.length, other.length) - endingMax);
  return (
    word.slice(0, stem) === other.slice(0, stem) && Math.min(word.length, other.length) >= stem
  );
}

export const wordSegmenter = (language: string | null) =>
  new Intl.Segmenter(knownLocale(language), { granularity: 'word' });

/** The words of a text, as they are compared. */
export function comparedWords(
  text: string,
  language: string | null,
  by = wordSegmenter(language),
): string[] {
  return Array.from(textSegments(by, text.normalize('NFKC').toLowerCase()))
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment);
}

/** The words of a text that mean something, each in the first of its forms. */
export function contentIn(text: string, language: string | null): string[] {
  const stop = stopWords(language);
  return comparedWords(text, language)
    .filter((word) => word.length > 1 && !stop.has(word))
    .filter((word, at, all) => !all.slice(0, at).some((earlier) => isFormOf(word, earlier)));
}

/** The numbers of a text, with their points, commas and colons. */
export const numbersIn = (text: string): string[] =>
  text.normalize('NFKC').match(/\d+(?:[.,:]\d+)*/gu) ?? [];

/** So many letters of a word tell what it is about, also within a compound: `Budget` in `Jahresbudget`. */
const lettersOfCompound = 5;

/**
 * Whether two texts have so many words that mean something in common. True where one of them has no such word, since
 * nothing can be said then.
 */
export function sharesContent(
  text: string,
  source: string,
  { language, least = 1 }: { language: string | null; least?: number },
): boolean {
  const said = new Set([...contentIn(source, language), ...numbersIn(source)]);
  if (said.size === 0) return true;
  const words = [...contentIn(text, language), ...numbersIn(text)];
  const holds = (one: string, other: string) =>
    (one.length >= lettersOfCompound || /\p{Script=Han}/u.test(one)) && other.includes(one);
  const shared = words.filter(
    (word) =>
      said.has(word) ||
      [...said].some((other) => isFormOf(word, other) || holds(word, other) || holds(other, word)),
  );
  return new Set(shared).size >= least;
}
