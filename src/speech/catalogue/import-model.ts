import { mkdir, readFile, readdir, rm, stat } from 'node:fs/promises';
import { ifCode } from '../../shared/errors.ts';
import { modelFailure } from '../../words/models.ts';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { ifMissing } from '../../shared/files.ts';
import { type InstalledModel, manifestSchema } from '../local/local-models.ts';
import { type AdoptOptions, type FreshModel, adoptModel } from './adopt-model.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { assertRoom } from './download.ts';
import {
  type InstallOptions,
  claimed,
  copyModelFile,
  modelBytesMax,
  workFolder,
} from './install.ts';
import { ModelError, asNoRoom } from './model-error.ts';
import { isArchive, unpack } from './unpack.ts';

type ImportOptions = AdoptOptions & Pick<InstallOptions, 'limits'>;

/**
 * Brings a model in from a file or folder of this host, as `installModel`: an archive or a folder with a
 * `model.json` in it, or one that the catalogue knows by its name; also the only one of these that lies in a folder.
 * @throws {ModelError} AbortError
 */
export async function importModel(
  path: string,
  entries: readonly CatalogueEntry[],
  options: ImportOptions,
): Promise<InstalledModel> {
  const work = workFolder(options.modelsDir, 'import');
  return await claimed(work, async () => {
    await rm(work, { recursive: true, force: true });
    const files = join(work, 'files');
    try {
      await mkdir(files, { recursive: true, mode: 0o700 });
      options.onProgress('unpacking', 0, null);
      const meant = await modelMeant(path, entries);
      const manifest = await importedFiles(meant, files, entries, options);
      return await adoptModel(manifest, files, options);
    } catch (error) {
      throw asNoRoom(error);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
}

/**
 * The model that a person means by a path: of a folder around a model, that model.
 * @throws {ModelError} there are several in it
 */
async function modelMeant(path: string, entries: readonly CatalogueEntry[]): Promise<string> {
  const isModel = async (place: string): Promise<boolean> =>
    entries.some((entry) => namesOf(entry).includes(basename(place))) ||
    (await stat(join(place, 'model.json')).catch(ifCode(null, 'ENOENT', 'ENOTDIR'))) !== null;
  const names = await readdir(path).catch(ifCode<string[]>([], 'ENOENT', 'ENOTDIR'));
  if (names.length === 0 || (await isModel(path))) return path;
  const found: string[] = [];
  for (const name of names.toSorted()) if (await isModel(join(path, name))) found.push(name);
  if (found.length > 1)
    throw new ModelError(
      'model-unusable',
      modelFailure('import-several', { name: basename(path), models: found }),
    );
  return join(path, ...found);
}

/** Copies or unpacks what is a model's, and says which. */
async function importedFiles(
  path: string,
  files: string,
  entries: readonly CatalogueEntry[],
  { signal, limits }: ImportOptions,
): Promise<FreshModel> {
  const found = await stat(path).catch(ifMissing(null));
  if (!found) throw new ModelError('model-unusable', modelFailure('import-missing', { path }));
  const known = entries.find((entry) => namesOf(entry).includes(basename(path)));
  if (isArchive(path)) {
    const wanted = (name: string) => known === undefined || Object.hasOwn(known.files, name);
    // Of an unknown one it is not known how much is in it: no less than it is itself.
    await assertRoom(files, known?.size ?? found.size, limits);
    await unpack(path, files, { wanted, bytesMax: modelBytesMax, signal });
    return known ?? (await manifestIn(files, path));
  }
  const isFolder = found.isDirectory();
  const fresh = isFolder ? (known ?? (await manifestIn(path, path))) : known;
  if (!fresh) throw notAModel(path);
  for (const name of Object.keys(fresh.files)) {
    const target = join(files, name);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await copyModelFile(isFolder ? join(path, name) : path, target, { limits });
  }
  return fresh;
}

/** The file and folder names under which the publishers of a model give it away. */
function namesOf({ files, sources }: CatalogueEntry): string[] {
  const names = Object.keys(files);
  return sources.flatMap((source) => {
    if ('base' in source) return names.length === 1 ? names : [];
    const archive = basename(new URL(source.archive).pathname);
    return [archive, archive.replace(/\.tar(\.\w+)?$/, '')];
  });
}

async function manifestIn(folder: string, path: string): Promise<FreshModel> {
  const text = await readFile(join(folder, 'model.json'), 'utf8').catch(ifMissing(null));
  if (text === null) throw notAModel(path);
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new ModelError(
      'model-unusable',
      modelFailure('model-json-wrong', { name: basename(path), cause: why }),
    );
  }
}

const notAModel = (path: string): ModelError =>
  new ModelError('model-unusable', modelFailure('import-not-a-model', { name: basename(path) }));
