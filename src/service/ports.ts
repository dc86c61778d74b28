import type { ProjectionStorage } from '../../projections/runner/projection.ts';
import type { Stage } from '../../events/facts/recording.ts';
import type { BrowserLimits } from '../capture/browser/browser-writer.ts';
import type { Admit } from '../capture/browser/intake.ts';
import type { Settings } from '../config/environment.ts';
import { type Space, spacesIn } from '../documents/space.ts';
import type { OpenEmbeddingModel } from '../language/embeddings.ts';
import type { OpenLanguageModel } from '../language/openai-model.ts';
import type { PassageMakerTrial } from '../meaning/passage-maker.ts';
import { openOrderBook } from '../order/order-book.ts';
import { openJobQueue } from '../recordings/stages/job-queue.ts';
import type { StageActivity } from '../recordings/stages/run-stage.ts';
import type { DataFolder } from '../shared/data-directory.ts';
import type { Log } from '../shared/log.ts';
import { type Leased, leased } from '../shared/shared-resource.ts';
import type { SpeechEngine } from '../speech/engine.ts';
import type { ModelFolders } from '../speech/local/local-models.ts';
import { exclusivelyBy } from '../storage/blobs/blobs.ts';
import type { OpenedLog } from './event-log.ts';

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
  /** How long an embedding server is waited for at first, and how often is looked which is set. */
  passageMaking: Partial<PassageMakerTrial>;
};

/** What is left out is as for a command that works for one person, beside no service. */
export type GivenToPipeline = Pick<PipelineOptions, 'data' | 'settings' | 'log'> &
  Partial<PipelineOptions>;

/** How long an erasure waits for the projections; beyond it, it is finished at the next start. */
const erasureViewsMs = 60_000;

/** What everything acts on. */
export type Ports = ReturnType<typeof portsOver>;

/** Makes ports of an opened log, and starts to bring the projections up to it. @param signal aborts when the service stops */
export function portsOver(
  { keepRows, close: _close, ...opened }: OpenedLog,
  given: GivenToPipeline,
  signal: AbortSignal,
) {
  const options: PipelineOptions = {
    modelsDir: given.data.models,
    pageAddress: () => null,
    audioInVault: () => null,
    documentsOf: null,
    vaultOf: () => null,
    keepUser: async () => {},
    recordsDevices: false,
    admit: undefined,
    firstRunWaitMs: 120_000,
    browserLimits: {},
    activities: {},
    passageMaking: {},
    ...given,
  };
  const projections = keepRows();
  const storage: ProjectionStorage = opened.rows.storage;
  return {
    ...options,
    ...opened,
    recordsDevices: options.recordsDevices && opened.standing.recordsDevices,
    storage,
    projections,
    /** Resolves when every reader knows what the log says up to a position. */
    applied: (position: number) =>
      projections.applied('all', position, { timeoutMs: erasureViewsMs }),
    /** The files of recordings. */
    files: opened.audio,
    /** Where documents of an owner are. */
    spaceOf: options.documentsOf ?? spacesIn(opened.blobs),
    exclusively: exclusivelyBy(opened.ownership),
    /** Folders and tags of users. */
    order: openOrderBook(opened.store),
    jobQueue: openJobQueue(),
    ...enginesOf(options),
    signal,
  };
}

/** What the settings name, opened when it is needed, and again when they change. */
function enginesOf({ settings, log, modelsDir }: PipelineOptions) {
  const named = <T extends { close(): Promise<void> }>(
    prefix: string,
    open: (settings: Settings) => Promise<T>,
    besides: () => Promise<unknown> = async () => null,
  ): Leased<T> =>
    leased<T>({
      key: async () => {
        const own = Object.entries(settings()).filter(([key]) => key.startsWith(prefix));
        return JSON.stringify([own, await besides()]);
      },
      open: () => open(settings()),
      onCloseError: (error) => log.warn({ err: error }, 'closing a replaced engine failed'),
    });
  return {
    // A model that was installed or replaced meanwhile makes another engine too: until its manifest is there it is none.
    engines: named<SpeechEngine>(
      'stt.',
      async (now) => {
        const { chooseEngine } = await import('../speech/choose-engine.ts');
        return await chooseEngine(now, { modelsDir, log });
      },
      async () => {
        const { installedModels } = await import('../speech/local/local-models.ts');
        return (await installedModels(modelsDir)).models;
      },
    ),
    languageModels: named<OpenLanguageModel>(
      'llm.',
      async ({ 'llm.base_url': baseUrl, ...rest }) => {
        if (baseUrl === null) throw new Error('no language model is configured');
        const { openLanguageModel } = await import('../language/openai-model.ts');
        return openLanguageModel({
          baseUrl,
          model: rest['llm.model'],
          apiKey: rest['llm.api_key'],
          contextTokens: rest['llm.context'],
          timeoutSeconds: rest['llm.timeout'],
        });
      },
    ),
    embeddings: named<OpenEmbeddingModel>(
      'embeddings.',
      async ({ 'embeddings.base_url': baseUrl, ...rest }) => {
        if (baseUrl === null) throw new Error('no embedding server is configured');
        const { openEmbeddingModel } = await import('../language/embeddings.ts');
        return openEmbeddingModel({
          baseUrl,
          model: rest['embeddings.model'],
          apiKey: rest['embeddings.api_key'],
          timeoutSeconds: embeddingSeconds,
        });
      },
    ),
  };
}

/** What one request for embeddings may take: a model of another use is taken out of memory first. */
const embeddingSeconds = 120;
