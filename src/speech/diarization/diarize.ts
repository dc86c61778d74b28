import { StageError } from '../../shared/errors.ts';
import type { SpeakerCount } from '../../shared/speaker-count.ts';
import type { SpeechFile } from '../../audio/wav.ts';
import {
  type InstalledModel,
  firstModel,
  sherpaConfig,
  verifyModel,
  type ModelFolders,
} from '../local/local-models.ts';
import { type LocalProcess, localProcess } from '../local/local-process.ts';
import {
  type SpokenTurn,
  type Window,
  type WindowVoice,
  joinWindows,
  windowsOf,
} from './windows.ts';

/** Tells who speaks when. Holds a process while it works: close it. */
export interface Diarizer {
  engine: 'local';
  /** Ids of the models, segmentation and embedding. */
  model: string;
  /** Id of the model that makes the embeddings: those of another one cannot be compared with them. */
  embeddingModel: string;
  /**
   * Speakers are counted from 0 in order of first speech.
   * @param options.onProgress called after each window with the part that is done
   * @throws {StageError} `model-missing`, `model-corrupt`, `engine-crashed`, …; AbortError when aborted
   */
  diarize(
    audio: SpeechFile,
    options: { speakers: SpeakerCount; signal: AbortSignal; onProgress(fraction: number): void },
  ): Promise<{ turns: SpokenTurn[]; voices: WindowVoice[] }>;
  /** Ends the process, whatever it does. */
  close(): Promise<void>;
}

/** Larger means fewer speakers; the distance (1 − cosine) up to which sherpa-onnx takes voices for one. */
const clusteringThreshold = 0.7;
/** A slow machine takes five times the audio's length; loading the models is in it too. */
const timeoutMs = (seconds: number) => 120_000 + seconds * 5_000;
/** How often a window is tried when the process dies over it. */
const triesMax = 2;

/** The diarizer of the installed models; null without a model of both kinds, the first by id of each. */
export async function localDiarizer(
  modelsDir: ModelFolders,
  engineProcess?: LocalProcess,
): Promise<Diarizer | null> {
  const models = await modelsIn(modelsDir);
  return models && diarizerOf(models, engineProcess ?? localProcess());
}

/** Tells how speakers sound whom another engine told apart. Holds a process while it works: close it. */
export interface VoiceEmbedder {
  embeddingModel: string;
  /**
   * An embedding of each speaker; null of one who was not heard alone for long enough.
   * @throws as `Diarizer.diarize`
   */
  embed(
    audio: SpeechFile,
    turns: readonly SpokenTurn[],
    options: { signal: AbortSignal; onProgress(fraction: number): void },
  ): Promise<WindowVoice[]>;
  close(): Promise<void>;
}

/** The installed model for speaker embedding, the first by id; null without one. */
export async function localEmbedder(
  modelsDir: ModelFolders,
  engineProcess: LocalProcess = localProcess(),
): Promise<VoiceEmbedder | null> {
  const model = await firstModel(modelsDir, 'speaker-embedding');
  if (!model) return null;
  return {
    embeddingModel: model.id,
    async embed(audio, turns, { signal, onProgress }) {
      const request = {
        op: 'voices',
        config: sherpaConfig(model),
        path: audio.path,
        turns,
      } as const;
      return await triedTwice(engineProcess, [model], () =>
        engineProcess.ask(request, { signal, onProgress, timeoutMs: timeoutMs(0) }),
      );
    },
    close: () => engineProcess.close(),
  };
}

/** Whether `localDiarizer` would find its models. */
export async function diarizerInstalled(modelsDir: ModelFolders): Promise<boolean> {
  return (await modelsIn(modelsDir)) !== null;
}

async function modelsIn(modelsDir: ModelFolders): Promise<Models | null> {
  const segmentation = await firstModel(modelsDir, 'speaker-segmentation');
  const embedding = await firstModel(modelsDir, 'speaker-embedding');
  return segmentation && embedding ? { segmentation, embedding } : null;
}

type Models = { segmentation: InstalledModel; embedding: InstalledModel };

function diarizerOf(models: Models, engineProcess: LocalProcess): Diarizer {
  const { segmentation, embedding } = models;
  return {
    engine: 'local',
    model: `${segmentation.id} ${embedding.id}`,
    embeddingModel: embedding.id,
    async diarize(audio, { speakers, signal, onProgress }) {
      const spans = windowsOf(audio.duration);
      const found: Window[] = [];
      for (const [start, end] of spans) {
        const askFor = (numClusters: number) => {
          const clustering = { numClusters, threshold: clusteringThreshold };
          const ask = { path: audio.path, start, end, clustering };
          return askWindow(models, engineProcess, ask, signal);
        };
        const heard = await askFor(-1);
        // Not everybody speaks in each of several windows.
        const min = spans.length === 1 ? (speakers.min ?? 1) : 1;
        found.push(
          heard.voices.length > 0 && heard.voices.length < min ? await askFor(min) : heard,
        );
        onProgress(found.length / spans.length);
      }
      return joinWindows(found, speakers);
    },
    close: () => engineProcess.close(),
  };
}

async function askWindow(
  { segmentation, embedding }: Models,
  engineProcess: LocalProcess,
  ask: Pick<Extract<Parameters<LocalProcess['ask']>[0], { op: 'diarize' }>, WindowKeys>,
  signal: AbortSignal,
): Promise<Window> {
  const request = {
    op: 'diarize',
    key: [segmentation.folder, embedding.folder, JSON.stringify(ask.clustering)].join('\n'),
    segmentation: sherpaConfig(segmentation),
    embedding: sherpaConfig(embedding),
    ...ask,
  } as const;
  const limits = { signal, timeoutMs: timeoutMs(ask.end - ask.start) };
  return await triedTwice(engineProcess, [segmentation, embedding], () =>
    engineProcess.ask(request, limits),
  );
}

/** Asks the process, once more when it dies over it. */
async function triedTwice<T>(
  engineProcess: LocalProcess,
  models: readonly InstalledModel[],
  ask: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    // A damaged model ends the process that loads it; one that is loaded is not looked at again.
    if (engineProcess.pid === undefined) for (const model of models) await verifyModel(model);
    try {
      return await ask();
    } catch (error) {
      const died = error instanceof StageError && error.code === 'engine-crashed';
      if (!died || tries >= triesMax) throw error;
    }
  }
}
type WindowKeys = 'path' | 'start' | 'end' | 'clustering';
