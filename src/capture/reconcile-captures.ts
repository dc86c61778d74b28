import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { adoptCapture } from './process/client.ts';
import { readClaim, removeCaptureFiles } from './file/capture-files.ts';

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

/**
 * Ends what is being captured in a recording's folder, if anything is, and removes what captures keep
 * there.
 * @param audio whether the audio goes as well.
 */
export async function endUnwanted(folder: string, { audio }: { audio: boolean }): Promise<void> {
  const live = await adoptCapture(folder);
  live?.stop();
  await live?.ended;
  await removeCaptureFiles(folder, { audio });
}
