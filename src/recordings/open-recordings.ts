import { ulid } from 'ulid';
import { EventStoreError } from '../../events/store.ts';
import { activeStages, isSettled } from '../../machines/states.ts';
import type { Log } from '../shared/log.ts';
import { UnknownRecording } from './refusals.ts';
import type { RecordingAggregate } from './aggregate.ts';

/** The recordings that are open: all that have something to do, and those used last. */
export type OpenRecordings = {
  /** Uses a recording, opened if it has to be; it is not closed meanwhile. */
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

type RecordingsDeps = {
  open(recordingId: string, options: { create: boolean }): Promise<RecordingAggregate | null>;
  /** What kept a recording from being taken up. */
  onFailed(recordingId: string, error: unknown): void;
  log: Log;
};

type Opening = Promise<RecordingAggregate | null>;

type Recordings = RecordingsDeps & {
  opened: Map<string, Opening>;
  /** Uses under way of each recording. */
  uses: Map<string, number>;
  /** Those being closed: one is opened again when it has ended. */
  closing: Map<string, Promise<void>>;
  isClosing: boolean;
};

export function openRecordings(deps: RecordingsDeps): OpenRecordings {
  const recordings: Recordings = {
    ...deps,
    opened: new Map(),
    uses: new Map(),
    closing: new Map(),
    isClosing: false,
  };
  const { opened, uses, log } = recordings;
  return {
    async use(recordingId, options, use) {
      uses.set(recordingId, (uses.get(recordingId) ?? 0) + 1);
      try {
        const recording = await find(recordings, recordingId, options);
        if (!recording) throw new UnknownRecording(recordingId);
        return await use(recording);
      } finally {
        const left = uses.get(recordingId)! - 1;
        if (left === 0) uses.delete(recordingId);
        else uses.set(recordingId, left);
      }
    },
    peek: async (recordingId) => (await opened.get(recordingId)) ?? null,
    async *all() {
      for (const opening of opened.values()) {
        const recording = await opening.catch(() => null);
        if (recording) yield recording;
      }
    },
    forget: (recording) => closeOne(recordings, recording),
    takeUp: (recordingIds) => takeUp(recordings, recordingIds),
    async close() {
      recordings.isClosing = true;
      const open = (await Promise.all(opened.values())).filter((one) => one !== null);
      await Promise.all(open.map((recording) => interrupt(recording, log)));
      opened.clear();
    },
  };
}

async function takeUp(
  recordings: Recordings,
  recordingIds: AsyncIterable<string> | Iterable<string>,
): Promise<number> {
  // All are open before the first one moves: names of documents promised by one are known to all.
  const taken: RecordingAggregate[] = [];
  try {
    for await (const recordingId of recordingIds) {
      if (recordings.isClosing) break;
      // A command has opened and started it.
      if (recordings.opened.has(recordingId)) continue;
      try {
        const opening = openOne(recordings, recordingId, { create: false });
        const recording = await kept(recordings, recordingId, opening);
        if (recording && !recording.isUnreadable()) taken.push(recording);
      } catch (error) {
        recordings.log.error({ err: error, recordingId }, 'could not be taken up');
        recordings.onFailed(recordingId, error);
      }
    }
  } finally {
    // Also when the list breaks off: what is open and not started would wait for ever.
    if (!recordings.isClosing) await Promise.all(taken.map((recording) => recording.start()));
  }
  return taken.length;
}

/** Opening a recording starts what it has to do. */
function find(recordings: Recordings, recordingId: string, options: { create: boolean }): Opening {
  const { opened, log } = recordings;
  if (recordings.isClosing) {
    return Promise.reject(new EventStoreError('CLOSED', 'The service is stopping'));
  }
  const known = opened.get(recordingId);
  if (known) return known;
  const opening = openOne(recordings, recordingId, options).then(async (recording) => {
    if (recording && !recording.isUnreadable()) await recording.start();
    return recording;
  });
  void forgetSettled(recordings).catch((error: unknown) =>
    log.error({ err: error }, 'closing recordings'),
  );
  return kept(recordings, recordingId, opening);
}

/** Open from now on, unless it does not exist or cannot be opened. */
function kept({ opened }: Recordings, recordingId: string, opening: Opening): Opening {
  opened.set(recordingId, opening);
  opening.then(
    (recording) => recording ?? opened.delete(recordingId),
    () => opened.delete(recordingId),
  );
  return opening;
}

/** Closes the recordings that were not used for longest and that have nothing to do. */
async function forgetSettled(recordings: Recordings): Promise<void> {
  const { opened, uses } = recordings;
  if (opened.size <= settledMax) return;
  for (const [recordingId, opening] of opened) {
    if (opened.size <= settledMax) return;
    const recording = await opening.catch(() => null);
    if (!recording || uses.has(recordingId) || !isSettled(recording.snapshot())) continue;
    await closeOne(recordings, recording);
  }
}

/** When it has ended as it was open before: one recording has one actor. */
async function openOne(
  { closing, open }: Recordings,
  recordingId: string,
  options: { create: boolean },
): Opening {
  await closing.get(recordingId)?.catch(() => undefined);
  return await open(recordingId, options);
}

async function closeOne({ opened, closing }: Recordings, one: RecordingAggregate): Promise<void> {
  const { recordingId } = one;
  opened.delete(recordingId);
  const stopped = one.stop().finally(() => {
    if (closing.get(recordingId) === stopped) closing.delete(recordingId);
  });
  closing.set(recordingId, stopped);
  await stopped;
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
