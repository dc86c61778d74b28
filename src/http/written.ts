import { ulid } from 'ulid';
import { recordingOf } from '../../events/facts/recording.ts';
import type { DecideRecording } from '../../projections/recording/decide.ts';
import { access } from '../../projections/access.ts';
import { commands } from '../../projections/commands.ts';
import { recordingById, recordings } from '../../projections/recordings.ts';
import type { Decided } from '../recordings/service.ts';
import { callerOf } from './middleware/authenticate.ts';
import { limits } from './limits.ts';
import { Problem, logDamaged } from './problems.ts';
import type { HttpServices } from './services.ts';
import type { State } from './state.ts';
import type { RecordingRow } from '../../projections/recording-row.ts';
import { isIn } from '../../machines/states.ts';

/** The fact at a position of the log; undefined where there is none. */
export async function loggedAt(store: HttpServices['store'], position: number) {
  for await (const fact of store.readAll({ afterPosition: position - 1, limit: 1 })) return fact;
  return undefined;
}

/**
 * Gives the caller's command on a recording, and returns when what it led to can be read.
 * @param how `assemble`: it has the audio put together anew
 * @throws as this of `RecordingService`; 503 `view-stopped` before anything is appended, `views-behind` after.
 */
export async function carryOut(
  services: HttpServices,
  state: State,
  recordingId: string,
  decision: DecideRecording,
  how: 'decide' | 'assemble' = 'decide',
): Promise<Decided> {
  refuseWhenStopped(services);
  // Nor what could not be read before there is room.
  await services.rows.withRoom();
  const metadata = { by: callerOf(state).userId, command: commandOf(state) };
  const accepted = await services.recordingService[how](recordingId, metadata, decision);
  if (accepted.facts.length > 0) await untilReadable(services, accepted);
  return accepted;
}

/** The projections in which the result of a command is looked for. */
const needed = [commands.name, recordings.name, access.name];

/** Ids of commands without an `Idempotency-Key` are made up: they cannot be repeated. */
export const commandOf = (state: State): string =>
  state.command ?? `${callerOf(state).userId}:${ulid()}`;

/**
 * A command whose result could not be read, or that a damaged log would not take, is not taken.
 * @throws `PROJECTION_STOPPED`, 503 `log-damaged`, before anything
 *   is appended.
 */
export function refuseWhenStopped({ projections, store }: HttpServices): void {
  // First: it is why projections may have stopped, and an upload need not come in to be refused.
  if (store.health().state === 'damaged') throw logDamaged();
  projections.assertRunning(serving(projections));
}

/**
 * Those of `needed` that are read now. One that still catches up is read by no request (`middleware/ready.ts`), and has
 * what those ahead of it have when it is.
 */
const serving = (projections: HttpServices['projections']): string[] =>
  projections
    .states()
    .filter(({ name, state }) => needed.includes(name) && !catchingUp.includes(state))
    .map(({ name }) => name);

const catchingUp: readonly string[] = ['rebuilding', 'catching-up'];

/** Waits until the next GET will see it. */
export async function untilReadable(
  services: HttpServices,
  accepted: { position: number; recordingId?: string | null },
): Promise<void> {
  try {
    const { projections } = services;
    const limit = { timeoutMs: limits.readYourWritesMs };
    await projections.applied(serving(projections), accepted.position, limit);
    // Those that have begun to be read meanwhile.
    await projections.applied(serving(projections), accepted.position, limit);
  } catch (error) {
    throw new Problem('views-behind', {
      members: { recording_id: accepted.recordingId ?? '', position: accepted.position },
      headers: { 'Retry-After': '1' },
      cause: error,
    });
  }
}

/** Waits until a projection has all that was appended before. */
export async function upToDate(
  { projections, store }: Pick<HttpServices, 'projections' | 'store'>,
  name: string,
): Promise<void> {
  await projections.applied(name, await store.head(), { timeoutMs: limits.readYourWritesMs });
}

/**
 * Waits, at most as long as for a projection, until a change is also in the documents, so that the next GET
 * of one has it. Returns the recording as it is then: failed or still at it is for the caller to show.
 */
export async function untilWritten(
  { storage, projections }: Pick<HttpServices, 'storage' | 'projections'>,
  recordingId: string,
): Promise<RecordingRow | undefined> {
  let timer: NodeJS.Timeout | undefined;
  let stop = () => {};
  const written = new Promise<void>((resolve, reject) => {
    const look = async () => {
      const row = await recordingById(storage, recordingId);
      const isChanging =
        row &&
        (isIn(row.state, 'transcribing.writing') || isIn(row.state, 'transcribing.assembling'));
      if (!isChanging) resolve();
    };
    timer = setTimeout(resolve, limits.readYourWritesMs);
    stop = projections.onApplied((facts) => {
      if (facts.some((fact) => recordingOf(fact.stream) === recordingId)) look().catch(reject);
    });
    look().catch(reject);
  });
  try {
    await written;
    return await recordingById(storage, recordingId);
  } finally {
    clearTimeout(timer);
    stop();
  }
}
