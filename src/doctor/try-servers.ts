import * as z from 'zod';
import { installedModels, type ModelFolders } from '../speech/local/local-models.ts';
import type { ServerState } from '../speech/remote/probe-server.ts';
import {
  type ServerAnswer,
  asrBase,
  compatBase,
  nativeBase,
  serverName,
} from '../servers/server.ts';
import { connectionFailure } from '../servers/server-failure.ts';
import { StageError } from '../shared/errors.ts';
import type { Settings } from '../config/schema.ts';
import { check } from '../words/checks.ts';
import type { Language, Sentence } from '../words/params.ts';
import { sayWhole } from '../words/say.ts';

/** What came of trying a server. */
export type Trial = {
  ok: boolean;
  said: Sentence;
  models?: string[];
  /** It is there and works on something else, or loads its model. */
  isBusy?: boolean;
};

/** What a trial takes at most, in milliseconds. */
const trialMs = 15_000;

/** A trial as administrators are told of it: in a language, with code and parameters beside. */
export const tried = z.object({
  ok: z.boolean(),
  detail: z.string(),
  code: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
});
export type TrialAnswer = z.output<typeof tried> & Pick<Trial, 'models'>;

export const trialAnswer = (language: Language, { ok, said, models }: Trial): TrialAnswer => ({
  ok,
  ...(models && { models }),
  detail: sayWhole(said, language),
  code: said.code,
  ...(said.params && { params: said.params }),
});

type Deps = {
  modelsDir: ModelFolders;
  log: { warn(fields: object, text: string): void };
  /** The setting that names the model, as sentences say it; that of the present engine if absent. */
  key?: keyof Settings;
};

/**
 * Whether a speech model can be asked for: of the server, or of this machine when there is none. Of a server that
 * lists none it is not known, and it can. `models`, which there are instead, are absent where the server does not say.
 */
export async function trySpeechModel(
  model: string,
  settings: Settings,
  deps: Deps,
): Promise<Trial> {
  const backend = settings['stt.backend'];
  if (settings['stt.base_url'] !== null && backend !== 'compat') {
    const said = check('no-choice-of-models', { protocol: backend });
    return { ok: false, said, models: [] };
  }
  const wanted = { ...settings, 'stt.model': model, 'stt.local_model': model };
  const { models = [], ...trial } = await trySpeech(wanted, deps);
  return models.length > 0 ? { ...trial, models } : trial;
}

/** Tries the speech-to-text server of the settings, or this machine when there is none. Sends no audio. */
export async function trySpeech(settings: Settings, deps: Deps): Promise<Trial> {
  const baseUrl = settings['stt.base_url'];
  if (baseUrl === null) return tryLocal(settings, deps);
  const { key: named = 'stt.model' } = deps;
  // The clients of servers are large: the start of the service must not wait for them.
  const { askServer } = await import('../servers/ask-server.ts');
  const { probeAsr, probeCompat, probeNative, speechServer } =
    await import('../speech/remote/probe-server.ts');
  const signal = AbortSignal.timeout(trialMs);
  const server = speechServer(compatBase(baseUrl), settings['stt.api_key']);
  const at = (base: string) => ({ ...server, base, name: serverName(base) });
  const native = at(nativeBase(baseUrl));
  try {
    if (settings['stt.backend'] === 'asr') {
      return judged(await probeAsr(at(asrBase(baseUrl)), signal), null, named);
    }
    const asCompat = await probeCompat(server, signal);
    if (settings['stt.backend'] === 'native') {
      if (asCompat.models.length > 0) {
        return wrong(check('backend-compat', { server: server.name }));
      }
      const asNative = await probeNative(native, signal);
      return judged(asNative, null, named);
    }
    if (asCompat.state !== 'ready') return judged(asCompat, null, named);
    // A form without a file is refused by what can transcribe; others do not know the route.
    const form = { method: 'POST', body: new FormData(), signal };
    const asked = await askServer(server, `${server.base}/audio/transcriptions`, form);
    if (takesAudio(asked)) return judged(asCompat, settings['stt.model'], named);
    const asNative = await probeNative(native, signal);
    return asNative.state === 'ready' && asCompat.models.length === 0
      ? wrong(check('backend-native', { server: native.name }))
      : wrong(check('cannot-transcribe', { server: server.name }));
  } catch (error) {
    return wrong(connectionFailure(server, error).sentence);
  } finally {
    await server.connections.destroy();
  }
}

