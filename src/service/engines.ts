import { languageCode } from '../shared/languages.ts';
import type { Ports } from './ports.ts';
import type { Captures } from '../capture/captures.ts';
import type { OpenEmbeddingModel } from '../language/embeddings.ts';
import type { OpenLanguageModel } from '../language/openai-model.ts';
import { type Stage, stageTable } from '../../events/facts/recording.ts';
import { openTerms } from '../recordings/terms.ts';
import { openWords } from '../recordings/words-held.ts';
import type { KnownVoices } from '../recordings/known-voices.ts';
import type { EngineProbe } from '../recordings/control/retry-failed.ts';
import type { AskedAhead } from '../recordings/stages/asked-ahead.ts';
import type { ContinueDeps } from '../recordings/stages/continue.ts';
import type { AssembleDeps } from '../recordings/stages/assemble.ts';
import type { StageActivity } from '../recordings/stages/run-stage.ts';
import { StageError } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';
import { loadOnce } from '../shared/package.ts';
import type { Lease } from '../shared/shared-resource.ts';

/** How the engine of a stage looks right now; null for stages of this machine. */
export const engineProbe =
  ({ settings, engines, languageModels }: Ports) =>
  async (stage: Stage, signal: AbortSignal): Promise<EngineProbe | null> => {
    try {
      const { asks } = stageTable[stage];
      if (asks === 'speech') {
        return await speechProbe(engines, settings()['stt.local_model'], signal);
      }
      if (asks !== 'model' || settings()['llm.base_url'] === null) return null;
      return await modelProbe(languageModels, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof StageError) return { ready: false, said: error.sentence };
      throw error;
    }
  };

async function speechProbe(
  engines: Ports['engines'],
  chosen: string | null,
  signal: AbortSignal,
): Promise<EngineProbe> {
  const { value: engine, release } = await engines.lease();
  try {
    if (!engine.probe) {
      const ready = chosen === null || engine.model === chosen;
      if (ready) return { ready, isHere: true };
      const said = failure('speech-model-not-installed', { model: chosen });
      return { ready, said, isHere: true };
    }
    const { state, said } = await engine.probe(signal);
    return { ready: state === 'ready', said };
  } finally {
    release();
  }
}

async function modelProbe(
  models: Ports['languageModels'],
  signal: AbortSignal,
): Promise<EngineProbe> {
  const { value: model, release } = await models.lease();
  try {
    await model.models(signal);
    return { ready: true };
  } finally {
    release();
  }
}

/** The stages in which speech is listened to. */
export function speechActivities(
  ports: Ports,
  parts: { asked: AskedAhead; known: KnownVoices; captures: Pick<Captures, 'onFileEnd'> },
) {
  const { settings, log, files, modelsDir, engines, standing } = ports;
  const { asked, known, captures } = parts;
  const leaseEngine = () => engines.lease();
  const languages = () =>
    settings()['stt.languages'].flatMap((language) => languageCode(language) ?? []);
  const { termsOf, wordsOf } = termsHere(ports, known);
  const followings = loadOnce(async () =>
    (await import('../recordings/stages/followings.ts')).openFollowings(log),
  );
  return {
    follow: loadedActivity(async () =>
      (await import('../recordings/stages/follow.ts')).followStage({
        isOn: () => standing.worksOnAudio && settings()['stt.live'] === 'while-recording',
        followings: await followings(),
        onFileEnd: captures.onFileEnd,
        ahead: {
          isOn: () => settings()['llm.ahead'],
          languageModel: configuredModel(ports),
          asked,
        },
        languages,
        leaseEngine,
        termsOf,
        wordsOf,
        files,
        modelsDir,
        // A server shows its own, if it streams.
        openStreaming: async (language) =>
          settings()['stt.base_url'] === null
            ? await (
                await import('../speech/local/streaming.ts')
              ).streamingRecogniser(modelsDir, language)
            : null,
        usualLanguage: () => languageCode(settings()['stt.language']),
        log,
      }),
    ),
    transcribe: loadedActivity(async () =>
      (await import('../recordings/stages/transcribe.ts')).transcribe({
        followings: await followings(),
        languages,
        leaseEngine,
        termsOf,
        wordsOf,
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

/** Names and terms of a recording, and those of them that users and the house keep. */
function termsHere({ settings, order }: Ports, { peopleOf }: KnownVoices) {
  const wordsOf = openWords(order);
  const termsOf = openTerms({ peopleOf, wordsOf, listed: () => settings()['stt.terms'] });
  return { termsOf, wordsOf };
}

/** The stages in which a language model is asked, or the built-in fallback. */
export function languageActivities(
  ports: Ports,
  { asked, known }: { asked: AskedAhead; known: KnownVoices },
) {
  const { settings, log, modelsDir, firstRunWaitMs } = ports;
  const tools = { log, asked, firstRunWaitMs, languageModel: configuredModel(ports) };
  const { termsOf, wordsOf } = termsHere(ports, known);
  return {
    identify: loadedActivity(async () =>
      (await attribution()).identifyStage({ ...tools, peopleOf: known.peopleOf, wordsOf }),
    ),
    punctuate: loadedActivity(async () =>
      (await finishing()).punctuateStage({ ...tools, modelsDir }),
    ),
    summarise: loadedActivity(async () =>
      (await finishing()).summariseStage({
        ...tools,
        termsOf,
        order: ports.order,
        uiLanguage: () => settings()['ui.language'],
      }),
    ),
    entitle: loadedActivity(async () =>
      (await finishing()).titleStage({ ...tools, uiLanguage: () => settings()['ui.language'] }),
    ),
  };
}

/** The language model; null when none is configured. */
export const configuredModel =
  ({ settings, languageModels }: Ports) =>
  async (): Promise<Lease<OpenLanguageModel> | null> =>
    settings()['llm.base_url'] === null ? null : await languageModels.lease();

/** The embedding server; null when none is configured. */
export const configuredEmbeddings =
  ({ settings, embeddings }: Pick<Ports, 'settings' | 'embeddings'>) =>
  async (): Promise<Lease<OpenEmbeddingModel> | null> =>
    settings()['embeddings.base_url'] === null ? null : await embeddings.lease();

/** The stages in which files are made: of parts of others, and the documents. */
export const writingActivities = (
  { settings, pageAddress, ...ports }: Ports,
  service: {
    promisedBases: (owner: string) => AsyncIterable<string>;
    absorb(recordingId: string, into: string): Promise<void>;
    begin: AssembleDeps['begin'];
    read: ContinueDeps['service']['read'];
    assemble: ContinueDeps['service']['assemble'];
    rest: ContinueDeps['service']['rest'];
  },
) => ({
  assemble: loadedActivity(async () =>
    (await import('../recordings/stages/assemble.ts')).assembleStage({
      ...ports,
      begin: service.begin,
      rest: service.rest,
    }),
  ),
  continue: loadedActivity(async () =>
    (await import('../recordings/stages/continue.ts')).continueStage({ ...ports, service }),
  ),
  write: loadedActivity(async () =>
    (await import('../recordings/stages/write.ts')).write({
      ...ports,
      ...service,
      uiLanguage: () => settings()['ui.language'],
      choices: () => ({
        times: settings()['documents.times'],
        links: settings()['speakers.links'],
        address: pageAddress(),
      }),
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
