import { copyFile, mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { modelFailure } from '../../words/models.ts';
import type { Sentence } from '../../words/params.ts';
import { basename, dirname, join } from 'node:path';
import { hasCode } from '../../shared/errors.ts';
import { ifMissing } from '../../shared/files.ts';
import { isRunning } from '../../shared/machine.ts';
import type { InstalledModel } from '../local/local-models.ts';
import { type AdoptOptions, adoptModel } from './adopt-model.ts';
import type { CatalogueEntry, ModelSource } from './catalogue.ts';
import { type DownloadLimits, assertRoom, download, keptBytes } from './download.ts';
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

/** A lock of another host is touched so often while work goes on, and counts so long, milliseconds. */
const touchMs = 30_000;
const untouchedMs = 180_000;

/** The service, a command, and services of other hosts may be asked for the same model: one of them works on it. */
export async function claimed<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const lock = `${folder}.pid`;
  await mkdir(dirname(lock), { recursive: true, mode: 0o700 });
  const take = () => writeFile(lock, `${process.pid} ${hostname()}`, { mode: 0o600, flag: 'wx' });
  await take().catch(async (error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
    const holder = await readFile(lock, 'utf8').catch(ifMissing('0'));
    if (await isHeld(lock, holder)) {
      throw new ModelError(
        'download-failed',
        modelFailure('already-installing', { process: holder.replace(` ${hostname()}`, ''), lock }),
      );
    }
    // Of one that was killed.
    await rm(lock, { force: true });
    await take();
  });
  claims.add(lock);
  const touching = setInterval(() => {
    const now = new Date();
    utimes(lock, now, now).catch(() => {}); // the next time, or it is held for a while only
  }, touchMs).unref();
  try {
    return await work();
  } finally {
    clearInterval(touching);
    claims.delete(lock);
    await rm(lock, { force: true });
  }
}

/** Locks that this process has. */
const claims = new Set<string>();

/** @param holder the id of a process, and its host in locks of this release */
async function isHeld(lock: string, holder: string): Promise<boolean> {
  const [id, host = hostname()] = holder.split(' ');
  if (host !== hostname()) {
    const found = await stat(lock).catch(ifMissing(null));
    return found !== null && Date.now() - found.mtimeMs < untouchedMs;
  }
  const pid = Number(id);
  // In a container the service has the same id after each start: its own it knows.
  return pid === process.pid ? claims.has(lock) : pid > 0 && isRunning(pid);
}

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
  await assertRoom(archive, entry.size, options.limits);
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
    await copyModelFile(join(mirror, name), path, { unpackedBytes, limits });
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

/** @throws {ModelError} `download-failed`: it is not there; `no-room` */
export async function copyModelFile(
  from: string,
  to: string,
  { unpackedBytes = 0, limits }: { unpackedBytes?: number; limits: DownloadLimits | undefined },
): Promise<void> {
  const found = await stat(from).catch(ifMissing(null));
  if (found === null)
    throw new ModelError('download-failed', modelFailure('mirror-missing', { path: from }));
  await assertRoom(to, found.size + unpackedBytes, limits);
  await copyFile(from, `${to}.part`);
  await rename(`${to}.part`, to);
}
