import type { Stage } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import { isIn, isSettled, stateName } from '../../machines/states.ts';
import type { Log } from '../shared/log.ts';
import type { StageProgress } from './stages/stage-progress.ts';
import {
  type AudioKeeping,
  type KeepingStep,
  type KeptAs,
  openAudioKeeping,
} from './audio-retention.ts';
import { type ErasureDeps, type Removals, erasureCommands, openRemovals } from './erasure.ts';
import type { Ownership } from '../../events/ownership.ts';
import { type RecordingAggregate, openAggregate } from './control/aggregate.ts';
import { type RecordingHandler, erasedState, recordingHandler } from './handle.ts';
import { type OpenRecordings, openRecordings } from './control/open-recordings.ts';
import { type EngineProbe, type FailedRetries, openFailedRetries } from './control/retry-failed.ts';
import { awaited, leftForMs } from './control/left-recordings.ts';
import type { RecordingSnapshot } from '../../machines/recording.ts';
import type { Clock } from '../shared/retry.ts';
import { stageFileNames } from '../shared/data-directory.ts';
import type { AudioStore } from '../storage/audio/audio-store.ts';
import { type StageActivity, stageRunner } from './stages/run-stage.ts';
import type { JobQueue } from './stages/job-queue.ts';
import { type TakeOver, type TakeOverDeps, openTakeOver } from './control/take-over.ts';
import type { Accepted } from './import-audio.ts';

export type RecordingServiceDeps = {
  store: EventStore;
  activities: Record<Stage, StageActivity>;
  jobQueue: JobQueue;
  progress: StageProgress;
  log: Log;
  files: AudioStore;
  /** Where folders go that no fact speaks of: an upload that was never acknowledged. Nothing is deleted. */
  quarantineDir: string;
  /** The recording an import command led to before, from the log. */
  importedBy(command: string): Promise<Accepted | null>;
  /** How recordings are erased and documents deleted; without it only the facts are recorded. */
  removal?: Omit<ErasureDeps, 'store' | 'files' | 'quarantineDir' | 'leaveAudio'> & {
    /** Resolves when every projection has applied the log up to a position. */
    applied(position: number): Promise<void>;
  };
  /** Looks at the engine of a stage; null where none can be asked. Without it nothing is tried again by itself. */
  probeEngine?: (stage: Stage, signal: AbortSignal) => Promise<EngineProbe | null>;
  /** Whether it is this process that tries again; elsewhere one of many does. Default: yes. */
  retriesHere?: (() => boolean) | undefined;
  /** Awaited before a recording is erased: resolves when nothing but its stages reads its audio. */
  leaveAudio?(recordingId: string): Promise<void>;
  /** For tests. */
  clock?: Clock;
  /** Who acts for a recording. */
  ownership: Ownership;
  /** For how many recordings this process acts at once, how it divides that among owners, and how often it looks. */
  takeOver?: Pick<TakeOverDeps, 'slots' | 'standingOf' | 'pollMs' | 'candidatesMax'> & {
    /** How long what is captured is left to its browser. */
    limits?: typeof leftForMs;
  };
  /** Whether it works on what is captured when that is over; otherwise another process does. Default: yes. */
  worksOnAudio?: boolean | undefined;
  /** What is kept of the audio once there are documents; without it, or `removal`, all is. */
  keepAudio?: {
    keep(): KeptAs;
    /** Awaited before audio is removed because none is to be kept: what is still to be learnt from it. */
    beforeRemoval?(recordingId: string, signal: AbortSignal): Promise<void>;
    /** Both for tests. */
    ffmpegRuns?: () => Promise<boolean>;
    before?(step: KeepingStep): void;
  };
};

/** What a service of recordings is made of. */
export type ServiceParts = {
  handler: RecordingHandler;
  recordings: OpenRecordings;
  erasing: ReturnType<typeof erasureCommands>;
  /** Null where only the facts of removals are recorded. */
  removals: Removals | null;
  /** Null where all audio is kept. */
  keeping: AudioKeeping | null;
  /** Null where nothing is tried again by itself. */
  failedRetries: FailedRetries | null;
  takeOver: TakeOver;
};

