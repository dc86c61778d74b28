import { openSpeechFile } from '../audio/speech-file.ts';
import type { Settings } from '../config/schema.ts';
import { jsonObjectIn } from '../language/answers.ts';
import type { Context } from '../language/openai-model.ts';
import { arrayOf, objectOf } from '../language/model.ts';
import { estimatedTokens } from '../language/talk.ts';
import { commandLine, inProgramFolder } from '../shared/command-line.ts';
import { StageError } from '../shared/errors.ts';
import { languageCode } from '../shared/languages.ts';
import type { Lease } from '../shared/shared-resource.ts';
import type { SpeechEngine } from '../speech/engine.ts';
import { readCatalogue } from '../speech/catalogue/catalogue.ts';
import { speechSample } from '../speech/catalogue/check-model.ts';
import { thisMachine } from '../shared/machine.ts';
import { recommended } from '../speech/catalogue/recommend.ts';
import { diarizerInstalled } from '../speech/diarization/diarize.ts';
import { type LookedAt, type Look, type Remedy, asLimited, asMissing, asOk } from './check.ts';
import { check } from '../words/checks.ts';
import type { Sentence } from '../words/params.ts';
import { guideLink } from './guide.ts';
import { tryLanguage, trySpeech, trySpeechModel } from './try-servers.ts';

export type EngineParts = {
  settings: Settings;
  modelsDir: readonly string[];
  /** A house's own entries of models that can be installed. */
  catalogueDir: string;
  /** The engine that recordings use too: on a small machine two of them would not fit. */
  leaseSpeech(): Promise<Lease<SpeechEngine>>;
  log: { warn(fields: object, text: string): void };
};

/** A model is read from a slow disk first, or waits for what a recording asks; a language model thinks. */
const engineMs = 60_000;
/** Below this, a summary of an hour's meeting is made of many parts. */
const contextMin = 8192;
/** Tokens a second below which the documents of an hour's meeting take more than half an hour. */
const tokensPerSecondMin = 5;

export const engineLooks = (parts: EngineParts): Look[] => [
  {
    id: 'speech',
    link: guideLink('readme', 'First steps'),
    limitMs: engineMs,
    look: (signal) => speech(parts, signal),
    late: (limit) => asLimited(check('speech-busy', { limit })),
  },
  {
    id: 'language',
    link: guideLink('settings', 'Servers'),
    limitMs: engineMs,
    look: (signal) => language(parts.settings, signal),
  },
];

/** What waits of the voices of profiles; see `GET /speakers/profiles`. */
type VoicesBehind = { waiting: number; without_audio: number; given_up: number };

export type SpeakerParts = {
  settings: Settings;
  modelsDir: readonly string[];
  /** Of all users; missing while no service runs. */
  voices?: () => Promise<VoicesBehind>;
};

const lookMs = 10_000;
/** What it needs beside it comes with it. */
const modelId = 'pyannote-segmentation-3';

/** Whether the speakers of a meeting are told apart, and what is behind of their voices. */
export const speakerLook = (parts: SpeakerParts): Look => ({
  id: 'speakers',
  link: guideLink('speech', 'A local model'),
  limitMs: lookMs,
  look: () => speakers(parts),
});

/** Has the engine that recordings use recognise a sample of ours. */
async function speech(parts: EngineParts, signal: AbortSignal): Promise<LookedAt> {
  const { settings, modelsDir, log } = parts;
  const trial = await trySpeech(settings, { modelsDir, log });
  const { said } = trial;
  if (trial.isBusy) return asLimited(said);
  if (!trial.ok) {
    // What is to be done, it says too: here the remedy does, for this computer.
    const isNone = said.code === 'no-speech-recognition';
    return asMissing(isNone ? check('speech-none') : said, await speechRemedy(said, parts));
  }
  const audio = await openSpeechFile(speechSample);
  try {
    const { value: engine, release } = await parts.leaseSpeech();
    try {
      const began = performance.now();
      const heard = await engine.recognise(audio, [0, audio.duration], { language: null, signal });
      const text = heard.segments.map((segment) => segment.text.trim()).join(' ');
      const model = engine.model ?? settings['stt.model'] ?? engine.engine;
      const length = Math.round(audio.duration);
      if (text === '') return asLimited(check('speech-hears-nothing', { model, length }));
      const time = (performance.now() - began) / 1000;
      const done = { model, text: beginning(text), time, length };
      return (await withoutSecondPass(done, parts)) ?? asOk(check('speech-ok', done));
    } finally {
      release();
    }
  } catch (error) {
    if (!(error instanceof StageError)) throw error;
    return asMissing(error.sentence, await speechRemedy(error.sentence, parts));
  } finally {
    await audio.close();
  }
}

/** What mends that nothing is transcribed; null where installing does not. */
async function speechRemedy(
  { code, params }: Sentence,
  { settings, modelsDir, catalogueDir }: EngineParts,
): Promise<Remedy | null> {
  if (settings['stt.base_url'] !== null)
    return { text: check('fix-server-or-settings', { settings: 'stt' }) };
  if (code === 'speech-package-missing') {
    return {
      text: check('fix-install-package'),
      command: inProgramFolder('npm install'),
    };
  }
  const { entries } = await readCatalogue(catalogueDir);
  if (aboutOneModel.has(code)) {
    const named = entries.find(({ id }) => id === params?.['model']);
    return named
      ? installing(named, check('fix-install-second-model', { title: named.title }))
      : { text: check('fix-choose-model') };
  }
  if (!mendedByInstalling.has(code)) return null;
  const usual = languageCode(settings['stt.language']);
  const advice = recommended(entries, usual, thisMachine());
  const best = entries.find(({ id, purpose }) => purpose === 'speech-to-text' && advice.has(id));
  const why = best && advice.get(best.id);
  if (!why) return { text: check('fix-computer-too-small') };
  return installing(
    best,
    check('fix-install-model', {
      title: best.title,
      advice: why,
      folder: modelsDir[0]!,
    }),
  );
}

