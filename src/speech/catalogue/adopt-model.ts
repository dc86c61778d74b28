import { readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { hashFile, ifMissing, syncDirectory, syncFile, writeDurably } from '../../shared/files.ts';
import { type InstalledModel, type ModelManifest, installedModels } from '../local/local-models.ts';
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
  const recorded = await recordedChecksums(modelsDir);
  assertSame(fresh, files, recorded[fresh.id]);
  const { id, title, purpose, languages, license, sherpa } = fresh;
  const manifest: ModelManifest = { id, title, purpose, languages, license, sherpa, files };
  await writeDurably(join(folder, 'model.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const { models } = await installedModels(installed);
  await checkModel({ ...manifest, folder }, models, signal);
  signal.throwIfAborted();

  const sums = Object.fromEntries(
    Object.entries(files).map(([name, { sha256 }]) => [name, sha256]),
  );
  await writeDurably(checksumFile(modelsDir), JSON.stringify({ ...recorded, [id]: sums }, null, 2));
  const place = join(modelsDir, id);
  // What is there under that name is broken, or is replaced.
  const replaced = join(dirname(folder), 'replaced');
  await rename(place, replaced).catch(ifMissing(undefined));
  await rename(folder, place);
  await syncDirectory(modelsDir);
  await rm(dirname(folder), { recursive: true, force: true });
  return { ...manifest, folder: place };
}

/** Size and SHA-256 of each file, which are made durable. @throws {ModelError} when one is missing */
async function measured(
  { title, files }: FreshModel,
  folder: string,
): Promise<ModelManifest['files']> {
  const found: ModelManifest['files'] = {};
  for (const name of Object.keys(files)) {
    const path = join(folder, name);
    const sum = await hashFile(path);
    if (!sum || sum.bytes === 0) {
      throw new ModelError('archive-unusable', `${title}: what was fetched has no file ${name}.`);
    }
    await syncFile(path);
    found[name] = { size: sum.bytes, sha256: sum.sha256 };
  }
  return found;
}

/** With what its publisher names, and with what was installed here under that name before. */
function assertSame(
  { id, title, files: named }: FreshModel,
  found: ModelManifest['files'],
  recorded: Readonly<Record<string, string>> = {},
): void {
  for (const [name, { size, sha256 }] of Object.entries(found)) {
    const wanted = named[name];
    const differs =
      (wanted?.sha256 ?? sha256) !== sha256 || (wanted?.size ?? size) !== size
        ? 'what its publisher names'
        : (recorded[name] ?? sha256) !== sha256
          ? `what was installed here before (.checksums.json; if its publisher has released it again, remove ${id} there)`
          : null;
    if (differs === null) continue;
    throw new ModelError(
      'checksum-differs',
      `${title}: the file ${name} differs from ${differs}. It was altered or damaged on its way: nothing was installed.`,
    );
  }
}

/** Checksums of all models that were ever installed here: the first installation decides. */
const checksumFile = (modelsDir: string): string => join(modelsDir, '.checksums.json');
const checksumsSchema = z.record(z.string(), z.record(z.string(), z.string()));

async function recordedChecksums(modelsDir: string): Promise<z.infer<typeof checksumsSchema>> {
  const text = await readFile(checksumFile(modelsDir), 'utf8').catch(ifMissing('{}'));
  return checksumsSchema.parse(JSON.parse(text));
}
