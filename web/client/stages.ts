/** What pages make of each stage of the service; the type check asks for a line of a new one. */
import type { Schema } from './api.ts';

export type Stage = Schema<'Status'>['errors'][number]['stage'];

/** The steps of a recording that a person knows, in their order. */
export const stepNames = [
  'recorded',
  'recognised',
  'voices',
  'named',
  'punctuated',
  'summary',
  'documents',
] as const;
export type StepName = (typeof stepNames)[number];

/**
 * `step`: of which it is a part. `awaits`: what it waits for before it runs, by a name of the app's words. `settings`:
 * the part of the settings where what it needs is set.
 */
type Shown = {
  step: StepName;
  awaits: `for${'Speech' | 'Voices' | 'LanguageModel' | 'Documents' | 'ContinuedNote'}`;
  settings: 'recording' | 'speech' | 'models' | 'language' | 'notes';
};

const stagesShown: Readonly<Record<Stage, Shown>> = {
  capture: { step: 'recorded', awaits: 'forSpeech', settings: 'recording' },
  follow: { step: 'recorded', awaits: 'forSpeech', settings: 'speech' },
  assemble: { step: 'recorded', awaits: 'forDocuments', settings: 'recording' },
  transcribe: { step: 'recognised', awaits: 'forSpeech', settings: 'speech' },
  diarize: { step: 'voices', awaits: 'forVoices', settings: 'models' },
  identify: { step: 'voices', awaits: 'forVoices', settings: 'models' },
  join: { step: 'voices', awaits: 'forVoices', settings: 'models' },
  punctuate: { step: 'punctuated', awaits: 'forLanguageModel', settings: 'language' },
  summarise: { step: 'summary', awaits: 'forLanguageModel', settings: 'language' },
  entitle: { step: 'documents', awaits: 'forLanguageModel', settings: 'language' },
  write: { step: 'documents', awaits: 'forDocuments', settings: 'notes' },
  continue: { step: 'documents', awaits: 'forContinuedNote', settings: 'notes' },
};

/** Of which step a stage is a part. */
export const stepOf = (stage: Stage): StepName => stagesShown[stage].step;

/** What a stage waits for before it runs, by a name of the app's words; also one that this page does not know. */
export const waitedFor = (stage: Stage | null): Shown['awaits'] =>
  (stage !== null && stagesShown[stage]?.awaits) || 'forSpeech';

/** Where what a stage needs is set. */
export const settingsOf = (stage: Stage): string =>
  `/settings?part=${stagesShown[stage]?.settings ?? 'speech'}`;
