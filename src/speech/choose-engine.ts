import type { Settings } from '../settings.ts';
import { StageError } from '../stage-error.ts';
import { compatEngine } from './compat-engine.ts';
import type { SpeechEngine } from './engine.ts';
import { localEngine } from './local-engine.ts';
import { installedModels } from './local-models.ts';
import { nativeEngine } from './native-engine.ts';
import { sherpaInstalled } from './sherpa-installed.ts';

/**
 * The engine the settings ask for: a server when `stt.base_url` is set, else this machine. Does not
 * look whether the server is there. Close it when the job is done.
 * @throws {StageError} `no-engine`, not retriable, saying what to do.
 */
export async function chooseEngine(
  settings: Settings,
  { modelsDir, log }: { modelsDir: string; log: { warn(fields: object, text: string): void } },
): Promise<SpeechEngine> {
  const baseUrl = settings['stt.base_url'];
  const apiKey = settings['stt.api_key'];
  if (baseUrl !== null)
    return settings['stt.backend'] === 'native'
      ? nativeEngine(baseUrl, apiKey)
      : compatEngine(baseUrl, apiKey, settings['stt.model']);

  const { models, broken } = await installedModels(modelsDir);
  for (const { folder, problem } of broken) log.warn({ folder, problem }, 'model is not used');
  const recognisers = models.filter(({ purpose }) => purpose === 'speech-to-text');
  if (!sherpaInstalled())
    throw noEngine('The package sherpa-onnx-node is missing: run npm install again.');
  if (recognisers.length === 0) throw noEngine(`Put a speech model into ${modelsDir}.`);
  return localEngine(recognisers, settings['stt.local_model']);
}

function noEngine(remedy: string): StageError {
  return new StageError(
    'no-engine',
    'There is no speech-to-text engine. Set MITSCHRIFT_STT_BASE_URL (stt.base_url) to a server, or ' +
      `recognise on this machine: ${remedy[0]!.toLowerCase()}${remedy.slice(1)}`,
    { retriable: false },
  );
}
