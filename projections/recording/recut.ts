import type { Block, Word } from '../../events/facts/transcript.ts';
import { splitWords, timedWords } from './word-patches.ts';

/**
 * A turn cut in two before one of its words (counted from 0); words keep their times. The first half keeps the
 * id, so that links to it stay; the second gets the next free one. Null where there is nothing to cut. Pure.
 */
export function cutTurn(
  block: Block,
  word: number,
  blocks: readonly Block[],
): [first: Block, second: Block] | null {
  const isTimed = block.words.length > 0;
  // A text that is not made of its words is cut where white space separates it.
  const at = (isTimed ? placeOfWord(block, word) : undefined) ?? placeOfPart(block.text, word);
  if (at === undefined) return null;
  const [before, after] = [block.text.slice(0, at).trim(), block.text.slice(at).trim()];
  if (before === '' || after === '') return null;
  const timed = isTimed ? block.words : timedWords(block.text, block);
  const [own, rest] = [timed.slice(0, word), timed.slice(word)];
  const start = rest[0]?.start ?? block.end;
  const end = Math.min(own.at(-1)?.end ?? block.start, start);
  return [
    { ...block, end: Math.max(block.start, end), text: before, words: isTimed ? own : [] },
    {
      ...block,
      id: nextId(blocks),
      start: Math.min(start, block.end),
      text: after,
      words: isTimed ? rest : [],
    },
  ];
}

/** Two neighbours as one turn, under the first one's id and speaker. Pure. */
export const joinedTurns = (one: Block, next: Block): Block => ({
  ...one,
  end: Math.max(one.end, next.end),
  text: `${one.text} ${next.text}`.trim(),
  words: areTimed(one) && areTimed(next) ? [...one.words, ...next.words] : [],
});

/**
 * Cuts a block of a list where others said something before or after a time; returns the part that was said then:
 * the block itself where nothing else is in it.
 */
export function cutOut(blocks: Block[], block: Block, start: number, end: number): Block {
  const middles = timedWords(block.text, block).map((word) => (word.start + word.end) / 2);
  const from = middles.findIndex((middle) => middle >= start);
  const to = middles.findIndex((middle) => middle > end);
  let own = block;
  // The end first: words before it keep their numbers.
  if (to > 0) cutBefore(blocks, own, to);
  if (from > 0) own = cutBefore(blocks, own, from) ?? own;
  return own;
}

const areTimed = ({ text, words }: Block): boolean => words.length > 0 || text === '';

/** Where a word begins in a text, marks before it included; undefined where words and text differ. */
function placeOfWord({ text, words }: Block, word: number): number | undefined {
  if (word < 1 || word >= words.length) return undefined;
  let end = 0;
  for (const [index, one] of words.entries()) {
    const at = text.indexOf(one.text.trim(), end);
    if (at < 0) return undefined;
    if (index === word) {
      const between = /\s/u.exec(text.slice(end, at));
      return between ? end + between.index : at;
    }
    end = at + one.text.trim().length;
  }
  return undefined;
}

function placeOfPart(text: string, word: number): number | undefined {
  const parts: Pick<Word, 'text'>[] = splitWords(text).map((part) => ({ text: part }));
  return placeOfWord({ text, words: parts } as Block, word);
}

/** Ids are counted (`t-0042`); one of a block that was joined into another may come back. */
function nextId(blocks: readonly Block[]): string {
  const numbers = blocks.map(({ id }) => Number(/^t-(\d+)$/u.exec(id)?.[1] ?? 0));
  return `t-${String(Math.max(0, ...numbers) + 1).padStart(4, '0')}`;
}

/** Cuts a block of a list in two; returns the second half. */
function cutBefore(blocks: Block[], block: Block, word: number): Block | undefined {
  const parts = cutTurn(block, word, blocks);
  if (!parts) return undefined;
  Object.assign(block, parts[0]);
  blocks.splice(blocks.indexOf(block) + 1, 0, parts[1]);
  return parts[1];
}
