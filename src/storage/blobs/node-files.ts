import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeyStore } from '../../../events/key-store.ts';
import type { Ownership } from '../../../events/ownership.ts';
import type { DataFolder } from '../../shared/data-directory.ts';
import { ifMissing } from '../../shared/files.ts';
import type { AudioStore } from '../audio/audio-store.ts';
import type { BeforePut } from '../audio/live-audio.ts';
import { openAudioStore } from '../audio/audio-store.ts';
import { bucketUploads } from '../uploads/bucket-uploads.ts';
import { folderUploads } from '../uploads/folder-uploads.ts';
import type { UnfinishedUploads } from '../uploads/unfinished-uploads.ts';
import { openBlobKeys } from './blob-keys.ts';
import type { Blobs } from './blobs.ts';
import { blobsPlace } from './blobs-url.ts';
import { openBlobs } from './open-blobs.ts';

/** What a node of a cluster has of files: those of all nodes, and where it works with them. */
export type NodeFiles = {
  blobs: Blobs;
  keys: KeyStore;
  audio: AudioStore;
  unfinished: UnfinishedUploads;
  /** A subject is being erased by another node (`erasedBy`): of it nothing stays in memory or on this machine. */
  leave(subject: string): Promise<void>;
};

/**
 * Opens them for one log. Closing `blobs` closes all.
 * @param options.data its `shared` is what the URL names
 * @throws {BlobsError}, {EventStoreError} `BUSY`
 */
export async function openNodeFiles(options: {
  url: string;
  logId: string;
  ownership: Ownership;
  data: Pick<DataFolder, 'derived' | 'uploads' | 'resumable'>;
  beforePut: BeforePut;
}): Promise<NodeFiles> {
  const { url, data, beforePut } = options;
  const isBucket = blobsPlace(url).kind === 's3';
  const blobs = await openBlobs(url, options);
  try {
    const keys = await openBlobKeys(blobs);
    await emptyFolder(data.derived);
    const audio = openAudioStore({ blobs, derived: data.derived, beforePut });
    return {
      blobs,
      keys,
      audio,
      unfinished: isBucket ? bucketUploads(blobs, data.uploads) : folderUploads(data.resumable),
      async leave(subject) {
        keys.drop(subject);
        await audio.leave(subject);
      },
    };
  } catch (error) {
    await blobs.close();
    throw error;
  }
}

/** Of what was erased while this node was down, nothing is left on this machine. */
async function emptyFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(ifMissing([])))
    await rm(join(folder, name), { recursive: true, force: true });
}
