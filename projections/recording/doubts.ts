import type { Block, Doubt } from '../../events/facts/transcript.ts';

/** What of a block may be wrong, within it; in older logs all of it. Pure. */
export function doubtsIn({
  start,
  end,
  doubts,
  doubt,
}: Pick<Block, 'start' | 'end' | 'doubts' | 'doubt'>): readonly Doubt[] {
  if (doubts === undefined) return doubt === undefined ? [] : [{ start, end, reason: doubt }];
  // A block that was cut has the passages of both parts.
  return doubts.filter((one) => one.end > start && one.start < end);
}
