/** The steps of setting up, and how each of them ended. */
export const steps = [
  'administrator',
  'speech',
  'summaries',
  'microphone',
  'notesFolder',
  'first',
] as const;

export type Step = (typeof steps)[number];

/** What came of a step; missing as long as it is to come. */
export type Outcomes = Partial<Record<Step, { result: 'done' | 'skipped'; detail?: string }>>;

/** The step an address names (`?step=…`); the first as long as nothing else is possible. */
export function stepAt(search: Record<string, string>, hasAdministrator: boolean): Step {
  const named = steps.find((step) => step === search['step']);
  if (!hasAdministrator) return 'administrator';
  return named ?? 'speech';
}

export const stepAddress = (step: Step): string => `/setup?step=${step}`;

/** The step behind another. */
export const stepAfter = (step: Step): Step => steps[steps.indexOf(step) + 1] ?? 'first';

/** The setup code of a link, `/setup#code=…`; empty without one. */
export const codeOf = (hash: string): string =>
  new URLSearchParams(hash.replace(/^#/, '')).get('code') ?? '';
