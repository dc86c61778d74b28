import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Segment, Stretch } from '../../../events/facts/transcript.ts';
import { StageError } from '../../shared/errors.ts';
import { failure } from '../../words/failures.ts';
import { type PieceAsked, heardInPieces } from '../detection/heard-in-pieces.ts';
import { overlapSeconds } from '../detection/speech-segments.ts';
import { withDoubts } from '../doubt.ts';
import type { SpeechEngine } from '../engine.ts';
import { languageCode, onlyOne } from '../../shared/languages.ts';
import { type InstalledModel, sherpaConfig, speaksLanguage, verifyModel } from './local-models.ts';
import type { LocalResult } from './engine-requests.ts';
import { type LocalProcess, localProcess } from './local-process.ts';
import { hotwordsOf } from '../terms.ts';
import { tokensOf, wordsFromTokens } from '../parse-transcript.ts';

/** Whisper through sherpa-onnx drops what lies behind this second; short pieces cost others nothing. */
const heardSeconds = 30;
/** A seam may lie a little earlier than planned. */
const secondsMax = heardSeconds - 1;
const fits = ([start, end]: Stretch): boolean => end - start <= heardSeconds;
/** A slow machine takes ten times the audio's length; loading a large model is in it too. */
const timeoutMs = (seconds: number) => 120_000 + seconds * 10_000;

/**
 * Recognises on this machine through sherpa-onnx, in a separate process.
 * @param models installed speech-to-text models in order of preference, at least one.
 * @param chosen id of the model to use whatever the language; null takes the first that speaks it.
 */
export function localEngine(
  models: readonly InstalledModel[],
  chosen: string | null,
  engineProcess: LocalProcess = localProcess(),
): SpeechEngine {
  const verified = new Map<string, string>();
  const first = models.find(({ id }) => id === chosen) ?? models[0];
  return {
    queue: 'local',
    engine: 'local',
    model: first?.id ?? null,
    modelFor: (language) => modelIn(models, chosen, languageCode(language))?.id ?? null,
    secondsMax,
    async recognise(audio, stretch, { language, signal, next, terms = [] }) {
      signal.throwIfAborted();
      const code = languageCode(language);
      const model = modelFor(models, chosen, code);
      await verifyOnce(model, verified);
      const hotwords = (model.hotwords && hotwordsOf(terms)) ?? undefined;
      const plain = withLanguage(sherpaConfig(model), code);
      // With a key of its own it would be loaded twice: one that takes hotwords is always made for them.
      const config = model.hotwords ? withHotwords(plain, model) : plain;
      // Most models take no language: what is loaded for one is there for all.
      const key = JSON.stringify(config);
      // Planned for another engine: a piece of it may begin a little earlier.
      const pieceMax = fits(stretch) ? secondsMax : secondsMax - overlapSeconds;
      const announced = fits(stretch) && next && fits(next) ? next : undefined;
      const hear = async ({ asked: [start, end] }: PieceAsked) => {
        const spoken = { path: audio.path, start, end, next: announced, hotwords };
        const request = { op: 'recognise', key, config, ...spoken } as const;
        const options = { signal, timeoutMs: timeoutMs(end - start) };
        const result = await engineProcess.ask(request, options);
        return { segments: segmentsOf(result, end - start), language: languageCode(result.lang) };
      };
      try {
        const { segments, answers } = await heardInPieces(audio, stretch, {
          secondsMax: () => pieceMax,
          hear,
        });
        const told = answers.find((one) => one.language !== null)?.language;
        const heard = told ?? code ?? onlyOne(model.languages);
        return { segments: withDoubts(segments), language: heard };
      } catch (error) {
        // A damaged file may be why it died: look again before the next try.
        if (error instanceof StageError && error.code === 'engine-crashed') verified.clear();
        throw error;
      }
    },
    withModel: (model) => localEngine(models, model, engineProcess),
    close: () => engineProcess.close(),
  };
}

const modelIn = (
  models: readonly InstalledModel[],
  chosen: string | null,
  code: string | null,
): InstalledModel | undefined =>
  models.find((one) => (chosen === null ? speaksLanguage(one, code) : one.id === chosen));

/** @throws {StageError} `model-missing`, `language-unknown`, not retriable. */
function modelFor(
  models: readonly InstalledModel[],
  chosen: string | null,
  code: string | null,
): InstalledModel {
  const model = modelIn(models, chosen, code);
  if (model) return model;
  const installed = models.map(({ id, languages }) => `${id} (${languages.join(', ')})`);
  throw new StageError(
    chosen === null
      ? failure('language-not-supported', { language: code ?? 'und', models: installed })
      : failure('speech-model-not-installed', { model: chosen }),
    { retriable: false },
  );
}

/** Verifies again only when a file's size or time has changed: large models take seconds to hash. */
async function verifyOnce(model: InstalledModel, verified: Map<string, string>): Promise<void> {
  const signs = await Promise.all(
    Object.keys(model.files).map(async (name) => {
      const found = await stat(join(model.folder, name)).catch(() => null); // verifyModel tells
      return found ? `${name} ${found.size} ${found.mtimeMs} ${found.ino}` : name;
    }),
  );
  const signature = signs.join('\n');
  if (verified.get(model.folder) === signature) return;
  await verifyModel(model);
  verified.set(model.folder, signature);
}

/** Sets the language in the families of models that take it. */
function withLanguage(
  config: Record<string, unknown>,
  code: string | null,
): Record<string, unknown> {
  const modelConfig = config['modelConfig'] as Record<string, unknown> | undefined;
  if (code === null || !modelConfig) return config;
  const localised: Record<string, unknown> = {};
  for (const [family, keys] of Object.entries(languageKeys)) {
    const part = modelConfig[family];
    if (part !== null && typeof part === 'object')
      localised[family] = { ...part, ...Object.fromEntries(keys.map((key) => [key, code])) };
  }
  return { ...config, modelConfig: { ...modelConfig, ...localised } };
}

/** The search that takes hotwords, and how the model's words are spelt. */
export const withHotwords = (
  config: Record<string, unknown>,
  { folder, hotwords }: InstalledModel,
): Record<string, unknown> => ({
  ...config,
  modelConfig: {
    ...(config['modelConfig'] as Record<string, unknown>),
    modelingUnit: hotwords!.unit,
    bpeVocab: join(folder, hotwords!.vocabulary),
  },
  decodingMethod: 'modified_beam_search',
  hotwordsScore,
});

/** How much a term is preferred (the default of sherpa-onnx). */
const hotwordsScore = 1.5;

const languageKeys = {
  whisper: ['language'],
  senseVoice: ['language'],
  canary: ['srcLang', 'tgtLang'],
};

/** A new segment at each pause: the recogniser itself gives one text for the whole stretch. */
function segmentsOf(result: LocalResult, seconds: number): Segment[] {
  const text = result.text.trim();
  if (text === '') return [];
  const words = wordsFromTokens(tokensOf(result, seconds));
  const spelled = words.map((word) => word.text).join(' ');
  // Only when the words are the text: scripts without spaces, and models without times, are not.
  if (spelled !== text) return [{ start: 0, end: seconds, text, words }];
  const segments: Segment[] = [];
  for (const word of words) {
    const open = segments.at(-1);
    if (open && word.start - open.end < pauseSeconds) {
      open.text += ` ${word.text}`;
      open.end = word.end;
      open.words.push(word);
    } else segments.push({ start: word.start, end: word.end, text: word.text, words: [word] });
  }
  return segments;
}

const pauseSeconds = 0.5;
