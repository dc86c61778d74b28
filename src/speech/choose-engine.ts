import type { Settings } from '../config/environment.ts';
import { StageError } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';
import type { SpeechEngine } from './engine.ts';
import { languageCode } from '../shared/languages.ts';
import { installedModels, sherpaInstalled, type ModelFolders } from './local/local-models.ts';

/**
 * The engine the settings ask for: a server when `stt.base_url` is set, else this machine. Where a
 * recording does not say its language, `stt.language` does. Does not look whether the server is there.
 * Close it when it is not needed any more.
 * @throws {StageError} `no-engine`, not retriable, saying what to do.
 */
export async function chooseEngine(
  settings: Settings,
  { modelsDir, log }: { modelsDir: ModelFolders; log: EngineLog },
): Promise<SpeechEngine> {
  const engine = await engineFor(settings, modelsDir, log);
  const usual = languageCode(settings['stt.language']);
  return usual === null ? engine : withUsualLanguage(engine, usual);
}

function withUsualLanguage(engine: SpeechEngine, usual: string): SpeechEngine {
  const { withModel, modelFor } = engine;
  const recognise = engine.recognise.bind(engine);
  return Object.assign(engine, {
    recognise: (...[audio, stretch, options]: Parameters<typeof recognise>) =>
      recognise(audio, stretch, { ...options, language: options.language ?? usual }),
    ...(modelFor && { modelFor: (language: string | null) => modelFor(language ?? usual) }),
    ...(withModel && {
      withModel: (model: string) => withUsualLanguage(withModel(model), usual),
    }),
  });
}

/** Each is loaded where it is chosen. */
async function engineFor(
  settings: Settings,
  modelsDir: ModelFolders,
  log: EngineLog,
): Promise<SpeechEngine> {
  const baseUrl = settings['stt.base_url'];
  const apiKey = settings['stt.api_key'];
  if (baseUrl !== null) {
    if (settings['stt.backend'] === 'native')
      return (await import('./remote/native-engine.ts')).nativeEngine(baseUrl, apiKey);
    if (settings['stt.backend'] === 'asr')
      return (await import('./remote/asr-engine.ts')).asrEngine(baseUrl, apiKey);
    const { compatEngine } = await import('./remote/compat-engine.ts');
    return compatEngine(baseUrl, apiKey, settings['stt.model']);
  }

  const { preferred } = await import('./catalogue/catalogue.ts');
  const { models, broken } = await installedModels(modelsDir);
  for (const { folder, problem } of broken)
    log.warn({ folder, problem }, 'model ignored because it is unusable');
  const recognisers = preferred(models.filter(({ purpose }) => purpose === 'speech-to-text'));
  if (!sherpaInstalled())
    throw new StageError(failure('speech-package-missing'), { retriable: false });
  if (recognisers.length === 0)
    throw new StageError(failure('no-speech-recognition'), { retriable: false });
  const { localEngine } = await import('./local/local-engine.ts');
  return localEngine(recognisers, settings['stt.local_model']);
}

type EngineLog = { warn(fields: object, text: string): void };
