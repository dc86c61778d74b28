import { systemClock } from '../../shared/retry.ts';
import type { Job } from './run-stage.ts';
import type { Waiting } from './stage-progress.ts';

/** Looks at another recording become this rare, in milliseconds. */
const looks = { first: 100, max: 2000 };

/** Looks until there is an answer, shown as waiting. @throws the signal's reason */
export async function looked<T>(
  job: Pick<Job, 'waiting' | 'signal'>,
  waitsFor: Waiting['for'],
  look: () => Promise<T | null>,
): Promise<T> {
  const since = new Date().toISOString();
  for (let pause = looks.first; ; pause = Math.min(looks.max, pause * 2)) {
    const found = await look();
    if (found !== null) {
      job.waiting(null);
      return found;
    }
    job.waiting({ for: waitsFor, since });
    await systemClock.wait(pause, job.signal);
  }
}
