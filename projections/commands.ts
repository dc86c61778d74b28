import { recordingOf } from '../events/recording-facts.ts';
import type { Projection, ProjectionStorage } from './projection.ts';

/** Which recording a command began. */
export type CommandRow = { recording_id: string; position: number };

/** Commands that began a recording, so that a repeated upload finds its first answer. Rows: `<by>/<command>`. */
export const commands: Projection = {
  name: 'commands',
  version: 1,
  interests: new Set(['recording.started', 'audio.imported']),
  keys: () => [],
  apply(rows, fact) {
    const recording_id = recordingOf(fact.stream);
    if (recording_id === undefined) return;
    rows.set(commandKey(fact), { recording_id, position: fact.position } satisfies CommandRow);
  },
};

/** The recording that a user's command began. Command ids of others are none of the user's business. */
export async function recordingByCommand(
  storage: ProjectionStorage,
  command: { by: string; command: string },
): Promise<CommandRow | undefined> {
  return storage.get<CommandRow>(commands.name, commandKey(command));
}

const commandKey = ({ by, command }: { by: string; command: string }): string => `${by}/${command}`;
