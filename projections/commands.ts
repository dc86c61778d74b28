import { recordingOf } from '../events/recording-facts.ts';
import type { Projection, ProjectionStorage } from './projection.ts';

/** The answer a command got that began a recording. */
export type Begun = {
  recordingId: string;
  /** Position of the fact in the log. */
  position: number;
  /** Canonical name of the state it led to. */
  state: string;
};

/**
 * Commands that began a recording, so that a repeated upload finds its first answer. Rows:
 * `c/<command>`. Who makes up command ids puts the user into them: they are not told apart here.
 */
export const commands: Projection = {
  name: 'commands',
  version: 1,
  interests: new Set(['recording.started', 'audio.imported']),
  keys: () => [],
  apply(rows, fact) {
    const recordingId = recordingOf(fact.stream);
    if (recordingId === undefined) return;
    const begun: Begun = { recordingId, position: fact.position, state: fact.to ?? '' };
    rows.set(`c/${fact.command}`, begun);
  },
};

/** What a command began; null when it began nothing. */
export async function importedBy(
  storage: ProjectionStorage,
  command: string,
): Promise<Begun | null> {
  return (await storage.get<Begun>(commands.name, `c/${command}`)) ?? null;
}
