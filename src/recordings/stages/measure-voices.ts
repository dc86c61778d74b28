import { ulid } from 'ulid';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { NamedVoice } from '../../../events/facts/transcript.ts';
import {
  type VoicesToMeasure,
  measureVoices,
  voicesToMeasure,
} from '../../../projections/recording/measured-voices.ts';
import type { Recording } from '../../../projections/recording/recording.ts';
import { voicesFileNames } from '../../shared/data-directory.ts';
import type { AudioStore } from '../../storage/audio/audio-store.ts';
import type { VoiceEmbedder } from '../../speech/diarization/diarize.ts';
import { labelledVoices } from '../../speech/diarization/windows.ts';
import type { RecordingService } from '../service.ts';
import { type JobQueue, inSlot } from './job-queue.ts';
import type { Job } from './run-stage.ts';
import { withSpeech } from './stage-files.ts';

export type MeasuringDeps = {
  recordingService: Pick<RecordingService, 'read' | 'decide'> & {
    whileFilesStay<T>(work: () => Promise<T>): Promise<T>;
  };
  jobQueue: JobQueue;
  files: AudioStore;
  /** What measures; null without a model. To be closed. */
  openEmbedder(): Promise<VoiceEmbedder | null>;
};

/**
 * Measures what is under the labels of a recording now, and appends it, unless something else is to be measured by then.
 * @param asked.model of the embeddings; nothing is done where another one is installed by now
 * @param asked.onProgress called at each part that is done, and before it is appended; may abort the signal
 * @throws as `withSpeech`, `VoiceEmbedder.embed` and `RecordingService.decide`; AbortError
 */
export async function measureAgain(
  deps: MeasuringDeps,
  asked: {
    recordingId: string;
    owner: string;
    model: string;
    signal: AbortSignal;
    onProgress(fraction: number): void;
  },
): Promise<void> {
  const { recordingService, jobQueue } = deps;
  const { recordingId, owner, model, signal, onProgress } = asked;
  await inSlot(jobQueue, { queue: 'diarization', concurrency: 1, owner, signal }, async () => {
    const embedder = await deps.openEmbedder();
    try {
      if (embedder?.embeddingModel !== model) return;
      const measured = await recordingService.whileFilesStay(async () => {
        const { recording } = await recordingService.read(recordingId);
        const plan = voicesToMeasure(recording, model);
        if (!plan) return null;
        const isSpoken = plan.turns.length > 0;
        const job = { recordingId, signal, progress: onProgress, waiting() {} };
        const tools = { embedder, files: deps.files };
        return { plan, heard: isSpoken ? await measuredVoices(job, recording, plan, tools) : [] };
      });
      if (!measured) return;
      onProgress(1);
      signal.throwIfAborted();
      const { plan, heard } = measured;
      const metadata = { by: 'system', command: `measure-voices-${ulid()}` };
      await recordingService.decide(recordingId, metadata, measureVoices(plan, model, heard));
    } finally {
      await embedder?.close();
    }
  });
}

/** Works on a copy of the audio of its own, which is removed. */
async function measuredVoices(
  job: Pick<Job, 'recordingId' | 'signal' | 'progress' | 'waiting'>,
  recording: Recording,
  { speakers, turns }: VoicesToMeasure,
  { embedder, files }: { embedder: VoiceEmbedder; files: AudioStore },
): Promise<NamedVoice[]> {
  const [name] = voicesFileNames;
  const copy = join(await files.workFolder(job.recordingId), name);
  // One that a crash left may be of audio that has grown since.
  await rm(copy, { force: true });
  try {
    const found = await withSpeech(job, recording, { files, name }, (speech, onProgress) =>
      embedder.embed(speech, turns, { signal: job.signal, onProgress }),
    );
    const embedding_model = embedder.embeddingModel;
    return labelledVoices(found, (speaker) => speakers[speaker]!).map((voice) => ({
      ...voice,
      embedding_model,
    }));
  } finally {
    await rm(copy, { force: true });
  }
}
