import type { Standing } from './event-log.ts';
import type { ModelFolders } from '../speech/local/local-models.ts';
import { readdir } from 'node:fs/promises';
import type { Captures } from '../capture/captures.ts';
import type { Settings } from '../config/environment.ts';
import type { OpenLanguageModel } from '../language/openai-model.ts';
import { type Stage, stageTable } from '../../events/facts/recording.ts';
import type { KnownVoices } from '../recordings/known-voices.ts';
import type { EngineProbe } from '../recordings/control/retry-failed.ts';
import type { AskedAhead } from '../recordings/stages/asked-ahead.ts';
import type { StageActivity } from '../recordings/stages/run-stage.ts';
import type { write } from '../recordings/stages/write.ts';
import type { DataFolder } from '../shared/data-directory.ts';
import { StageError } from '../shared/errors.ts';
import { check } from '../words/checks.ts';
import { failure } from '../words/failures.ts';
import { sayWhole } from '../words/say.ts';
import type { Log } from '../shared/log.ts';
import { loadOnce } from '../shared/package.ts';
import { type Lease, leased } from '../shared/shared-resource.ts';
import type { AudioStore } from '../storage/audio/audio-store.ts';
import type { SpeechEngine } from '../speech/engine.ts';

export type EngineOptions = {
  data: DataFolder;
  settings: () => Settings;
  log: Log;
  /** Where local models are, when not where `data` says. */
  modelsDir?: ModelFolders;
  /** Names that a user confirmed before, those of late first; without it, none. */
  peopleOf?: (owner: string) => Promise<readonly string[]>;
  /** Where the pages are, for links in notes; null, and without it: nowhere that is known. */
  pageAddress?: () => string | null;
  /** Path of the present recording's audio in the vault that its documents are written to; null, and without it: elsewhere. */
  audioInVault?: () => string | null;
  /** How long a language model may stay away on a first run; for tests. */
  firstRunWaitMs?: number | undefined;
};

/** The engine that the settings name, opened when it is needed, and again when they change. */
export function sharedEngine({ data, settings, log, modelsDir = data.models }: EngineOptions) {
  return leased<SpeechEngine>({
    // A model that was installed meanwhile makes another engine too.
    key: async () => JSON.stringify([pick(settings(), 'stt.'), await namesIn(modelsDir)]),
    async open() {
      const { chooseEngine } = await import('../speech/choose-engine.ts');
      return await chooseEngine(settings(), { modelsDir, log });
    },
    onCloseError: (error) => log.warn({ err: error }, 'closing what was replaced'),
  });
}

async function namesIn(modelsDir: ModelFolders): Promise<string[][]> {
  return await Promise.all([modelsDir].flat().map((folder) => readdir(folder).catch(() => [])));
}

