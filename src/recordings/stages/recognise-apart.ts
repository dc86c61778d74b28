import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { draft } from '../../../projections/recording/reading.ts';
import { speakersAsked } from '../../../projections/recording/recording.ts';
import { apartFileNames } from '../../shared/data-directory.ts';
import { type ApartChannels, channelsApart } from '../../speech/diarization/channels-apart.ts';
import type { AudioStore } from '../../storage/audio/audio-store.ts';
import type { Job } from './run-stage.ts';
import { withChannelFiles, withRoom } from './stage-files.ts';

/**
 * Works with the channels of a meeting that carry different speech, apart; with null of any other recording, and of one
 * whose mix was planned before.
 */
export async function withChannelsApart<T>(
  job: Job,
  files: AudioStore,
  work: (apart: ApartChannels | null) => Promise<T>,
): Promise<T> {
  const recording = await job.recording();
  const { kind, plan, channels } = draft(recording);
  const isMeeting = kind === 'meeting' && speakersAsked(recording).max !== 1;
  if (!isMeeting || (plan !== null && channels === null)) return await work(null);
  const folder = await files.workFolder(job.recordingId);
  const targets = [join(folder, apartFileNames[0]), join(folder, apartFileNames[1])] as const;
  let apart: ApartChannels | null = null;
  try {
    apart = await withChannelFiles(job, recording, files, async (both) =>
      both ? await withRoom(job, () => channelsApart(both, targets, job.signal)) : null,
    ).catch((error: unknown) => {
      // What is wrong with the audio is said of the mix; a plan of channels cannot be asked of it.
      if (job.signal.aborted || channels !== null) throw error;
      return null;
    });
    return await work(apart);
  } finally {
    await Promise.all((apart?.files ?? []).map((file) => file.close()));
    await Promise.all(targets.map((path) => rm(path, { force: true })));
  }
}
