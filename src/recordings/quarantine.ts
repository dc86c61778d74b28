import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Moves folders of recordings that no fact speaks of out of the way: what an upload left that was never
 * acknowledged. Nothing is deleted: that is
 * for `mitschrift quarantine purge`. Returns their names.
 */
export async function quarantineUnknown(
  deps: { recordingsDir: string; quarantineDir: string },
  isKnown: (recordingId: string) => Promise<boolean>,
): Promise<string[]> {
  const moved: string[] = [];
  for (const name of await readdir(deps.recordingsDir)) {
    if (await isKnown(name)) continue;
    await mkdir(deps.quarantineDir, { recursive: true, mode: 0o700 });
    await rename(join(deps.recordingsDir, name), join(deps.quarantineDir, `${name}-${Date.now()}`));
    moved.push(name);
  }
  return moved;
}
