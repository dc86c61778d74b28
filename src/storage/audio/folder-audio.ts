import { constants } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { hasCode } from '../../shared/errors.ts';
import { copyDurably, ifMissing, syncDirectory } from '../../shared/files.ts';
import type { AudioStore } from './audio-store.ts';
import type { BeforePut } from './live-audio.ts';

/** Where the folders of recordings are: what is kept, and what is derived on this machine. */
type Folders = { recordings: string; derived: string };

/** Audio in the folders of recordings of the only process: what is derived lies beside it. */
export const audioOfOneProcess = (recordings: string): AudioStore =>
  folderAudio({ recordings, derived: recordings });

/**
 * Audio in folders that all nodes have; what is derived is in folders of this machine, which are emptied here: of what
 * was erased while this node was down, nothing is left.
 */
export async function audioOfManyNodes(
  folders: Folders,
  beforePut: BeforePut,
): Promise<AudioStore> {
  for (const name of (await readdir(folders.derived).catch(ifMissing(null))) ?? [])
    await rm(join(folders.derived, name), { recursive: true, force: true });
  return folderAudio(folders, beforePut);
}

function folderAudio(
  { recordings, derived }: Folders,
  beforePut: BeforePut = async () => {},
): AudioStore {
  const isShared = recordings !== derived;
  const kept = (recordingId: string, name = '') => join(recordings, recordingId, name);
  const mine = (recordingId: string, name = '') => join(derived, recordingId, name);
  return {
    live: null,
    late: null,
    captureFolder: kept,
    async workFolder(recordingId) {
      if (isShared) await mkdir(mine(recordingId), { recursive: true, mode: 0o700 });
      return mine(recordingId);
    },
    read: (recordingId, { path }, work) => work(kept(recordingId, path)),
    async open(recordingId, { path }) {
      const { O_RDONLY, O_NOFOLLOW } = constants;
      const handle = await open(kept(recordingId, path), O_RDONLY | O_NOFOLLOW);
      const { size } = await handle.stat();
      return {
        size,
        stream: async (start, end) => handle.createReadStream({ start, end }),
        close: () => handle.close(),
      };
    },
    async keep(recordingId, wanted, { path, sha256 }) {
      await beforePut(recordingId);
      const folder = kept(recordingId);
      const name = isShared ? hashedName(wanted, sha256) : wanted;
      const made = await mkdir(folder, { recursive: true, mode: 0o700 });
      await moveFile(path, folder, name);
      await syncDirectory(folder);
      if (made !== undefined) await syncDirectory(recordings);
      return name;
    },
    async remove(recordingId, names) {
      for (const name of names) {
        await rm(kept(recordingId, name), { force: true });
        if (isShared) await rm(mine(recordingId, name), { force: true });
      }
      // Nothing is left of one that was erased.
      await syncDirectory(kept(recordingId)).catch(ifMissing(undefined));
    },
    async removeDerived(recordingId, names) {
      for (const name of names) await rm(mine(recordingId, name), { force: true });
    },
    async removeAll(recordingId) {
      await rm(kept(recordingId), { recursive: true, force: true });
      if (isShared) await rm(mine(recordingId), { recursive: true, force: true });
    },
    async leave(recordingId) {
      if (isShared) await rm(mine(recordingId), { recursive: true, force: true });
    },
  };
}

/** A name that no other content has, so that two nodes never write over each other's file. */
export function hashedName(name: string, sha256: string): string {
  const extension = extname(name);
  return `${basename(name, extension)}-${sha256.slice(0, 16)}${extension}`;
}

/** To another file system it is copied. */
async function moveFile(path: string, folder: string, name: string): Promise<void> {
  try {
    await rename(path, join(folder, name));
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error;
    await copyDurably(path, join(folder, name));
    await rm(path, { force: true });
  }
}
