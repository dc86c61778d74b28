import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ulid } from 'ulid';
import type { RecordingFactOf } from '../../events/facts/recording.ts';
import type { Taken } from '../../events/facts/retention.ts';
import { type Recording, readRecording } from '../../projections/recording/recording.ts';
import { compressFlac } from '../audio/flac.ts';
import { stageFileNames } from '../shared/data-directory.ts';
import { hashFile } from '../shared/files.ts';
import type { Ownership } from '../../events/ownership.ts';
import type { EventStore } from '../../events/store.ts';
import { isIn, stateName } from '../../machines/states.ts';
import { isAbort } from '../shared/abort.ts';
import { type FilesLock, filesLock } from './files-lock.ts';
import type { Log } from '../shared/log.ts';
import type { AudioFile, AudioStore } from '../storage/audio/audio-store.ts';
import type { Exclusively } from '../storage/blobs/blobs.ts';
import type { PendingJobs } from '../storage/pending-jobs.ts';
import { removalName } from './erasure.ts';
import { unlessLateAudio } from './late-audio-first.ts';
import { NotAccepted } from './refusals.ts';
import type { RecordingAggregate } from './control/aggregate.ts';

/** What is kept of the audio once there are documents: the setting `audio.keep`. */
export type KeptAs = 'wav' | 'flac' | 'none';

/** Compresses or removes the audio of recordings that have their documents, one at a time. */
export interface AudioKeeping {
  /** Notes durably that there is something to do, before the fact is stored that says there are documents. */
  intend(recordingId: string): Promise<void>;
  /** There are documents: the audio is dealt with when its turn comes. Does nothing while it waits for one. */
  take(recordingId: string): void;
  /**
   * Removes the audio of a recording, when its turn comes, because a period is over.
   * @returns whether it did: it may be decided that it stays, or another process be at it
   * @throws what went wrong
   */
  remove(recordingId: string, removal: AudioRemoval): Promise<boolean>;
  /** Leaves the recording alone; resolves when nothing of it is touched any more. */
  leave(recordingId: string): Promise<void>;
  /** Takes again what was noted and not done. */
  takeNoted(): Promise<void>;
  /** Runs `work` while no audio is replaced or removed: what copies files must find those of its facts. */
  whileFilesStay<T>(work: () => Promise<T>): Promise<T>;
  /** Stops what is under way; it is taken again at the next start. */
  close(): Promise<void>;
}

/** Why audio goes: what says so, decided on the newest state, and by which command. */
export type AudioRemoval = {
  command: string;
  /** Undefined: it stays. */
  decide(recording: Recording, state: string): Taken | undefined;
};

/** More than that waiting is left to the next start. */
const waitingMax = 10_000;

export type KeepingDeps = {
  store: EventStore;
  log: Log;
  files: AudioStore;
  jobs: PendingJobs;
  keep(): KeptAs;
  /** Resolves when every projection has applied the log up to a position. */
  applied(position: number): Promise<void>;
  use(recordingId: string, work: (recording: RecordingAggregate) => Promise<void>): Promise<void>;
  /** The same that removes files of recordings. */
  exclusively: Exclusively;
  /** Awaited before audio is removed because none is to be kept. An AbortError leaves it to the next start. */
  beforeRemoval(recordingId: string, signal: AbortSignal): Promise<void>;
  ffmpegRuns(): Promise<boolean>;
  /** Says who takes late audio: to what is removed nothing can be added. */
  ownership: Pick<Ownership, 'claim'>;
  /** Whether this process does that at all; otherwise another one does. */
  worksOnAudio: boolean;
};

type Keeping = KeepingDeps & {
  lock: FilesLock;
  /** Recordings that wait or are at work. */
  taken: Map<string, AbortController>;
  tail: Promise<void>;
  current: { recordingId: string; done: Promise<void> } | null;
  isClosed: boolean;
};

