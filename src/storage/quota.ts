import { lstat, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../config/environment.ts';
import { type CountedBytes, countBytes, gigabyte, sizeText } from './disk.ts';
import type { DataFolder } from '../shared/data-directory.ts';

/**
 * `limits.spaces_gb`: what is about to come in is let in or refused. What has been let in, and what is
 * made of it, goes on whatever it takes: nothing acknowledged is given up for a limit.
 */
export interface SpaceLimit {
  /** Bytes that are taken, with what is coming in; null until they were counted. */
  taken(): number | null;
  /** Bytes that may be taken; null: as many as there are. */
  limit(): number | null;
  /**
   * Lets something in, and counts it from now on.
   * @param bytes its length; 0 when nobody knows yet
   * @throws {SpaceLimitReached}, {DiskFull}
   */
  admit(bytes: number): Promise<Admission>;
  /** For what has no length before it has ended. @throws {SpaceLimitReached}, {DiskFull} when nothing fits any more */
  refuseWhenFull(): Promise<void>;
  /** To be shown while nothing new is let in. */
  warning(): { code: 'space-limit'; message: string } | null;
  /** Calls back after a count that changed whether there is a warning; returns how to stop. */
  onWarning(listener: () => void): () => void;
  /** Counts now and from then on; resolves when it has counted. Without it nothing is known to be full. */
  start(): Promise<void>;
  /** Counts no more. */
  stop(): Promise<void>;
}

/** What was let in, until it is where it is counted, or nowhere. The first of `kept` and `gone` counts. */
export interface Admission {
  /** It turned out to have so many bytes. @throws {SpaceLimitReached} these are more, and too many */
  becomes(bytes: number): Promise<void>;
  /** It is on the disk, for good. */
  kept(): void;
  /** Nothing is left of it. */
  gone(): void;
}

/** How often everything is counted anew, in milliseconds: what grows meanwhile is a recording's audio. */
const countEveryMs = 600_000;
/**
 * Who would be refused has it counted once more, since something may have been deleted: at most this
 * often, and not before so many times as long as the last count took have passed.
 */
const countAgainMs = 10_000;
const restForCount = 20;
/** Nobody waits longer than this for it. */
const waitMs = 2000;

/** Counts nothing before `start`. One count at a time. */
export function openSpaceLimit(deps: {
  /** Counts what is on the disk. */
  measure(signal: AbortSignal): Promise<CountedBytes>;
  /** Room on the disk itself, whatever the limit. */
  disk: { admit(bytes: number): Promise<void> };
  settings(): Pick<Settings, 'limits.spaces_gb'>;
  log: { warn(fields: object, text: string): void };
  /** Monotonic milliseconds; for tests. */
  now?: () => number;
}): SpaceLimit {
  const { log, now = () => performance.now() } = deps;
  const stopping = new AbortController();
  const listeners = new Set<() => void>();
  let measured: number | null = null;
  /** Bytes let in and neither kept nor gone. */
  let coming = 0;
  /** Bytes kept since the last count began, which may have missed them; and before it, while it runs. */
  let keptSince = 0;
  let keptBefore = 0;
  let counting: Promise<void> | undefined;
  let mayCountAgainAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let warned = false;

  const taken = () => (measured ?? 0) + coming + keptSince + keptBefore;
  const limit = () => {
    const gigabytes = deps.settings()['limits.spaces_gb'];
    return gigabytes === null ? null : Math.round(gigabytes * gigabyte);
  };
  const fits = (bytes: number) => taken() + Math.max(bytes, 1) <= (limit() ?? Infinity);

  return {
    taken: () => (measured === null ? null : taken()),
    limit,
    async admit(bytes) {
      await deps.disk.admit(bytes);
      await lookFor(bytes);
      // In the turn of the check: of two that come at once the second finds the first.
      assertFits(bytes);
      return admission(bytes);
    },
    async refuseWhenFull() {
      await deps.disk.admit(0);
      await lookFor(0);
      assertFits(0);
    },
    warning,
    onWarning(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: () => count(),
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await counting;
    },
  };

  /** Counts first if nothing was counted yet, or if room may have been made since. */
  async function lookFor(bytes: number): Promise<void> {
    if (limit() !== null && (measured === null || !fits(bytes))) await countAgain();
  }

  function assertFits(bytes: number): void {
    const most = limit();
    if (most === null || fits(bytes)) return;
    throw new SpaceLimitReached({ taken: taken(), limit: most, bytes });
  }

  function admission(announced: number): Admission {
    let bytes = announced;
    let open = true;
    coming += bytes;
    const settle = () => {
      if (!open) return false;
      open = false;
      coming -= bytes;
      return true;
    };
    return {
      async becomes(now) {
        const more = now - bytes;
        if (more > 0) {
          await lookFor(more);
          assertFits(more);
        }
        if (open) coming += more;
        bytes = now;
      },
      kept() {
        if (settle()) keptSince += bytes;
      },
      gone: () => void settle(),
    };
  }

  function warning(): ReturnType<SpaceLimit['warning']> {
    const most = limit();
    if (most === null || fits(0)) return null;
    const message =
      `Documents, recordings and uploads of all users take ${sizeText(taken())} of the ` +
      `${sizeText(most)} they may: what runs goes on, nothing new is taken. ${whatToDo}`;
    return { code: 'space-limit', message };
  }

  async function countAgain(): Promise<void> {
    if (counting === undefined && now() < mayCountAgainAt) return;
    let enough: NodeJS.Timeout | undefined;
    const waited = new Promise<void>((resolve) => (enough = setTimeout(resolve, waitMs)));
    await Promise.race([count(), waited]);
    clearTimeout(enough);
  }

  /** Never rejects: what could not be counted stays as it was counted before. */
  function count(): Promise<void> {
    if (stopping.signal.aborted) return Promise.resolve();
    counting ??= measureOnce().finally(() => {
      counting = undefined;
      clearTimeout(timer);
      if (stopping.signal.aborted) return;
      timer = setTimeout(() => void count(), countEveryMs).unref();
      const warns = warning() !== null;
      if (warns === warned) return;
      warned = warns;
      for (const listener of listeners) listener();
    });
    return counting;
  }

  async function measureOnce(): Promise<void> {
    const began = now();
    keptBefore += keptSince;
    keptSince = 0;
    try {
      const { bytes, unread } = await deps.measure(stopping.signal);
      measured = bytes;
      keptBefore = 0;
      if (unread > 0) log.warn({ unread }, 'not everything could be counted for limits.spaces_gb');
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ err: error }, 'counting for limits.spaces_gb');
    }
    const ended = now();
    mayCountAgainAt = ended + Math.max(countAgainMs, restForCount * (ended - began));
  }
}

