import { ulid } from 'ulid';
import { EventStoreError } from '../../events/store.ts';
import { activeStages, isSettled } from '../../machines/states.ts';
import type { Log } from '../shared/log.ts';
import { UnknownRecording } from './handle.ts';
import type { RecordingAggregate } from './aggregate.ts';

/** The recordings that are open: all that have something to do, and those somebody has just used. */
export type OpenRecordings = {
  /** Uses a recording, opened if it has to be; while somebody does, it is not closed under their hands. */
  use<T>(
    recordingId: string,
    options: { create: boolean },
    use: (recording: RecordingAggregate) => Promise<T>,
  ): Promise<T>;
  /** The recording if it is open. */
  peek(recordingId: string): Promise<RecordingAggregate | null>;
  /** All that are open. */
  all(): AsyncIterable<RecordingAggregate>;
  /** Closes one that is erased. */
  forget(recording: RecordingAggregate): Promise<void>;
  /**
   * Opens all, then starts all. Returns how many were started: one that cannot be opened is logged, and
   * handed to `onFailed`; one whose key is lost waits for it.
   */
  takeUp(recordingIds: AsyncIterable<string> | Iterable<string>): Promise<number>;
  /** Stops every activity, and says so in the log. */
  close(): Promise<void>;
};

/** Settled recordings kept open for the next command. Those at work are always open. */
const settledMax = 100;

export function openRecordings(deps: {
  open(recordingId: string, options: { create: boolean }): Promise<RecordingAggregate | null>;
  /** What kept a recording from being taken up. */
  onFailed(recordingId: string, error: unknown): void;
  log: Log;
}): OpenRecordings {
  const { log } = deps;
  const open = new Map<string, Promise<RecordingAggregate | null>>();
  const users = new Map<string, number>();
  let closing = false;

  return {
    async use(recordingId, options, use) {
      users.set(recordingId, (users.get(recordingId) ?? 0) + 1);
      try {
        const recording = await find(recordingId, options);
        if (!recording) throw new UnknownRecording(recordingId);
        return await use(recording);
      } finally {
        const left = users.get(recordingId)! - 1;
        if (left === 0) users.delete(recordingId);
        else users.set(recordingId, left);
      }
    },
    peek: async (recordingId) => (await open.get(recordingId)) ?? null,
    async *all() {
      for (const opening of open.values()) {
        const recording = await opening.catch(() => null);
        if (recording) yield recording;
      }
    },
    async forget(recording) {
      open.delete(recording.recordingId);
      await recording.stop();
    },
    async takeUp(recordingIds) {
      // All are open before the first one moves: names of documents promised by one are known to all.
      const taken: RecordingAggregate[] = [];
      for await (const recordingId of recordingIds) {
        if (closing) break;
        // A command has opened and started it.
        if (open.has(recordingId)) continue;
        try {
          const opening = deps.open(recordingId, { create: false });
          const recording = await kept(recordingId, opening);
          if (recording && !recording.isUnreadable()) taken.push(recording);
        } catch (error) {
          log.error({ err: error, recordingId }, 'could not be taken up');
          deps.onFailed(recordingId, error);
        }
      }
      if (!closing) await Promise.all(taken.map((recording) => recording.start()));
      return taken.length;
    },
    async close() {
      closing = true;
      const recordings = (await Promise.all(open.values())).filter((one) => one !== null);
      await Promise.all(recordings.map((recording) => interrupt(recording, log)));
      open.clear();
    },
  };

  /** Opening a recording starts what it has to do. */
  function find(
    recordingId: string,
    options: { create: boolean },
  ): Promise<RecordingAggregate | null> {
    if (closing) return Promise.reject(new EventStoreError('CLOSED', 'The service is stopping'));
    const known = open.get(recordingId);
    if (known) return known;
    const opening = deps.open(recordingId, options).then(async (recording) => {
      if (recording && !recording.isUnreadable()) await recording.start();
      return recording;
    });
    void forgetSettled().catch((error: unknown) => log.error({ err: error }, 'closing recordings'));
    return kept(recordingId, opening);
  }

  /** Open from now on, unless it does not exist or cannot be opened. */
  function kept(
    recordingId: string,
    opening: Promise<RecordingAggregate | null>,
  ): Promise<RecordingAggregate | null> {
    open.set(recordingId, opening);
    opening.then(
      (recording) => recording ?? open.delete(recordingId),
      () => open.delete(recordingId),
    );
    return opening;
  }

  /** Closes the recordings that nobody has touched for longest and that have nothing to do. */
  async function forgetSettled(): Promise<void> {
    if (open.size <= settledMax) return;
    for (const [recordingId, opening] of open) {
      if (open.size <= settledMax) return;
      const recording = await opening.catch(() => null);
      if (!recording || users.has(recordingId) || !isSettled(recording.snapshot())) continue;
      open.delete(recordingId);
      await recording.stop();
    }
  }
}

/** Says in the log that the service stops, then stops the recording. */
async function interrupt(recording: RecordingAggregate, log: Log): Promise<void> {
  const { running, sources } = recording.snapshot().context;
  const { run } = sources;
  for (const stage of activeStages(recording.snapshot())) {
    const attempt = running[stage];
    if (attempt === undefined) continue;
    // Being asked to stop is not a death: without this fact three restarts would blame the recording.
    await recording
      .append([{ type: 'stage.interrupted', data: { stage } }], {
        by: 'system',
        command: ulid(),
        run,
        attempt,
      })
      .catch((error: unknown) =>
        log.warn({ err: error, stage }, 'could not record the interruption'),
      );
  }
  await recording.stop();
}
