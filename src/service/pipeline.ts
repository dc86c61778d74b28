import type { KeyStore } from '../../events/key-store.ts';
import type { EventLog } from '../../events/event-log.ts';
import type { Stage } from '../../events/facts/recording.ts';
import { commands, importedBy } from '../../projections/commands.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import { standingOfRecordings } from '../../projections/recordings.ts';
import { removeTexts } from '../../projections/texts.ts';
import { type Space, openSpaceIn } from '../documents/space.ts';
import { removeFromVault } from '../documents/vault.ts';
import { openStageProgress } from '../recordings/stages/stage-progress.ts';
import type { BrowserLimits } from '../capture/browser/browser-writer.ts';
import type { LateBrowserAudio } from '../capture/browser/late-audio.ts';
import type { Captures } from '../capture/captures.ts';
import { audioAtOneNode } from '../recordings/control/at-one-node.ts';
import { leftForMs } from '../recordings/control/left-recordings.ts';
import { openKnownVoices } from '../recordings/known-voices.ts';
import { type VoiceCatchUp, openVoiceCatchUp } from '../recordings/voice-catch-up.ts';
import { type OpenRecordingService, openRecordingService } from '../recordings/service.ts';
import type { StageActivity } from '../recordings/stages/run-stage.ts';
import { openAskedAhead } from '../recordings/stages/asked-ahead.ts';
import { type JobQueue, openJobQueue } from '../recordings/stages/job-queue.ts';
import type { Settings } from '../config/environment.ts';
import { hasFfmpeg } from '../audio/ffmpeg.ts';
import { systemClock } from '../shared/retry.ts';
import { exclusivelyBy } from '../storage/blobs/exclusively.ts';
import type { Lease } from '../shared/shared-resource.ts';
import type { SpeechEngine } from '../speech/engine.ts';
import {
  type EngineOptions,
  languageActivities,
  engineProbe,
  sharedEngine,
  sharedLanguageModel,
  speechActivities,
  writingActivity,
} from './engines.ts';
import { capturesOver, lateAudioOver, tellOfLeftRecordings } from './browser-parts.ts';
import type { Admit } from '../capture/browser/intake.ts';
import { type OpenedLog, openEventLog } from './event-log.ts';
import { takeUp, tidyUp } from './take-up.ts';
import { openUpkeep } from './upkeep.ts';

/** Between two looks for what others left undone, in milliseconds. */
const upkeepEveryMs = 60_000;
/** How long an erasure waits for the projections; beyond it, it is finished at the next start. */
const erasureViewsMs = 60_000;

/** Log, projections, service and activities: all that turns audio into documents, without a network. */
export type Pipeline = Pick<OpenedLog, 'standing'> & {
  store: EventLog;
  keys: KeyStore;
  kept: OpenedLog['kept'];
  audio: OpenedLog['audio'];
  blobs: OpenedLog['blobs'];
  unfinished: OpenedLog['unfinished'];
  /** Where documents of an owner are. */
  spaceOf(owner: string): Promise<Space>;
  storage: ProjectionStorage;
  rows: Pick<OpenedLog['rows'], 'withRoom' | 'full'>;
  projections: ProjectionRunner;
  recordingService: OpenRecordingService;
  captures: Captures;
  /** What browsers send of recordings that have ended. */
  lateAudio: LateBrowserAudio;
  /** Measures voices of profiles again; begins with `tidyUp`. */
  voices: VoiceCatchUp;
  settings(): Settings;
  hasLanguageModel(): boolean;
  /** The speech engine that recordings use, for a trial. @throws {StageError} when there is none */
  leaseSpeech(): Promise<Lease<SpeechEngine>>;
  /**
   * Takes up what the last process left unfinished, captures that still run first. Commands may come
   * meanwhile. Returns how many recordings that were. @throws what the log says
   */
  takeUp(): Promise<number>;
  /** Has what other processes leave undone done from now on, by one of them. @param also done each time it is this one */
  keepUp(also: () => Promise<void>): void;
  /** Finishes erasures and puts folders aside that no fact speaks of; after `takeUp`, waits for all projections. */
  tidyUp(): Promise<void>;
  close(): Promise<void>;
};

