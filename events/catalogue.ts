import { configFacts, type ConfigFact } from './config-facts.ts';
import type { FactSchema, NewFact, StoredFact } from './envelope.ts';
import { recordingFacts, type RecordingFact } from './recording-facts.ts';
import { userFacts, type UserFact } from './user-facts.ts';

/** Every fact there is. */
export type Fact = RecordingFact | UserFact | ConfigFact;
export type FactType = Fact['type'];
/** A fact to append, and one read back. */
export type OfferedFact = NewFact<Fact>;
export type LoggedFact = StoredFact<Fact>;

const catalogue: Readonly<Record<string, FactSchema>> = {
  ...recordingFacts,
  ...userFacts,
  ...configFacts,
};

/** The schema of a type of fact; undefined for a type this release does not know. */
export const schemaOf = (type: string): FactSchema | undefined =>
  Object.hasOwn(catalogue, type) ? catalogue[type] : undefined;

/** All types of facts, for documentation and tests. */
export const factTypes: readonly string[] = Object.keys(catalogue);
