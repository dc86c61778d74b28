import { type ModelFolders, firstModel, sherpaConfig, verifyModel } from './local-models.ts';
import { type LocalProcess, localProcess } from './local-process.ts';

/** Words of speech that goes on, by a streaming model: to be shown, never to be kept. */
export interface StreamingRecogniser {
  /**
   * What is heard so far of a speech.
   * @param speech its number; another one begins anew
   * @param samples what has come since the last call
   * @throws {StageError} as `LocalProcess`; AbortError
   */
  hear(speech: number, samples: Int16Array, signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}

/** Loading is in it too. */
const timeoutMs = 120_000;

/**
 * The first installed streaming model that speaks a language, in a process of its own: the engine's is busy with what
 * was said before. Null: there is none.
 * @throws {StageError} `model-missing`, `model-corrupt`
 */
export async function streamingRecogniser(
  modelsDir: ModelFolders,
  language: string,
  engine: LocalProcess = localProcess(),
): Promise<StreamingRecogniser | null> {
  const model = await firstModel(modelsDir, 'streaming-speech-to-text', language);
  if (!model) return null;
  await verifyModel(model);
  const request = { op: 'hear', key: model.folder, config: sherpaConfig(model) } as const;
  return {
    hear: (speech, samples, signal) =>
      engine.ask({ ...request, speech, samples }, { signal, timeoutMs }),
    close: () => engine.close(),
  };
}
