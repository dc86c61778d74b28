import type { Block, Segment } from '../../events/facts/transcript.ts';
import { milliseconds } from '../../src/shared/time.ts';
import { cutTurn, wordsToCut } from './turn-changes.ts';
import type { Utterance } from './utterances.ts';

/** To the millisecond: what was added and taken away again is what it was. */
export const moved = (seconds: number, by: number): number =>
  Math.max(0, milliseconds(seconds + by));

/** Something of a time, so many seconds later. Pure. */
export const spanAt = <T extends { start: number; end: number }>(one: T, by: number): T => ({
  ...one,
  start: moved(one.start, by),
  end: moved(one.end, by),
});

/** A block, so many seconds later. Pure. */
export const blockAt = (block: Block, by: number): Block => ({
  ...segmentAt(block, by),
  ...(block.doubts ? { doubts: block.doubts.map((one) => spanAt(one, by)) } : {}),
});

/** An utterance, so many seconds later. Pure. */
export const utteranceAt = (one: Utterance, by: number): Utterance => ({
  ...spanAt(one, by),
  segments: one.segments.map((segment) => segmentAt(segment, by)),
});

const segmentAt = <T extends Pick<Block, 'start' | 'end' | 'words' | 'replaced'>>(
  segment: T,
  by: number,
): T => ({
  ...spanAt(segment, by),
  words: segment.words.map((word) => spanAt(word, by)),
  ...(segment.replaced ? { replaced: segment.replaced.map((one) => spanAt(one, by)) } : {}),
});

/** Blocks before and after a second: a word is where most of it is. Pure. */
export function blocksDivided(blocks: readonly Block[], at: number): [Block[], Block[]] {
  const [before, after]: [Block[], Block[]] = [[], []];
  for (const block of blocks) {
    if (block.end <= at) before.push(block);
    else if (block.start >= at) after.push(block);
    else {
      const [first, second] = blockDivided(block, at);
      if (first) before.push(first);
      if (second) after.push(second);
    }
  }
  return [before, after];
}

function blockDivided(block: Block, at: number): [Block | null, Block | null] {
  const middles = wordsToCut(block).map(({ start, end }) => (start + end) / 2);
  const word = middles.findIndex((middle) => middle >= at);
  if (word === -1) return [endedAt(block, at), null];
  if (word === 0) return [null, begunAt(block, at)];
  const parts = cutTurn(block, word, [block]);
  if (parts) return [endedAt(parts[0], at), begunAt({ ...parts[1], id: block.id }, at)];
  return block.start + block.end < 2 * at ? [endedAt(block, at), null] : [null, begunAt(block, at)];
}

const endedAt = (block: Block, at: number): Block => ({
  ...block,
  end: Math.min(block.end, at),
  words: block.words.map((word) => ({ ...word, end: Math.min(word.end, at) })),
  ...doubtsOf(block, (start) => start < at),
});

const begunAt = (block: Block, at: number): Block => ({
  ...block,
  start: Math.max(block.start, at),
  end: Math.max(block.end, at),
  words: block.words.map((word) => ({ ...word, start: Math.max(word.start, at) })),
  ...doubtsOf(block, (_start, end) => end > at),
});

function doubtsOf(
  { doubts = [] }: Block,
  keeps: (start: number, end: number) => boolean,
): Pick<Block, 'doubts'> {
  const kept = doubts.filter(({ start, end }) => keeps(start, end));
  return { doubts: kept.length > 0 ? kept : undefined };
}

/** Utterances before and after a second. Pure. */
export function utterancesDivided(
  utterances: readonly Utterance[],
  at: number,
): [Utterance[], Utterance[]] {
  const [before, after]: [Utterance[], Utterance[]] = [[], []];
  for (const one of utterances) {
    if (one.end <= at) before.push(one);
    else if (one.start >= at) after.push(one);
    else {
      const [first, second] = segmentsDivided(one.segments, at);
      before.push({ ...one, end: at, segments: first });
      after.push({ ...one, start: at, segments: second });
    }
  }
  return [before, after];
}

/** Segments are divided as blocks are. */
function segmentsDivided(segments: readonly Segment[], at: number): [Segment[], Segment[]] {
  const blocks = segments.map((segment, index) => ({
    ...segment,
    id: String(index),
    speaker: null,
    doubt: undefined,
  }));
  const back = ({ id, start, end, text, words }: Block): Segment => ({
    ...segments[Number(id)]!,
    start,
    end,
    text,
    words,
  });
  const [before, after] = blocksDivided(blocks, at);
  return [before.map(back), after.map(back)];
}
