import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { RecordingRow } from '../../projections/recording-row.ts';
import { notFound } from './problems.ts';

/** The kept audio of a recording, open for reading. Whoever gets it closes it. */
export type AudioFile = {
  handle: FileHandle;
  /** Bytes. */
  size: number;
  /** Media type, by the file's extension. */
  type: string;
};

/** @throws {Problem} 404 when there is none yet, or it was not kept. */
export async function openAudioFile(dataDir: string, row: RecordingRow): Promise<AudioFile> {
  const path = audioPath(dataDir, row);
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    const { size } = await handle.stat();
    return { handle, size, type: mediaTypes[extname(path)] ?? 'application/octet-stream' };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw notKept();
    throw error;
  }
}

/** Absolute path of the kept audio. @throws {Problem} 404 when there is none. */
export function audioPath(dataDir: string, row: RecordingRow): string {
  if (row.audio === null) throw notKept();
  return join(dataDir, 'recordings', row.recording_id, row.audio.path);
}

export const notKept = () => notFound('There is no audio of this recording, or it was not kept.');

/** By the extensions that ffmpeg's containers have (`src/audio/ffmpeg.ts`). */
const mediaTypes: Readonly<Record<string, string>> = {
  '.aac': 'audio/aac',
  '.aif': 'audio/aiff',
  '.aiff': 'audio/aiff',
  '.amr': 'audio/amr',
  '.avi': 'video/x-msvideo',
  '.caf': 'audio/x-caf',
  '.flac': 'audio/flac',
  '.m4a': 'audio/mp4',
  '.m4b': 'audio/mp4',
  '.mka': 'audio/x-matroska',
  '.mkv': 'video/x-matroska',
  '.mov': 'video/quicktime',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.mpeg': 'video/mpeg',
  '.mpg': 'video/mpeg',
  '.oga': 'audio/ogg',
  '.ogg': 'audio/ogg',
  '.opus': 'audio/ogg; codecs=opus',
  '.wav': 'audio/wav',
  '.weba': 'audio/webm',
  '.webm': 'video/webm',
  '.wma': 'audio/x-ms-wma',
};
