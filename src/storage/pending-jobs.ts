import { type RowsDatabase, entriesOf, sublevelPrefix } from './level-rows.ts';

/**
 * Work on files that a fact promises and that a crash may leave undone. Added durably before the fact is
 * stored, completed when it is done: what is still there at a start is looked at again.
 */
export interface PendingJobs {
  add(recordingId: string, job: PendingJob): Promise<void>;
  complete(recordingId: string, job: PendingJob): Promise<void>;
  list(): Promise<{ recordingId: string; job: PendingJob }[]>;
}

/**
 * `erase`: all of a recording. `delete-documents`: those that facts say are deleted.
 * `keep-audio`: compressing or removing its audio, which documents were made of. `import`: an uploaded
 * file lies in its folder, and until its fact is stored it is not acknowledged. `late-audio`: what a browser
 * sent after the recording had ended lies in its folder, and is to be added.
 */
export type PendingJob = Removal | 'keep-audio' | 'import' | 'late-audio';
export type Removal = 'erase' | 'delete-documents';

/** Pending jobs in the log's database: `!chores!<recording id>/<job>`. No words in it. */
export function levelPendingJobs(db: RowsDatabase): PendingJobs {
  return {
    add: (recordingId, job) =>
      db.batch([{ type: 'put', key: keyOf(recordingId, job), value: '1' }], synced),
    complete: (recordingId, job) =>
      db.batch([{ type: 'del', key: keyOf(recordingId, job) }], unsynced),
    async list() {
      const jobs: { recordingId: string; job: PendingJob }[] = [];
      for await (const [key] of entriesOf(db, { gte: prefix, lt: end })) {
        const [recordingId, job] = key.slice(prefix.length).split('/') as [string, PendingJob];
        jobs.push({ recordingId, job });
      }
      return jobs;
    },
  };
}

/** As the first release called them. */
const prefix = sublevelPrefix('chores');
const keyOf = (recordingId: string, job: PendingJob): string => `${prefix}${recordingId}/${job}`;
// `"` follows `!`.
const end = `${prefix.slice(0, -1)}"`;
/** The fact that the job is of comes after it on the disk. */
const synced = { sync: true };
/** One that a power cut brings back is done once more, which harms nothing. */
const unsynced = { sync: false };
