import { problemOf, type problems } from '../words/problems.ts';
import { inEnglish } from '../words/say.ts';
import { constants, existsSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isReservedOnWindows, nameBytesMax, unsafeCharacters } from './file-names.ts';
import { hasCode } from '../shared/errors.ts';

/** A path that leaves the user's space, or that could on some system. HTTP answers 403. */
export class ConfinementError extends Error {
  override name = 'ConfinementError';
  readonly code = 'OUTSIDE_SPACE';
  readonly reason: WayOut;
  /** The path itself is not in the message: it may carry a title, and messages reach the log. */
  constructor(reason: WayOut, options?: { cause?: unknown }) {
    super(inEnglish(problemOf('outside-space', { reason })), options);
    this.reason = reason;
  }
}

/** How a path leaves a space. */
type WayOut = (typeof problems)['outside-space']['params']['reason'][number];

const segmentsMax = 8;

/**
 * The names a path relative to a space consists of, when each of them is an ordinary name on every
 * system. What was encoded in a URL must have been decoded, once.
 * @throws {ConfinementError}
 */
export function confinedSegments(filename: string): string[] {
  const segments = filename.split('/');
  if (segments.length > segmentsMax) throw new ConfinementError('too-many-folders');
  for (const segment of segments) {
    const reason = refusal(segment);
    if (reason !== undefined) throw new ConfinementError(reason);
  }
  return segments;
}

/**
 * On Linux the kernel leads `/proc/self/fd/<n>/name` through the open directory itself, as openat(2)
 * does, so nothing that happens to the path in the meantime matters. Node offers no openat. Where
 * there is no such /proc, the path is walked again, and a program that may write in the space could
 * still swap a folder for a link in the moment between check and use.
 */
const descriptors =
  process.platform === 'linux' && existsSync('/proc/self/fd') ? '/proc/self/fd' : undefined;

/** A directory held open, to work below it without ever following a symbolic link. Close it. */
export class HeldDirectory {
  readonly #path: string;
  readonly #handle: FileHandle;

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  /**
   * Opens a directory whose last component must not be a link.
   * @throws {ConfinementError} it is a link; the system's errors otherwise (`ENOENT`, `ENOTDIR`)
   */
  static async open(path: string, below = path): Promise<HeldDirectory> {
    const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
    try {
      return new HeldDirectory(path, await open(below, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    } catch (error) {
      if (hasCode(error, 'ENOTDIR', 'ELOOP', 'EMLINK')) await refuseLink(below, error);
      throw error;
    }
  }

  /** The path to use for an entry; good only while this directory is open. */
  at(name: string): string {
    return descriptors === undefined
      ? join(this.#path, name)
      : `${descriptors}/${this.#handle.fd}/${name}`;
  }

  /** Opens a directory below. @throws as `open` */
  enter(name: string): Promise<HeldDirectory> {
    return HeldDirectory.open(join(this.#path, name), this.at(name));
  }

  /** As `enter`, and makes it first (0700), durably, when there is none. */
  async enterOrMake(name: string): Promise<HeldDirectory> {
    try {
      await mkdir(this.at(name), { mode: 0o700 });
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    // Also when it was there: the process may have died before the sync of the one that made it.
    await this.sync();
    return this.enter(name);
  }

  entries() {
    return readdir(this.at('.'), { withFileTypes: true });
  }

  /** Makes what was created, renamed and deleted in it survive a power cut. */
  sync(): Promise<void> {
    return this.#handle.sync();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** Why a name is none of ours; also guards names that only Windows reads differently. */
function refusal(name: string): WayOut | undefined {
  // An absolute path begins with one.
  if (name === '' || name === '..') return 'outside';
  // Hidden files in a space are other programs' (`.obsidian`) or half-written.
  const isOdd =
    /[\p{Cc}\p{Cs}]/u.test(name) ||
    name.startsWith('.') ||
    unsafeCharacters.test(name) ||
    /[. ]$/u.test(name) ||
    Buffer.byteLength(name) > nameBytesMax;
  if (isOdd) return 'forbidden-name';
  return isReservedOnWindows(name) ? 'reserved-name' : undefined;
}

async function refuseLink(path: string, cause: unknown): Promise<void> {
  const entry = await lstat(path);
  if (entry.isSymbolicLink()) throw new ConfinementError('link', { cause });
}
