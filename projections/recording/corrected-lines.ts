import type { Block, Corrected } from '../../events/facts/transcript.ts';
import { type HeardFinder, type Misheard, heardFinder, textWith } from './heard-places.ts';
import { type Line, isOfPerson, linesOn } from './summary.ts';
import { type TurnChange, isRecut } from './turn-changes.ts';

/** What people corrected in the transcript, put into what was written of it before. */
export type WithCorrections = {
  texts: (texts: Summarised) => Summarised;
  /** Also linked to what there is. */
  lines: (lines: readonly Line[]) => Line[];
};

type Summarised = { abstract: string | null; summary: string | null };

/**
 * A summary quotes a transcript as it was. Where a person then put other words in place of what was heard, so do the texts:
 * a line where the turn that it is linked to says the old words no more, and any text where nobody does. Lines in which a
 * person's hand is stay. Pure.
 * @param meanwhile corrected in the transcript before, while the summary was written @param changes in their order
 * @param blocks with all of them
 */
export function withCorrections(
  meanwhile: readonly Corrected[],
  changes: readonly TurnChange[],
  blocks: readonly Block[],
): WithCorrections {
  const pairs = [...meanwhile, ...changes.flatMap(correctedBy)].map(correction);
  const isConcerned = heardFinder(pairs);
  const byId = new Map(blocks.map((block) => [block.id, block]));
  const known = new Map<Correction, boolean>();
  const isSaid = (pair: Correction): boolean => {
    const said = known.get(pair) ?? blocks.some(({ text }) => pair.find(text).length > 0);
    known.set(pair, said);
    return said;
  };
  const isSaidIn = (id: string | null, pair: Correction): boolean => {
    const linked = id !== null && id === pair.block ? byId.get(id) : undefined;
    return linked ? pair.find(linked.text).length > 0 : isSaid(pair);
  };
  const corrected = (text: string, id: string | null): string => {
    // Of many corrections few are about a text: one look tells.
    if (isConcerned(text).length === 0) return text;
    return pairs.reduce((written, pair) => {
      const places = pair.find(written);
      return places.length === 0 || isSaidIn(id, pair) ? written : textWith(written, places);
    }, text);
  };
  const correctedText = (text: string | null) => text && corrected(text, null);
  const correctedLine = (line: Line): Line =>
    isOfPerson(line) ? line : { ...line, text: corrected(line.text, line.block) };
  return {
    texts: ({ abstract, summary }) => ({
      abstract: correctedText(abstract),
      summary: correctedText(summary),
    }),
    lines: (lines) => linesOn(blocks, lines.map(correctedLine)),
  };
}

/** The words that a correction put in place of others, with its block. Pure. */
export const correctedBy = (change: TurnChange): Corrected[] =>
  isRecut(change)
    ? []
    : (change.content?.corrected ?? []).map((pair) => ({ ...pair, block: change.data.block }));

type Correction = Misheard & { block: string | undefined; find: HeardFinder };

function correction({ heard, write, block }: Corrected): Correction {
  const pair = { write, heard: [heard] };
  return { ...pair, block, find: heardFinder([pair]) };
}
