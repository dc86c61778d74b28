import { createWriteStream } from 'node:fs';
import { open, readFile, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { exists, ifMissing, privateDirectory, syncFile, writeDurably } from '../../shared/files.ts';
import {
  type UnfinishedUploads,
  type UploadInfo,
  parseUploadInfo,
  rememberedOf,
} from './unfinished-uploads.ts';

/** Of ours; the same folder may have what a crash left. */
const idPattern = /^[0-9a-f]{32}$/;
const idLength = 32;

/**
 * Unfinished uploads as files of a folder: `<id>` has the bytes, `<id>.json` what was said. It is on the file system of
 * the recordings, so that a complete one can be moved there: of one that is over there are no bytes. Made with the first
 * upload.
 */
export function folderUploads(folder: string): UnfinishedUploads {
  const bytesPath = (id: string): string => join(folder, id);
  const infoPath = (id: string): string => join(folder, `${id}.json`);
  const names = (): Promise<string[]> => readdir(folder).catch(ifMissing([]));
  const readInfo = async (id: string): Promise<UploadInfo | null> => {
    const text = await readFile(infoPath(id), 'utf8').catch(ifMissing(null));
    return text === null ? null : parseUploadInfo(text);
  };
  const bytesOf = async (id: string): Promise<number> =>
    (await stat(bytesPath(id)).catch(ifMissing(null)))?.size ?? 0;

  return {
    async put(id, info) {
      await privateDirectory(folder);
      await (await open(bytesPath(id), 'a', 0o600)).close();
      await writeDurably(infoPath(id), JSON.stringify(info));
    },
    async infoOf(id) {
      const info = await readInfo(id);
      return info && { ...info, isOver: !(await exists(bytesPath(id))) };
    },
    async begunBy(command) {
      for (const name of await names()) {
        if (!name.endsWith('.json')) continue;
        const id = name.slice(0, idLength);
        const info = await readInfo(id);
        if (info?.metadata['command'] === command) return { id, info };
      }
      return null;
    },
    bytesOf,
    async append(id, offset, bytes) {
      const file = createWriteStream(bytesPath(id), { flags: 'r+', start: offset });
      await pipeline(bytes, file);
      return offset + file.bytesWritten;
    },
    async withFile(id, work) {
      await syncFile(bytesPath(id));
      return await work(bytesPath(id));
    },
    async end(id) {
      const info = await readInfo(id);
      if (info) await writeDurably(infoPath(id), JSON.stringify(rememberedOf(info)));
      await rm(bytesPath(id), { force: true });
    },
    async remove(id) {
      await rm(bytesPath(id), { force: true });
      await rm(infoPath(id), { force: true });
    },
    async underWay() {
      const ids = (await names()).filter((name) => idPattern.test(name));
      // Bytes alone are left of a crash while it was begun, and take room until they are swept.
      const infoOrNone = async (id: string) => (await readInfo(id)) ?? { metadata: {} };
      return await Promise.all(
        ids.map(async (id) => ({ id, info: await infoOrNone(id), bytes: await bytesOf(id) })),
      );
    },
    async sweep(before) {
      let removed = 0;
      for (const name of await names()) {
        const path = join(folder, name);
        const begun = await begunAt(path, infoPath(name.slice(0, idLength)));
        if (begun === null || begun >= before) continue;
        await rm(path, { recursive: true, force: true });
        removed += 1;
      }
      return removed;
    },
  };
}

/** The info is written when the upload begins; bytes without it are left of a removal. Null: there is neither any more. */
const begunAt = (path: string, infoPath: string): Promise<Date | null> =>
  stat(infoPath)
    .catch(() => stat(path))
    .then(({ mtime }) => mtime, ifMissing(null));
