import { openSpeechFile } from '../audio/speech-file.ts';
import type { Settings } from '../config/schema.ts';
import { jsonObjectIn } from '../language/answers.ts';
import { estimatedTokens } from '../language/talk.ts';
import { commandLine, inProgramFolder } from '../shared/command-line.ts';
import { StageError } from '../shared/errors.ts';
import { languageCode } from '../shared/languages.ts';
import { isInstalled } from '../shared/package.ts';
import type { Lease } from '../shared/shared-resource.ts';
import type { SpeechEngine } from '../speech/engine.ts';
import { readCatalogue } from '../speech/catalogue/catalogue.ts';
import { speechSample } from '../speech/catalogue/check-model.ts';
import { recommended, thisMachine } from '../speech/catalogue/recommend.ts';
import { type LookedAt, type Look, type Remedy, asLimited, asMissing, asOk } from './check.ts';
import { guideLink } from './guide.ts';
import { tryLanguage, trySpeech, trySpeechModel } from './try-servers.ts';
import { diarizerInstalled } from '../speech/diarization/diarize.ts';

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
    title: 'Speech to text',
    link: guideLink('readme', 'First steps'),
    limitMs: engineMs,
    look: (signal) => speech(parts, signal),
  },
  {
    id: 'language',
    title: 'Language model',
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
  title: 'Speakers of meetings',
  link: guideLink('speech', 'A local model'),
  limitMs: lookMs,
  look: () => speakers(parts),
});

/** Has the engine that recordings use recognise a sample of ours. */
async function speech(parts: EngineParts, signal: AbortSignal): Promise<LookedAt> {
  const { settings, modelsDir, log } = parts;
  const trial = await trySpeech(settings, { modelsDir, log });
  const remedy = await speechRemedy(parts);
  if (!trial.ok) return asMissing(trial.detail, remedy);
  const audio = await openSpeechFile(speechSample);
  try {
    const { value: engine, release } = await parts.leaseSpeech();
    try {
      const began = performance.now();
      const heard = await engine.recognise(audio, [0, audio.duration], { language: null, signal });
      const text = heard.segments.map((segment) => segment.text.trim()).join(' ');
      const who = engine.model ?? settings['stt.model'] ?? 'The server';
      const took = inSeconds(performance.now() - began);
      if (text === '') {
        return asLimited(`${who} hears nothing in ${lengthOf(audio.duration)} of speech.`, remedy);
      }
      const done = `${who} heard “${beginning(text)}” in ${took} (${lengthOf(audio.duration)} long).`;
      return (await withoutSecondPass(done, parts)) ?? asOk(done);
    } finally {
      release();
    }
  } catch (error) {
    if (!(error instanceof StageError)) throw error;
    return asMissing(error.message, remedy);
  } finally {
    await audio.close();
  }
}

async function speechRemedy({ settings, modelsDir, catalogueDir }: EngineParts): Promise<Remedy> {
  if (settings['stt.base_url'] !== null)
    return { text: 'Start the server, or correct the settings that begin with stt.' };
  if (!isInstalled('sherpa-onnx-node'))
    return {
      text: 'Install the package that recognises here.',
      command: inProgramFolder('npm install'),
    };
  const { entries } = await readCatalogue(catalogueDir);
  const usual = languageCode(settings['stt.language']);
  const advice = recommended(entries, usual, thisMachine());
  const best = entries.find(({ id, purpose }) => purpose === 'speech-to-text' && advice.has(id));
  if (!best) {
    return {
      text: 'This machine is too small for a speech model: set stt.base_url to a speech-to-text server.',
    };
  }
  return installing(
    best,
    `Install ${best.title}, which is recommended here: ${advice.get(best.id)} It is put into ` +
      `${modelsDir[0]}. Or set stt.base_url to a speech-to-text server.`,
  );
}

/** Whether the model of `stt.second_pass` can be asked for; null where it can, or none is wanted. */
async function withoutSecondPass(
  detail: string,
  { settings, modelsDir, catalogueDir, log }: EngineParts,
): Promise<LookedAt | null> {
  const model = settings['stt.second_pass'];
  if (model === null) return null;
  const trial = await trySpeechModel(model, settings, { modelsDir, log, key: 'stt.second_pass' });
  if (trial.ok) return null;
  const found = `${detail} What was recognised while recording is not recognised once more: ${trial.detail}`;
  const { entries } = await readCatalogue(catalogueDir);
  const entry = entries.find(({ id, purpose }) => id === model && purpose === 'speech-to-text');
  if (settings['stt.base_url'] !== null || !entry) {
    return asLimited(found, { text: 'Choose a model that is there (stt.second_pass), or none.' });
  }
  return asLimited(found, installing(entry, `Install ${entry.title}.`));
}

