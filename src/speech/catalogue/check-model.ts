import { join } from 'node:path';
import { modelFailure } from '../../words/models.ts';
import type { Sentence } from '../../words/params.ts';
import { openSpeechFile } from '../../audio/speech-file.ts';
import { StageError } from '../../shared/errors.ts';
import { sameWords } from '../../language/proof.ts';
import { packageRoot } from '../../shared/package.ts';
import { type InstalledModel, sherpaConfig, sherpaInstalled } from '../local/local-models.ts';
import { withHotwords } from '../local/local-engine.ts';
import { type LocalProcess, localProcess } from '../local/local-process.ts';
import { ModelError } from './model-error.ts';

/** Two voices of espeak-ng, in English. Ours: made by `espeak-ng`, see `README.md`. */
export const speechSample = join(packageRoot, 'src/speech/catalogue/sample.wav');
const textSample = 'how are you i am fine thank you';
/** A large model is read from a slow disk first. */
const timeoutMs = 300_000;

/**
 * Loads a model in an engine process of its own and runs it on a sample: it answers without an error, a
 * recogniser with text, an embedding with its dimension, punctuation with the words it was given. What the text says is not judged.
 * @param companions installed models: one that finds turns is tried together with one that makes embeddings
 * @throws {ModelError} `model-unusable` with what the engine says; AbortError
 */
export async function checkModel(
  model: InstalledModel,
  companions: readonly InstalledModel[],
  signal: AbortSignal,
): Promise<void> {
  if (!sherpaInstalled()) {
    throw unusable(modelFailure('package-missing'));
  }
  const engine = localProcess();
  try {
    const problem = await tried(model, companions, { engine, signal });
    if (problem !== null) throw unusable(problem);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof StageError)) throw error;
    throw unusable(error.sentence, error);
  } finally {
    await engine.close();
  }
}

/** What is wrong with the answer; null when it is as it should be. */
async function tried(
  model: InstalledModel,
  companions: readonly InstalledModel[],
  { engine, signal }: { engine: LocalProcess; signal: AbortSignal },
): Promise<Sentence | null> {
  const config = sherpaConfig(model);
  const options = { signal, timeoutMs };
  const path = speechSample;
  const end = await lengthOf(speechSample);
  switch (model.purpose) {
    case 'speech-to-text': {
      // One that does not take them as it says ends the process, here and not in a recording.
      const listed = model.hotwords && {
        config: withHotwords(config, model),
        hotwords: textSample,
      };
      const plain = { op: 'recognise', key: model.folder, config, path, start: 0, end } as const;
      const { text } = await engine.ask({ ...plain, ...listed }, options);
      return text.trim() === '' ? modelFailure('test-no-words') : null;
    }
    case 'streaming-speech-to-text': {
      const audio = await openSpeechFile(path);
      const samples = await audio.read(0, end);
      await audio.close();
      const request = { op: 'hear', key: model.folder, config, speech: 0, samples } as const;
      const text = await engine.ask(request, options);
      return text.trim() === '' ? modelFailure('test-no-words') : null;
    }
    case 'voice-activity': {
      const spans = await engine.ask({ op: 'detect', config, path }, options);
      return spans.length === 0 ? modelFailure('test-no-speech') : null;
    }
    case 'speaker-embedding': {
      const turns = [[0, end, 0]] as const;
      const [voice] = await engine.ask({ op: 'voices', config, path, turns }, options);
      return voice?.embedding ? null : modelFailure('test-no-voice');
    }
    case 'punctuation': {
      const request = { op: 'punctuate', config, texts: [textSample] } as const;
      const [text = ''] = await engine.ask(request, options);
      return sameWords(textSample, text, null) ? null : modelFailure('test-other-words');
    }
    default: {
      const voices = companions.find(({ purpose }) => purpose === 'speaker-embedding');
      if (!voices) return modelFailure('needs-voice-model');
      const embedding = sherpaConfig(voices);
      const clustering = { numClusters: -1, threshold: 0.7 };
      const parts = { segmentation: config, embedding, clustering, path, start: 0, end };
      const { turns } = await engine.ask({ op: 'diarize', key: model.folder, ...parts }, options);
      return turns.length === 0 ? modelFailure('test-no-turns') : null;
    }
  }
}

async function lengthOf(path: string): Promise<number> {
  const audio = await openSpeechFile(path);
  await audio.close();
  return audio.duration;
}

const unusable = (why: Sentence, cause?: unknown): ModelError =>
  new ModelError('model-unusable', modelFailure('model-test-failed', { cause: why }), { cause });
