import { access, constants, stat } from 'node:fs/promises';
import { untilAborted } from './abort.ts';
import { hasCode, messageOf } from './errors.ts';

/** Why nothing can be put into a folder: it is not there, it is none, or the system says why. */
export type FolderFault = 'not-there' | 'no-folder' | { refused: string };

/** A disk in the network that is gone does not answer at all, milliseconds. */
const patienceMs = 10_000;

/** Why the service can put nothing into a folder that a person named; null: it can. Nothing is written. */
export async function folderFault(path: string): Promise<FolderFault | null> {
  try {
    const look = stat(path).then(async (found) => {
      if (!found.isDirectory()) return 'no-folder';
      await access(path, constants.W_OK | constants.X_OK);
      return null;
    });
    return await untilAborted(look, AbortSignal.timeout(patienceMs));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return 'not-there';
    return { refused: messageOf(error) };
  }
}
