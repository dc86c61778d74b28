import { setTimeout as sleep } from 'node:timers/promises';
import { mkdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Job } from '../../recordings/stages/run-stage.ts';
import { untilDiskAnswers, whenReached } from '../../recordings/stages/stage-files.ts';
import { audioFileName } from '../../shared/data-directory.ts';
import type { AudioStore } from '../../storage/audio/audio-store.ts';
import type { LiveAudio } from '../../storage/audio/live-audio.ts';
import { type FinishedAudio, removeCaptureFiles } from '../file/capture-files.ts';
import { openWavWriter } from '../file/wav-writer.ts';
import { type BrowserNote, writeBrowserNote } from './browser-file.ts';
import type { SharedCapture } from './browser-writer.ts';

/*
 * A browser's audio where nodes have no folder together: what is acknowledged is in the bucket, and each node that takes the
 * recording over makes the file of it again.
 */

/** Between two acknowledgements, each of which is a piece in a bucket there. Milliseconds. */
export const sharedEveryMs = 2_000;

/**
 * Makes the file in the folder what all nodes have of it, whatever was left there, and returns what keeps more of it. That
 * waits while the bucket is away, and returns only as long as this node has the recording: then it may be acknowledged.
 */
export async function sharedCapture(
  job: Pick<Job, 'recordingId' | 'signal' | 'waiting'>,
  live: LiveAudio,
  folder: string,
): Promise<SharedCapture> {
  const { recordingId, signal } = job;
  const pieces = await untilDiskAnswers(job, async () => {
    const begun = await live.begin(recordingId);
    await removeCaptureFiles(folder, { audio: true });
    if (begun.found) await makeFile(folder, begun.found, begun.read());
    return begun;
  });
  const kept = async (keep: () => Promise<void>): Promise<void> => {
    await whenReached(job, keep);
    // What ends a lease is a timer: those that are due come first.
    await sleep(0);
    signal.throwIfAborted();
  };
  return {
    over: signal,
    put: (start, layout, pcm) => kept(() => pieces.put(start, layout, pcm)),
    keepGaps: (gaps) => kept(() => pieces.keepGaps(gaps)),
  };
}

/** Keeps the complete file for all nodes; returns what there is to record of it. */
export async function keptAudio(
  job: Job,
  files: Pick<AudioStore, 'keep'>,
  folder: string,
  made: FinishedAudio,
): Promise<FinishedAudio> {
  const { sha256 } = made;
  const from = { path: join(folder, made.path), sha256 };
  const path = await untilDiskAnswers(job, () => files.keep(job.recordingId, made.path, from));
  return { ...made, path };
}

async function makeFile(
  folder: string,
  { rate, channels, heardAt, gaps }: BrowserNote & { heardAt: number },
  content: AsyncIterable<Buffer>,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeBrowserNote(folder, { rate, channels, gaps });
  const path = join(folder, audioFileName);
  const file = await openWavWriter(path, channels, rate);
  try {
    for await (const pcm of content) await file.write(pcm);
  } finally {
    await file.close();
  }
  // When the browser was last heard.
  await utimes(path, new Date(heardAt), new Date(heardAt));
}
