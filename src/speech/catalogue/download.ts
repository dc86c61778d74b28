import { syscallOf } from '../../shared/errors.ts';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { modelFailure } from '../../words/models.ts';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { Dispatcher } from 'undici';
import {
  diskAt,
  exists,
  ifMissing,
  syncDirectory,
  syncFile,
  writeDurably,
  writeAt,
} from '../../shared/files.ts';
import type { Pauses } from '../../shared/pauses.ts';
import { retry } from '../../shared/retry.ts';
import { readJsonFile } from '../../shared/json.ts';
import { ModelError, asNoRoom, noRoom } from './model-error.ts';
import {
  ServerFailed,
  requestModelFile,
  networkReason,
  passing,
  serverOf,
} from './model-server.ts';

export type DownloadOptions = {
  signal: AbortSignal;
  /** Called with the bytes that are there, and how many there will be, if the server says it. */
  onProgress(bytes: number, total: number | null): void;
  /** Bytes that what is made of the file will take. */
  unpackedBytes: number;
  limits?: DownloadLimits;
};

/** Milliseconds, and bytes. */
export type DownloadLimits = {
  /** Tries of an address that bring nothing, and the pauses between them. */
  triesMax: number;
  pauses: Pauses;
  /** A server that sends nothing for so long is given up. */
  silenceMs: number;
  /** One that sends less than so many bytes in such a time as well. */
  slow: { bytes: number; ms: number };
  /** Bytes that stay free on the disk, for recordings. */
  keepFree: number;
};

/** After so many bytes of a file of unknown length it is looked whether there is still room. */
const unknownLookBytes = 16 * 1024 * 1024;

const usual: DownloadLimits = {
  triesMax: 5,
  pauses: { first: 1000, max: 30_000 },
  silenceMs: 60_000,
  slow: { bytes: 120_000, ms: 120_000 },
  keepFree: 512 * 1024 * 1024,
};

/**
 * Fetches a file to `path`. What arrived of it lies in `<path>.part`, also after an error, a cancelled download
 * or a killed process: the next call goes on from there, if the server says that it is still the same file
 * (RFC 9110: `Range` with `If-Range`), else from the beginning. `path` is there only when the file is
 * complete. Proxies by `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`. A server is tried again as long as each try
 * brings something, and a few times when it does not.
 * @throws {ModelError} `download-failed` with what the server answered; `no-room`; AbortError
 */
export async function download(
  address: string,
  path: string,
  options: DownloadOptions,
): Promise<void> {
  if (await exists(path)) return;
  const { signal, limits = usual } = options;
  let had = await sizeOf(partOf(path));
  let fruitless = 0;
  const once = async (): Promise<void> => {
    try {
      await fetchOnce(address, path, options);
    } finally {
      const have = await sizeOf(partOf(path));
      fruitless = have - had >= limits.slow.bytes ? 0 : fruitless + 1;
      had = have;
    }
  };
  const isTransient = (error: unknown): boolean =>
    error instanceof ServerFailed && error.passing && fruitless < limits.triesMax;
  try {
    await retry(once, { pauses: limits.pauses, signal, isTransient });
  } catch (error) {
    if (!(error instanceof ServerFailed)) throw error;
    const said = modelFailure('source-failed', { place: serverOf(address), cause: error.said });
    throw new ModelError('download-failed', said, { cause: error });
  }
  await rename(partOf(path), path);
  await rm(noteOf(path), { force: true });
  await syncDirectory(dirname(path));
}

