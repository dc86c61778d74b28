import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { adoptCapture } from './capture-client.ts';
import { readClaim } from './capture-files.ts';
import { endUnwanted } from './end-unwanted.ts';

/** What has become of a recording, as the log tells. */
export type StateOf = (recordingId: string) => Promise<'recording' | 'erased' | 'other'>;

/**
 * Ends captures that nobody wants any more.
 * @returns the devices of those that live and go on.
 */
export async function takeStock(recordingsDir: string, stateOf: StateOf): Promise<Set<string>> {
  const inUse = new Set<string>();
  for (const recordingId of await readdir(recordingsDir)) {
    const folder = join(recordingsDir, recordingId);
    const claim = await readClaim(folder);
    if (!claim) continue;
    const state = await stateOf(recordingId);
    if (state !== 'recording') {
      await endUnwanted(folder, { audio: state === 'erased' });
      continue;
    }
    const live = await adoptCapture(folder);
    live?.release();
    if (live) inUse.add(claim.device);
  }
  return inUse;
}
