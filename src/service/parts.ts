import type { Retention, RetentionTrial } from '../retention/retention.ts';
import type { Stage } from '../../events/facts/recording.ts';
import type { BrowserLimits } from '../capture/browser/browser-writer.ts';
import type { Admit } from '../capture/browser/intake.ts';
import type { OpenEmbeddingModel } from '../language/embeddings.ts';
import type { OpenLanguageModel } from '../language/openai-model.ts';
import type { Questions } from '../recordings/question-limits.ts';
import type { JobQueue } from '../recordings/stages/job-queue.ts';
import type { StageActivity } from '../recordings/stages/run-stage.ts';
import type { DataFolder } from '../shared/data-directory.ts';
import type { Log } from '../shared/log.ts';
import type { ModelFolders } from '../speech/local/local-models.ts';
import type { AudioStore } from '../storage/audio/audio-store.ts';

import type { Exclusively } from '../storage/blobs/blobs.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { LateBrowserAudio } from '../capture/browser/late-audio.ts';
import type { Calls } from '../capture/calls/calls.ts';
import type { Captures } from '../capture/captures.ts';
import type { Elsewhere } from '../capture/moments.ts';
import type { OrderBook } from '../order/order-book.ts';
import type { DocumentsRefreshing } from '../order/refresh-documents.ts';
import type { Toggle } from '../capture/toggle.ts';
import type { Config } from '../config/config.ts';
import type { Settings } from '../config/environment.ts';
import type { OwnVaults } from '../documents/own-vaults.ts';
import type { Space } from '../documents/space.ts';
import type { Readiness } from '../http/middleware/ready.ts';
import type { Backups } from '../integrity/backups.ts';
import type { Scrub } from '../integrity/scrub.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { PassageMaker, PassageMakerTrial } from '../meaning/passage-maker.ts';
import type { OpenRecordingService } from '../recordings/service.ts';
import type { MeaningOf } from '../search/by-meaning.ts';
import type { VoiceCatchUp } from '../recordings/voice-catch-up.ts';
import type { Lease, Leased } from '../shared/shared-resource.ts';
import type { HostModels } from '../speech/catalogue/host-models.ts';
import type { SpeechEngine } from '../speech/engine.ts';
import type { DiskRoom } from '../storage/disk.ts';
import type { SpaceLimit } from '../storage/quota.ts';
import type { OpenedLog } from './event-log.ts';

/*
 * What the service is made of, in one direction: the opened log (`event-log.ts`, `shared-log.ts`), ports and the pipeline
 * over it (`pipeline.ts`), all parts (`compose.ts`). What needs some of them picks them by name.
 */

/** What a pipeline is opened with. */
export type PipelineOptions = {
  data: DataFolder;
  settings(): Settings;
  log: Log;
  /** Where local models are. */
  modelsDir: ModelFolders;
  /** Where the pages are, for links in notes; null: nowhere that is known. */
  pageAddress(): string | null;
  /** Path of the present recording's audio in the vault that its documents are written to; null: elsewhere. */
  audioInVault(): string | null;
  /** Where documents of an owner go; null: into their space below the data directory. */
  documentsOf: ((owner: string) => Promise<Space>) | null;
  /** Folder of a user's own vault; null: there is none. */
  vaultOf(userId: string): string | null;
  /** Before the key of an erased recording is destroyed: see `ErasureDeps`. */
  keepUser(recordingId: string): Promise<void>;
  /** Whether this process is the one that records: it then looks after captures and their sources. */
  recordsDevices: boolean;
  /** What lets in browsers' audio while it comes; undefined: whatever there is room for. */
  admit: Admit | undefined;
} & PipelineTrial;

/** What tests shorten, or put in the place of the service's own. */
export type PipelineTrial = {
  /** How long a language-model server may stay away before a first run goes on without it, in milliseconds. */
  firstRunWaitMs: number;
  browserLimits: Partial<BrowserLimits>;
  activities: Partial<Record<Stage, StageActivity>>;
  /** The clock of retention, and how often it looks. */
  retention: Partial<RetentionTrial>;
  /** How long an embedding server is waited for at first, and how often is looked which is set. */
  passageMaking: Partial<PassageMakerTrial>;
};

/** What everything acts on. */
export type Ports = Omit<OpenedLog, 'keepRows' | 'close'> &
  PipelineOptions & {
    storage: ProjectionStorage;
    projections: ProjectionRunner;
    /** Resolves when every reader knows what the log says up to a position. */
    applied(position: number): Promise<void>;
    /** The files of recordings. */
    files: AudioStore;
    /** Where documents of an owner are. */
    spaceOf(owner: string): Promise<Space>;
    exclusively: Exclusively;
    /** Folders and tags of users. */
    order: OrderBook;
    /** Folders and tags of users. */
    jobQueue: JobQueue;
    /** What the settings name, opened when it is needed, and again when they change. */
    engines: Leased<SpeechEngine>;
    languageModels: Leased<OpenLanguageModel>;
    embeddings: Leased<OpenEmbeddingModel>;
    /** Aborts when the service stops. */
    signal: AbortSignal;
  };

/** Log, projections, service and activities: all that turns audio into documents, without a network. */
export type Pipeline = Ports & {
  recordingService: OpenRecordingService;
  captures: Captures;
  /** What browsers send of recordings that have ended. */
  lateAudio: LateBrowserAudio;
  /** Writes documents again that say another folder, or other tags. */
  refreshing: DocumentsRefreshing;
  /** Measures voices of profiles again; begins with `tidyUp`. */
  voices: VoiceCatchUp;
  /** Makes the passages by which notes are found by their meaning; begins with `tidyUp`. */
  passageMaker: PassageMaker;
  /** What questions mean. */
  meaning: MeaningOf;
  hasLanguageModel(): boolean;
  questions: Questions;
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
  /** Closes the log too. */
  close(): Promise<void>;
};

/** Everything that requests are answered with. */
export type Parts = Pipeline & {
  config: Config;
  accounts: Accounts;
  scrub: Scrub;
  backups: Backups;
  disk: DiskRoom;
  space: SpaceLimit;
  metrics: Metrics;
  toggle: Toggle;
  calls: Calls;
  models: HostModels;
  readiness: Readiness;
  elsewhere: Elsewhere;
  /** Settles when unfinished recordings are taken up. */
  takenUp: Promise<number>;
  vaults: OwnVaults;
  /** Deletes what is older than people want it kept. */
  retention: Retention;
};
