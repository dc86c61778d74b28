import type { PendingJob, PendingJobs } from '../pending-jobs.ts';
import type { Postgres } from './connection.ts';

/** Pending jobs of all nodes. Which of them carries one out is for its caller to settle, by ownership. */
export function postgresPendingJobs(db: Postgres): PendingJobs {
  return {
    async add(recordingId, job) {
      await db.ask({
        text: 'insert into pending_jobs (recording_id, job) values ($1, $2) on conflict do nothing',
        values: [recordingId, job],
      });
    },
    async complete(recordingId, job) {
      await db.ask({
        text: 'delete from pending_jobs where recording_id = $1 and job = $2',
        values: [recordingId, job],
      });
    },
    async list() {
      const text = 'select recording_id, job from pending_jobs order by recording_id, job';
      const found = await db.ask<{ recording_id: string; job: PendingJob }>({ text });
      return found.map(({ recording_id, job }) => ({ recordingId: recording_id, job }));
    },
  };
}
