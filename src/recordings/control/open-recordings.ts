import type { Ownership } from '../../../events/ownership.ts';
import { EventStoreError } from '../../../events/store.ts';
import { isSettled } from '../../../machines/states.ts';
import type { Log } from '../../shared/log.ts';
import { UnknownRecording } from '../refusals.ts';
import type { RecordingAggregate } from './aggregate.ts';
import { sayInterrupted } from './aggregate.ts';
import { recordingName } from './left-recordings.ts';
import { type Counts, openCounts } from '../../shared/counts.ts';

/** The recordings that are open: all that this process acts for, and those used last. */
export type OpenRecordings = {
  /**
   * Uses a recording, opened if it has to be; it is not closed meanwhile. With `act`, this process acts for it
   * from before its first fact on: what it is captured by is here.
   */
  use<T>(
    recordingId: string,
    options: { create: boolean; act?: boolean },
    use: (recording: RecordingAggregate) => Promise<T>,
  ): Promise<T>;
  /** The recording if it is open. */
  peek(recordingId: string): Promise<RecordingAggregate | null>;
  /** All that are open. */
  all(): AsyncIterable<RecordingAggregate>;
  /** Closes one that is erased. */
  forget(recording: RecordingAggregate): Promise<void>;
  /**
   * Acts for a recording from now on, if it has something to do and no one else holds it. Returns whether this
   * process does; one whose key is lost waits for it. @throws what opening it throws
   */
  takeOver(recordingId: string): Promise<boolean>;
  /** Another process appended to it: if it is open here it is read on. */
  appendedElsewhere(recordingId: string, version: number): Promise<void>;
  /** Stops every activity, and says so in the log. */
  close(): Promise<void>;
};

/** Settled recordings kept open for the next command. Those at work are always open. */
const settledMax = 100;

type RecordingsDeps = {
  open(recordingId: string, options: { create: boolean }): Promise<RecordingAggregate | null>;
  ownership: Ownership;
  log: Log;
};

type Opening = Promise<RecordingAggregate | null>;

type Recordings = RecordingsDeps & {
  opened: Map<string, Opening>;
  /** Uses under way of each recording. */
  uses: Counts;
  /** Those being closed: one is opened again when it has ended. */
  closing: Map<string, Promise<void>>;
  stopping: AbortController;
};

export function openRecordings(deps: RecordingsDeps): OpenRecordings {
  const recordings: Recordings = {
    ...deps,
    opened: new Map(),
    uses: openCounts(),
    closing: new Map(),
    stopping: new AbortController(),
  };
  const { opened, stopping, log } = recordings;
  return {
    use: (recordingId, options, use) =>
      whileUsed(recordings, recordingId, async () => {
        const recording = await find(recordings, recordingId, options);
        if (!recording) throw new UnknownRecording(recordingId);
        if (options.act === true) await claimAndAct(recordings, recordingId, { isNew: true });
        return await use(recording);
      }),
    peek: async (recordingId) => (await opened.get(recordingId)) ?? null,
    async *all() {
      for (const opening of opened.values()) {
        const recording = await opening.catch(() => null);
        if (recording) yield recording;
      }
    },
    forget: (recording) => closeOne(recordings, recording),
    takeOver: (recordingId) =>
      whileUsed(recordings, recordingId, () => claimAndAct(recordings, recordingId)),
    async appendedElsewhere(recordingId, version) {
      const recording = await opened.get(recordingId);
      if (recording && recording.version() < version) await recording.readOn();
    },
    async close() {
      stopping.abort(closed());
      // One that cannot be opened keeps no other from being interrupted.
      const openings = await Promise.allSettled(opened.values());
      const open = openings.flatMap((one) => (one.status === 'fulfilled' ? (one.value ?? []) : []));
      await Promise.all(open.map((recording) => interrupt(recording, log)));
      opened.clear();
    },
  };
}

const closed = () => new EventStoreError('CLOSED', 'The server is shutting down');

async function whileUsed<T>(
  { uses }: Recordings,
  recordingId: string,
  use: () => Promise<T>,
): Promise<T> {
  uses.add(recordingId);
  try {
    return await use();
  } finally {
    uses.remove(recordingId);
  }
}

/** It is claimed before it is read: of what others act for nothing is known here. */
async function claimAndAct(
  recordings: Recordings,
  recordingId: string,
  options: { isNew?: boolean } = {},
): Promise<boolean> {
  const { opened, ownership, stopping } = recordings;
  const known = await opened.get(recordingId);
  if (known?.isActedFor()) return true;
  if (known?.isUnreadable()) return false;
  const held = await ownership.claim(recordingName(recordingId), stopping.signal);
  if (!held) return false;
  let recording: RecordingAggregate | null;
  try {
    recording = await find(recordings, recordingId, { create: false });
  } catch (error) {
    await held.release();
    throw error;
  }
  if (recording && !recording.isUnreadable()) await recording.act(held, options);
  else await held.release();
  return recording?.isActedFor() ?? false;
}

function find(recordings: Recordings, recordingId: string, options: { create: boolean }): Opening {
  const { opened, stopping, log } = recordings;
  if (stopping.signal.aborted) return Promise.reject(closed());
  const known = opened.get(recordingId);
  if (known) return known;
  const opening = openOne(recordings, recordingId, options);
  opened.set(recordingId, opening);
  opening.then(
    // Not open unless it exists and can be opened.
    (recording) => recording ?? opened.delete(recordingId),
    () => opened.delete(recordingId),
  );
  void forgetSettled(recordings).catch((error: unknown) =>
    log.error({ err: error }, 'closing recordings failed'),
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
    if (!recording || uses.of(recordingId) > 0 || !isSettled(recording.snapshot())) continue;
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

/** Says in the log that the service stops, if it acts for the recording, then stops it. */
async function interrupt(recording: RecordingAggregate, log: Log): Promise<void> {
  if (recording.isActedFor()) await sayInterrupted(recording, log);
  await recording.stop();
}
