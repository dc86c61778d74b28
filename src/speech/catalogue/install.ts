import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { modelFailure } from '../../words/models.ts';
import type { Sentence } from '../../words/params.ts';
import { basename, dirname, join } from 'node:path';
import { hasCode } from '../../shared/errors.ts';
import { ifMissing } from '../../shared/files.ts';
import { isRunning } from '../../shared/machine.ts';
import type { InstalledModel } from '../local/local-models.ts';
import { type AdoptOptions, adoptModel } from './adopt-model.ts';
import type { CatalogueEntry, ModelSource } from './catalogue.ts';
import { type DownloadLimits, download, keptBytes } from './download.ts';
import { ModelError, asNoRoom } from './model-error.ts';
import { unpack } from './unpack.ts';

export type InstallOptions = AdoptOptions & {
  /** An address or a folder that has every file under its own name; null for the sources of the entry. */
  mirror: string | null;
  limits?: DownloadLimits | undefined;
};

/** Files of a model together, at most, bytes. */
export const modelBytesMax = 20e9;

/**
 * Fetches a model of the catalogue, checks it, and puts it into its place by one rename: at any moment there is
 * a working model or none. What was downloaded is kept after a failure of the network, a cancelled run or a
 * killed process, and removed when it turned out to be unusable.
 * @throws {ModelError} AbortError
 */
export async function installModel(
  entry: CatalogueEntry,
  options: InstallOptions,
): Promise<InstalledModel> {
  const work = workFolder(options.modelsDir, entry.id);
  return await claimed(work, () => installInto(entry, work, options));
}

async function installInto(
  entry: CatalogueEntry,
  work: string,
  options: InstallOptions,
): Promise<InstalledModel> {
  const files = join(work, 'files');
  try {
    await fetchFromAny(entry, { work, files }, options);
    return await adoptModel(entry, files, options);
  } catch (thrown) {
    const error = asNoRoom(thrown);
    const isBad = error instanceof ModelError && spoiled.has(error.code);
    await rm(isBad ? work : files, { recursive: true, force: true });
    throw error;
  }
}

/** After these, what was downloaded is of no use; or it takes room that recordings need. */
const spoiled: ReadonlySet<string> = new Set([
  'no-room',
  'archive-unusable',
  'checksum-differs',
  'model-unusable',
]);

/** Removes what an installation that did not end has left. */
export const discardPartial = (modelsDir: string, id: string): Promise<void> =>
  rm(workFolder(modelsDir, id), { recursive: true, force: true });

export const workFolder = (modelsDir: string, id: string): string =>
  join(modelsDir, '.partial', id);

/** The service and a command may be asked for the same model: one of them works on it. */
export async function claimed<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const lock = `${folder}.pid`;
  await mkdir(dirname(lock), { recursive: true, mode: 0o700 });
  const take = () => writeFile(lock, String(process.pid), { mode: 0o600, flag: 'wx' });
  await take().catch(async (error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
    const holder = Number(await readFile(lock, 'utf8').catch(ifMissing('0')));
    // In a container the service has the same id after each start: its own it knows.
    const isHeld = holder === process.pid ? claims.has(lock) : holder > 0 && isRunning(holder);
    if (isHeld) {
      throw new ModelError(
        'download-failed',
        modelFailure('already-installing', { process: String(holder), lock }),
      );
    }
    // Of one that was killed.
    await rm(lock, { force: true });
    await take();
  });
  claims.add(lock);
  try {
    return await work();
  } finally {
    claims.delete(lock);
    await rm(lock, { force: true });
  }
}

/** Locks that this process has. */
const claims = new Set<string>();

async function fetchFromAny(
  entry: CatalogueEntry,
  folders: { work: string; files: string },
  options: InstallOptions,
): Promise<void> {
  const causes: Sentence[] = [];
  for (const source of entry.sources) {
    try {
      await rm(folders.files, { recursive: true, force: true });
      await mkdir(folders.files, { recursive: true, mode: 0o700 });
      if ('archive' in source) await fetchArchive(entry, source.archive, folders, options);
      else await fetchFiles(entry, source, folders, options);
      return;
    } catch (error) {
      const isOfSource =
        error instanceof ModelError && ['download-failed', 'archive-unusable'].includes(error.code);
      if (!isOfSource) throw error;
      if (entry.sources.length === 1 && error.code === 'archive-unusable') throw error;
      causes.push(error.said);
    }
  }
  throw new ModelError(
    'download-failed',
    modelFailure('download-failed', { causes, kept: (await keptBytes(folders.work)) || undefined }),
  );
}

async function fetchArchive(
  entry: CatalogueEntry,
  address: string,
  { work, files }: { work: string; files: string },
  options: InstallOptions,
): Promise<void> {
  const archive = join(work, basename(new URL(address).pathname));
  await fetchFile(address, archive, entry.size, options);
  options.onProgress('unpacking', 0, null);
  await unpack(archive, files, {
    wanted: (path) => Object.hasOwn(entry.files, path),
    bytesMax: modelBytesMax,
    signal: options.signal,
  }).catch(async (error: unknown) => {
    // A damaged one must not be taken again.
    if (!options.signal.aborted) await rm(archive, { force: true });
    throw error;
  });
}

async function fetchFiles(
  entry: CatalogueEntry,
  { base }: Extract<ModelSource, { base: string }>,
  { work, files }: { work: string; files: string },
  options: InstallOptions,
): Promise<void> {
  for (const name of Object.keys(entry.files)) {
    const fetched = join(work, name.replaceAll('/', '_'));
    await fetchFile(new URL(name, base).href, fetched, 0, options);
    const target = join(files, name);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await rename(fetched, target);
  }
}

/** From the house's mirror where there is one, and then from there alone. */
async function fetchFile(
  address: string,
  path: string,
  unpackedBytes: number,
  { mirror, signal, onProgress, limits }: InstallOptions,
): Promise<void> {
  const name = basename(new URL(address).pathname);
  if (mirror !== null && !/^https?:/.test(mirror)) {
    onProgress('downloading', 0, null);
    await copyModelFile(join(mirror, name), path);
    return;
  }
  const from = mirror === null ? address : new URL(name, mirror.replace(/\/?$/, '/')).href;
  await download(from, path, {
    signal,
    unpackedBytes,
    onProgress: (bytes, total) => onProgress('downloading', bytes, total),
    ...(limits === undefined ? {} : { limits }),
  });
}

export async function copyModelFile(from: string, to: string): Promise<void> {
  await copyFile(from, `${to}.part`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new ModelError('download-failed', modelFailure('mirror-missing', { path: from }));
  });
  await rename(`${to}.part`, to);
}
