import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { type RecordingFactOf, recordingStream } from '../../events/facts/recording.ts';
import type { Log } from '../shared/log.ts';
import type { PendingJobs } from '../storage/pending-jobs.ts';
import type { Accepted, Upload } from './service.ts';
import { takeUpload } from './take-upload.ts';

/** Uploads that become recordings. */
export interface Imports {
  /** Takes an upload into a new recording, each command once. */
  importAudio(upload: Upload): Promise<Accepted>;
  /**
   * Removes the folders of uploads that died before their fact was stored: no client was told of them.
   * Returns their names.
   */
  removeUnacknowledged(): Promise<string[]>;
}

export function openImports(deps: {
  recordingsDir: string;
  log: Pick<Log, 'warn'>;
  /** The recording an import command led to before, from the log. */
  importedBy(command: string): Promise<Accepted | null>;
  /** Without it nothing is known of uploads that die. */
  removal?: { jobs: PendingJobs; version(stream: string): Promise<number> } | undefined;
  /** Begins a new recording with the fact. */
  begin(
    recordingId: string,
    fact: RecordingFactOf<'audio.imported'>,
    upload: Upload,
  ): Promise<Accepted>;
}): Imports {
  const { recordingsDir, removal, log } = deps;
  const underWay = new Map<string, Promise<Accepted>>();
  const taking = new Set<string>();

  return {
    importAudio(upload) {
      // Two identical requests at once are one command: the second gets the first one's answer.
      const same = underWay.get(upload.command);
      if (same) return same;
      const accepted = importOnce(upload).finally(() => underWay.delete(upload.command));
      underWay.set(upload.command, accepted);
      return accepted;
    },
    async removeUnacknowledged() {
      const removed: string[] = [];
      for (const { recordingId, job } of (await removal?.jobs.list()) ?? []) {
        if (job !== 'import' || taking.has(recordingId)) continue;
        if ((await removal!.version(recordingStream(recordingId))) === 0) {
          await rm(join(recordingsDir, recordingId), { recursive: true, force: true });
          removed.push(recordingId);
        }
        await removal!.jobs.complete(recordingId, 'import');
      }
      return removed;
    },
  };

  async function importOnce(upload: Upload): Promise<Accepted> {
    const earlier = await deps.importedBy(upload.command);
    if (earlier) {
      await rm(upload.path, { force: true });
      return earlier;
    }
    const recordingId = ulid();
    taking.add(recordingId);
    try {
      await removal?.jobs.add(recordingId, 'import');
      const fact = await takeUpload(upload, recordingsDir, recordingId);
      const accepted = await deps.begin(recordingId, fact, upload);
      // The recording is there whatever becomes of this; the next start looks at it again.
      await removal?.jobs
        .complete(recordingId, 'import')
        .catch((error: unknown) => log.warn({ err: error, recordingId }, 'a job is still noted'));
      return accepted;
    } finally {
      taking.delete(recordingId);
    }
  }
}