export function openAudioKeeping(deps: KeepingDeps): AudioKeeping {
  const { jobs } = deps;
  const keeping: Keeping = {
    ...deps,
    lock: filesLock(),
    taken: new Map(),
    tail: Promise.resolve(),
    current: null,
    isClosed: !deps.worksOnAudio,
  };
  const { taken, lock } = keeping;
  return {
    async intend(recordingId) {
      if (deps.keep() !== 'wav') await jobs.add(recordingId, 'keep-audio');
    },
    take: (recordingId) => take(keeping, recordingId),
    remove: (recordingId, removal) => removeInTurn(keeping, recordingId, removal),
    async leave(recordingId) {
      taken.get(recordingId)?.abort();
      taken.delete(recordingId);
      const { current } = keeping;
      if (current?.recordingId === recordingId) await current.done;
    },
    async takeNoted() {
      for (const { recordingId, job } of await jobs.list()) {
        if (job === 'keep-audio') take(keeping, recordingId);
      }
    },
    whileFilesStay: lock.whileFilesStay,
    async close() {
      keeping.isClosed = true;
      for (const stop of taken.values()) stop.abort();
      await keeping.tail;
    },
  };
}

function take(keeping: Keeping, recordingId: string): void {
  const { taken, log } = keeping;
  if (keeping.isClosed || taken.has(recordingId)) return;
  if (taken.size >= waitingMax) {
    log.warn(
      { recordingId },
      'too many recordings are waiting for their audio to be compressed or removed',
    );
    return;
  }
  const stop = new AbortController();
  taken.set(recordingId, stop);
  void inTurn(keeping, recordingId, stop, () => attempt(keeping, recordingId, stop.signal));
}

async function removeInTurn(
  keeping: Keeping,
  recordingId: string,
  removal: AudioRemoval,
): Promise<boolean> {
  const stop = new AbortController();
  let isRemoved = false;
  await inTurn(keeping, recordingId, stop, () =>
    keeping.use(recordingId, async (one) => {
      isRemoved = await removeNow(keeping, one, removal, stop.signal);
    }),
  );
  return isRemoved;
}

/** Behind what was taken before; not at all when it was left meanwhile. @throws what `work` throws */
async function inTurn(
  keeping: Keeping,
  recordingId: string,
  stop: AbortController,
  work: () => Promise<void>,
): Promise<void> {
  const { taken } = keeping;
  const mine = keeping.tail.then(async () => {
    if (keeping.isClosed || stop.signal.aborted) return;
    if (!taken.has(recordingId)) taken.set(recordingId, stop);
    const done = work();
    keeping.current = { recordingId, done: done.catch(() => undefined) };
    try {
      await done;
    } finally {
      keeping.current = null;
      if (taken.get(recordingId) === stop) taken.delete(recordingId);
    }
  });
  keeping.tail = mine.catch(() => undefined);
  await mine;
}

async function removeNow(
  keeping: Keeping,
  recording: RecordingAggregate,
  { command, decide }: AudioRemoval,
  signal: AbortSignal,
): Promise<boolean> {
  const { recordingId } = recording;
  const audio = await audioToKeep(keeping, recordingId);
  if (audio.file === null) return false;
  const { path } = audio.file;
  await keeping.beforeRemoval(recordingId, signal);
  // A crash behind the fact leaves the file to the next start.
  await keeping.jobs.add(recordingId, 'keep-audio');
  // Where more audio comes, or it is put together, it is noted for that, too.
  let isOver = false;
  const isRemoved = await withoutLateAudio(keeping, recordingId, signal, async () => {
    const facts = await recording.decide({ by: 'system', command }, (now, state) => {
      const retention = now.files.audio?.path === path && decide(now, state);
      return retention ? [{ type: 'audio.removed', data: { path, retention } }] : [];
    });
    const last = facts.at(-1);
    isOver = isIn(stateName(recording.snapshot().value), 'idle');
    if (!last) return false;
    await keeping.applied(last.position);
    replace(audio, null);
    await removeLeftovers(keeping, audio);
    return true;
  });
  if (isOver) await keeping.jobs.complete(recordingId, 'keep-audio');
  return isRemoved;
}

