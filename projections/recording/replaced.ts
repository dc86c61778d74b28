import type { Block, Replaced, Segment, Word } from '../../events/facts/transcript.ts';

/** Where a text says a term in place of what was heard, in UTF-16 units. */
export type ReplacedPlace = { from: number; to: number; heard: string };

type Said = Pick<Block, 'text' | 'words' | 'replaced'>;

/** Times are compared with so much tolerance, seconds: a recording that is put together has them rounded. */
const tolerance = 0.002;

/**
 * Where terms stand that were put in place of what was heard, in their order. What a person wrote there since is none;
 * and where words have no times, nor is a term that stands there more often than it was put there. Pure.
 */
export function replacedIn({ text, words, replaced = [] }: Said): ReplacedPlace[] {
  if (replaced.length === 0) return [];
  const ranges = wordPlaces(text, words);
  const places: ReplacedPlace[] = [];
  let cursor = 0;
  for (const { start, end, write, heard } of replaced) {
    const own = ranges?.filter(
      ({ word }) => word.start >= start - tolerance && word.end <= end + tolerance,
    );
    if (!own && !isEachReplaced(text, write, replaced)) continue;
    const [from, to] = own ? [own[0]?.from ?? 0, own.at(-1)?.to ?? 0] : [0, text.length];
    const at = placeOf(text, write, Math.max(from, cursor), to);
    if (at === undefined) continue;
    cursor = at + write.length;
    places.push({ from: at, to: cursor, heard });
  }
  return places;
}

/** The text as it was heard, before terms were put into it. Pure. */
export function textHeard(said: Said): string {
  let [heard, end] = ['', 0];
  for (const place of replacedIn(said)) {
    heard += said.text.slice(end, place.from) + place.heard;
    end = place.to;
  }
  return heard + said.text.slice(end);
}

/** How many terms were put in place of what was heard. */
export const replacedCount = (segments: readonly Segment[]): number =>
  segments.reduce((sum, { replaced = [] }) => sum + replaced.length, 0);

/** What of it is within a time; nothing where there is none. */
export function replacedWithin(
  replaced: readonly Replaced[] | undefined,
  [start, end]: readonly [number, number],
): { replaced?: Replaced[] } {
  const own = (replaced ?? []).filter(
    (one) => one.end > start + tolerance && one.start < end - tolerance,
  );
  return own.length === 0 ? {} : { replaced: own };
}

/** Where each word stands in a text; null where the text is not made of them. */
export function wordPlaces<W extends Pick<Word, 'text'>>(
  text: string,
  words: readonly W[],
): { word: W; from: number; to: number }[] | null {
  if (words.length === 0) return null;
  const ranges: { word: W; from: number; to: number }[] = [];
  let cursor = 0;
  for (const word of words) {
    const own = word.text.trim();
    const from = text.indexOf(own, cursor);
    if (from === -1) return null;
    cursor = from + own.length;
    ranges.push({ word, from, to: cursor });
  }
  return ranges;
}

/** Whether a term stands in a text as often as it was put there: then each of them was. */
function isEachReplaced(text: string, term: string, replaced: readonly Replaced[]): boolean {
  let count = 0;
  for (let at = placeOf(text, term, 0, text.length); at !== undefined; count += 1)
    at = placeOf(text, term, at + term.length, text.length);
  return count === replaced.filter(({ write }) => write === term).length;
}

/** The first place of a whole term in a part of a text, whatever its case: punctuation may have begun a sentence with it. */
function placeOf(text: string, term: string, from: number, to: number): number | undefined {
  for (const [inText, wanted] of [
    [text, term],
    [text.toLowerCase(), term.toLowerCase()],
  ] as const) {
    // Where case changes lengths, places would be others.
    if (inText.length !== text.length || wanted.length !== term.length) continue;
    for (let at = inText.indexOf(wanted, from); at !== -1; at = inText.indexOf(wanted, at + 1)) {
      if (at + term.length > to) break;
      if (isWhole(text, at, at + term.length)) return at;
    }
  }
  return undefined;
}

const isWhole = (text: string, from: number, to: number): boolean =>
  !isWithinWord(text, from) && !isWithinWord(text, to);

const isWithinWord = (text: string, at: number): boolean =>
  [text[at - 1], text[at]].every((one = '') => letter.test(one) && !unspaced.test(one));

const letter = /[\p{L}\p{N}\p{M}]/u;
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
