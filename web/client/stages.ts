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

/** `step`: of which it is a part. `awaits`: what it waits for before it runs, by a name of the app's words. */
export const stagesShown: Readonly<
  Record<
    Stage,
    { step: StepName; awaits: `for${'Speech' | 'Voices' | 'LanguageModel' | 'Documents'}` }
  >
> = {
  capture: { step: 'recorded', awaits: 'forSpeech' },
  follow: { step: 'recorded', awaits: 'forSpeech' },
  transcribe: { step: 'recognised', awaits: 'forSpeech' },
  diarize: { step: 'voices', awaits: 'forVoices' },
  identify: { step: 'voices', awaits: 'forVoices' },
  join: { step: 'voices', awaits: 'forVoices' },
  punctuate: { step: 'punctuated', awaits: 'forLanguageModel' },
  summarise: { step: 'summary', awaits: 'forLanguageModel' },
  entitle: { step: 'documents', awaits: 'forLanguageModel' },
  write: { step: 'documents', awaits: 'forDocuments' },
};
