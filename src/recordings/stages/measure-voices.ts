import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { NamedVoice } from '../../../events/facts/transcript.ts';
import type { VoicesToMeasure } from '../../../projections/recording/measured-voices.ts';
import type { Recording } from '../../../projections/recording/recording.ts';
import { voicesFileName } from '../../shared/data-directory.ts';
import type { VoiceEmbedder } from '../../speech/diarization/diarize.ts';
import type { Job } from './run-stage.ts';
import { decodingShare, withSpeech } from './speech-of.ts';

/**
 * How those who speak in a recording sound to an embedding model, of what is under their labels now. Works on a copy
 * of the audio of its own, which is removed.
 * @throws as `withSpeech` and `VoiceEmbedder.embed`
 */
export async function measuredVoices(
  job: Pick<Job, 'recordingId' | 'signal' | 'progress' | 'waiting'>,
  recording: Recording,
  { speakers, turns }: VoicesToMeasure,
  { embedder, folderOf }: { embedder: VoiceEmbedder; folderOf(recordingId: string): string },
): Promise<NamedVoice[]> {
  const copy = join(folderOf(job.recordingId), voicesFileName);
  // One that a crash left may be of audio that has grown since.
  await rm(copy, { force: true });
  try {
    const found = await withSpeech(job, recording, { folderOf, name: voicesFileName }, (speech) =>
      embedder.embed(speech, turns, {
        signal: job.signal,
        onProgress: (fraction) => job.progress(decodingShare + (1 - decodingShare) * fraction),
      }),
    );
    return found.flatMap(({ speaker, seconds, embedding }) =>
      embedding
        ? [
            {
              label: speakers[speaker]!,
              embedding_model: embedder.embeddingModel,
              embedding: [...embedding],
              seconds: Math.round(seconds * 1000) / 1000,
            },
          ]
        : [],
    );
  } finally {
    await rm(copy, { force: true });
  }
}