type PipelineOptions = EngineOptions & {
  /** Where documents of an owner go, when not into their space below the data directory. */
  spaceOf?: (owner: string) => Promise<Space>;
  /** Folder of a user's own vault; null, and without it: there is none. */
  vaultOf?: (userId: string) => string | null;
  /** Before the key of an erased recording is destroyed: see `ErasureDeps`. */
  keepUser?: (recordingId: string) => Promise<void>;
  /** Whether this process is the one that records: it then looks after captures and their sources. */
  recordsDevices?: boolean;
  /** What lets in browsers' audio while it comes; absent: whatever there is room for. */
  admit?: Admit | undefined;
  /** Both for tests, the second in the place of the service's own. */
  browserLimits?: Partial<BrowserLimits> | undefined;
  activities?: Partial<Record<Stage, StageActivity>> | undefined;
};

/**
 * Opens everything over one data directory.
 * @throws {EventStoreError} as `openEventLog`
 */
export const openPipeline = async (options: PipelineOptions): Promise<Pipeline> =>
  pipelineOver(await openEventLog(options.data, options.log), options);

/** Everything over an opened log, which it closes. Starts to bring the projections up to the log. */
export function pipelineOver(opened: OpenedLog, options: PipelineOptions): Pipeline {
  const { data, settings, log } = options;
  const recordsDevices = options.recordsDevices === true && opened.standing.recordsDevices;
  const { store, keys, kept, audio, rows } = opened;
  const projections = opened.keepRows();
  const [engines, models] = [sharedEngine(options), sharedLanguageModel(options)];
  const captures = capturesOver(opened, options, (id) => recordingService.takeOver(id));
  /** Until then not all recordings are open that were promised a name. */
  let takenUp: Promise<unknown> = Promise.resolve();
  let tidiedUp: Promise<void> = Promise.resolve();
  const jobQueue = openJobQueue();
  const recordingService: OpenRecordingService = recordingServiceOver(opened, options, {
    jobQueue,
    retriesHere: () => upkeep.isHere(),
    leaveAudio: (recordingId) => voices.leave(recordingId),
    beforeRemoval: (recordingId, signal) => voices.measureLast(recordingId, signal),
    projections,
    captures,
    engines,
    models,
    takenUp: () => takenUp,
  });
  const late = { projections, recordingService, appliedMs: erasureViewsMs };
  const lateAudio = lateAudioOver(opened, options, late);
  const stopping = new AbortController();
  const { signal } = stopping;
  const everyMs = Math.min(upkeepEveryMs, options.browserLimits?.graceMs ?? Infinity);
  const upkeep = openUpkeep(opened, { ...late, everyMs, lateAudio, log, signal });
  const told = tellOfLeftRecordings(opened, options, { captures, upkeep, signal });
  const voices = voicesOver(opened, options, { projections, recordingService, jobQueue, signal });
  const shown = {
    standing: opened.standing,
    store,
    keys,
    kept,
    audio,
    blobs: opened.blobs,
    unfinished: opened.unfinished,
    spaceOf: spacesOf(opened, options),
    storage: rows.storage,
    rows,
    projections,
    recordingService,
    captures,
    lateAudio,
    voices,
    settings,
  };
  const parts = { ...opened, ...shown, data, log, recordsDevices, signal };
  return {
    ...shown,
    hasLanguageModel: () => settings()['llm.base_url'] !== null,
    leaseSpeech: () => engines.lease(),
    takeUp: () => (takenUp = takeUp(parts)),
    keepUp: upkeep.begin,
    tidyUp: () => (tidiedUp = tidyUp(parts).then(voices.begin)),
    async close() {
      stopping.abort();
      await Promise.allSettled([takenUp, tidiedUp, upkeep.settled(), told]);
      for (const part of [lateAudio, voices, recordingService]) await part.close();
      if (recordsDevices) await captures.close();
      await engines.close();
      await models.close();
      await projections.stop();
      await opened.close();
    },
  };
}

