import type { EventStore } from '../../../events/store.ts';
import { isIn } from '../../../machines/states.ts';
import { standingOfRecordings, unsettledRecordings } from '../../../projections/recordings.ts';
import type { ProjectionStorage } from '../../../projections/runner/projection.ts';
import type { FreeNames } from '../../recordings/free-names.ts';
import type { Log } from '../../shared/log.ts';
import { systemClock } from '../../shared/retry.ts';
import type { AudioStore } from '../../storage/audio/audio-store.ts';
import { readControlState } from '../control-state.ts';
import { lastHeard } from './awaited-browser.ts';
import type { BrowserCaptures } from './browser-captures.ts';

type LeftRecordingsDeps = {
  storage: ProjectionStorage;
  free: FreeNames;
  store: EventStore;
  files: Pick<AudioStore, 'captureFolder' | 'live'>;
  browser: Pick<BrowserCaptures, 'left'>;
  /** Whether it is this node that watches for all. */
  isHere(): boolean;
  /** Between two looks, in milliseconds. */
  everyMs: number;
  log: Pick<Log, 'warn'>;
  signal: AbortSignal;
};

/** Recordings that are told of at once, and whose rows are read at once. */
const leftMax = 1_000;
const togetherMax = 200;

/** Has people see that a recording waits for its browser also while no node has it, since the one that had it died. */
export async function watchLeftRecordings(deps: LeftRecordingsDeps): Promise<void> {
  const { everyMs, isHere, browser, log, signal } = deps;
  const told = new Set<string>();
  while (!signal.aborted) {
    await (isHere() ? look(deps, told) : forget()).catch((error: unknown) => {
      if (!signal.aborted)
        log.warn({ err: error }, 'looking for recordings that wait for a browser');
    });
    await systemClock.wait(everyMs, signal).catch(() => undefined);
  }

  async function forget(): Promise<void> {
    for (const recordingId of told) browser.left(recordingId, null);
    told.clear();
  }
}

async function look(deps: LeftRecordingsDeps, told: Set<string>): Promise<void> {
  const { storage, free, store, files, browser, signal } = deps;
  const left = new Set<string>();
  for await (const recordingId of running(storage)) {
    if (left.size >= leftMax) break;
    if ((await free.freeForMs(`recording:${recordingId}`, signal)) === 0) continue;
    left.add(recordingId);
    if (told.has(recordingId)) continue;
    const [since, { trigger }] = await Promise.all([
      lastHeard(recordingId, files),
      readControlState(store, recordingId),
    ]);
    told.add(recordingId);
    browser.left(recordingId, { since, isRecorder: trigger === 'recorder' });
  }
  for (const recordingId of told) {
    if (left.has(recordingId)) continue;
    told.delete(recordingId);
    browser.left(recordingId, null);
  }
}

/** What is being recorded, at whatever node. */
async function* running(storage: ProjectionStorage): AsyncGenerator<string, void, void> {
  let ids: string[] = [];
  const those = async (): Promise<string[]> => {
    const standing = await standingOfRecordings(storage, ids);
    return ids.filter((recordingId) => isIn(standing.get(recordingId)?.state ?? '', 'recording'));
  };
  for await (const recordingId of unsettledRecordings(storage)) {
    if (ids.push(recordingId) < togetherMax) continue;
    yield* await those();
    ids = [];
  }
  yield* await those();
}
