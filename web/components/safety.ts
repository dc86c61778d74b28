/** What is safe when the service does not answer: one rule for every page. */
import { computed } from 'nanostores';
import type { Problem } from '../client/api.ts';
import { words } from './words.ts';

/**
 * A sentence for a problem of `status` 0. Of what was read nothing was changed; a change that was asked for may have
 * been made although its answer is lost: then nothing is claimed.
 */
export const whatIsSafe = computed(
  words,
  ({ awaySafe, notKnown }) =>
    ({ type }: Pick<Problem, 'type'>) =>
      type === 'unanswered' ? notKnown : awaySafe,
);

/** What is safe, or why it was refused. */
export const sentenceOf = computed(
  whatIsSafe,
  (safe) => (problem: Problem) =>
    problem.status === 0 ? safe(problem) : (problem.detail ?? problem.title),
);
