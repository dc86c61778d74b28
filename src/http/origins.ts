import type { Origin } from '../../projections/recording/origins.ts';

/** Where a recording comes from, without what the others are called. */
export const originsAnswer = (origins: readonly Origin[]) =>
  origins.map(({ recordingId, how, at }) => ({
    how,
    recording_id: recordingId,
    at,
    title: null as string | null,
  }));
