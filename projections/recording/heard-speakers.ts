import type { Utterance } from './followed.ts';

/** The recogniser's own speakers, in the order in which they first occur. */
export const heardSpeakers = (utterances: readonly Utterance[]): string[] => [
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
