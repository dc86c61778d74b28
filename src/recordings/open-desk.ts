import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandMetadata } from '../../events/command-handler.ts';
import type { RecordingFactOf, Stage } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import { isSettled } from '../../machines/possible.ts';
import { isIn, stateName } from '../../machines/state-name.ts';
import { cancel, type DecideRecording } from '../../projections/recording/decide.ts';
import type { Log } from '../shared/log.ts';
import type { ActivityBoard } from './activity-board.ts';
import { type KeepingStep, type KeptAs, openAudioKeeping } from './audio-keeping.ts';
import { erasureCommands, openRemovals, type ErasureDeps } from './erasure.ts';
import type { Accepted, Decided, RecordingsDesk } from './desk.ts';
import { openImports } from './imports.ts';
import { openAggregate, soleOwner, type Ownership, type RecordingAggregate } from './aggregate.ts';
import { erasedState, recordingHandler, type LoggedRecordingFact } from './handle.ts';
import { openRecordings } from './open-recordings.ts';
import { speechFileName } from './recording-folder.ts';
import { promisedBases } from './promised-bases.ts';
import { type StageActivity, stageRunner } from './run-stage.ts';
import type { Turns } from './turns.ts';

export type DeskDeps = {
  store: EventStore;
  activities: Record<Stage, StageActivity>;
  turns: Turns;
  board: ActivityBoard;
  log: Log;
  /** Where the folders of recordings are. */
  recordingsDir: string;
  /** Where folders go that no fact speaks of: an upload that was never acknowledged. Nothing is deleted. */
  quarantineDir: string;
  /** The recording an import command led to before, from the log. */
  importedBy(command: string): Promise<Accepted | null>;
  /** How recordings are erased and documents deleted; without it only the facts are recorded. */
  removal?: Omit<ErasureDeps, 'store' | 'recordingsDir' | 'quarantineDir' | 'leaveAudio'> & {
    /** Resolves when every view has applied the log up to a position. */
    applied(position: number): Promise<void>;
  };
  /** Who acts for a recording; without it, this process does. */
  ownership?: Ownership;
  /** What is kept of the audio once there are documents; without it, or `removal`, all is. */
  keepAudio?: {
    keep(): KeptAs;
    /** Both for tests. */
    ffmpegRuns?: () => Promise<boolean>;
    before?(step: KeepingStep): void;
  };
};

export type OpenDesk = RecordingsDesk & {
  /** Takes up every recording that has work to do, from its last recorded result. */
  restart(unsettled: AsyncIterable<string> | Iterable<string>): Promise<number>;
  /** Base names of documents that recordings of this owner have been promised, on disk or not yet. */
  promisedBases(owner: string): AsyncIterable<string>;
  /**
   * Cancels what is done with a recording, or is to be; resolves when nothing works on it any more.
   * What there is of it stays. One that is being captured is left alone: that has to be stopped.
   */
  endWork(recordingId: string, circumstances: { by: string; command: string }): Promise<void>;
  /** Recordings that could not be taken up at the start, and why. */
  notTakenUp(): ReadonlyMap<string, string>;
  /** Finishes what a crash left undone of erasures, deletions and uploads. */
  finishRemovals(): Promise<void>;
  /** Runs `work` while no audio is replaced or removed by `keepAudio`. */
  whileFilesStay<T>(work: () => Promise<T>): Promise<T>;
  /** Stops all activities, says so in the log, and waits for what is under way. */
  close(): Promise<void>;
};

