import type { RecordingFact } from '../../events/facts/recording.ts';
import { EventStoreError } from '../../events/store.ts';
import { stateName } from '../../machines/state-name.ts';
import type { RecordingAggregate } from './aggregate.ts';
import { NotAccepted, type LoggedRecordingFact } from './handle.ts';

/** Who ends it; steps after the first have ids of their own. */
type Circumstances = { by: string; command: string };

/** The state of a recording of which nothing is left. */
export const erasedState = 'idle.erased';

/**
 * Cancels what goes on in a recording, then says that it is erased: nothing may write while things are
 * removed. Returns the last fact.
 * @throws {NotAccepted}; {EventStoreError} `BUSY` when it still moves after all tries
 */
export async function recordErasure(
  recording: RecordingAggregate,
  circumstances: Circumstances,
): Promise<LoggedRecordingFact> {
  for (let step = 1; step < stepsMax; step += 1) {
    const fact = stepToErasure(stateOf(recording));
    const stored = await offered(recording, fact, circumstances, step);
    if (stored?.to === erasedState) return stored;
  }
  throw new EventStoreError('BUSY', 'The recording is too busy to be erased now.');
}

/**
 * Cancels what is done with a recording, or is to be, and waits until nothing works on it. One that is
 * being captured is left alone: that has to be stopped.
 * @throws {NotAccepted}
 */
export async function cancelWork(
  recording: RecordingAggregate,
  circumstances: Circumstances,
): Promise<void> {
  for (let step = 1; step < stepsMax; step += 1) {
    const state = stateOf(recording);
    if (state.startsWith('recording')) return;
    if (!/^(?:transcribing|awaiting-speakers)/.test(state)) break;
    await offered(recording, { type: 'processing.cancelled', data: {} }, circumstances, step);
  }
  await recording.quiet();
}

/** A recording that still moves after so many tries is busy, and somebody has to ask again. */
const stepsMax = 10;

const stateOf = (recording: RecordingAggregate): string => stateName(recording.snapshot().value);

/** Null when it was refused because the recording moved on meanwhile: then one has to look again. */
async function offered(
  recording: RecordingAggregate,
  fact: RecordingFact,
  { by, command }: Circumstances,
  step: number,
): Promise<LoggedRecordingFact | null> {
  const before = stateOf(recording);
  try {
    return await recording.append([fact], { by, command: `${command}/${step}` });
  } catch (error) {
    if (error instanceof NotAccepted && stateOf(recording) !== before) return null;
    throw error;
  }
}

const stepToErasure = (state: string): RecordingFact =>
  state.startsWith('transcribing')
    ? { type: 'processing.cancelled', data: {} }
    : state.startsWith('recording')
      ? { type: 'recording.discarded', data: {} }
      : { type: 'recording.erased', data: {} };
