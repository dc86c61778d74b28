import {
  type ErasureCommands,
  type ErasureDeps,
  type Removals,
  erasureCommands,
  openRemovals,
} from './erasure.ts';
import type { LeavingVaults } from '../documents/leaving-vaults.ts';
import type { CommandMetadata } from '../../events/command-handler.ts';
import type { RecordingFact, Stage } from '../../events/facts/recording.ts';
import { factAt, type Recording } from '../../projections/recording/recording.ts';
import { stateName, isIn, isSettled } from '../../machines/states.ts';
import { type DecideRecording, cancel } from '../../projections/recording/decide.ts';
import type { HeardListener, StageNow, StageProgress } from './stages/stage-progress.ts';
import { type MadeOfOthers, madeOfOthers } from './made-of-others.ts';
import { orderingOf } from './ordering.ts';
import { type Start, startedWith } from './beginnings.ts';
import { type Accepted, openImports, type Upload } from './import-audio.ts';
import { type RecordingAggregate, type AggregateDeps, openAggregate } from './control/aggregate.ts';
import { type MaybeNamed, promisedBases } from './promised-bases.ts';
import type { LoggedRecordingFact } from '../../events/facts/catalogue.ts';
import {
  type ListOfRecordings,
  type RecordingIds,
  type TakeOver,
  type TakeOverDeps,
  openTakeOver,
} from './control/take-over.ts';
import { type OpenRecordings, openRecordings } from './control/open-recordings.ts';
import type { Log } from '../shared/log.ts';
import { type AudioKeeping, type KeepingDeps, openAudioKeeping } from './audio-retention.ts';
import type { Ownership } from '../../events/ownership.ts';
import { type RecordingHandler, erasedState, recordingHandler } from './handle.ts';
import { type FailedRetries, type RetryDeps, openFailedRetries } from './control/retry-failed.ts';
import { awaited, type leftForMs } from './control/left-recordings.ts';
import type { Personal } from '../../projections/personal.ts';
import { stageFileNames } from '../shared/data-directory.ts';
import { type AudioStore, isCaptured } from '../storage/audio/audio-store.ts';
import { type StageActivity, stageRunner } from './stages/run-stage.ts';
import type { JobQueue } from './stages/job-queue.ts';

/** Where people's commands on recordings go in. */
export interface RecordingService extends ErasureCommands {
  /** Takes an uploaded file into a new recording (the file is moved); durable when it returns. */
  importAudio(upload: Upload): Promise<Accepted>;
  /** Starts a recording from a device or a browser; its audio is captured from then on. */
  startRecording(start: Start): Promise<Accepted>;
  /**
   * Appends a fact.
   * @throws {NotAccepted} when its state does not allow it, {UnknownRecording} when there is none.
   */
  command(
    recordingId: string,
    fact: RecordingFact,
    metadata: { by: string; command: string },
  ): Promise<Accepted>;
  /**
   * Appends what is decided on what the newest facts say (`projections/recording/decide.ts`): all or
   * none. A command that was given before is answered with what it led to then.
   * @throws {CommandRefused}, and as `command`
   */
  decide(
    recordingId: string,
    metadata: { by: string; command: string },
    decision: DecideRecording,
  ): Promise<Decided>;
  /** What the log holds of a recording. @throws {UnknownRecording} */
  read(recordingId: string): Promise<{ state: string; recording: Recording }>;
  /** What is going on right now with recordings that have work to do: not facts, gone after a restart. */
  activity(recordingId: string): StageNow[];
  /** Calls back at every change of an activity's fraction or waiting; returns how to stop. */
  onActivity(listener: (recordingId: string, activity: StageNow) => void): () => void;
  /** Calls back with what may have been said, while an engine that streams recognises it; returns how to stop. */
  onHeard(listener: HeardListener): () => void;
}

/** With what the command led to; where it was given before, without content. */
export type Decided = Accepted & { facts: readonly LoggedRecordingFact[] };

