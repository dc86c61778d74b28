import { adoptCapture } from './process/client.ts';
import { readClaim, removeCaptureFiles } from './file/capture-files.ts';

/** What has become of a recording, by the log. */
export type StateOf = (recordingId: string) => Promise<'recording' | 'failed' | 'erased' | 'other'>;

/**
 * Ends captures that are no longer wanted.
 * @param folders names of folders of recordings, as `folderOf` takes them
 * @returns those that live and go on.
 */
export async function reconcileCaptures(
  folderOf: (recordingId: string) => string,
  folders: readonly string[],
  stateOf: StateOf,
): Promise<{ recordingId: string; device: string }[]> {
  const going: { recordingId: string; device: string }[] = [];
  for (const recordingId of folders) {
    const folder = folderOf(recordingId);
    const claim = await readClaim(folder);
    if (!claim) continue;
    const state = await stateOf(recordingId);
    if (state !== 'recording') {
      await endCapture(folder);
      // A retry of what failed takes what was captured.
      if (state !== 'failed') await removeCaptureFiles(folder, { audio: state === 'erased' });
      continue;
    }
    if (await isCapturing(folder)) going.push({ recordingId, device: claim.device });
  }
  return going;
}

/** Whether a capture lives in a recording's folder. */
export async function isCapturing(folder: string): Promise<boolean> {
  const live = await adoptCapture(folder);
  live?.release();
  return live !== null;
}

/**
 * Ends what is being captured in a recording's folder, if anything is, and removes what captures keep
 * there.
 * @param audio whether the audio goes as well.
 */
export async function endUnwanted(folder: string, { audio }: { audio: boolean }): Promise<void> {
  await endCapture(folder);
  await removeCaptureFiles(folder, { audio });
}

async function endCapture(folder: string): Promise<void> {
  const live = await adoptCapture(folder);
  live?.stop();
  await live?.ended;
}
