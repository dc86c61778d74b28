import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { type KeyOrFault, keyOrFault } from '../../events/key-place.ts';
import { erasuresFile, filesOf, readErasures } from '../../events/log/file-keys.ts';
import { type Space, spaceInBucket } from '../documents/space.ts';
import type { DataFolder } from '../shared/data-directory.ts';
import { fileHash, hashFile } from '../shared/files.ts';
import { keysIn, readOldList } from '../storage/blobs/blob-keys.ts';
import type { Blobs } from '../storage/blobs/blobs.ts';

/** Files that the log speaks of, in folders or in a bucket: they are looked at and never changed. */
export interface KeptFiles {
  /** Undefined: it is not there. */
  hashAudio(
    recordingId: string,
    name: string,
    how?: HashOptions,
  ): Promise<{ bytes: number; sha256: string } | undefined>;
  spaceOf(owner: string): Promise<Space>;
  /** As it is stored, whatever is kept in memory. */
  readKey(subject: string): Promise<KeyOrFault>;
  /** What lies where keys are, by name; erasures that are listed one by one are left out. */
  keyNames(): AsyncIterable<string>;
  /** The lines of the list of erasures that cannot be read. */
  unreadableErasures(): Promise<number[]>;
}

/** `like`: the hash it is compared with (see `fileHash`); `pause`: after each MiB. */
type HashOptions = { like?: string; pause?: () => Promise<void> };

/** Where they are. */
export type KeptPlace = {
  data: Pick<DataFolder, 'shared' | 'recordings' | 'keys'>;
  /** Absent: they are in folders. */
  blobs?: Blobs | undefined;
};

export const keptFiles = ({ data, blobs }: KeptPlace): KeptFiles =>
  blobs?.pathOf('keys') === null ? inBucket(blobs) : inFolders(data);

const inFolders = (data: KeptPlace['data']): KeptFiles => ({
  hashAudio: (recordingId, name, how) => hashFile(join(data.recordings, recordingId, name), how),
  // Not `openSpace`: that would make a folder, and looking must change nothing.
  spaceOf: async (owner) => ({
    root: join(await realpath(data.shared), 'spaces', owner),
    user: owner,
  }),
  readKey: (subject) => keyOrFault(filesOf(data.keys), subject),
  keyNames: () => filesOf(data.keys).names(),
  unreadableErasures: async () => (await readErasures(join(data.keys, erasuresFile))).unreadable,
});

const inBucket = (bucket: Blobs): KeptFiles => ({
  hashAudio: (recordingId, name, how) => hashBlob(bucket, `recordings/${recordingId}/${name}`, how),
  spaceOf: async (owner) => spaceInBucket(bucket, owner),
  readKey: (subject) => keyOrFault(keysIn(bucket), subject),
  keyNames: () => keysIn(bucket).names(),
  // Each erasure is an object of its own there; a list comes from a data directory only.
  unreadableErasures: async () => (await readOldList(bucket)).unreadable,
});

/** Between two pauses, in bytes. */
const pauseEvery = 1024 ** 2;

/** Undefined: it is not there. @throws {BlobsError} */
export async function hashBlob(
  blobs: Pick<Blobs, 'get'>,
  key: string,
  { like, pause }: HashOptions = {},
): Promise<{ bytes: number; sha256: string } | undefined> {
  const found = await blobs.get(key);
  if (found === null) return undefined;
  const hash = fileHash(like);
  let bytes = 0;
  let paused = 0;
  const chunks: AsyncIterable<Buffer> = found.body;
  for await (const chunk of chunks) {
    hash.update(chunk);
    bytes += chunk.length;
    if (pause === undefined || bytes - paused < pauseEvery) continue;
    paused = bytes;
    await pause();
  }
  return { bytes, sha256: hash.digest() };
}
