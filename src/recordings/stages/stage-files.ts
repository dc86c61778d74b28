import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { retry } from '../../shared/retry.ts';
import { hasCode, StageError } from '../../shared/errors.ts';
import type { BlobsError } from '../../storage/blobs/blobs.ts';
import { isNoSpace, isOfSystem } from '../../storage/disk.ts';
import { waitsFor } from '../../words/waiting.ts';
import type { Job } from './run-stage.ts';
import { type Recording, audioFact, factAt } from '../../../projections/recording/recording.ts';
import { decodeToSpeech, decodeChannels } from '../../audio/decode.ts';
import { openSpeechFile } from '../../audio/speech-file.ts';
import type { SpeechFile } from '../../audio/wav.ts';
import { channelFileNames, speechFileName } from '../../shared/data-directory.ts';
import { exists } from '../../shared/files.ts';
import { failure } from '../../words/failures.ts';
import type { AudioStore } from '../../storage/audio/audio-store.ts';
import { draft } from '../../../projections/recording/reading.ts';
import type { Meeting, SpeechEngine } from '../../speech/engine.ts';

/** Between two looks whether there is room on the disk, in milliseconds. */
const roomPauses = { first: 250, max: 5000 };

/**
 * Does work that writes a file which can be made again, and does it again while the disk is full or kept audio cannot be
 * reached: as long as that takes, like appending a result, and shown as waiting.
 * @throws what the work throws, but for these; the job's reason when it is aborted
 */
export const withRoom = <T>(job: Waits, work: () => Promise<T>): Promise<T> =>
  again(job, (error) => isNoSpace(error) || isAway(error), work);

/** The same for work that a full disk ends: again only while what nodes keep together cannot be reached. */
export const whenReached = <T>(job: Waits, work: () => Promise<T>): Promise<T> =>
  again(job, isAway, work);

/**
 * The same for work on what was captured, which cannot be captured again: also while the system fails to read or write it.
 */
export const untilDiskAnswers = <T>(job: Waits, work: () => Promise<T>): Promise<T> =>
  again(job, (error) => isNoSpace(error) || isAway(error) || isOfSystem(error), work);

/** Part of a stage's progress that decoding takes, where it has to be done again. */
const decodingShare = 0.1;

/**
 * Works on what was recognised of a recording: the working copy of its audio, made again if it is gone.
 * @param options.name of the copy; without it, that of the stages
 * @param work its progress is what decoding leaves of the stage's
 * @throws {StageError} `audio-missing`; as `decodeToSpeech`; what `work` throws
 */
export async function withSpeech<T>(
  job: Pick<Job, 'recordingId' | 'signal' | 'progress' | 'waiting'>,
  recording: Recording,
  { files, name = speechFileName }: { files: AudioStore; name?: string },
  work: (speech: SpeechFile, onProgress: (fraction: number) => void) => Promise<T>,
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
    return await work(speech, (fraction) =>
      job.progress(decodingShare + (1 - decodingShare) * fraction),
    );
  } finally {
    await speech.close();
  }
}

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
    const open = async (path: string): Promise<SpeechFile> => {
      const file = await openSpeechFile(path);
      opened.push(file);
      return file;
    };
    return await work([await open(paths[0]), await open(paths[1])]);
  } finally {
    await Promise.all(opened.map((file) => file.close()));
    await Promise.all(paths.map((path) => rm(path, { force: true })));
  }
}

/** Whether a capture kept the microphone apart from the loudspeakers. */
export const isSplitCapture = (recording: Recording): boolean =>
  audioFact(recording, recording.sources.draft)?.data.split === true;

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

type Waits = Pick<Job, 'signal' | 'waiting'>;

async function again<T>(
  job: Waits,
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
      job.waiting({ for: waitsFor(isNoSpace(error) ? 'disk-space' : 'files'), since });
    },
  });
  if (since !== undefined) job.waiting(null);
  return done;
}

/** That it lets us in no more, passes when a person has mended that. */
const isAway = (error: unknown): boolean =>
  hasCode<BlobsError>(error, 'BLOBS_AWAY', 'BLOBS_REFUSED');

const missing = (): StageError => new StageError(failure('no-audio'), { retriable: false });
