import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { draft } from '../../../projections/recording/reading.ts';
import { type Recording, factAt } from '../../../projections/recording/recording.ts';
import { decodeChannels } from '../../audio/decode-channels.ts';
import { openSpeechFile } from '../../audio/speech-file.ts';
import type { SpeechFile } from '../../audio/wav.ts';
import { channelFileNames } from '../../shared/data-directory.ts';
import type { Meeting, SpeechEngine } from '../../speech/engine.ts';
import type { AudioStore } from '../../storage/audio/audio-store.ts';
import type { Job } from './run-stage.ts';
import { withRoom } from './with-room.ts';

/**
 * Works with the two channels of a recording as files beside its working copy; with null where it has not two.
 * @throws {StageError} as `decodeToSpeech`; AbortError; what `work` throws
 */
export async function withChannelFiles<T>(
  job: Job,
  recording: Recording,
  files: AudioStore,
  work: (channels: readonly [SpeechFile, SpeechFile] | null) => Promise<T>,
): Promise<T> {
  const { draft: source } = recording.sources;
  const { audio } = recording.files;
  if (!audio) return await work(null);
  const located = factAt(recording, source.results.plan, 'speech.detected');
  const track = (located?.data.tracks?.used ?? 1) - 1;
  const folder = await files.workFolder(job.recordingId);
  const paths = [join(folder, channelFileNames[0]), join(folder, channelFileNames[1])] as const;
  const { signal } = job;
  const opened: SpeechFile[] = [];
  try {
    const isStereo = await withRoom(job, () =>
      files.read(job.recordingId, audio, (source) =>
        decodeChannels(source, paths, { signal, track }),
      ),
    );
    if (!isStereo) return await work(null);
    for (const path of paths) opened.push(await openSpeechFile(path));
    const [left, right] = opened;
    return await work([left!, right!]);
  } finally {
    await Promise.all(opened.map((file) => file.close()));
    await Promise.all(paths.map((path) => rm(path, { force: true })));
  }
}

/** The same of a meeting, for an engine that tells speakers apart by their channels; with undefined otherwise. */
export async function withChannelsFor(
  engine: SpeechEngine,
  job: Job,
  files: AudioStore,
  work: (channels: Meeting['channels']) => Promise<void>,
): Promise<void> {
  const recording = await job.recording();
  const isWanted = engine.takesChannels && draft(recording).kind === 'meeting';
  if (!isWanted) return await work(undefined);
  await withChannelFiles(job, recording, files, (channels) => work(channels ?? undefined));
}
