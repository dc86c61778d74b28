import type { Segment, Stretch, Block, Doubt } from '../../events/facts/transcript.ts';
import type { Source } from '../../events/facts/sources.ts';
import { factsOf, type Recording } from './recording.ts';

/** A stretch that is over: a pause follows; or, `cut`, it was cut in speech and the next begins where it ends. */
export type ClosedStretch = { stretch: Stretch; cut: boolean };

/** What of the plan was made while it was recorded, in order. */
export const followedIn = ({ facts }: Pick<Recording, 'facts'>): ClosedStretch[] =>
  facts.flatMap((fact) => {
    if (fact.type !== 'speech.followed') return [];
    const { stretches, cut = false } = fact.data;
    return stretches.map((stretch, at) => ({ stretch, cut: cut && at === stretches.length - 1 }));
  });

/** What was recognised of a stretch. Times in seconds. */
export type Utterance = {
  index: number;
  start: number;
  end: number;
  language: string | null;
  segments: Segment[];
  /** What it sounded like, where it was recognised in another language; and how sure that was. */
  heard?: string | undefined;
  probability?: number | undefined;
  /** Of two channels that were recognised apart. */
  channel?: 0 | 1 | undefined;
  /** In older logs: of all of it. */
  doubt?: string | undefined;
  /** Whose voice it may be, of a meeting that is still recorded. */
  voice?: string | undefined;
};

/** The utterances of a source, in the order of its plan. Of a segment that was recognised twice, the last one counts. */
export function utterancesIn(recording: Recording, { results, heardSince }: Source): Utterance[] {
  if (heardSince === null) return [];
  const found: Utterance[] = [];
  for (const fact of factsOf(
    recording,
    'utterance.recognised',
    results.transcription ?? Infinity,
  )) {
    if (fact.version <= heardSince) continue;
    const { words: _words, ...data } = fact.data;
    found[data.index] = { ...data, segments: fact.content?.segments ?? [] };
  }
  return found;
}

/** The recogniser's own speakers, in the order in which they first occur. */
const heardSpeakers = (utterances: readonly Utterance[]): string[] => [
  ...new Set(
    utterances.flatMap(({ segments }) =>
      segments.flatMap(({ speaker }) => (speaker === undefined ? [] : [speaker])),
    ),
  ),
];

/**
 * The utterances with labels in place of the recogniser's own names of speakers. Pure.
 * @param labels of `heardSpeakers`, in that order; undefined: the recogniser's speakers do not count
 */
export function underLabels(
  utterances: readonly Utterance[],
  labels: readonly string[] | undefined,
): Utterance[] {
  const names = heardSpeakers(utterances);
  const labelOf = new Map(names.map((name, i) => [name, labels?.[i]]));
  return utterances.map((utterance) => ({
    ...utterance,
    segments: utterance.segments.map(({ speaker, ...segment }) => {
      const label = speaker === undefined ? undefined : labelOf.get(speaker);
      return label === undefined ? segment : { ...segment, speaker: label };
    }),
  }));
}

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
