import type { Ownership } from '../../../events/ownership.ts';
import { mutexByName } from '../../shared/mutex.ts';
import { retry } from '../../shared/retry.ts';
import type { Readable } from 'node:stream';
import type { CountedBytes } from '../disk.ts';
import { SaidError } from '../../shared/errors.ts';
import { inTime } from '../../shared/abort.ts';
import { check, type checks } from '../../words/checks.ts';
import { dataFailure } from '../../words/data-failures.ts';
import type { Values } from '../../words/params.ts';

/**
 * Bytes under names, for all nodes of a log: a data directory, a shared one, or a bucket. What is stored is whole and durable
 * when a call returns; what a call that failed stored is not known. `test/storage/blobs/contract.ts` says what each must hold to.
 *
 * Every call waits for a bounded time only. @throws {BlobsError} from every one of them
 */
export interface Blobs {
  /**
   * Stores all of `body` under a key. False: the condition did not hold, and nothing was stored.
   * @throws {BlobsError} also `BLOBS_DIFFER`: the body does not have the SHA-256 that was said, and was not stored
   */
  put(key: string, body: BlobBody, condition?: PutCondition): Promise<boolean>;
  /** Stores a finished, synced file of this machine under a key, whatever is there; it is moved away, and copied only where it has to be. */
  move(key: string, from: { path: string; sha256: string }): Promise<void>;
  /** What is under a key, from byte `range.start` to `range.end`, both included; null: nothing. The caller reads it or destroys it. */
  get(key: string, options?: { range?: ByteRange }): Promise<BlobContent | null>;
  /** What is known of it; null: nothing is there. */
  head(key: string): Promise<BlobHead | null>;
  /** Everything under a prefix that is empty or ends with `/`, in no order. What is put or deleted meanwhile may be missed. */
  list(prefix: string): AsyncIterable<BlobEntry>;
  /** Nothing is under the key when it returns; twice is once. What was there is overwritten first where the store can. */
  delete(key: string): Promise<void>;
  /** Nothing is under a prefix when it returns; twice is once. */
  deleteAll(prefix: string): Promise<void>;
  /** Bytes below each name behind a prefix, whoever put them there. @throws the signal's reason when aborted */
  measure(prefix: string, signal?: AbortSignal): Promise<Map<string, CountedBytes>>;
  /** Where a key, or a prefix without its last `/`, is or would be a path that every process has; null: what is there has to be got. */
  pathOf(key: string): string | null;
  /** Removes what calls that failed left, begun before then; returns how many. In a bucket its own rule does that. */
  removeUnfinished(before: Date): Promise<number>;
  close(): Promise<void>;
}

/** Bytes, or the path of a file of this machine that does not change meanwhile. */
export type BlobBody = Uint8Array | { path: string };

export type PutCondition = {
  /** Only if nothing is there. */
  ifAbsent?: boolean;
  /** Only if what is there is what `head` or `get` said this of. */
  ifMatch?: string;
  /** Hex; what is stored has it. */
  sha256?: string;
};

export type ByteRange = { start: number; end: number };

export type BlobHead = {
  /** Of all of it. */
  bytes: number;
  /** Another one whenever something else is stored. */
  etag: string;
  modifiedAt: Date;
};

export type BlobContent = BlobHead & { body: Readable };

export type BlobEntry = { key: string; bytes: number; modifiedAt: Date };

export type BlobsErrorCode =
  /** It cannot be reached, or answers too slowly: the same may succeed later. */
  | 'BLOBS_AWAY'
  /** It refuses us: credentials, rights, no such bucket. */
  | 'BLOBS_REFUSED'
  /** It has the files of another log. */
  | 'BLOBS_OTHER_LOG'
  /** What was to be stored, or was read, is not what it was said to be. */
  | 'BLOBS_DIFFER'
  /** The setting is none. */
  | 'BLOBS_URL';

/** Why the store of blobs did not do it; never with a credential or a key of a person's words. */
export class BlobsError extends SaidError<BlobsErrorCode> {
  override name = 'BlobsError';
}