/** What measures voices again; the models are looked for each time. */
function voicesOver(
  opened: OpenedLog,
  { data, settings, log, modelsDir = data.models }: PipelineOptions,
  parts: Pick<Pipeline, 'projections' | 'recordingService'> & {
    jobQueue: JobQueue;
    signal: AbortSignal;
  },
): VoiceCatchUp {
  const isHere = audioAtOneNode(opened, 'voices', parts.signal, () => voices.look());
  const voices = openVoiceCatchUp({
    ...parts,
    storage: opened.rows.storage,
    files: opened.audio,
    openEmbedder: async () =>
      await (await import('../speech/diarization/diarize.ts')).localEmbedder(modelsDir),
    isOn: () => isHere() && settings()['speakers.profiles'],
    log,
  });
  return voices;
}

type ServiceNeeds = {
  jobQueue: JobQueue;
  retriesHere(): boolean;
  leaveAudio(recordingId: string): Promise<void>;
  beforeRemoval(recordingId: string, signal: AbortSignal): Promise<void>;
  projections: ProjectionRunner;
  captures: Captures;
  engines: ReturnType<typeof sharedEngine>;
  models: ReturnType<typeof sharedLanguageModel>;
  /** Settles when all recordings are open that were promised names of documents. */
  takenUp(): Promise<unknown>;
};

const spacesOf = (
  { blobs }: OpenedLog,
  { spaceOf = (owner) => openSpaceIn(blobs, owner) }: PipelineOptions,
): Pipeline['spaceOf'] => spaceOf;

/** What takes commands on recordings and works on them. */
function recordingServiceOver(
  opened: OpenedLog,
  options: PipelineOptions,
  parts: ServiceNeeds,
): OpenRecordingService {
  const [{ data, settings, log }, { projections }] = [options, parts];
  const { store, audio: files, standing } = opened;
  const [{ captures }, { storage }] = [parts, opened.rows];
  const limits = { ...leftForMs, ...options.browserLimits };
  const spaceOf = spacesOf(opened, options);
  const known = openKnownVoices({
    storage,
    projections,
    head: () => store.head(),
    isOn: () => settings()['speakers.profiles'],
    log,
  });
  const asked = openAskedAhead();
  const removal = removalFrom(opened, options);
  const recordingService: OpenRecordingService = openRecordingService({
    store,
    ownership: opened.ownership,
    worksOnAudio: standing.worksOnAudio,
    ...standing.takeOver,
    ...removal,
    ...parts,
    limits,
    log,
    clock: systemClock,
    progress: openStageProgress(),
    files,
    quarantineDir: data.quarantine,
    spaceOf,
    standingOf: (ids) => standingOfRecordings(storage, ids),
    applied: (position) => projections.applied('all', position, { timeoutMs: erasureViewsMs }),
    probeEngine: engineProbe(settings, parts.engines, parts.models),
    keep: () => settings()['audio.keep'],
    ffmpegRuns: hasFfmpeg,
    importedBy: async (command) => {
      await projections.applied(commands.name, await store.head());
      return await importedBy(storage, command);
    },
    activities: {
      capture: captures.activity,
      ...speechActivities(options, parts.engines, parts.models, {
        asked,
        known,
        files,
        standing,
        captures,
      }),
      ...languageActivities({ ...options, peopleOf: known.peopleOf }, parts.models, asked),
      ...writingActivity(options, {
        ...removal,
        spaceOf,
        async *promisedBases(owner) {
          await Promise.allSettled([parts.takenUp()]);
          yield* recordingService.promisedBases(owner);
        },
      }),
      ...options.activities,
    },
  });
  return recordingService;
}

/** Where an erasure removes what is not a file of the recording's own. */
const removalFrom = (
  { keys, jobs, rows, names, ownership }: OpenedLog,
  { data, settings, keepUser = async () => {}, vaultOf = () => null }: PipelineOptions,
) => ({
  keys,
  jobs,
  names,
  keepUser,
  exclusively: exclusivelyBy(ownership),
  removeRows: (recordingId: string) => removeTexts(rows.storage, recordingId),
  async removeCopies(owner: string, paths: readonly string[]): Promise<string[]> {
    const left: string[] = [];
    for (const vault of new Set([settings()['notes.vault'], vaultOf(owner)])) {
      if (vault !== null) left.push(...(await removeFromVault(owner, vault, paths, data.shared)));
    }
    return left;
  },
});
