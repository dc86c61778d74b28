import type { Source } from '../../events/facts/sources.ts';
import { type Recording, factAt } from './recording.ts';

/** Names of people who may be heard: as they were given last, else with the recording. Pure. */
export const peopleGiven = (
  recording: Recording,
  { results }: Pick<Source, 'results'> = recording.sources.draft,
): readonly string[] =>
  factAt(recording, results.people, 'people.given')?.content?.people ??
  factAt(recording, 1, 'audio.imported', 'recording.started')?.content?.people ??
  [];
