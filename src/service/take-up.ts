import { hasCode } from '../shared/errors.ts';
import { recordingStream, recordingOf } from '../../events/facts/recording.ts';
import type { EventLog } from '../../events/event-log.ts';
import { isIn, isAtWork } from '../../machines/states.ts';
import { recordings, unsettledRecordings } from '../../projections/recordings.ts';
import type { PendingJobs } from '../storage/pending-jobs.ts';
import { quarantineUnknown } from '../storage/quarantine.ts';
import type { Ports } from './ports.ts';
import type { Captures } from '../capture/captures.ts';
import { erasedState, lastState } from '../recordings/handle.ts';
import type { OpenRecordingService } from '../recordings/service.ts';
import type { ProjectionStopped, ProjectionStorage } from '../../projections/runner/projection.ts';
import type { EventStore } from '../../events/store.ts';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import type { ListOfRecordings } from '../recordings/control/take-over.ts';

/** What the steps of a start need. */
type StartParts = Ports & { recordingService: OpenRecordingService; captures: Captures };

/**
 * Goes on with what the last process left, in this order, while requests come: captures that still run, which
 * need the log only; what was promised to be removed; all other unfinished recordings. Returns how many recordings that were.
 */
export async function takeUp(parts: StartParts): Promise<number> {
  const { store, leftFolders, projections, recordingService, captures, log, signal } = parts;
  // A damaged log takes nothing new, so nothing could go on. What can be read is served all the same.
  if (store.health().state === 'damaged') {
    log.error('event log is damaged; unfinished recordings are not continued');
    // None is ended by what such a log says: each capture that lives counts as wanted.
    if (parts.recordsDevices)
      await captures
        .reconcile(leftFolders, async () => 'recording')
        .catch((err: unknown) => log.warn({ err }, 'left captures could not be looked at'));
    return 0;
  }
  const running = parts.recordsDevices
    ? await captures.reconcile(leftFolders, (recordingId) => becomeOf(store, recordingId))
    : [];
  const captured = await recordingService.takeUp(running);
  await recordingService.finishRemovals(leftFolders);
  await caughtUpOrStopped(projections.caughtUp(recordings.name, { signal }));
  const unsettled = unsettledIn(parts);
  const others = await recordingService.takeUp(unsettled());
  recordingService.keepTakingOver(unsettled);
  return captured + others;
}

/** What nothing waits for, after `takeUp`, in this order: unknown folders, rows of earlier releases. */
export async function tidyUp(parts: StartParts): Promise<void> {
  const { data, store, jobs, leftFolders, projections, log, signal } = parts;
  if (store.health().state === 'damaged') return;
  const unknown = await quarantineUnknown(
    { recordingsDir: data.recordings, quarantineDir: data.quarantine, log },
    leftFolders,
    async (recordingId) => {
      signal.throwIfAborted();
      // In this order: its first fact is stored before the job is done.
      return (await isBegun(jobs, recordingId)) || (await isKnown(store, recordingId));
    },
  );
  if (unknown.length > 0)
    log.warn({ unknown }, 'unknown recording folders moved to the quarantine');
  await caughtUpOrStopped(projections.caughtUp('all', { signal }));
  const removed = await parts.removeOldRows().catch((error: unknown) => {
    log.error(
      { err: error },
      'unencrypted projection rows of an earlier version could not be removed',
    );
    return false;
  });
  if (removed) log.info('unencrypted projection rows of an earlier version removed');
}

/** A projection that has stopped delays nothing: what needs its rows fails. @throws anything else */
async function caughtUpOrStopped(caughtUp: Promise<void>): Promise<void> {
  await caughtUp.catch((error: unknown) => {
    if (!hasCode<ProjectionStopped>(error, 'PROJECTION_STOPPED')) throw error;
  });
}

/** What has become of a recording: its last fact says. */
async function becomeOf(
  store: EventLog,
  recordingId: string,
): Promise<'recording' | 'failed' | 'erased' | 'other'> {
  const state = (await lastState(store, recordingId)) ?? '';
  if (isIn(state, 'recording')) return 'recording';
  if (isIn(state, 'error')) return 'failed';
  if (state === erasedState) return 'erased';
  return 'other';
}

/** What is made of parts of another was taken up again, and its audio may lie there before its first fact is stored. */
const isBegun = async (jobs: PendingJobs, recordingId: string): Promise<boolean> =>
  (await jobs.list()).some((one) => one.recordingId === recordingId && one.job === 'import');

/** The version is kept beside the log: nothing is read, nothing decrypted. */
const isKnown = async (store: EventLog, recordingId: string): Promise<boolean> =>
  (await store.version(recordingStream(recordingId))) > 0;

/**
 * Recordings in which something is going on: from the rows; while these have stopped, from the log itself. The list is
 * asked for every second, so each fact of the log is read once.
 */
export function unsettledIn({
  store,
  storage,
  projections,
}: {
  store: Pick<EventStore, 'outlines' | 'head'>;
  storage: ProjectionStorage;
  projections: Pick<ProjectionRunner, 'states'>;
}): ListOfRecordings {
  const atWork = new Set<string>();
  let readTo = 0;
  return async function* (after = '') {
    const healthy = projections
      .states()
      .every(({ name, state }) => name !== recordings.name || state !== 'stopped');
    if (healthy) {
      yield* unsettledRecordings(storage, after);
      return;
    }
    const limit = (await store.head()) - readTo;
    for await (const facts of store.outlines({ afterPosition: readTo, limit })) {
      for (const { stream, to = '', position } of facts) {
        readTo = position;
        const recordingId = recordingOf(stream);
        if (recordingId === undefined) continue;
        if (isAtWork(to)) atWork.add(recordingId);
        else atWork.delete(recordingId);
      }
    }
    yield* [...atWork].filter((recordingId) => recordingId > after).toSorted();
  };
}
