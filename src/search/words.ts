import { foldWord, wordsOf } from '../shared/folded-words.ts';
import type { Block } from '../../events/facts/transcript.ts';

/** Where in a transcript the words are. */
export type Place = {
  /** The words as they stand there, with what is said before and after; one line. */
  snippet: string;
  /** Seconds from the beginning of the audio; null: they were written, not said. */
  start: number | null;
};

/** Characters before and after the first word that was meant. */
const before = 60;
const after = 120;

/**
 * The block in which most of the words are, the first of several; else the first of `texts` that has any
 * of them; else the beginning of the first of `texts`.
 * @param wanted folded words, as an index gives them
 */
export function bestPlace(
  blocks: readonly Block[],
  texts: readonly string[],
  wanted: readonly string[],
): Place {
  const words = new Set(wanted);
  let best: { block: Block; at: number; count: number } | undefined;
  for (const block of blocks) {
    const found = matches(block.text, words);
    if (found.count > (best?.count ?? 0)) best = { block, ...found };
  }
  if (best) {
    const { block, at } = best;
    const spoken = block.words.find(({ text }) => matches(text, words).count > 0);
    return { snippet: around(block.text, at), start: spoken?.start ?? block.start };
  }
  const text = texts.find((one) => matches(one, words).count > 0) ?? texts[0] ?? '';
  return { snippet: around(text, matches(text, words).at), start: null };
}

/** How many of the words are in a text, and where the first of them begins. @param wanted folded words */
export function matches(text: string, wanted: ReadonlySet<string>): { count: number; at: number } {
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

/** A piece of a text round a place in it, on one line; `…` where there is more. @param reach characters before and after */
export function around(text: string, at: number, reach = { before, after }): string {
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

function nextSpace(text: string, from: number, before: number): number {
  const space = text.slice(from, before).search(/\s/u);
  return space === -1 ? from : from + space;
}

function lastSpace(text: string, after: number, to: number): number {
  const space = text.slice(after, to).search(/\s\S*$/u);
  return space <= 0 ? to : after + space;
}
