import type { Block } from '../../events/facts/transcript.ts';
import type { TranscriptRow } from '../../projections/texts.ts';
import { foldWord, wordsOf } from '../shared/folded-words.ts';
import type { Passage } from './found.ts';

/** Characters that are shown before and after the first of the words. */
export type Reach = { before: number; after: number };
const reachOfPassage = { before: 100, after: 220 };

/**
 * Those passages that have most of the words, in the order in which they are said. Where the words were not said, the
 * first of `texts` that has any of them.
 * @param wanted folded words, as an index gives them
 * @param limit the most that are wanted
 * @returns `all`: how many passages have any of the words
 */
export function passagesOf(
  blocks: readonly Block[],
  texts: readonly string[],
  wanted: readonly string[],
  limit: number,
  reach: Reach = reachOfPassage,
): { passages: Passage[]; all: number } {
  const words = new Set(wanted);
  const found = blocks.flatMap((block, place) => {
    const { count, at } = matches(block.text, words);
    return count === 0 ? [] : [{ block, place, count, at }];
  });
  if (found.length === 0) {
    const text = texts.find((one) => matches(one, words).count > 0);
    if (text === undefined) return { passages: [], all: 0 };
    return { passages: [written(text, words, reach)], all: 1 };
  }
  const best = found
    .toSorted((one, other) => other.count - one.count || one.place - other.place)
    .slice(0, limit)
    .toSorted((one, other) => one.place - other.place);
  return {
    passages: best.map(({ block, at }) => ({
      block: block.id === sidenoteId ? null : block.id,
      start: block.words.find(({ text }) => matches(text, words).count > 0)?.start ?? block.start,
      end: block.end,
      speaker: block.speaker,
      ...marked(around(block.text, at, reach), words),
    })),
    all: found.length,
  };
}

/** The blocks with the side notes at their times, each as a place that was written, not said. */
export const withSidenotePlaces = ({
  blocks,
  sidenotes,
}: Pick<TranscriptRow, 'blocks' | 'sidenotes'>): Block[] =>
  [
    ...blocks,
    ...sidenotes.map(({ at, text }) => {
      return { id: sidenoteId, speaker: null, start: at, end: at, text, words: [] };
    }),
  ].toSorted((one, other) => one.start - other.start);

/** A piece of a text round a place in it, on one line; `…` where there is more. @param reach characters before and after */
export function around(text: string, at: number, reach: Reach): string {
  let from = Math.max(0, at - reach.before);
  let to = Math.min(text.length, at + reach.after);
  // Whole words, if there are spaces near by; never half of a character.
  if (from > 0) from = nextSpace(text, from, at);
  if (to < text.length) to = lastSpace(text, at, to);
  const piece = text
    .slice(from, to)
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/\p{Cs}/gu, '')
    .trim();
  return `${from > 0 ? '…' : ''}${piece}${to < text.length ? '…' : ''}`;
}

/** No block has it. */
const sidenoteId = '';

const written = (text: string, words: ReadonlySet<string>, reach: Reach): Passage => ({
  block: null,
  start: null,
  end: null,
  speaker: null,
  ...marked(around(text, matches(text, words).at, reach), words),
});

function marked(text: string, words: ReadonlySet<string>): Pick<Passage, 'text' | 'marks'> {
  const marks: [number, number][] = [];
  for (const { word, at } of wordsOf(text)) {
    if (words.has(foldWord(word))) marks.push([at, at + word.length]);
  }
  return { text, marks };
}

/** How many of the words are in a text, and where the first of them begins. @param wanted folded words */
function matches(text: string, wanted: ReadonlySet<string>): { count: number; at: number } {
  const found = new Set<string>();
  let first = 0;
  for (const { word, at } of wordsOf(text)) {
    const folded = foldWord(word);
    if (!wanted.has(folded)) continue;
    if (found.size === 0) first = at;
    found.add(folded);
  }
  return { count: found.size, at: first };
}

function nextSpace(text: string, from: number, before: number): number {
  const space = text.slice(from, before).search(/\s/u);
  return space === -1 ? from : from + space;
}

function lastSpace(text: string, after: number, to: number): number {
  const space = text.slice(after, to).search(/\s\S*$/u);
  return space <= 0 ? to : after + space;
}
