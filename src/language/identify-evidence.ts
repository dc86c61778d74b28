import type { NameQuote } from '../../events/facts/results.ts';
import type { Block } from '../../events/facts/transcript.ts';
import { similarWords } from './similar-words.ts';
import { spokenWords } from './spoken-words.ts';

/** The words of a talk, as the proof compares them, with where they stand. */
export type SpokenTalk = {
  blocks: readonly Block[];
  language: string | null;
  words: { word: string; block: number; start: number; end: number }[];
  /** Where each word is said, as indexes into `words`. */
  places: ReadonlyMap<string, readonly number[]>;
};

export function spokenTalk(blocks: readonly Block[], language: string | null): SpokenTalk {
  const words = blocks.flatMap(({ text }, block) =>
    spokenWords(text, language).map((word) => ({ ...word, block })),
  );
  const places = new Map<string, number[]>();
  for (const [at, { word }] of words.entries()) {
    const there = places.get(word);
    if (there) there.push(at);
    else places.set(word, [at]);
  }
  return { blocks, language, words, places };
}

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
    const first = placeOf(own, talk);
    if (first === undefined) continue;
    const evidence = heard(talk, name, first, first + own.length);
    if (evidence.isNamed) return evidence;
    found ??= evidence;
  }
  return found;
}

/** Index of the first of these words in a row; undefined when they are not said. */
const placeOf = (own: readonly string[], { words, places }: SpokenTalk): number | undefined =>
  (places.get(own[0] ?? '') ?? []).find((at) =>
    own.every((word, index) => words[at + index]?.word === word),
  );

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
