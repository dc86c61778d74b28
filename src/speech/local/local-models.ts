import * as z from 'zod';
import { readFile, readdir, stat } from 'node:fs/promises';
import { isAbsolute, join, normalize, sep } from 'node:path';
import { StageError, messageOf } from '../../shared/errors.ts';
import { failure } from '../../words/failures.ts';
import { hashFile, ifMissing } from '../../shared/files.ts';
import { isInstalled } from '../../shared/package.ts';

const modelPurposes = [
  'speech-to-text',
  'streaming-speech-to-text',
  'voice-activity',
  'speaker-segmentation',
  'speaker-embedding',
  'punctuation',
] as const;
export type ModelPurpose = (typeof modelPurposes)[number];

const modelId = /^[\w-][\w.-]{0,99}$/;
/** Whether a text can be the id of a model, which is the name of its folder. */
export const isModelId = (text: string): boolean => modelId.test(text);

/** A path below the model's folder, in either system's way of writing. */
export const insidePath = z.string().refine((path) => {
  const plain = normalize(path.replaceAll('\\', '/'));
  return plain !== '.' && !isAbsolute(plain) && !plain.split(sep).includes('..');
}, 'must lie inside the model folder');

/** `model.json` of a folder `models/<id>/`. */
export const manifestSchema = z.object({
  id: z.string().regex(modelId),
  title: z.string().max(200),
  purpose: z.enum(modelPurposes),
  /** ISO 639-1 codes; empty: not bound to a language. */
  languages: z.array(z.string()).max(200),
  license: z.string().max(200),
  /**
   * Of a transducer that takes hotwords: how its words are made of units, and the file that knows them. Only after a run
   * with the model: any other one ends the process (sherpa-onnx 1.13.8).
   */
  hotwords: z
    .object({ unit: z.enum(['bpe', 'bbpe', 'cjkchar', 'cjkchar+bpe']), vocabulary: z.string() })
    .optional(),
  /** Configuration as sherpa-onnx-node takes it; file names as in `files`. */
  sherpa: z.record(z.string(), z.json()),
  files: z.record(
    insidePath,
    z.object({ size: z.number().int().positive(), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
  ),
});
export type ModelManifest = z.infer<typeof manifestSchema>;

export type InstalledModel = ModelManifest & {
  /** Absolute path of the model's folder. */
  folder: string;
};

/** Whether a model knows a language (ISO 639-1); null stands for any. */
export const speaksLanguage = (
  { languages }: Pick<ModelManifest, 'languages'>,
  language: string | null,
): boolean => language === null || languages.length === 0 || languages.includes(language);

/** Where models are: a folder, or several of which the first counts that has one of an id. */
export type ModelFolders = string | readonly string[];

/** A folder that should be a model and is none, and why, in a sentence. */
export type BrokenModel = { folder: string; problem: string };

const modelsMax = 200;

/**
 * Models below folders, sorted by id, as far as their `model.json` says: nothing is read of the
 * model files themselves (see `verifyModel`). A folder that is not there holds no models; of several
 * with the same id the one in the first folder counts.
 */
export async function installedModels(
  modelsDir: ModelFolders,
): Promise<{ models: InstalledModel[]; broken: BrokenModel[] }> {
  const models = new Map<string, InstalledModel>();
  const broken: BrokenModel[] = [];
  for (const { name, folder } of await modelFolders([modelsDir].flat())) {
    if (models.has(name)) continue;
    try {
      const manifest = manifestSchema.parse(
        JSON.parse(await readFile(join(folder, 'model.json'), 'utf8')),
      );
      if (manifest.id !== name) throw new Error(`its id is ${manifest.id}, not its folder's name`);
      models.set(name, { ...manifest, folder });
    } catch (error) {
      broken.push({ folder, problem: `model.json cannot be used: ${reason(error)}` });
    }
  }
  const sorted = [...models.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return { models: sorted, broken };
}

/** The installed model of a purpose that can be run here and speaks a language (ISO 639-1), the first by id. */
export async function firstModel(
  modelsDir: ModelFolders,
  purpose: ModelPurpose,
  language: string | null = null,
): Promise<InstalledModel | undefined> {
  if (!sherpaInstalled()) return undefined;
  const { models } = await installedModels(modelsDir);
  return models.find((one) => one.purpose === purpose && speaksLanguage(one, language));
}

async function modelFolders(
  parents: readonly string[],
): Promise<{ name: string; folder: string }[]> {
  const all: { name: string; folder: string }[] = [];
  for (const parent of parents) {
    for (const within of [parent, join(parent, replacedFolder)]) {
      all.push(...(await foldersIn(within)).map((name) => ({ name, folder: join(within, name) })));
    }
  }
  return all.slice(0, modelsMax);
}

const replacedFolder = '.replaced';
/**
 * Where a model lies while another one is put into its place. After a kill in that moment it is there alone, and is
 * used from there.
 */
export const replacedPlace = (modelsDir: string, id: string): string =>
  join(modelsDir, replacedFolder, id);

/**
 * Checks presence, size and SHA-256 of every file of a model. To be done before a model is loaded:
 * ONNX runtime aborts the whole process over a damaged one.
 * @throws {StageError} `model-missing` or `model-corrupt`, not retriable, naming the file.
 */
export async function verifyModel(model: InstalledModel): Promise<void> {
  for (const [name, expected] of Object.entries(model.files)) {
    const path = join(model.folder, name);
    const found = await stat(path).catch(ifMissing(null));
    if (!found) throw damaged(model, { file: name, fault: 'missing' });
    if (found.size !== expected.size)
      throw damaged(model, {
        file: name,
        fault: 'size',
        found: found.size,
        expected: expected.size,
      });
    if ((await hashFile(path))?.sha256 !== expected.sha256)
      throw damaged(model, { file: name, fault: 'checksum' });
  }
}

/**
 * The model's configuration with absolute paths. Every string that is the name of one of its files
 * becomes a path; one that looks like a model file but is not listed (so never verified) is refused.
 * @throws {StageError} `model-corrupt`.
 */
export function sherpaConfig(model: InstalledModel): Record<string, unknown> {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (value !== null && typeof value === 'object')
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolve(part)]));
    if (typeof value !== 'string') return value;
    if (Object.hasOwn(model.files, value)) return join(model.folder, value);
    if (/\.(onnx|ort|txt|model|fst|far|bin|vocab)$/i.test(value) || isAbsolute(value))
      throw damaged(model, { file: value, fault: 'not-listed' });
    return value;
  };
  return resolve(model.sherpa) as Record<string, unknown>;
}

/** Whether sherpa-onnx-node, an optional dependency, is installed. Does not load it. */
export const sherpaInstalled = (): boolean => isInstalled('sherpa-onnx-node');

async function foldersIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(ifMissing([]));
  return entries
    .filter((entry) => !entry.name.startsWith('.') && !entry.isFile())
    .map((entry) => entry.name)
    .sort();
}

const damaged = (
  model: InstalledModel,
  wrong: Omit<Parameters<typeof failure<'model-damaged'>>[1], 'model'>,
): StageError =>
  new StageError(failure('model-damaged', { model: model.id, ...wrong }), {
    retriable: false,
    ...(wrong.fault === 'missing' && { as: 'model-missing' }),
  });

function reason(error: unknown): string {
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    // The reason why a name of `files` is wrong lies one level deeper.
    if (issue?.code === 'invalid_key')
      return `${issue.path.join('.')} ${issue.issues[0]?.message ?? 'is invalid'}`;
    return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`;
  }
  return messageOf(error);
}
