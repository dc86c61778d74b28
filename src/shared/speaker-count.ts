/** How many people speak: at least, and at most; null where that is not known. */
export type SpeakerCount = { min: number | null; max: number | null };

export const anyNumber: SpeakerCount = { min: null, max: null };

/** As given: an exact number, else the limits. */
export const speakerCount = ({
  speakers = null,
  speakers_min: min = null,
  speakers_max: max = null,
}: {
  speakers?: number | null | undefined;
  speakers_min?: number | null | undefined;
  speakers_max?: number | null | undefined;
}): SpeakerCount => (speakers === null ? { min, max } : { min: speakers, max: speakers });

/** Whether so many speakers may be all. */
export const isWithin = (found: number, { min, max }: SpeakerCount): boolean =>
  found >= (min ?? 0) && found <= (max ?? Infinity);

/** How many the others are beside one. */
export const besideOne = ({ min, max }: SpeakerCount): SpeakerCount => ({
  min: min === null ? null : Math.max(1, min - 1),
  max: max === null ? null : Math.max(1, max - 1),
});
