import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from '../shared/files.ts';

/**
 * Moves the documents of a deleted user out of reach: `<data>/spaces/<id>` becomes
 * `<data>/quarantine/spaces/<id>-<time>`, durably. Nothing of the service looks there but
 * `mitschrift quarantine`, by which whoever administers the host deletes it. A user without documents has none to move.
 */
export function retireSpace(
  folders: { spaces: string; quarantine: string },
  clock: () => Date,
): (userId: string) => Promise<void> {
  const kept = join(folders.quarantine, 'spaces');
  return async (userId) => {
    await mkdir(kept, { recursive: true, mode: 0o700 });
    const time = clock().toISOString().replace(/[-:.]/gu, '');
    try {
      await rename(join(folders.spaces, userId), join(kept, `${userId}-${time}`));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    await syncDirectory(kept);
    await syncDirectory(folders.spaces);
  };
}