export function servicePartsOf(deps: RecordingServiceDeps): ServiceParts {
  const { store, log, removal, ownership } = deps;
  const leaveAudio = async (id: string) => {
    await Promise.all([parts.keeping?.leave(id), deps.leaveAudio?.(id)]);
  };
  const removals = removal ? openRemovals({ ...deps, ...removal, leaveAudio }, log) : null;
  const handler = recordingHandler({
    store,
    erasing: async (recordingId) => await removals?.intendErasure(recordingId),
    saving: async (recordingId) => await parts.keeping?.intend(recordingId),
  });
  const runStage = stageRunner(deps);
  const aggregate = {
    handler,
    runStage,
    actsIn:
      deps.worksOnAudio === false
        ? (snapshot: RecordingSnapshot) => snapshot.matches('recording')
        : undefined,
    log,
    moved: (recording: RecordingAggregate) => afterMove(recording, parts, deps),
    waits: (recording: RecordingAggregate) => parts.takeOver.waits(recording),
    left: (recording: RecordingAggregate) => parts.takeOver.left(recording),
  };
  const recordings = openRecordings({
    log,
    ownership,
    open: (recordingId, options) => openAggregate(recordingId, aggregate, options),
  });
  const limits = deps.takeOver?.limits ?? leftForMs;
  const isLeft = (ids: readonly string[]) => awaited({ ownership, store, limits }, ids);
  const parts: ServiceParts = {
    handler,
    recordings,
    removals,
    erasing: erasureCommands({ recordings, removals, log }),
    keeping: keepingOf(deps, recordings),
    failedRetries: failedRetriesOf(deps, recordings),
    takeOver: openTakeOver({ ...deps.takeOver, store, recordings, log, awaited: isLeft }),
  };
  return parts;
}

const keepingOf = (
  { keepAudio, removal, store, log, files, worksOnAudio = true, ownership }: RecordingServiceDeps,
  recordings: OpenRecordings,
): AudioKeeping | null =>
  keepAudio && removal && worksOnAudio
    ? openAudioKeeping({
        ...keepAudio,
        store,
        log,
        files,
        jobs: removal.jobs,
        exclusively: removal.exclusively,
        applied: removal.applied,
        // Several processes may hear that it is saved: one deals with its audio.
        use: async (recordingId, work) => {
          const held = await ownership.claim(`audio:${recordingId}`, new AbortController().signal);
          if (!held) return;
          try {
            await recordings.use(recordingId, { create: false }, work);
          } finally {
            await held.release();
          }
        },
      })
    : null;

const failedRetriesOf = (
  { probeEngine, ...deps }: RecordingServiceDeps,
  recordings: OpenRecordings,
): FailedRetries | null =>
  probeEngine && deps.worksOnAudio !== false
    ? openFailedRetries({
        ...deps,
        probeEngine,
        isHere: deps.retriesHere ?? (() => true),
        append: (recordingId, fact, metadata) =>
          recordings.use(recordingId, { create: false }, (one) => one.append([fact], metadata)),
      })
    : null;

/** Deals with the files of a recording that has reached another state, and with what it waits for. */
function afterMove(
  recording: RecordingAggregate,
  { keeping, erasing, failedRetries }: ServiceParts,
  { keepAudio, files, log }: RecordingServiceDeps,
): void {
  const { recordingId } = recording;
  const snapshot = recording.snapshot();
  const state = stateName(snapshot.value);
  if (isIn(state, 'error')) failedRetries?.take(recordingId, () => recording.quiet());
  else failedRetries?.leave(recordingId);
  if (!isSettled(snapshot) || !isIn(state, 'idle')) {
    // Its audio may be asked for again.
    void keeping?.leave(recordingId);
    return;
  }
  if (isIn(state, 'idle.saved') && keepAudio?.keep() !== 'wav') keeping?.take(recordingId);
  if (state === erasedState) {
    erasing.removeErased(recording);
    return;
  }
  // Derived from the kept audio and not needed any more.
  files
    .removeDerived(recordingId, stageFileNames)
    .catch((error: unknown) =>
      log.warn({ err: error, recordingId }, 'could not remove the derived speech file'),
    );
}
