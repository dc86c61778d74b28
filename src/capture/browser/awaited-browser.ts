import { decodeTime } from 'ulid';
import { LRUCache } from 'lru-cache';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventStore } from '../../../events/store.ts';
import type { FreeNames } from '../../recordings/free-names.ts';
import { audioFileName } from '../../shared/data-directory.ts';
import { ifMissing } from '../../shared/files.ts';
import type { AudioStore } from '../../storage/audio/audio-store.ts';
import { readControlState } from '../control-state.ts';
import type { BrowserLimits } from './browser-writer.ts';

type AwaitedBrowserDeps = {
  store: EventStore;
  free: FreeNames;
  files: Pick<AudioStore, 'captureFolder' | 'live'>;
  limits: Pick<BrowserLimits, 'graceMs' | 'recorderGraceMs'>;
};

/** How long it is remembered when one was last heard that no node has. Milliseconds. */
const heardForMs = 60_000;
/** Recordings that are remembered as those of `mitschrift record`. */
const rememberedMax = 10_000;

/**
 * Whether a recording whose node is gone is left to the node that its browser comes back to: until it was free for as
 * long as a browser may be away; one of `mitschrift record` until nothing was heard for a week.
 * @returns throws what claiming and the log throw
 */
export function awaitedBrowser({ store, free, files, limits }: AwaitedBrowserDeps) {
  const heard = new LRUCache<string, number>({ max: rememberedMax, ttl: heardForMs });
  const recorders = new Set<string>();
  return async (recordingId: string, signal: AbortSignal): Promise<boolean> => {
    const freeMs = await free.freeForMs(`recording:${recordingId}`, signal);
    if (freeMs < limits.graceMs) return true;
    if (!recorders.has(recordingId)) {
      const { trigger } = await readControlState(store, recordingId);
      if (trigger !== 'recorder') return false;
      if (recorders.size >= rememberedMax) recorders.clear();
      recorders.add(recordingId);
    }
    const heardAt = heard.get(recordingId) ?? (await lastHeard(recordingId, files));
    heard.set(recordingId, heardAt);
    return Date.now() - heardAt < limits.recorderGraceMs;
  };
}

/** When something of a recording was kept last, at whatever node; milliseconds since 1970. */
export async function lastHeard(
  recordingId: string,
  files: AwaitedBrowserDeps['files'],
): Promise<number> {
  const file = join(files.captureFolder(recordingId), audioFileName);
  const heardAt = files.live
    ? await files.live.heardAt(recordingId)
    : (await stat(file).catch(ifMissing(null)))?.mtimeMs;
  return heardAt ?? decodeTime(recordingId);
}
