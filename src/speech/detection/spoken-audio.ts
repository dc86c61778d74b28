import type { Stretch } from '../../../events/facts/transcript.ts';
import type { SpeechFile } from '../../audio/wav.ts';
import { StageError } from '../../shared/errors.ts';
import {
  type InstalledModel,
  installedModels,
  sherpaConfig,
  sherpaInstalled,
  verifyModel,
  type ModelFolders,
} from '../local/local-models.ts';
import { askOnce } from '../local/local-process.ts';
import { planStretches, quietestPoint } from './speech-segments.ts';
import { type DetectOptions, webrtcSpeech } from './webrtc-detector.ts';
import { type DecodedSpeech, decodeToSpeech } from '../../audio/decode.ts';
import { openSpeechFile } from '../../audio/speech-file.ts';

/** Where speech is, as stretches for an engine. Empty without speech: then no engine is asked. */
type LocatedSpeech = {
  /** Which detector found it: `webrtc` or a model's id; after a semicolon why no model was used. */
  detector: string;
  /** Sorted, apart or touching, none longer than `secondsMax`. */
  stretches: Stretch[];
};

/**
 * Finds speech and plans which stretches are asked of an engine. With an installed voice activity
 * model through sherpa-onnx, else with WebRTC's detector. The same audio and models give the same plan.
 * @throws {StageError} `engine-crashed`, `engine-stalled` (retriable); AbortError.
 */
export async function locateSpeech(
  audio: SpeechFile,
  {
    secondsMax,
    modelsDir,
    signal,
    onProgress = () => {},
  }: {
    /** Longest stretch the engine takes, in seconds. */
    secondsMax: number;
    /** Where models are installed; without it no model is used. */
    modelsDir?: ModelFolders | undefined;
    signal: AbortSignal;
    onProgress?: ((fraction: number) => void) | undefined;
  },
): Promise<LocatedSpeech> {
  const options = { signal, onProgress };
  const { model, problem } = await usableModel(modelsDir);
  const speech = model
    ? await modelSpeech(audio, model, options)
    : await webrtcSpeech(audio, options);
  const stretches = await planStretches(speech, {
    duration: audio.duration,
    secondsMax,
    cutBetween: (from, to) => quietestPoint(audio, from, to),
  });
  return { detector: model?.id ?? `webrtc${problem ? `; ${problem}` : ''}`, stretches };
}

/** Sound tracks of a file that are looked through for speech. */
const tracksMax = 8;

/** What is to be recognised of a file. */
type SpokenAudio = {
  decoded: DecodedSpeech;
  located: LocatedSpeech;
  /** Which sound track it is, from 1, of a file that has several; those behind it were not listened to. */
  tracks?: { used: number; of: number };
};

/**
 * Decodes the first sound track with speech (recorders of screens and meetings keep
 * several), the first one if none has any. The same file gives the same track.
 * @param target path of the speech file
 * @throws {StageError} as `decodeToSpeech` of the first track, and as `locateSpeech`; AbortError.
 */
export async function spokenAudio(
  source: string,
  target: string,
  options: {
    secondsMax: number;
    modelsDir?: ModelFolders | undefined;
    signal: AbortSignal;
    onProgress?: (fraction: number | null) => void;
  },
): Promise<SpokenAudio> {
  const { signal, onProgress } = options;
  const heard = async (track: number): Promise<SpokenAudio> => {
    const decoded = await decodeToSpeech(source, target, { signal, onProgress, track });
    const speech = await openSpeechFile(target);
    try {
      const { secondsMax, modelsDir } = options;
      const located = await locateSpeech(speech, { secondsMax, modelsDir, signal });
      const of = decoded.tracks;
      return { decoded, located, ...(of > 1 ? { tracks: { used: track + 1, of } } : {}) };
    } finally {
      await speech.close();
    }
  };
  const first = await heard(0);
  const tracks = Math.min(first.decoded.tracks, tracksMax);
  if (first.located.stretches.length > 0 || tracks === 1) return first;
  for (let track = 1; track < tracks; track += 1) {
    const other = await heard(track).catch(unreadable);
    if (other && other.located.stretches.length > 0) return other;
  }
  return await heard(0);
}

/** A broken detector model must not hold up a recording: the other detector needs none. */
async function usableModel(
  modelsDir: ModelFolders | undefined,
): Promise<{ model?: InstalledModel; problem?: string }> {
  if (modelsDir === undefined) return {};
  const { models } = await installedModels(modelsDir);
  const model = models.find(({ purpose }) => purpose === 'voice-activity');
  if (!model) return {};
  if (!sherpaInstalled()) return { problem: `${model.id} needs sherpa-onnx-node` };
  try {
    await verifyModel(model);
    sherpaConfig(model);
    return { model };
  } catch (error) {
    if (error instanceof StageError) return { problem: error.message };
    throw error;
  }
}

async function modelSpeech(
  audio: SpeechFile,
  model: InstalledModel,
  { signal, onProgress }: DetectOptions,
): Promise<Stretch[]> {
  const request = { op: 'detect', config: sherpaConfig(model), path: audio.path } as const;
  return apart(await askOnce(request, { signal, onProgress, timeoutMs: 120_000 }));
}

/** Spans of a model may touch or overlap by a window. */
function apart(spans: readonly Stretch[]): Stretch[] {
  const merged: Stretch[] = [];
  for (const [start, end] of spans) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** A further track that cannot be read holds up nothing. */
function unreadable(error: unknown): null {
  if (error instanceof StageError && !error.retriable) return null;
  throw error;
}
