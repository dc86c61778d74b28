import type { LoggedFact } from '../events/facts/catalogue.ts';

/** Whether nothing a person said or wrote may be left after this fact. */
export const isErased = (fact: LoggedFact): boolean =>
  fact.to === 'idle.erased' ||
  fact.type === 'recording.erased' ||
  fact.type === 'recording.discarded';