/** A server of files does not know the method (501), or answers everything with a page. */
const takesAudio = ({ status, contentType }: ServerAnswer): boolean =>
  ![404, 405, 501].includes(status) && !(status < 300 && contentType === 'text/html');

/** Tries the language-model server of the settings. Asks a question only when it lists no models. */
export async function tryLanguage(settings: Settings): Promise<Trial> {
  const baseUrl = settings['llm.base_url'];
  if (baseUrl === null) {
    return { ok: true, said: check('language-none') };
  }
  const { openLanguageModel } = await import('../language/openai-model.ts');
  const model = openLanguageModel({
    baseUrl,
    model: settings['llm.model'],
    apiKey: settings['llm.api_key'],
    contextTokens: settings['llm.context'],
    timeoutSeconds: trialMs / 1000,
  });
  const signal = AbortSignal.timeout(trialMs + 1000);
  const { origin: server } = new URL(baseUrl);
  try {
    const models = await model.models(signal);
    if (models.length > 0) {
      const ready = { state: 'ready', said: check('server-ready', { server }), models } as const;
      return judged(ready, settings['llm.model'], 'llm.model');
    }
    await model.complete({ system: '', user: 'Say yes.', answerTokensMax: 16 }, signal);
    return { ok: true, said: check('server-no-list', { server }), models };
  } catch (error) {
    if (!(error instanceof StageError)) throw error;
    // It answered, and with words: that they were too many or none is the model's way.
    if (answered.has(error.code))
      return { ok: true, said: check('server-no-list', { server }), models: [] };
    return wrong(error.sentence);
  } finally {
    await model.close();
  }
}

/** Tries the embedding server of the settings, with a sentence of ours. */
export async function tryEmbeddings(settings: Settings): Promise<Trial> {
  const baseUrl = settings['embeddings.base_url'];
  if (baseUrl === null) return { ok: true, said: check('embeddings-none') };
  const { openEmbeddingModel } = await import('../language/embeddings.ts');
  const model = openEmbeddingModel({
    baseUrl,
    model: settings['embeddings.model'],
    apiKey: settings['embeddings.api_key'],
    timeoutSeconds: trialMs / 1000,
  });
  const signal = AbortSignal.timeout(trialMs + 1000);
  const { origin: server } = new URL(baseUrl);
  try {
    const models = await model.models(signal);
    const named = await model.named(signal);
    if (models.length > 0) {
      const ready = { state: 'ready', said: check('server-ready', { server }), models } as const;
      const trial = judged(ready, settings['embeddings.model'], 'embeddings.model');
      if (!trial.ok) return trial;
    }
    const began = performance.now();
    await model.embed(['Say yes.'], 'passage', signal);
    const time = (performance.now() - began) / 1000;
    const figures = { model: named, dimensions: model.dimensions ?? 0, time };
    return { ok: true, said: check('embeddings-ok', figures), models };
  } catch (error) {
    if (!(error instanceof StageError)) throw error;
    return wrong(error.sentence);
  } finally {
    await model.close();
  }
}

async function tryLocal(
  settings: Settings,
  { modelsDir, log, key = 'stt.local_model' }: Deps,
): Promise<Trial> {
  const { chooseEngine } = await import('../speech/choose-engine.ts');
  try {
    await (await chooseEngine(settings, { modelsDir, log })).close();
  } catch (error) {
    if (error instanceof StageError) return wrong(error.sentence);
    throw error;
  }
  const models = (await installedModels(modelsDir)).models
    .filter(({ purpose }) => purpose === 'speech-to-text')
    .map(({ id }) => id);
  const ready = { state: 'ready', said: check('local-ready'), models } as const;
  return judged(ready, settings['stt.local_model'], key);
}

/** Whether it is ready, and has the model that is asked for, if one is and it lists them. */
function judged(
  { state, said, models }: Omit<ServerState, 'answered' | 'failure'>,
  model: string | null,
  key: string,
): Trial {
  if (state !== 'ready') return { ok: false, said, models, isBusy: state === 'busy' };
  // Ollama calls `name` what it lists as `name:latest`.
  const has = model === null || models.includes(model) || models.includes(`${model}:latest`);
  if (has || models.length === 0) return { ok: true, said, models };
  return { ok: false, said: check('model-not-there', { model, key, models }), models };
}

const answered: ReadonlySet<string> = new Set(['answer-cut', 'answer-empty']);

const wrong = (said: Sentence): Trial => ({ ok: false, said });
