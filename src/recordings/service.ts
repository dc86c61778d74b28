import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandMetadata } from '../../events/command-handler.ts';
import type { RecordingFact, RecordingFactOf, Stage } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import { isIn, isSettled, stateName } from '../../machines/states.ts';
import { type DecideRecording, cancel } from '../../projections/recording/decide.ts';
import type { Log } from '../shared/log.ts';
import type { StageProgress } from './stages/stage-progress.ts';
import { type KeepingStep, type KeptAs, openAudioKeeping } from './audio-retention.ts';
import { type ErasureDeps, erasureCommands, openRemovals } from './erasure.ts';
import { openImports, type Upload } from './import-audio.ts';
import { type Ownership, type RecordingAggregate, openAggregate, soleOwner } from './aggregate.ts';
import { type LoggedRecordingFact, erasedState, recordingHandler } from './handle.ts';
import { openRecordings } from './open-recordings.ts';
import { speechFileName } from '../shared/data-directory.ts';
import { promisedBases } from './promised-bases.ts';
import { type StageActivity, stageRunner } from './stages/run-stage.ts';
import type { JobQueue } from './stages/job-queue.ts';
import type { DocumentName } from '../documents/documents.ts';
import type { Recording } from '../../projections/recording/recording.ts';

/** Where people's commands on recordings go in. The only writer of recordings' streams. */
export interface RecordingService {
  /** Takes an uploaded file into a new recording (the file is moved); durable when it returns. */
  importAudio(upload: Upload): Promise<Accepted>;
  /** Starts a recording from a device or a browser; its audio is captured from then on. */
  startRecording(start: Start): Promise<Accepted>;
  /**
   * Offers a fact at the recording's door.
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
  /**
   * Ends whatever is done with the recording and removes all of it, for good. Resolves when nothing of
   * it can be read any more; what a crash leaves undone is done at the next start.
   * @throws {NotAccepted}, {UnknownRecording}
   */
  erase(recordingId: string, metadata: { by: string; command: string }): Promise<Erased>;
  /** Deletes documents; all three with the index. The recording stays. @throws as `command` */
  deleteDocuments(
    recordingId: string,
    documents: readonly DocumentName[],
    metadata: { by: string; command: string },
  ): Promise<Accepted>;
  /** What is going on right now with recordings that have work to do: not facts, gone after a restart. */
  activity(recordingId: string): StageNow[];
  /** Calls back at every change of an activity's fraction or waiting; returns how to stop. */
  onActivity(listener: (recordingId: string, activity: StageNow) => void): () => void;
}

export type Start = {
  /** A ULID the caller has made up: what it holds for the recording can be named before it starts. */
  recordingId: string;
  owner: string;
  by: string;
  command: string;
  kind: 'solo' | 'meeting';
  language: string | null;
  speakers: number | null;
  title?: string | undefined;
  /** Name of the host's input device; null for a browser's microphone. */
  device: string | null;
  /** What started it: `api`, `hotkey`, `tray`, `browser`. */
  trigger: string;
};

export type Accepted = {
  recordingId: string;
  /** Position of the last fact in the log; 0 when nothing changed. */
  position: number;
  /** Canonical name of the state it led to. */
  state: string;
};
/** With what the command led to; where it was given before, without content. */
export type Decided = Accepted & { facts: readonly LoggedRecordingFact[] };

/** `left`: paths below the vault of copies that a person changed there; they stay. */
export type Erased = Accepted & { left: string[] };

export type StageNow = {
  stage: Stage;
  attempt: number;
  /** 0 to 1; null while nobody can tell. */
  fraction: number | null;
  /** What it waits for: a turn at an engine, a server that is away, … */
  waiting: { for: string; ahead: number; since: string } | null;
};

export type RecordingServiceDeps = {
  store: EventStore;
  activities: Record<Stage, StageActivity>;
  jobQueue: JobQueue;
  progress: StageProgress;
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

export type OpenRecordingService = RecordingService & {
  /** Takes up every recording that has work to do, from its last recorded result. */
  restart(unsettled: AsyncIterable<string> | Iterable<string>): Promise<number>;
  /** Base names of documents that recordings of this owner have been promised, on disk or not yet. */
  promisedBases(owner: string): AsyncIterable<string>;
  /**
   * Cancels what is done with a recording, or is to be; resolves when nothing works on it any more.
   * What there is of it stays. One that is being captured is left alone: that has to be stopped.
   */
  endWork(recordingId: string, metadata: { by: string; command: string }): Promise<void>;
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
export function openRecordingService(deps: RecordingServiceDeps): OpenRecordingService {
  const { store, progress, log, recordingsDir } = deps;
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
    async endWork(recordingId, metadata) {
      await recordings.use(recordingId, { create: false }, async (recording) => {
        await recording.decide(metadata, cancel);
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
    activity: (recordingId) => progress.of(recordingId),
    onActivity: (listener) => progress.onChange(listener),

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
