import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../shared/files.ts';

/**
 * Moves folders of recordings that no fact speaks of out of the way: what an upload left that was never
 * acknowledged. Nothing is deleted: that is
 * for `mitschrift quarantine purge`. Returns their names.
 * @param folders names of folders that were there before this process took anything
 */
export async function quarantineUnknown(
  deps: { recordingsDir: string; quarantineDir: string },
  folders: readonly string[],
  isKnown: (recordingId: string) => Promise<boolean>,
): Promise<string[]> {
  const moved: string[] = [];
  for (const name of folders) {
    if (await isKnown(name)) continue;
    await mkdir(deps.quarantineDir, { recursive: true, mode: 0o700 });
    const aside = join(deps.quarantineDir, `${name}-${Date.now()}`);
    // Removed meanwhile: an upload of which no client was told.
    const found = await rename(join(deps.recordingsDir, name), aside).then(
      () => true,
      ifMissing(false),
    );
    if (found) moved.push(name);
  }
  return moved;
}
