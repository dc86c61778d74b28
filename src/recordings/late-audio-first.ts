import type { Held, Ownership } from '../../events/ownership.ts';
import { systemClock } from '../shared/retry.ts';
import type { PendingJobs } from '../storage/pending-jobs.ts';

/*
 * What a browser sends after its recording had ended is counted in the audio that this had then. So that audio is neither
 * joined, cut nor removed before it is added, and nothing more is taken while one of these begins: both hold one name. The
 * pending job says what a process that died has left.
 */

/** Held by the process that takes late audio of a recording. */
export const lateAudioName = (recordingId: string): string => `late-audio:${recordingId}`;

/** Whether more audio of a recording comes, or is to be added. */
export async function hasLateAudio(
  recordingId: string,
  jobs: Pick<PendingJobs, 'list'>,
): Promise<boolean> {
  const all = await jobs.list();
  return all.some((one) => one.recordingId === recordingId && one.job === 'late-audio');
}

export type LateAudioDeps = {
  ownership: Pick<Ownership, 'claim'>;
  jobs: Pick<PendingJobs, 'list'>;
};

/** Runs `work` while no late audio of a recording is taken. Null: there is some, and nothing was done. */
export async function unlessLateAudio<T>(
  recordingId: string,
  { ownership, jobs }: LateAudioDeps,
  work: () => Promise<T>,
): Promise<T | null> {
  const { signal } = new AbortController();
  for (const began = systemClock.now(); systemClock.now() - began < waitMaxMs;) {
    if (await hasLateAudio(recordingId, jobs)) return null;
    const held = await ownership.claim(lateAudioName(recordingId), signal);
    if (held) return await whileHeld(held, recordingId, { jobs, work });
    // Who holds it notes at once that audio comes, or is about to give it back.
    await systemClock.wait(pauseMs, signal);
  }
  return null;
}

/** Milliseconds between two looks, and after which what is held counts as audio that comes. */
const pauseMs = 50;
const waitMaxMs = 30_000;

async function whileHeld<T>(
  held: Held,
  recordingId: string,
  { jobs, work }: Pick<LateAudioDeps, 'jobs'> & { work: () => Promise<T> },
): Promise<T | null> {
  try {
    if (await hasLateAudio(recordingId, jobs)) return null;
    held.lost.throwIfAborted();
    return await work();
  } finally {
    await held.release();
  }
}