/** What S3 allows (1,024) less a prefix of the settings. */
const keyBytesMax = 900;
const segmentBytesMax = 255;

/**
 * The names that a key consists of. None of them leaves the folder above it, in any store.
 * @throws {TypeError} it is no key
 */
export function segmentsOf(key: string): string[] {
  const segments = key.split('/');
  const isPlain = (segment: string): boolean =>
    // Names with a dot in front are the adapters' own.
    segment !== '' && !segment.startsWith('.') && Buffer.byteLength(segment) <= segmentBytesMax;
  if (
    segments.every(isPlain) &&
    Buffer.byteLength(key) <= keyBytesMax &&
    !/[\p{Cc}\p{Cs}\\]/u.test(key)
  )
    return segments;
  // It may be made of what a person wrote: it is not repeated.
  throw new TypeError('That cannot be the key of a blob.');
}

/** As `segmentsOf`, for a prefix: nothing, or names each followed by `/`. @throws {TypeError} */
export function prefixSegments(prefix: string): string[] {
  if (prefix === '') return [];
  if (!prefix.endsWith('/')) throw new TypeError('A prefix ends with /.');
  return segmentsOf(prefix.slice(0, -1));
}

/** The same for what may not be everything. @throws {TypeError} */
export function folderSegments(prefix: string): string[] {
  if (prefix === '') throw new TypeError('A folder has a name.');
  return prefixSegments(prefix);
}

/** Milliseconds that a call may take: a fixed part, and one for its bytes, at a quarter of a megabyte a second. */
export const callMs = (bytes = 0): number => 30_000 + bytes / 256;

/** What is done by then. @throws {BlobsError} `BLOBS_AWAY`: it goes on, and no one waits for it */
export async function within<T>(ms: number, where: string, work: () => Promise<T>): Promise<T> {
  return await inTime(ms, work(), () => {
    throw away(where, 'late');
  });
}

/** @param place the store, without credentials. @param said what it answered, or the name of the error */
export function away(
  place: string,
  why: Unusable['cause'],
  { said, cause }: { said?: string | undefined; cause?: unknown } = {},
): BlobsError {
  const sentence = check('files-unusable', { place, cause: why, said });
  return new BlobsError('BLOBS_AWAY', sentence, { cause });
}
type Unusable = Values<(typeof checks)['files-unusable']['params']>;

/** Does something while nothing else is done under the same name, in this process or in another. */
export type Exclusively = <T>(
  name: string,
  /** @param lost aborts when another process may have begun: nothing may be written from then on */
  work: (lost: AbortSignal) => Promise<T>,
) => Promise<T>;

/** How long a name is waited for that another process holds, in milliseconds: longer than the longest lease. */
const waitMs = 30_000;
const pauses = { first: 10, max: 250 };

class NameIsHeld extends Error {}

/**
 * @returns what claims a name, waits for it for half a minute at most, and gives it back; calls of this process go one
 *   after the other, as long as that takes
 * @throws (from what is returned) {BlobsError} `BLOBS_AWAY` when another holds the name all the time; what claiming and `work` throw
 */
export function exclusivelyBy(ownership: Ownership): Exclusively {
  const { signal } = new AbortController();
  const inTurn = mutexByName();
  return (name, work) => inTurn(name, () => claimed(name, work));

  async function claimed<T>(name: string, work: (lost: AbortSignal) => Promise<T>): Promise<T> {
    const held = await retry(
      async () => {
        const granted = await ownership.claim(name, signal);
        if (granted === null) throw new NameIsHeld();
        return granted;
      },
      {
        pauses,
        signal,
        isTransient: (error) => error instanceof NameIsHeld,
        limitMs: () => waitMs,
      },
    ).catch((error: unknown) => {
      if (!(error instanceof NameIsHeld)) throw error;
      throw new BlobsError('BLOBS_AWAY', dataFailure('file-in-use'));
    });
    try {
      return await work(held.lost);
    } finally {
      await held.release();
    }
  }
}
