import type { LoggedFact } from '../../events/facts/catalogue.ts';
import type { Finding } from './findings.ts';
import { keyPath } from './verify-files.ts';

/**
 * Finds users whose key was destroyed although nobody deleted them: they cannot log in, and are in no list. A key that is
 * lost is a finding of its own. Memory: one entry a deleted user.
 */
export function namelessUsers(): {
  note(fact: LoggedFact): void;
  report(add: (finding: Finding) => void): void;
} {
  const found = new Map<string, Finding>();
  return {
    note(fact) {
      if (fact.type === 'user.deleted') found.delete(fact.data.user_id);
      if (fact.type !== 'user.registered' || fact.erased !== true) return;
      const { data, stream, version, subject } = fact;
      const what = `The name of user ${data.user_id} cannot be read, and this user was not deleted.`;
      const path = keyPath(subject ?? data.user_id);
      found.set(data.user_id, { severity: 'damage', kind: 'user', stream, version, path, what });
    },
    report(add) {
      for (const finding of found.values()) add(finding);
    },
  };
}