const installing = ({ id }: { id: string }, text: string): Remedy => ({
  text,
  command: commandLine(`models install ${id}`),
  request: { method: 'POST', path: `/models/${id}/install` },
});

/** Has the language model answer, in JSON, so long that its speed shows. */
async function language(settings: Settings, signal: AbortSignal): Promise<LookedAt> {
  const baseUrl = settings['llm.base_url'];
  if (baseUrl === null) {
    return asLimited('None is set: summary and title are extracts of the talk.', {
      text: 'Set llm.base_url (MITSCHRIFT_LLM_BASE_URL) to a server.',
    });
  }
  const correct = { text: 'Start the server, or correct the settings that begin with llm.' };
  const trial = await tryLanguage(settings);
  if (!trial.ok) return asMissing(trial.detail, correct);
  const { openLanguageModel } = await import('../language/openai-model.ts');
  const model = openLanguageModel({
    baseUrl,
    model: settings['llm.model'],
    apiKey: settings['llm.api_key'],
    contextTokens: settings['llm.context'],
    timeoutSeconds: engineMs / 1000,
  });
  try {
    const context = await model.contextTokens(signal);
    const began = performance.now();
    const answer = await model.complete(question, signal);
    const ms = performance.now() - began;
    return judgedAnswer({ name: model.model, answer, ms, context });
  } catch (error) {
    if (!(error instanceof StageError)) throw error;
    return asMissing(error.message, correct);
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
    schema: {
      type: 'object',
      properties: { numbers: { type: 'array', items: { type: 'string' } } },
      required: ['numbers'],
      additionalProperties: false,
    },
  },
};

function judgedAnswer(given: {
  name: string;
  answer: string;
  ms: number;
  context: number;
}): LookedAt {
  const { name, answer, ms, context } = given;
  const speed = estimatedTokens(answer) / (ms / 1000);
  const figures =
    `${name} answered in ${inSeconds(ms)} (about ${Math.max(1, Math.round(speed))} tokens a second); ` +
    `its context has ${context} tokens.`;
  if (!jsonObjectIn(answer)) {
    return asLimited(`${figures} It does not keep to JSON: summaries may come without lines.`, {
      text: 'Take a larger model, or one that follows instructions (llm.model).',
    });
  }
  if (context < contextMin) {
    return asLimited(`${figures} That is short: long talks are summarised in parts.`, {
      text: `Give the model a context of ${contextMin} tokens or more in the server, or say how much it has (llm.context).`,
    });
  }
  if (speed < tokensPerSecondMin) {
    return asLimited(`${figures} That is slow: documents of a long meeting take long.`, {
      text: 'Take a smaller model (llm.model), or a faster machine for the server.',
    });
  }
  return asOk(figures);
}

const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const lengthOf = (seconds: number): string => `${seconds.toFixed(0)} s`;

const beginningMax = 60;

const beginning = (text: string): string =>
  text.length <= beginningMax ? text : `${text.slice(0, beginningMax)}…`;

async function speakers({ settings, modelsDir, voices }: SpeakerParts): Promise<LookedAt> {
  if (!(await diarizerInstalled(modelsDir))) {
    const detail =
      settings['stt.base_url'] === null
        ? 'They are not told apart: a meeting is written down as of one speaker.'
        : 'They are told apart only where the speech-to-text server does that.';
    return asLimited(detail, {
      text: 'Install a model that tells speakers apart.',
      command: commandLine(`models install ${modelId}`),
      request: { method: 'POST', path: `/models/${modelId}/install` },
    });
  }
  const told = 'They are told apart.';
  const behind = settings['speakers.profiles'] ? await voices?.() : undefined;
  if (!behind || behind.waiting === 0) return asOk(told);
  const { waiting, without_audio: silent, given_up: failed } = behind;
  const measured = waiting - silent - failed;
  const details = [
    told,
    ...(measured > 0 ? [`Voices of ${recordings(measured)} are being measured again.`] : []),
    ...(silent > 0 ? [`Voices of ${recordings(silent)} stay as they are: no audio is kept.`] : []),
  ];
  if (failed === 0) return asOk(details.join(' '));
  return asLimited(
    [...details, `Voices of ${recordings(failed)} could not be measured.`].join(' '),
    {
      text: 'The log of the service says why. They are tried again after its next start.',
    },
  );
}

const recordings = (count: number): string => (count === 1 ? '1 recording' : `${count} recordings`);