export type OpenRecordingService = RecordingService &
  MadeOfOthers & {
    /**
     * Takes up the recordings of a list that have something to do and that no other process acts for, from their last
     * recorded results. Returns how many this process acts for. @throws what the list throws
     */
    takeUp(unsettled: RecordingIds): Promise<number>;
    /**
     * Acts for a recording from now on, beyond all slots, unless another process does or it has settled. Returns whether
     * this one does. @throws what the log says
     */
    takeOver(recordingId: string): Promise<boolean>;
    /** Goes on taking up what others append or leave, where the log is shared. */
    keepTakingOver(unsettled: ListOfRecordings): void;
    /** Waits for the engines of recordings that ended in an error, and tries them again. */
    awaitEngines(failed: AsyncIterable<string> | Iterable<string>): Promise<void>;
    /** These have been moved on by another process: nothing is waited for any more. */
    leaveEngines(recordingIds: Iterable<string>): void;
    /**
     * Base names of documents that recordings of this owner have been promised, on disk or not yet.
     * @param others besides those that are open
     */
    promisedBases(owner: string, others: AsyncIterable<MaybeNamed>): AsyncIterable<string>;
    /**
     * Cancels what is done with a recording, or is to be; resolves when nothing works on it any more.
     * What there is of it stays. One that is being captured is left alone: that has to be stopped.
     */
    endWork(recordingId: string, metadata: { by: string; command: string }): Promise<void>;
    /** For how many recordings this process acts, of those it may act for at once; what it captures is not counted. */
    slotsUsed(): number;
    /** As `TakeOver.rest`. */
    rest(recordingId: string): () => void;
    /** Recordings that could not be taken up at the start, and why. */
    notTakenUp(): ReadonlyMap<string, string>;
    /** Finishes what a crash left undone of erasures, deletions and uploads. @param left folders that a process which is gone left */
    finishRemovals(left: readonly string[]): Promise<void>;
    /** Erases again what came back from a backup. For one process of all, when the rows have caught up. @throws as `Removals` */
    eraseAgain(): Promise<void>;
    /** Finishes what other processes left undone: erasures, deletions, uploads, and audio that is to be compressed. */
    finishPending(): Promise<void>;
    /** As `AudioKeeping.remove`. */
    removeAudio: AudioKeeping['remove'];
    /** Runs `work` while no audio is replaced or removed by `keepAudio`. */
    whileFilesStay<T>(work: () => Promise<T>): Promise<T>;
    /** Stops all activities, says so in the log, and waits for what is under way. */
    close(): Promise<void>;
  };

/** Opens what takes commands on recordings, and acts for those that this process holds. */
export function openRecordingService(deps: RecordingServiceDeps): OpenRecordingService {
  const parts = servicePartsOf(deps);
  const { handler, recordings, removals, keeping, erasing, takeOver, failedRetries } = parts;
  const { store, progress, log } = deps;
  const { importAudio, removeUnacknowledged } = openImports({
    ...deps,
    begin: (recordingId, facts, metadata) => begin(recordings, recordingId, facts, metadata),
    async importedAs(recordingId) {
      const { recording } = await handler.read(recordingId);
      return factAt(recording, 1, 'audio.imported')?.data ?? null;
    },
  });
  return {
    importAudio,
    ...leftUndone({ ...parts, ...deps.copies }, removeUnacknowledged, log),
    // Its device or its browser is here.
    async startRecording(start) {
      const facts = startedWith(start, await orderingOf(deps.order, start.owner));
      return await begin(recordings, start.recordingId, facts, start, { act: true });
    },
    command: (recordingId, fact, metadata) =>
      decide(recordings, recordingId, metadata, () => [fact]),
    decide: (...command) => decide(recordings, ...command),
    async read(recordingId) {
      const { recording, snapshot } = await handler.read(recordingId);
      return { state: stateName(snapshot.value), recording };
    },
    erase: erasing.erase,
    removeAudio: keeping.remove,
    deleteDocuments: erasing.deleteDocuments,
    async endWork(recordingId, metadata) {
      await recordings.use(recordingId, { create: false }, async (recording) => {
        await recording.decide(metadata, cancel);
        await recording.quiet();
      });
    },
    slotsUsed: takeOver.slotsUsed,
    rest: takeOver.rest,
    notTakenUp: () => takeOver.failures,
    activity: (recordingId) => progress.of(recordingId),
    onActivity: (listener) => progress.onChange(listener),
    onHeard: (listener) => progress.onHeard(listener),
    async takeUp(unsettled) {
      const taken = await takeOver.look(unsettled);
      await keeping.takeNoted();
      return taken;
    },
    takeOver: recordings.takeOver,
    keepTakingOver: (unsettled) => takeOver.follow(unsettled),
    async awaitEngines(failed) {
      for await (const recordingId of failed) failedRetries.take(recordingId);
    },
    leaveEngines(recordingIds) {
      for (const recordingId of recordingIds) failedRetries.leave(recordingId);
    },
    whileFilesStay: keeping.whileFilesStay,
    ...madeOfOthers(parts, { ...deps, decide: (...command) => decide(recordings, ...command) }),
    promisedBases: (owner, others) => promisedBases(store, recordings, owner, others),
    async close() {
      await failedRetries.close();
      await keeping.close();
      await takeOver.close();
      await recordings.close();
      await removals.settled();
    },
  };
}