/** Failures that name a model, and those that the recommended one mends. */
const aboutOneModel: ReadonlySet<string> = new Set([
  'model-not-there',
  'model-damaged',
  'speech-model-not-installed',
]);
const mendedByInstalling: ReadonlySet<string> = new Set([
  'no-speech-recognition',
  'language-not-supported',
]);

/** Whether the model of `stt.second_pass` can be asked for; null where it can, or none is wanted. */
async function withoutSecondPass(
  done: { model: string; text: string; time: number; length: number },
  { settings, modelsDir, catalogueDir, log }: EngineParts,
): Promise<LookedAt | null> {
  const model = settings['stt.second_pass'];
  if (model === null) return null;
  const trial = await trySpeechModel(model, settings, { modelsDir, log, key: 'stt.second_pass' });
  if (trial.ok) return null;
  const found = check('second-model-missing', { ...done, cause: trial.said });
  const { entries } = await readCatalogue(catalogueDir);
  const entry = entries.find(({ id, purpose }) => id === model && purpose === 'speech-to-text');
  if (settings['stt.base_url'] !== null || !entry) {
    return asLimited(found);
  }
  return asLimited(
    found,
    installing(entry, check('fix-install-second-model', { title: entry.title })),
  );
}

const installing = ({ id }: { id: string }, text: Sentence): Remedy => ({
  text,
  command: commandLine(`models install ${id}`),
  request: { method: 'POST', path: `/models/${id}/install` },
});

/** Has the language model answer, in JSON, so long that its speed shows. */
async function language(settings: Settings, signal: AbortSignal): Promise<LookedAt> {
  const baseUrl = settings['llm.base_url'];
  if (baseUrl === null) {
    return asLimited(check('language-not-set'));
  }
  const correct = { text: check('fix-server-or-settings', { settings: 'llm' }) };
  const trial = await tryLanguage(settings);
  if (!trial.ok) return asMissing(trial.said, correct);
  const { openLanguageModel } = await import('../language/openai-model.ts');
  const model = openLanguageModel({
    baseUrl,
    model: settings['llm.model'],
    apiKey: settings['llm.api_key'],
    contextTokens: settings['llm.context'],
    timeoutSeconds: engineMs / 1000,
  });
  try {
    const began = performance.now();
    const answer = await model.complete(question, signal);
    const ms = performance.now() - began;
    const context = await model.context(signal);
    return judgedAnswer({ name: model.model, answer, ms, context });
  } catch (error) {
    if (!(error instanceof StageError)) throw error;
    return asMissing(error.sentence, correct);
  } finally {
    await model.close();
  }
}

const question = {
  system: 'You answer in JSON, and with nothing else.',
  user: 'Write the numbers from one to thirty as words, in order: {"numbers": ["one", "two", …]}',
  answerTokensMax: 1024,
  schema: {
    name: 'numbers',
    schema: objectOf({ numbers: arrayOf({ type: 'string' }) }),
  },
};

function judgedAnswer(given: {
  name: string;
  answer: string;
  ms: number;
  context: Context;
}): LookedAt {
  const { name, answer, ms, context } = given;
  const speed = estimatedTokens(answer) / (ms / 1000);
  const figures = {
    model: name,
    time: ms / 1000,
    speed: Math.max(1, Math.round(speed)),
    context: context.tokens,
    source: context.source,
  };
  if (!jsonObjectIn(answer)) return asLimited(check('language-no-json', figures));
  if (context.tokens < contextMin) return asLimited(check('language-short-context', figures));
  if (speed < tokensPerSecondMin) return asLimited(check('language-slow', figures));
  return asOk(check('language-ok', figures));
}

const beginningMax = 60;
const beginning = (text: string): string =>
  text.length <= beginningMax ? text : `${text.slice(0, beginningMax)}…`;

async function speakers({ settings, modelsDir, voices }: SpeakerParts): Promise<LookedAt> {
  if (!(await diarizerInstalled(modelsDir))) {
    const said =
      settings['stt.base_url'] === null
        ? check('speakers-no-model')
        : check('speakers-only-server');
    return asLimited(said, {
      command: commandLine(`models install ${modelId}`),
      request: { method: 'POST', path: `/models/${modelId}/install` },
    });
  }
  const told = check('speakers-ok');
  const behind = settings['speakers.profiles'] ? await voices?.() : undefined;
  if (!behind || behind.waiting === 0) return asOk(told);
  const { waiting, without_audio: silent, given_up: failed } = behind;
  const measured = waiting - silent - failed;
  const behindOf = [
    ...(measured > 0 ? [check('voices-measured', { count: measured })] : []),
    ...(silent > 0 ? [check('voices-without-audio', { count: silent })] : []),
  ];
  if (failed === 0) return asOk(told, ...behindOf);
  const failures = check('voices-failed', { count: failed });
  return { status: 'limited', said: [failures, told, ...behindOf], remedy: null };
}
