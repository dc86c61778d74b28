import { createHash } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { HeldDirectory } from './held-directory.ts';
import type { Space } from './space.ts';
import { hasCode } from './system-error.ts';

/**
 * Name of the file that becomes the document at `path`, in the same folder. Always the same one, so
 * that writing again takes away what a crash left, and never as long as the document's own name.
 */
export const temporaryName = (path: string): string =>
  `.mitschrift-${createHash('sha256').update(path).digest('hex').slice(0, 16)}.tmp`;

/** Takes away what crashes left in a space. Only when nothing is being written: at start. */
export async function sweepTemporaries(space: Space): Promise<void> {
  const root = await HeldDirectory.open(space.root);
  try {
    await sweep(root);
    for (const entry of await root.entries()) {
      if (!entry.isDirectory()) continue;
      const folder = await root.enter(entry.name);
      try {
        await sweep(folder);
      } finally {
        await folder.close();
      }
    }
  } finally {
    await root.close();
  }
}

async function sweep(folder: HeldDirectory): Promise<void> {
  for (const { name } of await folder.entries()) {
    if (!/^\.mitschrift-[0-9a-f]{16}\.tmp$/u.test(name)) continue;
    try {
      await unlink(folder.at(name));
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
  }
}