/** The language model that the settings name, as `sharedEngine`. */
export function sharedLanguageModel({ settings, log }: Pick<EngineOptions, 'settings' | 'log'>) {
  return leased<OpenLanguageModel>({
    key: () => JSON.stringify(pick(settings(), 'llm.')),
    async open() {
      const { 'llm.base_url': baseUrl, ...rest } = settings();
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
    onCloseError: (error) => log.warn({ err: error }, 'closing what was replaced'),
  });
}

/** How the engine of a stage looks right now; null for stages of this machine. */
export const engineProbe =
  (
    settings: () => Settings,
    engines: ReturnType<typeof sharedEngine>,
    models: ReturnType<typeof sharedLanguageModel>,
  ) =>
  async (stage: Stage, signal: AbortSignal): Promise<EngineProbe | null> => {
    try {
      const { asks } = stageTable[stage];
      if (asks === 'speech') {
        return await speechProbe(engines, settings()['stt.local_model'], signal);
      }
      if (asks !== 'model' || settings()['llm.base_url'] === null) return null;
      return await modelProbe(models, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof StageError) return { ready: false, detail: error.message };
      throw error;
    }
  };

async function speechProbe(
  engines: ReturnType<typeof sharedEngine>,
  chosen: string | null,
  signal: AbortSignal,
): Promise<EngineProbe> {
  const { value: engine, release } = await engines.lease();
  try {
    if (!engine.probe) {
      const ready = chosen === null || engine.model === chosen;
      const said = ready
        ? check('local-ready')
        : failure('speech-model-not-installed', { model: chosen });
      return { ready, detail: sayWhole(said, 'en')!, isHere: true };
    }
    const { state, said } = await engine.probe(signal);
    return { ready: state === 'ready', detail: sayWhole(said, 'en')! };
  } finally {
    release();
  }
}

async function modelProbe(
  models: ReturnType<typeof sharedLanguageModel>,
  signal: AbortSignal,
): Promise<EngineProbe> {
  const { value: model, release } = await models.lease();
  try {
    await model.models(signal);
    return { ready: true, detail: 'The language model answers.' };
  } finally {
    release();
  }
}

/** The stages in which speech is listened to. */
export function speechActivities(
  { data, log, settings, modelsDir = data.models }: EngineOptions,
  engines: ReturnType<typeof sharedEngine>,
  models: ReturnType<typeof sharedLanguageModel>,
  {
    asked,
    known,
    files,
    standing,
    captures,
  }: {
    asked: AskedAhead;
    known: KnownVoices;
    files: AudioStore;
    standing: Pick<Standing, 'worksOnAudio'>;
    captures: Pick<Captures, 'onFileEnd'>;
  },
) {
  const leaseEngine = () => engines.lease();
  const followings = loadOnce(async () =>
    (await import('../recordings/stages/followings.ts')).openFollowings(),
  );
  return {
    follow: loadedActivity(async () =>
      (await import('../recordings/stages/follow.ts')).followStage({
        isOn: () => standing.worksOnAudio && settings()['stt.live'] === 'while-recording',
        followings: await followings(),
        onFileEnd: captures.onFileEnd,
        ahead: {
          isOn: () => settings()['llm.ahead'],
          languageModel: configuredModel(settings, models),
          asked,
        },
        leaseEngine,
        files,
        modelsDir,
        log,
      }),
    ),
    transcribe: loadedActivity(async () =>
      (await import('../recordings/stages/transcribe.ts')).transcribe({
        followings: await followings(),
        leaseEngine,
        secondPass: () => settings()['stt.second_pass'],
        log,
        files,
        modelsDir,
      }),
    ),
    diarize: loadedActivity(async () =>
      (await import('../recordings/stages/diarize.ts')).diarizeStage({ modelsDir, files, log }),
    ),
    join: loadedActivity(async () => (await attribution()).joinStage(known)),
  };
}

/** The stages in which a language model is asked, or the built-in fallback. */
export function languageActivities(
  {
    settings,
    firstRunWaitMs = 120_000,
    log,
    peopleOf = async () => [],
    data,
    modelsDir = data.models,
  }: EngineOptions,
  models: ReturnType<typeof sharedLanguageModel>,
  asked: AskedAhead,
) {
  const tools = {
    log,
    asked,
    languageModel: configuredModel(settings, models),
    firstRunWaitMs,
  };
  return {
    identify: loadedActivity(async () =>
      (await attribution()).identifyStage({ ...tools, peopleOf }),
    ),
    punctuate: loadedActivity(async () =>
      (await finishing()).punctuateStage({ ...tools, modelsDir }),
    ),
    summarise: loadedActivity(async () => (await finishing()).summariseStage(tools)),
    entitle: loadedActivity(async () =>
      (await finishing()).titleStage({ ...tools, uiLanguage: () => settings()['ui.language'] }),
    ),
  };
}

/** The language model; null when none is configured. */
const configuredModel =
  (settings: () => Settings, models: ReturnType<typeof sharedLanguageModel>) =>
  async (): Promise<Lease<OpenLanguageModel> | null> =>
    settings()['llm.base_url'] === null ? null : await models.lease();

/** The stage in which the documents are written. */
export const writingActivity = (
  {
    settings,
    pageAddress = () => null,
    audioInVault = () => null,
  }: Pick<EngineOptions, 'settings' | 'pageAddress' | 'audioInVault'>,
  parts: Omit<Parameters<typeof write>[0], 'uiLanguage' | 'choices' | 'audioInVault'>,
) => ({
  write: loadedActivity(async () =>
    (await import('../recordings/stages/write.ts')).write({
      ...parts,
      uiLanguage: () => settings()['ui.language'],
      choices: () => ({
        times: settings()['documents.times'],
        links: settings()['speakers.links'],
        address: pageAddress(),
      }),
      audioInVault,
    }),
  ),
});

/**
 * An activity whose code is loaded with its first job: decoders, clients of servers and renderers are
 * half of the program, and the start must not wait for them. Made once: it may know of other jobs.
 */
function loadedActivity(load: () => Promise<StageActivity>): StageActivity {
  const activity = loadOnce(() => load().catch(replaced));
  return async (job) => (await activity())(job);
}

/** Files that are there are loaded; an update puts others in their place, under other names. */
function replaced(cause: unknown): never {
  throw new StageError(failure('program-updated'), { retriable: true, cause });
}

const attribution = () => import('../recordings/stages/attribute.ts');
const finishing = () => import('../recordings/stages/finish.ts');

const pick = (settings: Settings, prefix: string) =>
  Object.fromEntries(Object.entries(settings).filter(([key]) => key.startsWith(prefix)));
