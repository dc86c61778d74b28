import { type RetentionTerms, isSameTerms } from '../events/facts/retention.ts';
import type { DecidePersonal } from './personal.ts';

/** How long a user's notes are kept. */
export const setRetention =
  (terms: RetentionTerms): DecidePersonal =>
  ({ retention }) =>
    isSameTerms(terms, retention.terms) ? [] : [{ type: 'retention.set', data: terms }];

/** All that is due before a moment may go; what was confirmed for later stays so. */
export const confirmRetention =
  (before: string): DecidePersonal =>
  ({ confirmedBefore }) =>
    confirmedBefore !== null && Date.parse(confirmedBefore) >= Date.parse(before)
      ? []
      : [{ type: 'retention.confirmed', data: { before } }];
