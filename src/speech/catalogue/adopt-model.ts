import { mkdir, readFile, readdir, rename, rm } from 'node:fs/promises';
import { modelFailure } from '../../words/models.ts';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import {
  exists,
  hashFile,
  ifMissing,
  syncDirectory,
  syncFile,
  writeDurably,
} from '../../shared/files.ts';
import {
  type InstalledModel,
  type ModelManifest,
  installedModels,
  replacedPlace,
} from '../local/local-models.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { checkModel } from './check-model.ts';
import { ModelError } from './model-error.ts';

/** Where an installation is. */
export type InstallPhase = 'downloading' | 'unpacking' | 'checking';

export type AdoptOptions = {
  /** Where models are installed; work that is not done lies in `.partial/<id>/` there. */
  modelsDir: string;
  /** Folders in which others are installed. */
  installed: readonly string[];
  signal: AbortSignal;
  /** Bytes that came and all that will come, as far as the server says it; 0 and null in other phases. */
  onProgress(phase: InstallPhase, bytes: number, total: number | null): void;
};

/** A model whose files are there, and have not been compared. */
export type FreshModel = Omit<ModelManifest, 'files'> & Pick<CatalogueEntry, 'files'>;

/**
 * From files that are all there to an installed model: compared with the checksums that are known, tried by the
 * engine, and put into its place by a rename.
 * @param folder holds the files; the one above it is removed at the end
 * @throws {ModelError} `checksum-differs`, `archive-unusable`, `model-unusable`; AbortError
 */
export async function adoptModel(
  fresh: FreshModel,
  folder: string,
  { modelsDir, installed, signal, onProgress }: AdoptOptions,
): Promise<InstalledModel> {
  onProgress('checking', 0, null);
  const files = await measured(fresh, folder);
  const { models } = await installedModels(installed);
  const before = models.find(({ id }) => id === fresh.id);
  assertSame(fresh, files, (await recordedChecksums(modelsDir, fresh.id)) ?? sumsOf(before?.files));
  const { id, title, purpose, languages, license, hotwords, sherpa } = fresh;
  const manifest: ModelManifest = {
    id,
    title,
    purpose,
    languages,
    license,
    hotwords,
    sherpa,
    files,
  };
  await writeDurably(join(folder, 'model.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await checkModel({ ...manifest, folder }, models, signal);
  signal.throwIfAborted();

  const record = checksumFile(modelsDir, id);
  await mkdir(dirname(record), { recursive: true, mode: 0o700 });
  await writeDurably(record, JSON.stringify(sumsOf(files), null, 2));
  const place = join(modelsDir, id);
  await putIntoPlace(folder, place, replacedPlace(modelsDir, id));
  await rm(dirname(folder), { recursive: true, force: true });
  return { ...manifest, folder: place };
}

/** One of the two is there at any moment, and is used: `installedModels` looks for both. */
async function putIntoPlace(folder: string, place: string, replaced: string): Promise<void> {
  await mkdir(dirname(replaced), { recursive: true, mode: 0o700 });
  // What lies aside is only left there when the place is empty.
  if (await exists(place)) {
    await rm(replaced, { recursive: true, force: true });
    await rename(place, replaced);
  }
  await rename(folder, place);
  await syncDirectory(dirname(place));
  await rm(replaced, { recursive: true, force: true });
}

/** Size and SHA-256 of each file, which are made durable. @throws {ModelError} when one is missing */
async function measured({ files }: FreshModel, folder: string): Promise<ModelManifest['files']> {
  const found: ModelManifest['files'] = {};
  for (const name of Object.keys(files)) {
    const path = join(folder, name);
    const sum = await hashFile(path);
    if (!sum || sum.bytes === 0) {
      throw new ModelError('archive-unusable', modelFailure('model-file-missing', { file: name }));
    }
    await syncFile(path);
    found[name] = { size: sum.bytes, sha256: sum.sha256 };
  }
  return found;
}

/** With what its publisher names, and with what was installed here under that name before. */
function assertSame(
  { id, files: named }: FreshModel,
  found: ModelManifest['files'],
  recorded: Readonly<Record<string, string>> = {},
): void {
  for (const [name, { size, sha256 }] of Object.entries(found)) {
    const wanted = named[name];
    const from =
      (wanted?.sha256 ?? sha256) !== sha256 || (wanted?.size ?? size) !== size
        ? 'publisher'
        : (recorded[name] ?? sha256) !== sha256
          ? 'earlier'
          : null;
    if (from === null) continue;
    throw new ModelError(
      'checksum-differs',
      modelFailure('checksum-differs', { file: name, from, id }),
    );
  }
}

/** Checksums of a model that was ever installed here: the first installation decides. A file for each: several processes install. */
const checksumFile = (modelsDir: string, id: string): string =>
  join(modelsDir, '.checksums', `${id}.json`);
/** What such a file is called when it was damaged, and put aside. */
const damagedEnding = '.damaged';
const checksumsSchema = z.record(z.string(), z.string());
type Checksums = z.infer<typeof checksumsSchema>;

const sumsOf = (files: ModelManifest['files'] = {}): Checksums =>
  Object.fromEntries(Object.entries(files).map(([name, { sha256 }]) => [name, sha256]));

/** Null when there are none, or when they cannot be read any more, which `damagedChecksums` then says. */
async function recordedChecksums(modelsDir: string, id: string): Promise<Checksums | null> {
  const path = checksumFile(modelsDir, id);
  const text = await readFile(path, 'utf8').catch(ifMissing(null));
  if (text === null) return null;
  try {
    return checksumsSchema.parse(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof z.ZodError)) throw error;
    await rename(path, `${path}${damagedEnding}`);
    return null;
  }
}

/** Checksums that were put aside, and what follows from it, in a sentence each. */
export async function damagedChecksums(
  modelsDir: string,
): Promise<{ file: string; problem: string }[]> {
  const folder = join(modelsDir, '.checksums');
  const names = await readdir(folder).catch(ifMissing<string[]>([]));
  const damaged = names.filter((name) => name.endsWith(damagedEnding));
  return damaged.map((name) => ({
    file: join(folder, name),
    problem:
      'The checksums were damaged: the next installation was compared with the model that was there, if one was. ' +
      'Delete this file when you have seen it.',
  }));
}
