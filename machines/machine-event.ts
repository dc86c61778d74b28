import type { NewFact } from '../events/facts/envelope.ts';
import type { RecordingFact } from '../events/facts/recording.ts';

/**
 * What the machine sees of a fact: everything but its content, so that no text of a person's can
 * reach the context. `version` is the fact's place in its stream; for one not yet stored, the place
 * it would get.
 */
export type RecordingMachineEvent = WithoutContent<RecordingFact>;

/** A stored fact, or one to be checked before it is, as an event of the machine. */
export function toMachineEvent(
  fact: NewFact<RecordingFact> & { version: number },
): RecordingMachineEvent {
  const { type, data, version, by, command, run, attempt } = fact;
  return {
    type,
    data,
    version,
    by,
    command,
    ...(run === undefined ? {} : { run }),
    ...(attempt === undefined ? {} : { attempt }),
  } as RecordingMachineEvent;
}

type WithoutContent<F extends RecordingFact> = F extends RecordingFact
  ? Pick<F, 'type' | 'data'> & {
      version: number;
      by: string;
      command: string;
      run?: number;
      attempt?: number;
    }
  : never;
