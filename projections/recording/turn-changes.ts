import type { Results } from '../../events/facts/counting.ts';
import type { Block, Moved, Word } from '../../events/facts/transcript.ts';
import { factsOf, type ReadFact, type Recording } from './recording.ts';
import { wordPlaces } from './replaced.ts';
import { spread } from './timed-words.ts';
import { doubtsIn } from './utterances.ts';

/** What people changed of the blocks of a fact, in the order in which they did. */
export const changesTo = (
  recording: Recording,
  { edited }: Results,
  basis: number | null,
): TurnChange[] =>
  [...factsOf(recording, 'turn.edited', edited), ...factsOf(recording, 'turns.recut', edited)]
    .filter(({ data }) => data.basis === basis)
    .toSorted((a, b) => a.version - b.version);

export type TurnChange = ReadFact<'turn.edited'> | ReadFact<'turns.recut'>;

export const isRecut = (one: TurnChange): one is ReadFact<'turns.recut'> =>
  one.type === 'turns.recut';

/** Of several corrections of a block the last counts. */
export function lastOfEachBlock(changes: readonly TurnChange[]): ReadFact<'turn.edited'>[] {
  const edits = changes.filter((one) => !isRecut(one));
  const last = new Map(edits.map((edit) => [edit.data.block, edit]));
  return edits.filter((edit) => last.get(edit.data.block) === edit);
}

/** Blocks with what people changed of them, one change after the other. */
export function blocksAfter(blocks: readonly Block[], changes: readonly TurnChange[]): Block[] {
  const byId = new Map(blocks.map((block) => [block.id, block]));
  let order = blocks.map(({ id }) => id);
  for (const change of changes) {
    if (isRecut(change)) order = recut(order, byId, change);
    else {
      const { data, content } = change;
      const block = byId.get(data.block);
      if (!block || !content) continue;
      const { text, words } = content;
      byId.set(data.block, { ...block, text, words, speaker: data.speaker });
    }
  }
  return order.map((id) => byId.get(id)!);
}

/**
 * The labels between which people moved speech: of the same blocks, by id, before and after; of one that was cut or
 * joined by the block that most of it was in. As facts have it: nothing where none was moved. Pure.
 */
export function movedBetween(before: readonly Block[], after: readonly Block[]): { moved?: Moved } {
  const from = new Set<string>();
  const to = new Set<string>();
  const note = (was: Block | undefined, is: Block | undefined) => {
    if (!was || !is || was.speaker === is.speaker) return;
    if (was.speaker !== null) from.add(was.speaker);
    if (is.speaker !== null) to.add(is.speaker);
  };
  const old = new Map(before.map((one) => [one.id, one]));
  const present = new Set(after.map(({ id }) => id));
  for (const block of after) note(old.get(block.id) ?? mostlyIn(block, before), block);
  for (const block of before) if (!present.has(block.id)) note(block, mostlyIn(block, after));
  return from.size + to.size === 0 ? {} : { moved: { from: [...from], to: [...to] } };
}

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
  const timed = wordsToCut(block);
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

/** The words of a turn as `cutTurn` counts them, each with when it was said. */
export const wordsToCut = (block: Block): readonly Word[] =>
  block.words.length > 0
    ? block.words
    : spread(spacedWords(block.text), block.start, Math.max(block.start, block.end));

/** Two neighbours as one turn, under the first one's id and speaker, with what may be wrong of both. Pure. */
export const joinedTurns = (one: Block, next: Block): Block => ({
  ...withMarksOf(one, [one, next]),
  end: Math.max(one.end, next.end),
  text: `${one.text} ${next.text}`.trim(),
  words: areTimed(one) && areTimed(next) ? [...one.words, ...next.words] : [],
});

/** A block with what may be wrong, and was replaced, in several. */
function withMarksOf(block: Block, blocks: readonly Block[]): Block {
  const { doubt: _doubt, doubts: _doubts, replaced: _replaced, ...plain } = block;
  // Halves of a turn that was cut have the passages of both.
  const doubts = onceEach(blocks.flatMap((one) => doubtsIn(one)));
  const replaced = onceEach(blocks.flatMap((one) => one.replaced ?? []));
  return {
    ...plain,
    ...(doubts.length === 0 ? {} : { doubts }),
    ...(replaced.length === 0 ? {} : { replaced }),
  };
}

const onceEach = <T extends { start: number; end: number }>(all: readonly T[]): T[] =>
  all.filter(
    ({ start, end }, at) => all.findIndex((one) => one.start === start && one.end === end) === at,
  );

/**
 * Cuts a block of a list where others said something before or after a time; returns the part that was said then:
 * the block itself where nothing else is in it.
 */
export function cutOut(blocks: Block[], block: Block, start: number, end: number): Block {
  const middles = wordsToCut(block).map((word) => (word.start + word.end) / 2);
  const from = middles.findIndex((middle) => middle >= start);
  const to = middles.findIndex((middle) => middle > end);
  let own = block;
  // The end first: words before it keep their numbers.
  if (to > 0) cutBefore(blocks, own, to);
  if (from > 0) own = cutBefore(blocks, own, from) ?? own;
  return own;
}

/** For how long two blocks are said at the same time, in seconds; below zero: they are apart. */
export const overlapOf = (a: Span, b: Span): number =>
  Math.min(a.end, b.end) - Math.max(a.start, b.start);
type Span = Pick<Block, 'start' | 'end'>;

const mostlyIn = (block: Block, others: readonly Block[]): Block | undefined =>
  others.toSorted((a, b) => overlapOf(b, block) - overlapOf(a, block))[0];

/** The order of blocks after some were replaced by others; changes these. */
function recut(
  order: readonly string[],
  byId: Map<string, Block>,
  { data: { replaced, by }, content }: ReadFact<'turns.recut'>,
): string[] {
  const [head = ''] = replaced;
  const at = order.indexOf(head);
  const first = byId.get(head);
  if (at < 0 || !first || !content) return [...order];
  const before = withMarksOf(
    first,
    replaced.flatMap((id) => byId.get(id) ?? []),
  );
  for (const [index, block] of by.entries()) {
    byId.set(block.id, { ...before, ...block, ...content.turns[index] });
  }
  return [
    ...order.slice(0, at),
    ...by.map(({ id }) => id),
    ...order.slice(at).filter((id) => !replaced.includes(id)),
  ];
}

const areTimed = ({ text, words }: Block): boolean => words.length > 0 || text === '';

type Texts = { text: string; words: readonly Pick<Word, 'text'>[] };

/** Where a word begins in a text, marks before it included; undefined where words and text differ. */
function placeOfWord({ text, words }: Texts, word: number): number | undefined {
  const places = wordPlaces(text, words);
  const [before, at] = [places?.[word - 1], places?.[word]];
  if (!before || !at) return undefined;
  const between = /\s/u.exec(text.slice(before.to, at.from));
  return between ? before.to + between.index : at.from;
}

/** What white space separates: what people count where a text has no words. */
const spacedWords = (text: string): string[] => text.match(/\S+/gu) ?? [];

function placeOfPart(text: string, word: number): number | undefined {
  const parts = spacedWords(text).map((part) => ({ text: part }));
  return placeOfWord({ text, words: parts }, word);
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