/**
 * What `limits.spaces_gb` limits, as it is on the disk: everybody's documents, the recordings, and
 * resumable uploads at the length they were announced with. Uploads that are being received in one go
 * are not in: nothing of them was acknowledged.
 */
export async function measureTaken(
  data: Pick<DataFolder, 'spaces' | 'recordings' | 'resumable'>,
  signal?: AbortSignal,
): Promise<CountedBytes> {
  const spaces = await countBytes(data.spaces, signal);
  const recordings = await countBytes(data.recordings, signal);
  return {
    bytes: spaces.bytes + recordings.bytes + (await announcedBytes(data.resumable)),
    unread: spaces.unread + recordings.unread,
  };
}

/** What was about to come in has no place within `limits.spaces_gb`. HTTP answers 507. */
export class SpaceLimitReached extends Error {
  override name = 'SpaceLimitReached';
  readonly code = 'SPACE_LIMIT_REACHED';
  readonly takenBytes: number;
  readonly limitBytes: number;
  /** @param bytes of what was about to come in; 0 when nobody knows */
  constructor({ taken, limit, bytes }: { taken: number; limit: number; bytes: number }) {
    const more = bytes > 0 ? `, and this would be ${sizeText(bytes)} more` : '';
    super(
      `Documents, recordings and uploads of all users take ${sizeText(taken)} of the ` +
        `${sizeText(limit)} they may (limits.spaces_gb)${more}. ${whatToDo}`,
    );
    this.takenBytes = taken;
    this.limitBytes = limit;
  }
}

/** For whoever reads that the limit is reached. */
export const whatToDo = 'Delete recordings, or have an administrator raise the limit.';
/**
 * Bytes that resumable uploads under way will have when they are complete; of those whose length was
 * not told yet, the bytes that are there. 0 without the folder.
 * @param folder `<data>/resumable`: `<id>` holds the bytes, `<id>.json` the announced length as `size`
 */
async function announcedBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of (await readdir(folder).catch(gone)) ?? []) {
    if (name.endsWith('.json')) continue;
    const there = await lstat(join(folder, name)).catch(gone);
    if (!there?.isFile()) continue;
    const info = await readFile(join(folder, `${name}.json`), 'utf8').catch(gone);
    bytes += Math.max(there.size, info === undefined ? 0 : sizeIn(info));
  }
  return bytes;
}

/** A file that says nothing of use is another's concern: the bytes that are there count. */
function sizeIn(text: string): number {
  try {
    const { size } = JSON.parse(text) as { size?: unknown };
    return typeof size === 'number' && size > 0 ? size : 0;
  } catch {
    return 0;
  }
}

function gone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
