import type { Replaced, Segment, Word } from '../../events/facts/transcript.ts';
import {
  type HeardFinder,
  type HeardPlace,
  textWith,
} from '../../projections/recording/heard-places.ts';
import { wordPlaces } from '../../projections/recording/replaced.ts';
import { spread, timedWords } from '../../projections/recording/timed-words.ts';

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

const saidAt = (text: string, { from, to, write }: HeardPlace) => ({
  write,
  heard: text.slice(from, to),
});
