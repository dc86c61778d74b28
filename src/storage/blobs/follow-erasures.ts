import { recordingOf } from '../../../events/facts/recording.ts';
import type { LoggedFact } from '../../../events/facts/catalogue.ts';

/**
 * The subject that a fact erases: its key is dropped at every node (`SharedKeys.drop`), and a recording's files of
 * this machine are removed. Null: the fact erases nothing.
 */
export function erasedBy(fact: LoggedFact): string | null {
  if (fact.type === 'recording.erased') return recordingOf(fact.stream) ?? null;
  return fact.type === 'user.deleted' ? fact.data.user_id : null;
}
