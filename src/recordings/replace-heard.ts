import type { Replaced, Segment, Word } from '../../events/facts/transcript.ts';
import { wordPlaces } from '../../projections/recording/replaced.ts';
import { spread, timedWords } from '../../projections/recording/timed-words.ts';
import { foldWord, wordsOf } from '../shared/folded-words.ts';

/** How something is written, and as what it was misheard. */
export type Misheard = { readonly write: string; readonly heard: readonly string[] };

/** Where a text says something else than it should, in UTF-16 units. */
export type HeardPlace = { from: number; to: number; write: string };

/** Finds what was misheard. */
export type HeardFinder = (text: string) => HeardPlace[];

/** A word of a text, and its folded form. */
type Token = { folded: string; from: number; to: number };
type Candidate = { heard: readonly string[]; write: string; written: readonly string[] };

/**
 * Finds what was misheard in texts: whole words, folded as in a search, the longest first, those of the first words where
 * several say the same. Where it is written right already, nothing is found. Linear in the text, for few terms that begin alike.
 */
export function heardFinder(words: readonly Misheard[]): HeardFinder {
  const byFirst = new Map<string, Candidate[]>();
  const known = new Set<string>();
  for (const { write, heard } of words) {
    const written = tokensOf(write).map(({ folded }) => folded);
    for (const term of heard) {
      const folded = tokensOf(term).map((token) => token.folded);
      const [first] = folded;
      const key = folded.join(' ');
      if (first === undefined || known.has(key)) continue;
      known.add(key);
      byFirst.set(first, [...(byFirst.get(first) ?? []), { heard: folded, write, written }]);
    }
  }
  for (const candidates of byFirst.values())
    candidates.sort((a, b) => b.heard.length - a.heard.length);
  return (text) => (byFirst.size === 0 ? [] : found(text, byFirst));
}

function found(text: string, byFirst: ReadonlyMap<string, Candidate[]>): HeardPlace[] {
  const tokens = tokensOf(text);
  const places: HeardPlace[] = [];
  for (let at = 0; at < tokens.length;) {
    const candidate = byFirst
      .get(tokens[at]!.folded)
      ?.find(({ heard }) => standsAt(text, tokens, at, heard));
    if (!candidate) {
      at += 1;
      continue;
    }
    const { heard, write, written } = candidate;
    const [from, to] = [tokens[at]!.from, tokens[at + heard.length - 1]!.to];
    const isRight =
      text.slice(from, to) === write || isPartOf(text, tokens, at, { heard, written });
    if (!isRight) places.push({ from, to, write });
    at += heard.length;
  }
  return places;
}

/** Puts terms in place of what was misheard; words keep their times. Pure. */
export const replacedHeard = (segments: readonly Segment[], find: HeardFinder): Segment[] =>
  segments.map((segment) => {
    const places = find(segment.text);
    return places.length === 0 ? segment : replacedAt(segment, places);
  });

function replacedAt(segment: Segment, places: readonly HeardPlace[]): Segment {
  const { text, words, start, end } = segment;
  const written = textWith(text, places);
  const ranges = wordPlaces(text, words);
  if (ranges === null || !isSpelt(text, ranges)) {
    const replaced = places.map((place) => ({ start, end, ...saidAt(text, place) }));
    const timed = words.length === 0 ? words : timedWords(written, segment);
    return { ...segment, text: written, words: timed, replaced };
  }
  const after: Word[] = [];
  const replaced: Replaced[] = [];
  for (let at = 0; at < ranges.length;) {
    const first = ranges[at]!;
    let last = at;
    // All that is replaced in these words: they may hold several terms, and a term several words.
    const own: HeardPlace[] = [];
    for (;;) {
      const next = places[replaced.length + own.length];
      if (!next || next.from >= ranges[last]!.to) break;
      own.push(next);
      while (ranges[last + 1] && ranges[last + 1]!.from < next.to) last += 1;
    }
    const span = [first.word.start, Math.max(first.word.end, ranges[last]!.word.end)] as const;
    if (own.length === 0) after.push(first.word);
    else after.push(...wordsWith(text, [first, ranges[last]!], own, span));
    replaced.push(
      ...own.map((place) => ({ start: span[0], end: span[1], ...saidAt(text, place) })),
    );
    at = last + 1;
  }
  return { ...segment, text: written, words: after, replaced };
}

/** Whether the words are all that a text says. */
const isSpelt = (text: string, ranges: readonly Range[]): boolean =>
  !/[\p{L}\p{N}]/u.test(
    [0, ...ranges.map(({ to }) => to)]
      .map((from, at) => text.slice(from, ranges[at]?.from ?? text.length))
      .join(''),
  );

type Range = { word: Word; from: number; to: number };

/** The words of a piece of a text after terms were put into it, with the blanks that recognisers put before words. */
function wordsWith(
  text: string,
  [first, last]: readonly [Range, Range],
  places: readonly HeardPlace[],
  [start, end]: readonly [number, number],
): Word[] {
  const inPiece = places.map(({ from, to, write }) => ({
    from: Math.max(0, from - first.from),
    to: to - first.from,
    write,
  }));
  const piece = textWith(text.slice(first.from, last.to), inPiece);
  const blank = /^\s*/u.exec(first.word.text)?.[0] ?? '';
  return spread(piece.match(/\S+/gu) ?? [], start, end).map((word) => ({
    ...word,
    text: blank + word.text,
  }));
}

/** A text with terms in place of what was misheard. */
export function textWith(text: string, places: readonly HeardPlace[]): string {
  let [written, end] = ['', 0];
  for (const { from, to, write } of places) {
    written += text.slice(end, from) + write;
    end = to;
  }
  return written + text.slice(end);
}

const saidAt = (text: string, { from, to, write }: HeardPlace) => ({
  write,
  heard: text.slice(from, to),
});

const tokensOf = (text: string): Token[] =>
  Array.from(wordsOf(text), ({ word, at }) => ({
    folded: foldWord(word),
    from: at,
    to: at + word.length,
  }));

/** Whether words stand there one after the other, with nothing between them that divides what is said. */
function standsAt(
  text: string,
  tokens: readonly Token[],
  at: number,
  words: readonly string[],
): boolean {
  if (at < 0) return false;
  return words.every((word, index) => {
    const token = tokens[at + index];
    if (token?.folded !== word) return false;
    return index === 0 || joins.test(text.slice(tokens[at + index - 1]!.to, token.from));
  });
}

const joins = /^[\s\-‐‑'’]*$/u;

/** Whether what is there is a part of the term as it is written: `Mitschrift` in `Mitschrift Service`. */
function isPartOf(
  text: string,
  tokens: readonly Token[],
  at: number,
  { heard, written }: Pick<Candidate, 'heard' | 'written'>,
): boolean {
  if (written.length <= heard.length) return false;
  for (let before = 0; before <= written.length - heard.length; before += 1)
    if (standsAt(text, tokens, at - before, written)) return true;
  return false;
}
