import { statfs } from 'node:fs/promises';
import { readClaim } from './capture-files.ts';
import type { CaptureSpec, EndReason } from './capture-protocol.ts';
import { Superseded } from './superseded.ts';
import type { Track } from './track.ts';

const syncMs = 1000;
/** Every so many syncs header and notes are brought up to date and the disk is looked at. */
const syncsPerUpdate = 5;

/**
 * Every second: is the recording still ours, is what was heard on the disk, is there room and time left?
 * @param onEnd the capture has to end, for that reason.
 * @returns how to stop; resolves when nothing is under way. Rejects with {Superseded}.
 */
export function captureUpkeep(
  { claim, folder, limits }: Pick<CaptureSpec, 'claim' | 'folder' | 'limits'>,
  track: Track,
  onEnd: (reason: EndReason) => void,
): () => Promise<void> {
  let superseded: Superseded | null = null;
  let syncs = 0;
  let syncing: Promise<void> | null = null;
  const timer = setInterval(() => {
    syncing ??= upkeep((syncs += 1) % syncsPerUpdate === 0)
      .catch((error: unknown) => {
        if (error instanceof Superseded) superseded = error;
        onEnd('disk-failed');
      })
      .finally(() => (syncing = null));
  }, syncMs);

  return async () => {
    clearInterval(timer);
    await syncing;
    if (superseded) throw superseded;
  };

  async function upkeep(thorough: boolean): Promise<void> {
    if ((await readClaim(folder))?.claim !== claim) throw new Superseded();
    await track.keep(thorough);
    if (track.seconds >= limits.secondsMax) onEnd('limit-hours');
    if (!thorough) return;
    const disk = await statfs(folder);
    if (disk.bavail * disk.bsize < limits.freeBytesMin) onEnd('disk-low');
  }
}
