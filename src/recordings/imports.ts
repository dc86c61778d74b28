import { ulid } from 'ulid';
import { rm } from 'node:fs/promises';
import type { RecordingFactOf } from '../../events/facts/recording.ts';
import type { Accepted, Upload } from './desk.ts';
import { takeUpload } from './take-upload.ts';

/** Takes uploads into recordings, each command once. */
export function openImports(deps: {
  recordingsDir: string;
  /** The recording an import command led to before, from the log. */
  importedBy(command: string): Promise<Accepted | null>;
  /** Begins a new recording with the fact. */
  begin(
    recordingId: string,
    fact: RecordingFactOf<'audio.imported'>,
    upload: Upload,
  ): Promise<Accepted>;
}): (upload: Upload) => Promise<Accepted> {
  const underWay = new Map<string, Promise<Accepted>>();

  return (upload) => {
    // Two identical requests at once are one command: the second gets the first one's answer.
    const same = underWay.get(upload.command);
    if (same) return same;
    const accepted = importOnce(upload).finally(() => underWay.delete(upload.command));
    underWay.set(upload.command, accepted);
    return accepted;
  };

  async function importOnce(upload: Upload): Promise<Accepted> {
    const earlier = await deps.importedBy(upload.command);
    if (earlier) {
      await rm(upload.path, { force: true });
      return earlier;
    }
    const recordingId = ulid();
    const fact = await takeUpload(upload, deps.recordingsDir, recordingId);
    return await deps.begin(recordingId, fact, upload);
  }
}