/** Bytes of unfinished downloads in a folder from which a further download goes on. */
export async function keptBytes(folder: string): Promise<number> {
  const names = await readdir(folder).catch(ifMissing<string[]>([]));
  const parts = names.filter((name) => names.includes(`${name}.json`) && name.endsWith('.part'));
  const sizes = await Promise.all(parts.map((name) => sizeOf(join(folder, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

const partOf = (path: string): string => `${path}.part`;
const noteOf = (path: string): string => `${path}.part.json`;

/** What must hold for a part to be gone on with. */
const noteSchema = z.object({
  address: z.string(),
  /** A strong entity tag, or a date, as the server gave it. */
  validator: z.string(),
  total: z.number().int().positive().nullable(),
});

async function fetchOnce(address: string, path: string, options: DownloadOptions): Promise<void> {
  const have = await sizeOf(partOf(path));
  const note = have > 0 ? await readNote(path, address) : null;
  // Killed after its last byte. Checksums tell whether they are right.
  if (note?.total === have) return await syncFile(partOf(path));
  const headers: Record<string, string> = { 'accept-encoding': 'identity' };
  if (note) Object.assign(headers, { range: `bytes=${have}-`, 'if-range': note.validator });
  const { signal, limits: { silenceMs } = usual } = options;
  const answer = await requestModelFile(address, headers, { signal, silenceMs }).catch(
    async (error: unknown) => {
      // Nothing comes behind it: the next try is from the beginning.
      if (error instanceof ServerFailed && error.isBeyond) await rm(partOf(path), { force: true });
      throw error;
    },
  );
  try {
    const start = note && answer.statusCode === 206 ? rangeStart(answer.headers) : 0;
    if (start !== 0 && start !== have) throw passing(modelFailure('other-part'));
    const length = lengthOf(answer.headers);
    const total = length === null ? null : start + length;
    await writeNote(path, address, answer.headers, total);
    // Of one that does not say how long it is, as it grows.
    await assertRoom(path, (length ?? 0) + options.unpackedBytes, options.limits);
    await receive(answer.body, path, { start, total, ...options });
  } catch (error) {
    answer.body.destroy();
    // The rest of the answer is not wanted, and its end is nobody's error.
    answer.body.on('error', () => {});
    throw error;
  }
}

async function receive(
  body: AsyncIterable<Uint8Array>,
  path: string,
  {
    start,
    total,
    signal,
    onProgress,
    unpackedBytes,
    limits = usual,
  }: DownloadOptions & { start: number; total: number | null },
): Promise<void> {
  const file = await open(partOf(path), start === 0 ? 'w' : 'r+', 0o600);
  try {
    let at = start;
    let window = { since: performance.now(), at };
    let looked = at;
    onProgress(at, total);
    try {
      for await (const chunk of body) {
        await writeAt(file, chunk, at);
        at += chunk.length;
        onProgress(at, total);
        if (total === null && at - looked >= unknownLookBytes) {
          looked = at;
          await assertRoom(path, unpackedBytes, limits);
        }
        const now = performance.now();
        if (now - window.since < limits.slow.ms) continue;
        if (at - window.at < limits.slow.bytes) throw passing(modelFailure('too-slow'));
        window = { since: now, at };
      }
    } catch (error) {
      signal.throwIfAborted();
      throw receiveError(error);
    }
    await file.truncate(at);
    if (total !== null && at !== total) throw passing(modelFailure('ended-too-soon'));
    await file.sync();
  } finally {
    await file.close();
  }
}

function receiveError(error: unknown): unknown {
  if (error instanceof ServerFailed || error instanceof ModelError) return error;
  // Errors of the disk are not the server's.
  if (syscallOf(error) === 'write') return asNoRoom(error);
  return passing(networkReason(error), error);
}

/** Whether what is put beside a path leaves room for recordings. @throws {ModelError} `no-room` */
export async function assertRoom(
  path: string,
  bytes: number,
  { keepFree }: Pick<DownloadLimits, 'keepFree'> = usual,
): Promise<void> {
  const { free } = await diskAt(dirname(path));
  if (free < bytes + keepFree) throw noRoom({ free, needed: bytes + keepFree });
}

async function readNote(path: string, address: string): Promise<z.infer<typeof noteSchema> | null> {
  // Half written: begun again.
  const note = await readJsonFile(noteOf(path), noteSchema);
  return note?.address === address ? note : null;
}

/** Without something that tells whether it is still the same file, a part cannot be gone on with. */
async function writeNote(
  path: string,
  address: string,
  headers: Dispatcher.ResponseData['headers'],
  total: number | null,
): Promise<void> {
  const { etag, 'last-modified': modified } = headers;
  const validator =
    typeof etag === 'string' && !etag.startsWith('W/')
      ? etag
      : typeof modified === 'string'
        ? modified
        : null;
  if (validator === null) await rm(noteOf(path), { force: true });
  else await writeDurably(noteOf(path), JSON.stringify({ address, validator, total }));
}

function lengthOf({ 'content-length': length }: Dispatcher.ResponseData['headers']): number | null {
  return typeof length === 'string' && /^\d+$/.test(length) ? Number(length) : null;
}

function rangeStart({ 'content-range': range }: Dispatcher.ResponseData['headers']): number {
  const found = typeof range === 'string' ? /^bytes (\d+)-/.exec(range) : null;
  if (!found) throw passing(modelFailure('part-unnamed'));
  return Number(found[1]);
}

const sizeOf = (path: string): Promise<number> => stat(path).then(({ size }) => size, ifMissing(0));