/** Removes audio alone, and while no more of it comes: that could be added to nothing. @returns whether it did; else it stays for now */
async function withoutLateAudio(
  keeping: Keeping,
  recordingId: string,
  signal: AbortSignal,
  remove: () => Promise<boolean>,
): Promise<boolean> {
  const removing = () => unlessLateAudio(recordingId, keeping, remove);
  return (await keeping.lock.movingFiles(removing, signal)) ?? false;
}

/** Never throws: what failed stays noted, and is tried again at the next start or the next documents. */
async function attempt(keeping: Keeping, recordingId: string, signal: AbortSignal): Promise<void> {
  const { log } = keeping;
  try {
    await keeping.use(recordingId, (recording) => dealWith(keeping, recording, signal));
  } catch (error) {
    if (signal.aborted || isAbort(error) || error instanceof NotAccepted) {
      log.debug({ recordingId }, 'audio left unchanged because the recording is still running');
    } else {
      log.error(
        { err: error, recordingId },
        'audio could not be compressed or removed; it is kept',
      );
    }
  }
}

async function dealWith(
  keeping: Keeping,
  recording: RecordingAggregate,
  signal: AbortSignal,
): Promise<void> {
  const { recordingId } = recording;
  const state = stateName(recording.snapshot().value);
  // One that is being processed comes here again with its documents.
  if (!isIn(state, 'idle')) return;
  const audio = await audioToKeep(keeping, recordingId);
  const isDone = !isIn(state, 'idle.saved') || (await follow(keeping, recording, audio, signal));
  await keeping.lock.movingFiles(() => removeLeftovers(keeping, audio), signal);
  // With its next documents it is noted again, and that stays noted.
  signal.throwIfAborted();
  if (isDone) await keeping.jobs.complete(recordingId, 'keep-audio');
}

/** Returns whether its audio is as it is to be kept; else that is tried again. */
async function follow(
  keeping: Keeping,
  recording: RecordingAggregate,
  audio: AudioToKeep,
  signal: AbortSignal,
): Promise<boolean> {
  const { lock, log } = keeping;
  const { recordingId } = audio;
  if (audio.file !== null && keeping.keep() === 'none')
    await keeping.beforeRemoval(recordingId, signal);
  const keep = keeping.keep();
  if (audio.file === null || keep === 'wav') return true;
  const { path } = audio.file;
  // The setting may be newer than the documents.
  await keeping.jobs.add(recordingId, 'keep-audio');
  if (keep === 'none') {
    return await withoutLateAudio(keeping, recordingId, signal, async () => {
      await record(keeping, recording, { type: 'audio.removed', data: { path } }, path);
      replace(audio, null);
      await removeLeftovers(keeping, audio);
      return true;
    });
  }
  // What a person uploaded is kept as it is.
  if (!audio.asCaptured) return true;
  if (!(await keeping.ffmpegRuns())) {
    log.warn({ recordingId }, 'audio.keep is flac, but ffmpeg is missing; keeping WAV');
    return true;
  }
  const made = await compressAside(keeping, recordingId, audio.file, signal);
  const putInPlace = async () => {
    await assertSaved(keeping, recording, path);
    const { temporary, ...data } = made;
    const kept = { path: temporary, sha256: data.sha256 };
    const keptAs = await keeping.files.keep(recordingId, compressedName, kept);
    const compressed = { ...data, path: keptAs };
    await record(keeping, recording, { type: 'audio.compressed', data: compressed }, path);
    replace(audio, compressed);
    await removeLeftovers(keeping, audio);
  };
  // In turn with what removes files of it, in any process.
  await lock.movingFiles(() => keeping.exclusively(removalName(recordingId), putInPlace), signal);
  return true;
}

