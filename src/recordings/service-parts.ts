import type { Stage } from '../../events/facts/recording.ts';
import { isIn, isSettled, stateName } from '../../machines/states.ts';
import type { Log } from '../shared/log.ts';
import type { StageProgress } from './stages/stage-progress.ts';
import { type AudioKeeping, type KeepingDeps, openAudioKeeping } from './audio-retention.ts';
import { type ErasureDeps, type Removals, erasureCommands, openRemovals } from './erasure.ts';
import type { Ownership } from '../../events/ownership.ts';
import { type AggregateDeps, type RecordingAggregate, openAggregate } from './control/aggregate.ts';
import { type RecordingHandler, erasedState, recordingHandler } from './handle.ts';
import { type OpenRecordings, openRecordings } from './control/open-recordings.ts';
import { type FailedRetries, type RetryDeps, openFailedRetries } from './control/retry-failed.ts';
import { awaited, type leftForMs } from './control/left-recordings.ts';
import { stageFileNames } from '../shared/data-directory.ts';
import type { AudioStore } from '../storage/audio/audio-store.ts';
import { type StageActivity, stageRunner } from './stages/run-stage.ts';
import type { JobQueue } from './stages/job-queue.ts';
import { type TakeOver, type TakeOverDeps, openTakeOver } from './control/take-over.ts';
import type { Accepted } from './import-audio.ts';

export type RecordingServiceDeps = Omit<ErasureDeps, 'files' | 'standingOf' | 'leaveAudio'> &
  Pick<TakeOverDeps, 'slots' | 'standingOf' | 'pollMs' | 'candidatesMax'> &
  Pick<KeepingDeps, 'keep' | 'applied' | 'beforeRemoval' | 'ffmpegRuns' | 'worksOnAudio'> &
  Pick<RetryDeps, 'probeEngine' | 'clock'> & {
    activities: Record<Stage, StageActivity>;
    jobQueue: JobQueue;
    progress: StageProgress;
    log: Log;
    files: AudioStore;
    /** The recording an import command led to before, from the log. */
    importedBy(command: string): Promise<Accepted | null>;
    /** Whether it is this process that tries again what failed; elsewhere one of many does. */
    retriesHere(): boolean;
    /** Awaited before a recording is erased: resolves when nothing but its stages reads its audio. */
    leaveAudio(recordingId: string): Promise<void>;
    /** Who acts for a recording. */
    ownership: Ownership;
    /** How long what is captured is left to its browser. */
    limits: typeof leftForMs;
  };

/** What a service of recordings is made of. */
export type ServiceParts = {
  handler: RecordingHandler;
  recordings: OpenRecordings;
  erasing: ReturnType<typeof erasureCommands>;
  removals: Removals;
  keeping: AudioKeeping;
  failedRetries: FailedRetries;
  takeOver: TakeOver;
};

export function servicePartsOf(deps: RecordingServiceDeps): ServiceParts {
  const { store, log, ownership, limits, worksOnAudio } = deps;
  const leaveAudio = async (id: string) => {
    await Promise.all([parts.keeping.leave(id), deps.leaveAudio(id)]);
  };
  const removals = openRemovals({ ...deps, leaveAudio }, log);
  const handler = recordingHandler({
    store,
    erasing: removals.intendErasure,
    saving: (recordingId) => parts.keeping.intend(recordingId),
  });
  const aggregate: AggregateDeps = {
    handler,
    runStage: stageRunner(deps),
    // Another process works on what is captured here when that is over.
    actsIn: (snapshot) => worksOnAudio || snapshot.matches('recording'),
    log,
    moved: (recording) => afterMove(recording, parts, deps),
    waits: (recording) => parts.takeOver.waits(recording),
    left: (recording) => parts.takeOver.left(recording),
  };
  const recordings = openRecordings({
    log,
    ownership,
    open: (recordingId, options) => openAggregate(recordingId, aggregate, options),
  });
  const parts: ServiceParts = {
    handler,
    recordings,
    removals,
    erasing: erasureCommands({ recordings, removals, log }),
    keeping: keepingOf(deps, recordings),
    failedRetries: openFailedRetries({
      ...deps,
      isHere: deps.retriesHere,
      append: (recordingId, fact, metadata) =>
        recordings.use(recordingId, { create: false }, (one) => one.append([fact], metadata)),
    }),
    takeOver: openTakeOver({
      ...deps,
      recordings,
      awaited: (ids) => awaited({ ownership, store, limits }, ids),
    }),
  };
  return parts;
}

const keepingOf = (deps: RecordingServiceDeps, recordings: OpenRecordings): AudioKeeping =>
  openAudioKeeping({
    ...deps,
    // Several processes may hear that it is saved: one deals with its audio.
    use: async (recordingId, work) => {
      const held = await deps.ownership.claim(`audio:${recordingId}`, new AbortController().signal);
      if (!held) return;
      try {
        await recordings.use(recordingId, { create: false }, work);
      } finally {
        await held.release();
      }
    },
  });

/** Deals with the files of a recording that has reached another state, and with what it waits for. */
function afterMove(
  recording: RecordingAggregate,
  { keeping, erasing, failedRetries }: ServiceParts,
  { keep, files, log }: RecordingServiceDeps,
): void {
  const { recordingId } = recording;
  const snapshot = recording.snapshot();
  const state = stateName(snapshot.value);
  if (isIn(state, 'error')) failedRetries.take(recordingId, () => recording.quiet());
  else failedRetries.leave(recordingId);
  if (!isSettled(snapshot) || !isIn(state, 'idle')) {
    // Its audio may be asked for again.
    void keeping.leave(recordingId);
    return;
  }
  if (isIn(state, 'idle.saved') && keep() !== 'wav') keeping.take(recordingId);
  if (state === erasedState) {
    erasing.removeErased(recording);
    return;
  }
  // Derived from the kept audio and not needed any more.
  files
    .removeDerived(recordingId, stageFileNames)
    .catch((error: unknown) =>
      log.warn({ err: error, recordingId }, 'working copy of the audio could not be removed'),
    );
}
