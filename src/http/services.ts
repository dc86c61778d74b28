import type { Retention } from '../retention/retention.ts';
import type { Readiness } from './middleware/ready.ts';
import type { EventLog } from '../../events/event-log.ts';
import type { Ownership } from '../../events/ownership.ts';
import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { AcceptedAudio } from '../audio/accepts-audio.ts';
import type { LateBrowserAudio } from '../capture/browser/late-audio.ts';
import type { Calls } from '../capture/calls/calls.ts';
import type { Captures } from '../capture/captures.ts';
import type { Elsewhere } from '../capture/moments.ts';
import type { Config } from '../config/config.ts';
import type { Backups } from '../integrity/backups.ts';
import type { ServiceHealth } from '../integrity/verify.ts';
import type { Check } from '../doctor/check.ts';
import type { Desktop } from '../documents/desktop.ts';
import type { UnfinishedUploads } from '../storage/uploads/unfinished-uploads.ts';
import type { Space } from '../documents/space.ts';
import type { AudioStore } from '../storage/audio/audio-store.ts';
import type { Log } from '../shared/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Questions } from '../recordings/question-limits.ts';
import type { DocumentsRefreshing } from '../order/refresh-documents.ts';
import type { OrderBook } from '../order/order-book.ts';
import type { MadeOfOthers } from '../recordings/made-of-others.ts';
import type { RecordingService } from '../recordings/service.ts';
import type { MeaningOf } from '../search/by-meaning.ts';
import type { PassageMaker } from '../meaning/passage-maker.ts';
import type { PassageRows } from '../storage/passage-rows.ts';
import type { VoiceCatchUp } from '../recordings/voice-catch-up.ts';
import type { Settings } from '../config/environment.ts';
import type { HostModels } from '../speech/catalogue/host-models.ts';
import type { ClusterMember } from '../storage/cluster.ts';
import type { Notices } from '../storage/notices.ts';
import type { Kept } from '../storage/kept.ts';
import type { RowsStorage } from '../storage/open-rows.ts';
import type { DiskRoom } from '../storage/disk.ts';
import type { SpaceLimit } from '../storage/quota.ts';
import type { Toggle } from '../capture/toggle.ts';
import type { Tickets } from './tickets.ts';
import type { UploadPlaces } from './uploads/receive-upload.ts';

/** Everything the routes need of the rest of the service; `main.ts` hands it in. */
export type HttpServices = {
  log: Log;
  /** Whether this process answers requests, else only that it lives, and its figures. */
  standing: { serves: boolean };
  /** Release of the service, as `GET /health` and `GET /status` say. */
  version: string;
  /** Address to listen on: one of the allowed hosts. */
  address: string;
  /** Absolute. Uploads are received below it (`uploads/`). */
  dataDir: string;
  unfinished: UnfinishedUploads;
  /** Where documents of a user are. */
  spaceOf(userId: string): Promise<Space>;
  /** Kept audio, and where what is derived from it lies. */
  audio: AudioStore;
  /** Asked at every request, so that a changed setting counts at once. */
  settings(): Settings;
  /** Names and addresses that the service's certificate is for, where it speaks https itself. */
  certificateNames(): readonly string[];
  /** This process among the nodes of a cluster; null: it is alone. */
  cluster: Pick<ClusterMember, 'self' | 'nodes'> | null;
  /** What this host has and lacks, looked at now. */
  doctor(): Promise<Check[]>;
  /** Whether a language model is configured; it may be away. */
  hasLanguageModel(): boolean;
  /** Folders and tags. */
  order: OrderBook;
  /** Answers questions about what was said. */
  questions: Questions;
  /** What finds by meaning: what questions mean, passages, and what makes them. */
  meaning: MeaningOf;
  passages: Pick<PassageRows, 'read'>;
  passageMaker: Pick<PassageMaker, 'behind' | 'onMade'>;
  config: Config;
  recordingService: RecordingService & Pick<MadeOfOthers, 'assertPossible' | 'assemble'>;
  captures: Captures;
  /** Calls on this computer. */
  calls: Calls;
  /** Documents that say another folder, or other tags. */
  refreshing: Pick<DocumentsRefreshing, 'note' | 'look' | 'left'>;
  /** What is older than people want it kept. */
  retention: Omit<Retention, 'begin' | 'settled'>;
  /** What browsers send of recordings that have ended. */
  lateAudio: Pick<LateBrowserAudio, 'stream'>;
  /** Voices of profiles that are measured again. */
  voices: Pick<VoiceCatchUp, 'look' | 'state'>;
  /** The one switch, also behind the hotkey and the tray. */
  toggle: Toggle;
  store: Pick<EventLog, 'read' | 'readAll' | 'outlines' | 'opened' | 'head' | 'health' | 'usable'>;
  /** Where projections keep their rows, and who keeps them up to date. */
  storage: ProjectionStorage;
  rows: Pick<RowsStorage, 'withRoom'>;
  projections: Pick<
    ProjectionRunner,
    'applied' | 'assertRunning' | 'position' | 'positionOf' | 'onApplied' | 'states'
  >;
  accounts: Omit<Accounts, 'sweepSessions' | 'finishDeletions' | 'importUsers' | 'setupCode'>;
  kept: Kept;
  /** What is wrong with captures of other nodes. */
  elsewhere: Pick<Elsewhere, 'warnings'>;
  /** What other nodes tell of their moments. */
  notices: Pick<Notices, 'listen'>;
  /** Who may act under a name, among all nodes. */
  ownership: Ownership;
  /** Speech models of this machine. */
  models: Pick<HostModels, 'folders' | 'store' | 'onProgress'>;
  readiness: Readiness;
  metrics: Metrics;
  /** What may still come in by `limits.spaces_gb`. */
  space: Omit<SpaceLimit, 'start' | 'stop'>;
  /** Room on the disk. */
  disk: Pick<DiskRoom, 'admit' | 'giveUpReserve' | 'warning'>;
  backups: Pick<Backups, 'begin' | 'cancel' | 'now' | 'onChange'>;
  /** Whether everything is as it was recorded, as far as it has been looked at. */
  health(): ServiceHealth;
  /** The desktop of this machine; the one that the process's environment speaks of, unless given. */
  desktop?: Desktop;
  /** @throws an error with code `unsupported-media` and a sentence for a person. */
  acceptsAudio(path: string): Promise<AcceptedAudio>;
};

/** What routes need: the service's parts, and what belongs to one app. */
export type RouteServices = HttpServices & { tickets: Tickets; uploads: UploadPlaces };