/** @throws {NotAccepted} when another process has moved it on; of what is erased nothing is left here */
async function assertSaved(
  { files }: Keeping,
  recording: RecordingAggregate,
  path: string,
): Promise<void> {
  await recording.readOn();
  const { value, context } = recording.snapshot();
  const state = stateName(value);
  if (isIn(state, 'idle.saved') && context.files.audio?.path === path) return;
  if (isIn(state, 'idle.erased')) await files.leave(recording.recordingId);
  throw new NotAccepted('audio.compressed', state, []);
}

/**
 * On disk, and known to every reader, before the file it replaces goes.
 * @param replaced path of the audio that it was made of
 * @throws {NotAccepted} the audio is another by now, as when another process joined a part to it
 */
async function record(
  { applied }: Keeping,
  recording: RecordingAggregate,
  fact: RecordingFactOf<'audio.compressed'> | RecordingFactOf<'audio.removed'>,
  replaced: string,
): Promise<void> {
  const metadata = { by: 'system', command: `keep-audio-${ulid()}` };
  const facts = await recording.decide(metadata, ({ files }, state) => {
    if (files.audio?.path !== replaced) throw new NotAccepted(fact.type, state, []);
    return [fact];
  });
  await applied(facts.at(-1)!.position);
}

/** The audio file of one recording, as its facts say, and what may lie beside it. */
type AudioToKeep = {
  recordingId: string;
  /** Null when there is none, or it was removed. */
  file: AudioFile | null;
  /** Whether it is the WAV that a capture or a browser left. */
  asCaptured: boolean;
  /** Names that may be there although no fact wants them to be. */
  past: Set<string>;
};

const compressedName = 'audio.flac';
const temporaryName = `${compressedName}.tmp`;

async function audioToKeep({ store }: Keeping, recordingId: string): Promise<AudioToKeep> {
  const { audio, past } = (await readRecording(store, recordingId)).files;
  const names = new Set([temporaryName, compressedName, ...past]);
  return { recordingId, file: audio, asCaptured: audio?.isCaptured ?? false, past: names };
}

/** The fact that says so is stored: the file is another, or there is none. */
function replace(audio: AudioToKeep, file: AudioFile | null): void {
  if (audio.file !== null) audio.past.add(audio.file.path);
  Object.assign(audio, { file, asCaptured: false });
}

/** Removes, durably, what facts say is replaced or removed, what was derived of it, and what an unfinished compression left. */
async function removeLeftovers(
  { files }: Keeping,
  { recordingId, file, past }: AudioToKeep,
): Promise<void> {
  // Behind a repair of the log, what facts call replaced may be all that is there.
  if (file !== null) await (await files.open(recordingId, file)).close();
  const names = [...past].filter((name) => name !== file?.path);
  await files.remove(recordingId, names);
  await files.removeDerived(recordingId, stageFileNames);
}

/**
 * Makes the same samples into a FLAC file on this machine, compared and synced, under a temporary name.
 * @throws {Error} when the WAV is not the one that was recorded; what `compressFlac` throws
 */
async function compressAside(
  { files }: Keeping,
  recordingId: string,
  file: AudioFile,
  signal: AbortSignal,
): Promise<{ temporary: string; bytes: number; sha256: string; replaces: string }> {
  const temporary = join(await files.workFolder(recordingId), temporaryName);
  await files.read(recordingId, file, async (source) => {
    // A file that was damaged must not be made to look whole.
    if ((await hashFile(source, { like: file.sha256 }))?.sha256 !== file.sha256) {
      throw new Error(`the audio ${source} has changed since it was recorded`);
    }
    try {
      await compressFlac(source, temporary, signal);
    } catch (error) {
      // Half of one on a full disk would keep the room that is needed.
      await rm(temporary, { force: true });
      throw error;
    }
  });
  const made = (await hashFile(temporary))!;
  return { temporary, ...made, replaces: file.path };
}
