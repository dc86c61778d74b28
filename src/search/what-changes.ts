import type { LoggedFact } from '../../events/facts/catalogue.ts';

/** Facts after which a transcript says what it said before. */
export const unchanging: ReadonlySet<LoggedFact['type']> = new Set<LoggedFact['type']>([
  'stage.started',
  'stage.interrupted',
  'speech.followed',
  'speech.detected',
  'utterance.recognised',
]);

/** Facts after which a recording says the same at another place. */
export const refiles: ReadonlySet<LoggedFact['type']> = new Set<LoggedFact['type']>([
  'recording.filed',
  'tags.changed',
]);

/** Facts after which nothing of a recording may be found. */
export const erases = (fact: LoggedFact): boolean =>
  fact.to === 'idle.erased' || fact.erased === true;