function leftUndone(
  { removals, erasing, keeping, removeNoted }: ServiceParts & Pick<LeavingVaults, 'removeNoted'>,
  removeUnacknowledged: (left: readonly string[]) => Promise<string[]>,
  log: Pick<RecordingServiceDeps['log'], 'info'>,
): Pick<OpenRecordingService, 'finishRemovals' | 'finishPending' | 'eraseAgain'> {
  const finishRemovals = async (left: readonly string[]): Promise<void> => {
    await removals.finishPending();
    const unacknowledged = await removeUnacknowledged(left);
    if (unacknowledged.length > 0) log.info({ unacknowledged }, 'unacknowledged uploads removed');
  };
  return {
    finishRemovals,
    eraseAgain: () => removals.eraseAgain(erasing.erase),
    async finishPending() {
      await finishRemovals([]);
      await removeNoted();
      await keeping.takeNoted();
    },
  };
}

/** Appends the first facts of a recording. */
const begin = (
  recordings: OpenRecordings,
  recordingId: string,
  facts: readonly RecordingFact[],
  { by, command }: CommandMetadata,
  { act = false } = {},
): Promise<Decided> =>
  recordings.use(recordingId, { create: true, act }, async (recording) =>
    acceptedFrom(recordingId, [await recording.append(facts, { by, command })]),
  );

async function decide(
  recordings: OpenRecordings,
  recordingId: string,
  metadata: CommandMetadata,
  decision: DecideRecording,
): Promise<Decided> {
  return await recordings.use(recordingId, { create: false }, async (aggregate) => {
    const facts = await aggregate.decide(metadata, decision);
    return facts.length > 0
      ? acceptedFrom(recordingId, facts)
      : { recordingId, position: 0, state: stateName(aggregate.snapshot().value), facts };
  });
}

function acceptedFrom(recordingId: string, facts: readonly LoggedRecordingFact[]): Decided {
  const { position, to } = facts.at(-1)!;
  return { recordingId, position, state: to ?? '', facts };
}

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
    /** What owners have set in order. */
    order: { of(owner: string): Promise<Personal> };
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
type ServiceParts = {
  handler: RecordingHandler;
  recordings: OpenRecordings;
  erasing: ReturnType<typeof erasureCommands>;
  removals: Removals;
  keeping: AudioKeeping;
  failedRetries: FailedRetries;
  takeOver: TakeOver;
};

function servicePartsOf(deps: RecordingServiceDeps): ServiceParts {
  const { store, log, ownership, limits, worksOnAudio } = deps;
  const leaveAudio = async (id: string) => {
    await Promise.all([parts.keeping.leave(id), deps.leaveAudio(id)]);
  };
  const removals = openRemovals({ ...deps, leaveAudio }, log);
  const handler = recordingHandler({
    store,
    erasing: removals.intendErasure,
    saving: (recordingId) => parts.keeping.intend(recordingId),
    isCaptured: (recordingId) => isCaptured(recordingId, deps.files),
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
  // What other audio replaced goes now, whatever is kept of it.
  const hasPast = snapshot.context.files.past.length > 0;
  if (isIn(state, 'idle.saved') && (keep() !== 'wav' || hasPast)) keeping.take(recordingId);
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
