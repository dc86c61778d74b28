import type { Metadata } from '../../events/facts/envelope.ts';
import type { LoggedRecordingFact } from '../../events/facts/catalogue.ts';
import type { RecordingFact, Stage } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import type { RecordingSnapshot } from '../../machines/recording.ts';
import type { readRecording } from '../../projections/recording/recording.ts';
import type { DocumentsInput, PerDocument } from '../../src/documents/documents.ts';
import type { Random } from './seeded.ts';

/** What was written at a `documents.saved`, as the files have it. */
export type Written = { version: number; input: DocumentsInput; documents: PerDocument };

export type History = {
  recordingId: string;
  store: EventStore;
  facts(): readonly LoggedRecordingFact[];
  snapshot(): RecordingSnapshot;
  /** What was written last; null before. */
  written(): Written | null;
};

/** A history that goes on. */
export type Life = {
  random: Random;
  history: History;
  /** Appends a fact if the machine takes it, and says whether. */
  offer(fact: RecordingFact, about?: Partial<Metadata>): Promise<boolean>;
  /** The same for what a stage that runs has to say. */
  answer(stage: Stage, fact: RecordingFact): Promise<boolean>;
  recording(): ReturnType<typeof readRecording>;
  /** What the write stage is about to save. */
  rendered: Omit<Written, 'version'> | null;
};

export const languages = ['de', 'en', 'fr', null] as const;
export const words = ['eins', 'zwei', 'drei', 'vier', 'fünf', 'sechs', 'sieben', 'acht'];
export const names = ['Ada', 'Ben', 'Änne', 'Cem'];

export const runOf = ({ context }: RecordingSnapshot) => ({ ...context, run: context.sources.run });
export const hasDocuments = ({ context }: RecordingSnapshot) => context.sources.published !== null;
