import { ifMissing } from '../shared/files.ts';
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
   * @param bytes its length; 0 when it is not known yet
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
  /** Corrects the announced size. @throws {SpaceLimitReached} when the real size exceeds the limit */
  becomes(bytes: number): Promise<void>;
  /** It is on the disk, for good. */
  kept(): void;
  /** Nothing is left of it. */
  gone(): void;
}

/** How often everything is counted again, in milliseconds: what grows meanwhile is a recording's audio. */
const countEveryMs = 600_000;
/**
 * Who would be refused has it counted once more, since something may have been deleted: at most this
 * often, and not before so many times as long as the last count took have passed.
 */
const countAgainMs = 10_000;
const restForCount = 20;
/** A request waits at most this long for it, in milliseconds. */
const waitMs = 2000;

type SpaceDeps = {
  /** Counts what is on the disk. */
  measure(signal: AbortSignal): Promise<CountedBytes>;
  /** Room on the disk itself, whatever the limit. */
  disk: { admit(bytes: number): Promise<void> };
  settings(): Pick<Settings, 'limits.spaces_gb'>;
  log: { warn(fields: object, text: string): void };
  /** Monotonic milliseconds; for tests. */
  now?: () => number;
};

type Space = Required<SpaceDeps> & {
  stopping: AbortController;
  listeners: Set<() => void>;
  measured: number | null;
  /** Bytes let in and neither kept nor gone. */
  coming: number;
  /** Bytes kept since the last count began, which may have missed them; and before it, while it runs. */
  keptSince: number;
  keptBefore: number;
  counting: Promise<void> | undefined;
  mayCountAgainAt: number;
  timer: NodeJS.Timeout | undefined;
  /** Whether there was a warning after the last count. */
  warned: boolean;
};

/** Counts nothing before `start`. One count at a time. */
export function openSpaceLimit(deps: SpaceDeps): SpaceLimit {
  const space: Space = {
    now: () => performance.now(),
    ...deps,
    stopping: new AbortController(),
    listeners: new Set(),
    measured: null,
    coming: 0,
    keptSince: 0,
    keptBefore: 0,
    counting: undefined,
    mayCountAgainAt: Number.NEGATIVE_INFINITY,
    timer: undefined,
    warned: false,
  };
  return {
    taken: () => (space.measured === null ? null : takenIn(space)),
    limit: () => limitOf(space),
    async admit(bytes) {
      await space.disk.admit(bytes);
      await lookFor(space, bytes);
      // In the same tick as the check: of two that come at once the second finds the first.
      assertFits(space, bytes);
      return admission(space, bytes);
    },
    async refuseWhenFull() {
      await space.disk.admit(0);
      await lookFor(space, 0);
      assertFits(space, 0);
    },
    warning: () => warningOf(space),
    onWarning(listener) {
      space.listeners.add(listener);
      return () => space.listeners.delete(listener);
    },
    start: () => count(space),
    async stop() {
      space.stopping.abort();
      clearTimeout(space.timer);
      await space.counting;
    },
  };
}

const takenIn = ({ measured, coming, keptSince, keptBefore }: Space): number =>
  (measured ?? 0) + coming + keptSince + keptBefore;

function limitOf({ settings }: Space): number | null {
  const gigabytes = settings()['limits.spaces_gb'];
  return gigabytes === null ? null : Math.round(gigabytes * gigabyte);
}

const fits = (space: Space, bytes: number): boolean =>
  takenIn(space) + Math.max(bytes, 1) <= (limitOf(space) ?? Infinity);

/** Counts first if nothing was counted yet, or if room may have been made since. */
async function lookFor(space: Space, bytes: number): Promise<void> {
  if (limitOf(space) === null) return;
  if (space.measured === null || !fits(space, bytes)) await countAgain(space);
}

function assertFits(space: Space, bytes: number): void {
  const most = limitOf(space);
  if (most === null || fits(space, bytes)) return;
  throw new SpaceLimitReached({ taken: takenIn(space), limit: most, bytes });
}

function admission(space: Space, announced: number): Admission {
  let bytes = announced;
  let open = true;
  space.coming += bytes;
  const settle = () => {
    if (!open) return false;
    open = false;
    space.coming -= bytes;
    return true;
  };
  return {
    async becomes(now) {
      const more = now - bytes;
      if (more > 0) {
        await lookFor(space, more);
        assertFits(space, more);
      }
      if (open) space.coming += more;
      bytes = now;
    },
    kept() {
      if (settle()) space.keptSince += bytes;
    },
    gone: () => void settle(),
  };
}

function warningOf(space: Space): ReturnType<SpaceLimit['warning']> {
  const most = limitOf(space);
  if (most === null || fits(space, 0)) return null;
  const message =
    `Documents, recordings and uploads of all users take ${sizeText(takenIn(space))} of the ` +
    `${sizeText(most)} they may: what runs goes on, nothing new is taken. ${whatToDo}`;
  return { code: 'space-limit', message };
}

async function countAgain(space: Space): Promise<void> {
  if (space.counting === undefined && space.now() < space.mayCountAgainAt) return;
  let enough: NodeJS.Timeout | undefined;
  const waited = new Promise<void>((resolve) => (enough = setTimeout(resolve, waitMs)));
  await Promise.race([count(space), waited]);
  clearTimeout(enough);
}

/** Never rejects: what could not be counted stays as it was counted before. */
function count(space: Space): Promise<void> {
  if (space.stopping.signal.aborted) return Promise.resolve();
  space.counting ??= measureOnce(space).finally(() => {
    space.counting = undefined;
    clearTimeout(space.timer);
    if (space.stopping.signal.aborted) return;
    space.timer = setTimeout(() => void count(space), countEveryMs).unref();
    const warns = warningOf(space) !== null;
    if (warns === space.warned) return;
    space.warned = warns;
    for (const listener of space.listeners) listener();
  });
  return space.counting;
}

async function measureOnce(space: Space): Promise<void> {
  const { log, stopping, now } = space;
  const began = now();
  space.keptBefore += space.keptSince;
  space.keptSince = 0;
  try {
    const { bytes, unread } = await space.measure(stopping.signal);
    space.measured = bytes;
    space.keptBefore = 0;
    if (unread > 0) log.warn({ unread }, 'not everything could be counted for limits.spaces_gb');
  } catch (error) {
    if (!stopping.signal.aborted) log.warn({ err: error }, 'counting for limits.spaces_gb');
  }
  const ended = now();
  space.mayCountAgainAt = ended + Math.max(countAgainMs, restForCount * (ended - began));
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
  /** @param bytes of what was about to come in; 0 when that is not known */
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

/** Shown when the limit is reached. */
export const whatToDo = 'Delete recordings, or have an administrator raise the limit.';
/**
 * Bytes that resumable uploads under way will have when they are complete; of those whose length is
 * not known yet, the bytes that are there. 0 without the folder.
 * @param folder `<data>/resumable`: `<id>` holds the bytes, `<id>.json` the announced length as `size`
 */
async function announcedBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of (await readdir(folder).catch(ifMissing(undefined))) ?? []) {
    if (name.endsWith('.json')) continue;
    const there = await lstat(join(folder, name)).catch(ifMissing(undefined));
    if (!there?.isFile()) continue;
    const info = await readFile(join(folder, `${name}.json`), 'utf8').catch(ifMissing(undefined));
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
