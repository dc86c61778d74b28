import type { Kept, KeptKind } from './kept.ts';

/**
 * Work on files that a fact promises and that a crash may leave undone. Added durably before the fact is
 * stored, completed when it is done: what is still there at a start is looked at again. Of many nodes each may: which
 * carries one out is for its caller to settle.
 */
export interface PendingJobs {
  add(recordingId: string, job: PendingJob): Promise<void>;
  complete(recordingId: string, job: PendingJob): Promise<void>;
  list(): Promise<NotedJob[]>;
}

export type NotedJob = { recordingId: string; job: PendingJob };

/**
 * `erase`: all of a recording. `delete-documents`: those that facts say are deleted.
 * `keep-audio`: compressing or removing its audio, which documents were made of. `import`: an uploaded
 * file lies in its folder, or audio made of another's, and until its first fact is stored there is no such recording. `late-audio`: what a browser
 * sent after the recording had ended lies in its folder, and is to be added. `refresh-documents`: it was put elsewhere,
 * and its documents may say otherwise.
 */
export type PendingJob = (typeof pendingJobNames)[number];
const pendingJobNames = [
  'erase',
  'delete-documents',
  'keep-audio',
  'import',
  'late-audio',
  'refresh-documents',
] as const;
export type Removal = Extract<PendingJob, 'erase' | 'delete-documents'>;

/** By `<recording id>/<job>`, named as the first release did. No words in it. */
export const choreRows: KeptKind<1> = {
  name: 'chores',
  keys: 'plain',
};

export function pendingJobs(kept: Kept): PendingJobs {
  const rows = kept.of(choreRows);
  return {
    add: (recordingId, job) =>
      rows.change([`${recordingId}/${job}`], () => ({ keep: [1], result: undefined })),
    complete: (recordingId, job) => rows.delete([`${recordingId}/${job}`]),
    async list() {
      const found = await rows.list('');
      return found.flatMap(({ key }) => {
        const [recordingId = '', name] = key.split('/');
        const job = pendingJobNames.find((one) => one === name);
        return job ? [{ recordingId, job }] : [];
      });
    },
  };
}
