import type { RecordingFactOf } from '../../events/facts/recording.ts';
import type { Block, Corrected, Correction } from '../../events/facts/transcript.ts';
import { carryOver, correctionsBetween, isBareLabel } from './carry-over.ts';
import { correctedBy } from './corrected-lines.ts';
import { spokenIn } from './edit-turns.ts';
import { type Reading, draft, published, read } from './reading.ts';
import type { Recording } from './recording.ts';
import { movedBetween } from './turn-changes.ts';

/**
 * What people corrected in the documents there are, placed in the transcript of which the next ones
 * will be made; null when there is nothing to place. Asked again when more was corrected meanwhile.
 * @param shown what the present documents were made of; null when there are none
 * @param unwritten without any: runs that were given up after people had corrected something
 * @param meanwhile `correctedMeanwhile`
 */
export function carriedOver(
  next: Reading,
  shown: Reading | null,
  unwritten: readonly Reading[] = [],
  meanwhile: readonly Corrected[] = [],
): RecordingFactOf<'corrections.carried_over'> | null {
  const { restored, carried } = next.source.results;
  const earlier = shown === null ? unwritten : [shown];
  if (restored !== null || earlier.length === 0 || shown?.basis === next.basis) return null;
  // Placed already, and this is another attempt: of documents more may have been corrected meanwhile.
  if (shown === null && carried !== null) return null;
  const { corrections, foreign } = correctionsOf(earlier, next);
  if (corrections.length + foreign.length === 0 && carried === null) return null;
  const carriedTo = carryOver(corrections, next.recognised, next.names);
  const { blocks, placed, labels, names } = carriedTo;
  const unplaced = [...carriedTo.unplaced, ...foreign];
  return {
    type: 'corrections.carried_over',
    data: {
      placed,
      unplaced: unplaced.length,
      labels,
      ...spokenIn(blocks),
      ...movedBetween(next.recognised, blocks),
    },
    content: {
      blocks,
      unplaced,
      names,
      ...(meanwhile.length > 0 ? { corrected: [...meanwhile] } : {}),
    },
  };
}

/** What people corrected in the documents there are since a model was asked for the next summary, which has the words before. Pure. */
export function correctedMeanwhile({ facts, sources }: Recording): Corrected[] {
  const { draft: next, published: shown } = sources;
  const asked = facts.findLast(
    (fact) =>
      fact.type === 'stage.started' &&
      fact.data.stage === 'summarise' &&
      fact.version < (next.results.summary ?? 0),
  );
  const hasSameTurns = shown?.results.turns === next.results.turns;
  return facts
    .filter((fact) => fact.type === 'turn.edited')
    .filter(({ version }) => asked !== undefined && version > asked.version)
    .flatMap(correctedBy)
    .map(({ block, ...pair }) => (hasSameTurns ? { ...pair, block } : pair));
}

/**
 * The transcript that a language model reads: with everything that people corrected, which is placed for good only when
 * documents are written. Pure.
 * @param transcript of the draft, before anyone corrected it: with or without its punctuation
 */
export function correctedToTell(
  recording: Recording,
  transcript: readonly Block[],
): Pick<Reading, 'blocks' | 'names'> {
  const next = draft(recording);
  const shown = published(recording);
  const { restored, carried } = next.source.results;
  if (restored !== null || carried !== null || shown?.basis === next.basis) return next;
  const earlier = shown ? [shown] : recording.sources.unwritten.map((one) => read(recording, one));
  const corrections = [
    ...correctionsOf(earlier, next).corrections,
    ...correctionsBetween(next.recognised, next.blocks, next.names),
  ];
  const { blocks, names } = carryOver(corrections, transcript, next.names);
  return { blocks, names: { ...next.names, ...names } };
}

/** What is to be placed; apart from it what names a voice of another diarization by its label, which may be anybody's now. */
function correctionsOf(
  earlier: readonly Reading[],
  next: Reading,
): Record<'corrections' | 'foreign', Correction[]> {
  const isForeign = ({ speaker }: Correction) => speaker !== undefined && isBareLabel(speaker);
  const all = earlier.flatMap((one) => {
    const hasSameTurns = one.source.results.turns === next.source.results.turns;
    const corrections = [
      // What was corrected before there was punctuation is in the turns themselves.
      ...(hasSameTurns ? [] : correctionsBetween(one.heard, one.raw, one.names)),
      ...correctionsBetween(one.recognised, one.blocks, one.names),
    ];
    return [
      ...corrections.map((of) => ({ of, foreign: !hasSameTurns && isForeign(of) })),
      ...one.unplaced.map((of) => ({ of, foreign: isForeign(of) })),
    ];
  });
  return {
    corrections: all.flatMap(({ of, foreign }) => (foreign ? [] : of)),
    foreign: all.flatMap(({ of, foreign }) => (foreign ? of : [])),
  };
}
