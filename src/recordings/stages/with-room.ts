import { retry } from '../../shared/retry.ts';
import { hasCode } from '../../shared/errors.ts';
import { isNoSpace } from '../../storage/disk.ts';
import type { Job } from './run-stage.ts';
import type { BlobsError } from '../../storage/blobs/blobs.ts';

/** Between two looks whether there is room on the disk, in milliseconds. */
const roomPauses = { first: 250, max: 5000 };

/**
 * Does work that writes a file which can be made again, and does it again while the disk is full or kept audio cannot be
 * reached: as long as that takes, like appending a result, and shown as waiting.
 * @throws what the work throws, but for these; the job's reason when it is aborted
 */
export const withRoom = <T>(job: Waiting, work: () => Promise<T>): Promise<T> =>
  again(job, (error) => isNoSpace(error) || isAway(error), work);

/** The same for work that a full disk ends: again only while what nodes keep together cannot be reached. */
export const whenReached = <T>(job: Waiting, work: () => Promise<T>): Promise<T> =>
  again(job, isAway, work);

type Waiting = Pick<Job, 'signal' | 'waiting'>;

async function again<T>(
  job: Waiting,
  isTransient: (error: unknown) => boolean,
  work: () => Promise<T>,
): Promise<T> {
  let since: string | undefined;
  const done = await retry(work, {
    pauses: roomPauses,
    signal: job.signal,
    isTransient,
    onRetry(error) {
      since ??= new Date().toISOString();
      job.waiting({ reason: isAway(error) ? 'the blob store' : 'room on the disk', since });
    },
  });
  if (since !== undefined) job.waiting(null);
  return done;
}

/** That it lets us in no more, passes when a person has mended that. */
const isAway = (error: unknown): boolean =>
  hasCode<BlobsError>(error, 'BLOBS_AWAY', 'BLOBS_REFUSED');
