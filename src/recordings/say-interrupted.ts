import { ulid } from 'ulid';
import { EventStoreError } from '../../events/store.ts';
import { activeStages } from '../../machines/states.ts';
import type { Log } from '../shared/log.ts';
import { retry } from '../shared/retry.ts';
import type { RecordingAggregate } from './aggregate.ts';
import { NotAccepted } from './refusals.ts';

/** Pauses between tries while the log does not answer, in milliseconds. */
const pauses = { first: 50, max: 5000 };

/**
 * Says in the log that the stages which run here end, and that no death of the process ended them: without that three
 * restarts, of the service or of its database, would blame the recording. Never throws.
 * @param whileAway until it aborts, the log is asked again while it cannot be; without it once
 */
export async function sayInterrupted(
  recording: RecordingAggregate,
  log: Log,
  whileAway?: AbortSignal,
): Promise<void> {
  const { recordingId } = recording;
  const { running, sources } = recording.snapshot().context;
  const { run } = sources;
  const starts = activeStages(recording.snapshot()).flatMap((stage) => {
    const attempt = running[stage];
    return attempt === undefined ? [] : [{ stage, attempt, command: ulid() }];
  });
  for (const { stage, attempt, command } of starts) {
    const say = () =>
      recording.append([{ type: 'stage.interrupted', data: { stage } }], {
        by: 'system',
        command,
        run,
        attempt,
      });
    const said = whileAway ? retry(say, { pauses, signal: whileAway, isTransient: isAway }) : say();
    await said.catch((err: unknown) => {
      // It has moved on, and what counts has been counted.
      if (err instanceof NotAccepted || whileAway?.aborted) return;
      log.warn({ err, recordingId, stage }, 'could not record the interruption');
    });
  }
}

const isAway = (error: unknown): boolean => error instanceof EventStoreError && error.retriable;
