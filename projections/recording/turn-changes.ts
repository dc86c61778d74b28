import type { Results } from '../../events/facts/counting.ts';
import type { Block, Moved } from '../../events/facts/transcript.ts';
import { factsOf, type ReadFact, type Recording } from './recording.ts';

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
  const [old, present] = [before, after].map((some) => new Map(some.map((one) => [one.id, one])));
  for (const block of after) note(old!.get(block.id) ?? mostlyIn(block, before), block);
  for (const block of before) if (!present!.has(block.id)) note(block, mostlyIn(block, after));
  return from.size + to.size === 0 ? {} : { moved: { from: [...from], to: [...to] } };
}

const mostlyIn = (block: Block, others: readonly Block[]): Block | undefined =>
  others.toSorted((a, b) => overlapOf(b, block) - overlapOf(a, block))[0];

const overlapOf = (a: Block, b: Block): number =>
  Math.min(a.end, b.end) - Math.max(a.start, b.start);

/** The order of blocks after some were replaced by others; changes these. */
function recut(
  order: readonly string[],
  byId: Map<string, Block>,
  { data: { replaced, by }, content }: ReadFact<'turns.recut'>,
): string[] {
  const at = order.indexOf(replaced[0]!);
  const first = byId.get(replaced[0]!);
  if (at < 0 || !first || !content) return [...order];
  for (const [index, block] of by.entries()) {
    byId.set(block.id, { ...first, ...block, ...content.turns[index]! });
  }
  return [
    ...order.slice(0, at),
    ...by.map(({ id }) => id),
    ...order.slice(at).filter((id) => !replaced.includes(id)),
  ];
}
