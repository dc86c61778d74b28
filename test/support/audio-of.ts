import { join } from 'node:path';
import type { AudioStore } from '../../src/storage/audio/audio-store.ts';
import { openAudioStore } from '../../src/storage/audio/audio-store.ts';
import { blobsOfOneProcess } from '../../src/storage/blobs/file-blobs.ts';

/** The audio of a process that is alone with a data directory: in `recordings/` there. */
export const audioOf = (dataDir: string): AudioStore =>
  openAudioStore({ blobs: blobsOfOneProcess(dataDir), derived: join(dataDir, 'recordings') });
