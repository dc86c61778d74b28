import type { InterruptionReason } from '../../events/facts/ledger.ts';
import type { RecordingFactOf } from '../../events/facts/recording.ts';
import type { Source } from '../../events/facts/sources.ts';
import { type Recording, factsOf } from './recording.ts';

/** A time in which nothing was recorded although it was wanted. */
export type Interruption = {
  /** Seconds of the recording where it begins. */
  at: number;
  /** On the server's wall clock, RFC 3339 with its offset. */
  from: string;
  to: string;
  /** null: it is not known. */
  reason: InterruptionReason | null;
};

/** Interruptions that one recording may have; what comes after them is in its gaps alone. */
export const interruptionsMax = 500;

/** The interruptions of a source's audio, by their places: of audio that was put together those that were carried. Pure. */
export const interruptionsOf = (
  recording: Pick<Recording, 'facts'>,
  { results }: Pick<Source, 'results'>,
): Interruption[] => {
  const assembled = factsOf(recording, 'audio.assembled', Infinity).at(-1)?.version ?? 0;
  return factsOf(recording, 'audio.interrupted', results.interrupted)
    .filter(({ version }) => version > assembled)
    .map(({ data: { at, from, to, reason = null } }) => ({ at, from, to, reason }))
    .toSorted((a, b) => a.at - b.at);
};

/** As the fact that tells of it. */
export const interruptedFact = ({
  at,
  from,
  to,
  reason,
}: Interruption): RecordingFactOf<'audio.interrupted'> => ({
  type: 'audio.interrupted',
  data: { at, from, to, ...(reason === null ? {} : { reason }) },
});

/** Says that nothing was recorded for a while; what was said of that place before stays. Pure. */
export const interrupt =
  (told: Interruption) =>
  ({ facts }: Recording): RecordingFactOf<'audio.interrupted'>[] => {
    const known = factsOf({ facts }, 'audio.interrupted', Infinity);
    const isKnown = known.some(({ data }) => data.at === told.at && data.from === told.from);
    if (isKnown || known.length >= interruptionsMax) return [];
    return [interruptedFact(told)];
  };
