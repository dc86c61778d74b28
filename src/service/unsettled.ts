import { recordingOf } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import { isAtWork } from '../../machines/states.ts';
import { recordings, unsettledRecordings } from '../../projections/recordings.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import type { ListOfRecordings } from '../recordings/control/take-over.ts';

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
