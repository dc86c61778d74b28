import type { NameQuote } from '../../events/facts/results.ts';
import type { Block } from '../../events/facts/transcript.ts';
import { similarWords } from './similar-words.ts';
import { spokenWords } from './spoken-words.ts';

/** The words of a talk, as the proof compares them, with where they stand. */
export type SpokenTalk = {
  blocks: readonly Block[];
  language: string | null;
  words: { word: string; block: number; start: number; end: number }[];
};

export const spokenTalk = (blocks: readonly Block[], language: string | null): SpokenTalk => ({
  blocks,
  language,
  words: blocks.flatMap(({ text }, block) =>
    spokenWords(text, language).map((word) => ({ ...word, block })),
  ),
});

/** A quote is shown to a person; of longer ones that much is kept round the name. */
const quoteWordsMax = 24;

/** A quote as it was heard, and whether the name is in it. */
export type Evidence = Omit<NameQuote, 'how'> & { isNamed: boolean };

/**
 * Where a quote was said, in the words of the talk and not in the model's. Of a quote with `…` in it one of its
 * parts is enough, the one with the name before others. Null when nobody said it.
 */
export function evidenceFor(quote: string, name: string, talk: SpokenTalk): Evidence | null {
  const parts = [quote, ...quote.split(/…|\.{3,}|\[[.…]*\]/u)];
  let found: Evidence | null = null;
  for (const part of parts) {
    const own = spokenWords(part, talk.language).map(({ word }) => word);
    const first = own.length === 0 ? -1 : placeOf(own, talk.words);
    if (first < 0) continue;
    const evidence = heard(talk, name, first, first + own.length);
    if (evidence.isNamed) return evidence;
    found ??= evidence;
  }
  return found;
}

/** Index of the first of these words in a row; -1 when they are not said. */
function placeOf(own: readonly string[], words: SpokenTalk['words']): number {
  for (let at = 0; at + own.length <= words.length; at += 1) {
    if (own.every((word, index) => words[at + index]!.word === word)) return at;
  }
  return -1;
}

function heard(talk: SpokenTalk, name: string, first: number, end: number): Evidence {
  const own = spokenWords(name, talk.language).map(({ word }) => word);
  const named = talk.words
    .slice(first, end)
    .findIndex(({ word }) => own.some((one) => similarWords(word, one)));
  const middle = first + Math.max(0, named);
  const from = Math.max(first, Math.min(middle - quoteWordsMax / 2, end - quoteWordsMax));
  const to = Math.min(end, from + quoteWordsMax);
  const [start, last] = [talk.words[from]!, talk.words[to - 1]!];
  return {
    text: textBetween(talk.blocks, start, last),
    start: timeAt(talk.blocks[start.block]!, start.start, 'start'),
    end: timeAt(talk.blocks[last.block]!, last.end, 'end'),
    isNamed: named >= 0,
  };
}

type Place = SpokenTalk['words'][number];

function textBetween(blocks: readonly Block[], start: Place, last: Place): string {
  const texts = blocks.slice(start.block, last.block + 1).map(({ text }) => text);
  texts.push(texts.pop()!.slice(0, last.end));
  texts.unshift(texts.shift()!.slice(start.start));
  return texts.join(' ').replaceAll(/\s+/gu, ' ').trim();
}

/** When the word at an offset of a block was said: as the engine says, else by its share of the text. */
function timeAt({ text, words, start, end }: Block, offset: number, side: 'start' | 'end'): number {
  const runs = text.trim().split(/\s+/u).length;
  const before = text.slice(0, offset).trim();
  const isInside = side === 'end' || !/(?:^|\s)$/u.test(text.slice(0, offset));
  const passed = before === '' ? 0 : before.split(/\s+/u).length - (isInside ? 1 : 0);
  if (runs === words.length && words[passed]) return words[passed][side];
  return start + (offset / Math.max(1, text.length)) * (end - start);
}
