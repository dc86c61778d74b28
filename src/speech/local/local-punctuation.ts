import {
  type InstalledModel,
  type ModelFolders,
  installedModels,
  sherpaInstalled,
  sherpaConfig,
  speaksLanguage,
  verifyModel,
} from './local-models.ts';
import { localProcess } from './local-process.ts';

/** Without an answer or a sign of progress, milliseconds: a text takes a fraction of a second. */
const timeoutMs = 120_000;

/** The installed model that sets punctuation in a language (ISO 639-1), the first by id; undefined without one. */
export async function punctuationModel(
  modelsDir: ModelFolders,
  language: string,
): Promise<InstalledModel | undefined> {
  if (!sherpaInstalled()) return undefined;
  const { models } = await installedModels(modelsDir);
  return models.find((one) => one.purpose === 'punctuation' && speaksLanguage(one, language));
}

/**
 * Has a model punctuate texts, in an engine process that ends with it.
 * @throws {StageError} `model-missing`, `model-corrupt`, `engine-crashed`, `engine-stalled`, `engine-failed`; AbortError
 */
export async function punctuateLocally(
  model: InstalledModel,
  texts: readonly string[],
  options: { signal: AbortSignal; onProgress: (fraction: number) => void },
): Promise<readonly string[]> {
  await verifyModel(model);
  const engine = localProcess();
  try {
    const request = { op: 'punctuate', config: sherpaConfig(model), texts } as const;
    return await engine.ask(request, { ...options, timeoutMs });
  } finally {
    await engine.close();
  }
}
