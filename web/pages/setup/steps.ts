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

type Config = {
  stt: { base_url: string | null };
  llm: { base_url: string | null };
  audio: { device: string | null };
};

/**
 * What is set already, also before this page was loaded.
 * @param spoken title of an installed model, if there is one. @param vault the notes folder of who sets up
 */
export function outcomesIn(
  { stt, llm, audio }: Config,
  spoken: string | null,
  vault: string | null,
): Outcomes {
  const found: [Step, string | null][] = [
    ['speech', stt.base_url ?? spoken],
    ['summaries', llm.base_url],
    ['microphone', audio.device],
    ['notesFolder', vault],
  ];
  return Object.fromEntries(
    found.flatMap(([step, detail]) => (detail ? [[step, { result: 'done', detail }]] : [])),
  );
}

/** How steps ended by now: speech recognition is still to come while its model could not be downloaded. */
export function outcomesNow({ speech, ...others }: Outcomes, isModelMissing: boolean): Outcomes {
  return speech === undefined || (isModelMissing && speech.result === 'done')
    ? others
    : { ...others, speech };
}

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
