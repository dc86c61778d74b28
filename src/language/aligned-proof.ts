import { wordPatches } from '../shared/word-patches.ts';
import { type Heard, type ProvenText, provenText } from './proof.ts';
import { knownLocale } from './sentences.ts';
import { type SpokenWord, spokenWords } from './spoken-words.ts';

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
