import { decodeTime } from 'ulid';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventStore } from '../../../events/store.ts';
import type { FreeNames } from '../../recordings/free-names.ts';
import { audioFileName } from '../../shared/data-directory.ts';
import { ifMissing } from '../../shared/files.ts';
import { readControlState } from '../control-state.ts';
import type { BrowserLimits } from './browser-writer.ts';

type AwaitedBrowserDeps = {
  store: EventStore;
  free: FreeNames;
  folderOf(recordingId: string): string;
  limits: Pick<BrowserLimits, 'graceMs' | 'recorderGraceMs'>;
};

/** Recordings that are remembered as those of `mitschrift record`. */
const rememberedMax = 10_000;

/**
 * Whether a recording whose node is gone is left to the node that its browser comes back to: until it was free for as
 * long as a browser may be away; one of `mitschrift record` until nothing was heard for a week.
 * @returns throws what claiming and the log throw
 */
export function awaitedBrowser({ store, free, folderOf, limits }: AwaitedBrowserDeps) {
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
    const file = await stat(join(folderOf(recordingId), audioFileName)).catch(ifMissing(null));
    const heardAt = file?.mtimeMs ?? decodeTime(recordingId);
    return Date.now() - heardAt < limits.recorderGraceMs;
  };
}
