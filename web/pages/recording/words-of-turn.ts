/** The words of a turn as they are written, each with when it is said. */
import type { Turn } from './turn-key.ts';

export type WrittenWord = {
  text: string;
  start: number;
  /** Of the passage that may be wrong, and that it is in. */
  doubt?: Doubt | undefined;
  /** What it stands for, or is a part of what stands for it. */
  replaced?: Replaced | undefined;
};
export type Doubt = NonNullable<Turn['doubts']>[number];
export type Replaced = NonNullable<Turn['replaced']>[number];

/**
 * What blanks separate in the text, with times of the recognised words. Where they are not as many, since
 * punctuation or a correction changed them, times are spread evenly over them.
 */
export function writtenWords(turn: Turn): WrittenWord[] {
  const { text, words, start, end, doubts = [], replaced = [] } = turn;
  const written = [...text.matchAll(/\S+/g)];
  return written.map(({ 0: word, index }, at) => {
    const said = words[recognised(at, written.length, words.length)];
    const even = start + ((end - start) * at) / written.length;
    const from = said?.start ?? even;
    const doubt = doubts.find((one) => one.start <= from && from < one.end);
    const former = replaced.find((one) => one.from < index + word.length && index < one.to);
    return {
      text: word,
      start: from,
      ...(doubt ? { doubt } : {}),
      ...(former ? { replaced: former } : {}),
    };
  });
}

/** The place among the written words of the recognised word at `at`. */
export function placeInText({ text, words }: Pick<Turn, 'text' | 'words'>, at: number): number {
  const written = text.split(/\s+/).filter((word) => word !== '').length;
  if (words.length === 0) return -1;
  return words.length === written ? at : Math.floor((at * written) / words.length);
}

/** The recognised word of the written one at `at`. */
const recognised = (at: number, written: number, words: number): number =>
  written === words ? at : Math.floor((at * words) / written);

/** The place among the recognised words of the first behind a caret in the text, for cutting a turn before it. */
export function placeInSpeech(
  { text, words }: Pick<Turn, 'text' | 'words'>,
  caret: number,
): number {
  const at = wordAtCaret(text, caret);
  if (words.length === 0) return at;
  const written = text.split(/\s+/).filter((word) => word !== '').length;
  const before = placesOf(text, words)?.filter((place) => place < caret).length;
  return Math.max(1, before ?? recognised(at, written, words.length));
}

/** Where each recognised word begins in the text: a dash may be of the word before it, and not all scripts have blanks. */
function placesOf(text: string, words: Turn['words']): number[] | null {
  const places: number[] = [];
  let end = 0;
  for (const word of words) {
    const own = word.text.trim();
    const place = text.indexOf(own, end);
    if (place === -1) return null;
    places.push(place);
    end = place + own.length;
  }
  return places;
}

/** How many words there are before a caret in a text, that at the caret included. */
const wordAtCaret = (text: string, caret: number): number =>
  text
    .slice(0, caret)
    .split(/\s+/)
    .filter((word) => word !== '').length;
