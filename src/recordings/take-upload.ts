import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rename, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { syncDirectory } from '../shared/files.ts';
import type { RecordingFactOf } from '../../events/facts/recording.ts';
import type { Upload } from './service.ts';

/**
 * Moves an uploaded file into the folder of a new recording, durably, and says what there is to record
 * of it. Until that fact is in the log nothing was acknowledged: a crash leaves a folder no fact speaks of.
 */
export async function takeUpload(
  upload: Upload,
  recordingsDir: string,
  recordingId: string,
): Promise<RecordingFactOf<'audio.imported'>> {
  const folder = join(recordingsDir, recordingId);
  const { bytes, sha256 } = await hashFile(upload.path);
  const path = `audio${safeExtension(upload.filename)}`;
  await mkdir(folder, { mode: 0o700 });
  await rename(upload.path, join(folder, path));
  await syncDirectory(folder);
  await syncDirectory(recordingsDir);
  const { owner, kind, language, speakers, title, filename } = upload;
  const started_at = new Date().toISOString();
  const origin = { owner, kind, language, speakers, started_at };
  return {
    type: 'audio.imported',
    data: { ...origin, path, bytes, sha256, duration: null },
    content: { filename, ...(title === undefined ? {} : { title }) },
  };
}

async function hashFile(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return { bytes: (await stat(path)).size, sha256: hash.digest('hex') };
}

/** Only letters and digits of what the uploader called it: a name is data, not a path. */
function safeExtension(filename: string): string {
  const extension = extname(filename).toLowerCase();
  return /^\.[a-z0-9]{1,8}$/.test(extension) ? extension : '';
}
