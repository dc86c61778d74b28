import { detail } from '../words/details.ts';
import { failure } from '../words/failures.ts';
import type { Sentence } from '../words/params.ts';
import { inEnglish } from '../words/say.ts';
import { hasCode, codeOf } from '../shared/errors.ts';
import { lstat, open, opendir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../config/environment.ts';
import type { DataFolder } from '../shared/data-directory.ts';
import { diskAt, ifMissing } from '../shared/files.ts';

/** What a walk found. `unread`: files and folders that it could not look at, whose bytes are not in. */
export type CountedBytes = { bytes: number; unread: number };

/** Folders are looked into so deep; ours are three deep. */
const depthMax = 64;

/**
 * Bytes of a plain file, or of all plain files below a folder, by their lengths; 0 when nothing is there. Links are neither
 * followed nor counted. Reads one entry after the other and holds none of them, so a large tree takes
 * long but nothing else; what changes meanwhile is counted or not.
 * @throws the signal's reason when aborted
 */
export async function countBytes(root: string, signal?: AbortSignal): Promise<CountedBytes> {
  const counted: CountedBytes = { bytes: 0, unread: 0 };
  await walk(root, 0);
  return counted;

  async function walk(path: string, depth: number): Promise<void> {
    if (depth > depthMax) {
      counted.unread += 1;
      return;
    }
    try {
      signal?.throwIfAborted();
      const there = await lstat(path);
      if (there.isFile()) counted.bytes += there.size;
      if (!there.isDirectory()) return;
      for await (const { name } of await opendir(path)) await walk(join(path, name), depth + 1);
    } catch (error) {
      signal?.throwIfAborted();
      missed(error);
    }
  }

  /** What has gone meanwhile takes no space; what may not be read is said, and the rest counted. */
  function missed(error: unknown): undefined {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return;
    if (codeOf(error) === undefined) throw error;
    counted.unread += 1;
  }
}

/** Room on the disk of the data directory, and what is done before there is none. */
export interface DiskRoom {
  /**
   * New work may begin that takes so many bytes.
   * @throws {DiskFull} less than `limits.free_mb` would be left
   */
  admit(bytes: number): Promise<void>;
  /**
   * Gives up the reserve where room is short, for what makes room: erasing, and logging in for it.
   * Resolves with whether it did.
   */
  giveUpReserve(): Promise<boolean>;
  /** To be shown while new work is refused, as far as it was looked at last. */
  warning(): { code: 'disk-low'; said: Sentence } | null;
  /** Makes the reserve when there is room for it, now and every minute. */
  start(): Promise<void>;
  /** Resolves when nothing is written any more. */
  stop(): Promise<void>;
}

/** The disk is full, or nearly: new work is refused. HTTP answers 503. */
export class DiskFull extends Error {
  override name = 'DiskFull';
  readonly code = 'DISK_FULL';
  /** Bytes that are free. */
  readonly freeBytes: number;
  /** Bytes below which nothing new is taken. */
  readonly lowBytes: number;
  constructor(freeBytes: number, lowBytes: number) {
    super(inEnglish(detail('disk-low', { free: freeBytes, least: lowBytes })));
    this.freeBytes = freeBytes;
    this.lowBytes = lowBytes;
  }
}

/** Name of the reserve in the data directory. */
export const reserveFile = 'reserve';
/** Bytes of the reserve: enough for the database to be opened again, twice over, and for many erasures. */
const reserveBytesMax = 32 * 1024 ** 2;
/** It takes at most this share of what is free, so that a small disk has one too. */
const reserveShare = 1 / 8;
/** Less than this is short: the database may need it to be opened again. */
const shortBytes = 8 * 1024 ** 2;
/** How often it is looked whether the reserve can be made, in milliseconds. */
const lookEveryMs = 60_000;
const megabyte = 1024 ** 2;

/** Bytes that must be free for new work to begin: as set, else 500 MB, or a twentieth of a small disk. */
const lowWaterMark = (
  { 'limits.free_mb': megabytes }: Pick<Settings, 'limits.free_mb'>,
  totalBytes: number,
): number =>
  megabytes === null ? Math.min(500 * megabyte, totalBytes / 20) : megabytes * megabyte;

/** Where a data directory grows: each may lie on a disk of its own, by a link or as what all nodes share. */
const growing = ['root', 'recordings', 'spaces', 'uploads'] as const;
type Growing = Pick<DataFolder, (typeof growing)[number]>;

/** The disk that is full first, in bytes: `low` must be free there for new work to begin. @throws the system's errors */
export async function tightestDisk(
  data: Growing,
  settings: Pick<Settings, 'limits.free_mb'>,
): Promise<{ folder: string; free: number; low: number }> {
  const disks = await Promise.all(
    growing.map(async (name) => {
      const there = await diskAt(data[name]).catch(ifMissing(null));
      const { free, total } = there ?? (await diskAt(data.root));
      return { folder: data[name], free, low: lowWaterMark(settings, total) };
    }),
  );
  return disks.reduce((least, one) => (one.free - one.low < least.free - least.low ? one : least));
}

/** Bytes that recordings leave free on a disk: half of what must be free for one to begin, which would end at once otherwise. */
export const leftByRecordings = async (
  folder: string,
  settings: Pick<Settings, 'limits.free_mb'>,
): Promise<number> => lowWaterMark(settings, (await diskAt(folder)).total) / 2;

/** Whether an error, or one behind it, says that the disk is full. */
export function isNoSpace(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return hasCode(error, 'ENOSPC') || /No space left/.test(error.message) || isNoSpace(error.cause);
}

/** What a disk, a network file system or a process short of files says, and may not say a little later. */
export const isOfSystem = (error: unknown): boolean =>
  hasCode(
    error,
    'EIO',
    'ESTALE',
    'EDQUOT',
    'EROFS',
    'EMFILE',
    'ENFILE',
    'ENOMEM',
    'EBUSY',
    'EAGAIN',
    'ETIMEDOUT',
    'EHOSTDOWN',
    'EHOSTUNREACH',
    'ENOTCONN',
  );

/** Removes the reserve; false when there is none. */
export const removeReserve = (root: string): Promise<boolean> =>
  rm(join(root, reserveFile)).then(() => true, ifMissing(false));

/** Watches nothing and makes nothing before `start`. */
export function openDiskRoom(deps: {
  data: Growing;
  settings(): Pick<Settings, 'limits.free_mb'>;
  log: { warn(fields: object, text: string): void };
}): DiskRoom {
  const { data, log } = deps;
  const { root } = data;
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let making: Promise<void> = Promise.resolve();
  let last = { free: Infinity, low: 0 };

  const look = async (): Promise<{ free: number; low: number }> => {
    last = await tightestDisk(data, deps.settings());
    return last;
  };
  const makeReserve = async (): Promise<void> => {
    await look();
    const { free, total } = await diskAt(root);
    const low = lowWaterMark(deps.settings(), total);
    const there = await sizeOf(join(root, reserveFile));
    const wanted = Math.min(reserveBytesMax, Math.floor(free * reserveShare));
    if (there > 0 || free - wanted < low) return;
    await fill(join(root, reserveFile), wanted, stopping.signal);
  };

  return {
    async admit(bytes) {
      const { free, low } = await look();
      if (free - bytes < low) throw new DiskFull(free, low);
    },
    async giveUpReserve() {
      const { free } = await diskAt(root);
      if (free >= shortBytes) return false;
      await making;
      const given = await removeReserve(root);
      if (given) log.warn({ free }, 'disk is full; the reserved space was released');
      return given;
    },
    warning() {
      if (last.free >= last.low) return null;
      return { code: 'disk-low', said: failure('disk-low', { free: last.free }) };
    },
    start() {
      const again = (): Promise<void> => {
        making = makeReserve()
          .catch((error: unknown) => {
            if (!stopping.signal.aborted)
              log.warn({ err: error }, 'reserved disk space could not be created');
          })
          .finally(() => {
            if (!stopping.signal.aborted)
              timer = setTimeout(() => void again(), lookEveryMs).unref();
          });
        return making;
      };
      return again();
    },
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await making;
    },
  };
}

const sizeOf = async (path: string): Promise<number> =>
  await stat(path).then(({ size }) => size, ifMissing(0));

/** A file of so many bytes that take their room; half of one is removed. */
async function fill(path: string, bytes: number, signal: AbortSignal): Promise<void> {
  // Not zeros, which some file systems keep nowhere.
  const block = Buffer.alloc(megabyte, 'mitschrift keeps this room for erasing\n');
  const file = await open(path, 'wx', 0o600);
  let whole = false;
  try {
    for (let left = bytes; left > 0; left -= megabyte) {
      signal.throwIfAborted();
      await file.write(block, 0, Math.min(left, megabyte));
    }
    whole = true;
  } finally {
    await file.close();
    if (!whole) await rm(path, { force: true });
  }
}

/** Bytes of a GB of `limits.spaces_gb`: 1024³, as an MB of `limits.upload_mb` is 1024². */
export const gigabyte = 1024 ** 3;
