import { decodeTime } from 'ulid';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { recordingStream } from '../../../events/facts/recording.ts';
import type { Ownership } from '../../../events/ownership.ts';
import type { EventStore } from '../../../events/store.ts';
import { isIn } from '../../../machines/states.ts';
import { standingOfRecordings, unsettledRecordings } from '../../../projections/recordings.ts';
import type { ProjectionStorage } from '../../../projections/runner/projection.ts';
import { audioFileName } from '../../shared/data-directory.ts';
import { ifMissing } from '../../shared/files.ts';
import type { Log } from '../../shared/log.ts';
import { repeatedly } from '../../shared/retry.ts';
import type { AudioStore } from '../../storage/audio/audio-store.ts';
import { lastFact } from '../handle.ts';

/** Under which name a process acts for a recording. */
export const recordingName = (recordingId: string): string => `recording:${recordingId}`;

/** How long what a process had is left to the one that its browser, or `mitschrift record`, comes back to; milliseconds. */
export const leftForMs = { graceMs: 600_000, recorderGraceMs: 7 * 24 * 3600_000 };

type LeftDeps = {
  ownership: Pick<Ownership, 'freeFor'>;
  store: Pick<EventStore, 'read' | 'version'>;
  limits: typeof leftForMs;
};

/**
 * Those of the recordings that are captured for which no other process may act yet: one does, or their browser, or
 * `mitschrift record`, may still come back to another. For one that was tried again there is nobody to wait for.
 * @throws as `Ownership.freeFor`, and what the log says
 */
export async function awaited(
  { ownership, store, limits }: LeftDeps,
  recordingIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const free = await ownership.freeFor(recordingIds.map(recordingName));
  const waiting = new Set<string>();
  for (const recordingId of recordingIds) {
    const freeMs = free.get(recordingName(recordingId));
    if (freeMs === undefined) waiting.add(recordingId);
    else if (await isJustRetried(store, recordingId)) continue;
    else if (freeMs < limits.graceMs) waiting.add(recordingId);
    else if (freeMs < limits.recorderGraceMs && (await isOfRecorder(store, recordingId)))
      waiting.add(recordingId);
  }
  return waiting;
}

/** By its last fact: whoever takes it over goes on with what there is. */
async function isJustRetried(
  store: Pick<EventStore, 'read' | 'version'>,
  recordingId: string,
): Promise<boolean> {
  return (await lastFact(store, recordingId))?.type === 'retry.requested';
}

async function isOfRecorder(
  store: Pick<EventStore, 'read'>,
  recordingId: string,
): Promise<boolean> {
  for await (const fact of store.read(recordingStream(recordingId), { limit: 1 }))
    return fact.type === 'recording.started' && fact.data.trigger === 'recorder';
  return false;
}

/** Since when what records is not connected (milliseconds since 1970), and whether it is `mitschrift record`. */
export type BrowserAway = { since: number; isRecorder: boolean };

type WatchDeps = Omit<LeftDeps, 'limits'> & {
  storage: ProjectionStorage;
  files: Pick<AudioStore, 'captureFolder' | 'live'>;
  /** Called when one was left, and with null when it is not any more. */
  onLeft(recordingId: string, away: BrowserAway | null): void;
  /** Whether it is this process that watches for all. */
  isHere(): boolean;
  /** Between two looks, in milliseconds. */
  everyMs: number;
  log: Pick<Log, 'warn'>;
  signal: AbortSignal;
};

/** Recordings that are told of at once, and whose rows are read at once. */
const leftMax = 1_000;
const togetherMax = 200;

/** Has people see that a recording waits for its browser also while no process has it, since the one that had it died. */
export async function watchLeftRecordings(deps: WatchDeps): Promise<void> {
  const { everyMs, isHere, log, signal } = deps;
  const told = new Set<string>();
  await repeatedly(
    async () => await (isHere() ? look(deps, told) : tellOnly(deps, told, new Set())),
    {
      pauseMs: everyMs,
      signal,
      onFailure: (error) =>
        log.warn({ err: error }, 'search for recordings waiting for a browser failed'),
    },
  );
}

async function look(deps: WatchDeps, told: Set<string>): Promise<void> {
  const left = new Set<string>();
  for await (const ids of running(deps.storage)) {
    const free = await deps.ownership.freeFor(ids.map(recordingName));
    for (const recordingId of ids)
      if (free.has(recordingName(recordingId)) && left.size < leftMax) left.add(recordingId);
  }
  await tellOnly(deps, told, left);
}

/** Tells of those that were not told of yet, and takes back the others. */
async function tellOnly(
  { store, files, onLeft }: WatchDeps,
  told: Set<string>,
  left: ReadonlySet<string>,
): Promise<void> {
  for (const recordingId of told) {
    if (left.has(recordingId)) continue;
    told.delete(recordingId);
    onLeft(recordingId, null);
  }
  for (const recordingId of left) {
    if (told.has(recordingId)) continue;
    const since = await lastHeard(recordingId, files);
    const isRecorder = await isOfRecorder(store, recordingId);
    told.add(recordingId);
    onLeft(recordingId, { since, isRecorder });
  }
}

/** When something of a recording was kept last, by whatever process; milliseconds since 1970. */
async function lastHeard(recordingId: string, files: WatchDeps['files']): Promise<number> {
  const file = join(files.captureFolder(recordingId), audioFileName);
  const heardAt = files.live
    ? await files.live.heardAt(recordingId)
    : (await stat(file).catch(ifMissing(null)))?.mtimeMs;
  return heardAt ?? decodeTime(recordingId);
}

/** What is being recorded, by whatever process, some at a time. */
async function* running(storage: ProjectionStorage): AsyncGenerator<string[], void, void> {
  let ids: string[] = [];
  const those = async (): Promise<string[]> => {
    const standing = await standingOfRecordings(storage, ids);
    return ids.filter((recordingId) => isIn(standing.get(recordingId)?.state ?? '', 'recording'));
  };
  for await (const recordingId of unsettledRecordings(storage)) {
    if (ids.push(recordingId) < togetherMax) continue;
    yield await those();
    ids = [];
  }
  yield await those();
}
