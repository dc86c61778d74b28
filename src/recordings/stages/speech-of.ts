import { join } from 'node:path';
import { type Recording, factAt } from '../../../projections/recording/recording.ts';
import { decodeToSpeech } from '../../audio/decode.ts';
import { openSpeechFile } from '../../audio/speech-file.ts';
import type { SpeechFile } from '../../audio/wav.ts';
import { speechFileName } from '../../shared/data-directory.ts';
import { exists } from '../../shared/files.ts';
import { StageError } from '../../shared/errors.ts';
import type { AudioStore } from '../../storage/audio/audio-store.ts';
import type { Job } from './run-stage.ts';
import { withRoom } from './with-room.ts';

/** Part of a stage's progress that decoding takes, where it has to be done again. */
export const decodingShare = 0.1;

/**
 * Works on what was recognised of a recording: the working copy of its audio, made again if it is gone.
 * @param options.name of the copy; without it, that of the stages
 * @throws {StageError} `audio-missing`; as `decodeToSpeech`; what `work` throws
 */
export async function withSpeech<T>(
  job: Pick<Job, 'recordingId' | 'signal' | 'progress' | 'waiting'>,
  recording: Recording,
  { files, name = speechFileName }: { files: AudioStore; name?: string },
  work: (speech: SpeechFile) => Promise<T>,
): Promise<T> {
  const path = join(await files.workFolder(job.recordingId), name);
  if (!(await exists(path))) {
    const { draft } = recording.sources;
    const { audio } = recording.files;
    const located = factAt(recording, draft.results.plan, 'speech.detected');
    if (!audio) throw missing();
    await withRoom(job, () =>
      files.read(job.recordingId, audio, async (source) => {
        if (!(await exists(source))) throw missing();
        await decodeToSpeech(source, path, {
          signal: job.signal,
          track: (located?.data.tracks?.used ?? 1) - 1,
          onProgress: (fraction) => job.progress((fraction ?? 0) * decodingShare),
        });
      }),
    );
  }
  const speech = await openSpeechFile(path);
  try {
    return await work(speech);
  } finally {
    await speech.close();
  }
}

const missing = (): StageError =>
  new StageError('audio-missing', 'There is no audio.', { retriable: false });
