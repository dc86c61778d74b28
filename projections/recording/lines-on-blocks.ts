import type { Block, SummaryLine } from '../../events/facts/transcript.ts';

/** Lines of a summary; the link of one whose block is gone (two that were made one) is left out. */
export function linesOn(blocks: readonly Block[], lines: readonly SummaryLine[]): SummaryLine[] {
  const ids = new Set(blocks.map(({ id }) => id));
  return lines.map((line) =>
    line.block === null || ids.has(line.block) ? line : { ...line, block: null },
  );
}