/** Opens the only writer of recordings' streams. */
export function openDesk(deps: DeskDeps): OpenDesk {
  const { store, board, log, recordingsDir } = deps;
  const runStage = stageRunner(deps);
  const removals = deps.removal
    ? openRemovals(
        { ...deps, ...deps.removal, leaveAudio: async (id) => await keeping?.leave(id) },
        log,
      )
    : null;
  const handler = recordingHandler({
    store,
    erasing: async (recordingId) => await removals?.intend(recordingId, 'erase'),
    saving: async (recordingId) => await keeping?.intend(recordingId),
  });
  const { ownership = soleOwner } = deps;
  const notTakenUp = new Map<string, string>();
  const recordings = openRecordings({
    log,
    onFailed(recordingId, error) {
      notTakenUp.set(recordingId, error instanceof Error ? error.message : String(error));
    },
    open: (recordingId, options) =>
      openAggregate(recordingId, { handler, ownership, runStage, log, moved }, options),
  });
  const keeping =
    deps.keepAudio && deps.removal
      ? openAudioKeeping({
          ...deps.keepAudio,
          store,
          log,
          recordingsDir,
          jobs: deps.removal.jobs,
          applied: deps.removal.applied,
          use: (recordingId, work) => recordings.use(recordingId, { create: false }, work),
        })
      : null;

  const erasing = erasureCommands({ recordings, removals, log });
  const { importAudio, removeUnacknowledged } = openImports({
    ...deps,
    begin: (recordingId, fact, { by, command }) =>
      recordings.use(recordingId, { create: true }, async (recording) =>
        acceptedFrom(recordingId, [await recording.append([fact], { by, command })]),
      ),
  });

  return {
    importAudio,
    async startRecording({ recordingId, by, command, title, ...data }) {
      const fact: RecordingFactOf<'recording.started'> = {
        type: 'recording.started',
        data,
        content: title === undefined ? {} : { title },
      };
      return await recordings.use(recordingId, { create: true }, async (recording) =>
        acceptedFrom(recordingId, [await recording.append([fact], { by, command })]),
      );
    },
    command: (recordingId, fact, metadata) => decide(recordingId, metadata, () => [fact]),
    decide,
    async read(recordingId) {
      const { recording, snapshot } = await handler.read(recordingId);
      return { state: stateName(snapshot.value), recording };
    },
    erase: erasing.erase,
    deleteDocuments: erasing.deleteDocuments,
    async endWork(recordingId, circumstances) {
      await recordings.use(recordingId, { create: false }, async (recording) => {
        await recording.decide(circumstances, cancel);
        await recording.quiet();
      });
    },
    notTakenUp: () => notTakenUp,
    async finishRemovals() {
      await removals?.finish(erasing.erase);
      const unacknowledged = await removeUnacknowledged();
      if (unacknowledged.length > 0)
        log.info({ unacknowledged }, 'removed uploads that no client was told of');
    },
    activity: (recordingId) => board.of(recordingId),
    onActivity: (listener) => board.onChange(listener),

    async restart(unsettled) {
      const taken = await recordings.takeUp(unsettled);
      await keeping?.takeNoted();
      return taken;
    },
    whileFilesStay: (work) => (keeping ? keeping.whileFilesStay(work) : work()),
    promisedBases: (owner) => promisedBases(store, recordings.all(), owner),
    async close() {
      await keeping?.close();
      await recordings.close();
      await removals?.settled();
    },
  };

  async function decide(
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

  function moved(recording: RecordingAggregate): void {
    const { recordingId } = recording;
    const snapshot = recording.snapshot();
    const state = stateName(snapshot.value);
    if (!isSettled(snapshot) || !isIn(state, 'idle')) {
      // Its audio may be asked for again.
      void keeping?.leave(recordingId);
      return;
    }
    if (isIn(state, 'idle.saved') && deps.keepAudio?.keep() !== 'wav') keeping?.take(recordingId);
    if (state === erasedState) {
      erasing.removeErased(recording);
      return;
    }
    // Derived from the kept audio and not needed any more.
    rm(join(recordingsDir, recordingId, speechFileName), { force: true }).catch((error: unknown) =>
      log.warn({ err: error, recordingId }, 'could not remove the derived speech file'),
    );
  }
}

function acceptedFrom(recordingId: string, facts: readonly LoggedRecordingFact[]): Decided {
  const { position, to } = facts.at(-1)!;
  return { recordingId, position, state: to ?? '', facts };
}
