import type { ModelFolders } from '../../speech/local/local-models.ts';
import { type Recording, factAt } from '../../../projections/recording/recording.ts';
import type { SpeechFile } from '../../audio/wav.ts';
import type { AudioStore } from '../../storage/audio/audio-store.ts';
import { localDiarizer, localEmbedder } from '../../speech/diarization/diarize.ts';
import { type SplitTurns, splitTurns } from '../../speech/diarization/split-channels.ts';
import type { Job } from './run-stage.ts';
import { withChannelFiles } from './with-channels.ts';

/** Who did it, as `diarization.completed` says. */
export type DiarizedBy = { engine: string; model: string | null; embeddingModel: string | null };

/**
 * Who spoke when in a capture that kept the microphone apart from the loudspeakers: without models for telling
 * speakers apart the others are one. Null of any other recording, and of one person.
 * @param options.speakers how many people speak; null when unknown
 * @throws {StageError} as `decodeToSpeech` and the diarizer; AbortError
 */
export async function splitFound(
  job: Job,
  recording: Recording,
  options: {
    speakers: number | null;
    modelsDir: ModelFolders;
    files: AudioStore;
  },
): Promise<(SplitTurns & { by: DiarizedBy }) | null> {
  const { speakers, modelsDir, files } = options;
  const { draft } = recording.sources;
  const types = ['audio.captured', 'capture.interrupted'] as const;
  const isSplit = factAt(recording, draft.results.audio, ...types)?.data.split === true;
  if (!isSplit || speakers === 1) return null;
  const others = speakers === null ? null : speakers - 1;
  return await withChannelFiles(job, recording, files, async (channels) =>
    channels ? await toldApart(channels, job, { others, modelsDir }) : null,
  );
}

async function toldApart(
  channels: readonly [SpeechFile, SpeechFile],
  job: Job,
  { others: speakers, modelsDir }: { others: number | null; modelsDir: ModelFolders },
): Promise<SplitTurns & { by: DiarizedBy }> {
  const { signal } = job;
  const diarizer = await localDiarizer(modelsDir);
  try {
    const found = await splitTurns(channels, {
      others:
        diarizer &&
        ((audio, onProgress) => diarizer.diarize(audio, { speakers, signal, onProgress })),
      signal,
      onProgress: (fraction) => job.progress(fraction),
    });
    if (!diarizer) {
      return { ...found, by: { engine: 'built-in', model: null, embeddingModel: null } };
    }
    const own = await ownVoice(channels[0], found.turns, { modelsDir, signal });
    return { ...found, voices: [...own, ...found.voices], by: diarizer };
  } finally {
    await diarizer?.close();
  }
}

/** How the person at the microphone sounds, where nobody else is heard. */
async function ownVoice(
  microphone: SpeechFile,
  turns: SplitTurns['turns'],
  { modelsDir, signal }: { modelsDir: ModelFolders; signal: AbortSignal },
): Promise<SplitTurns['voices']> {
  const embedder = await localEmbedder(modelsDir);
  if (!embedder) return [];
  try {
    const voices = await embedder.embed(microphone, turns, { signal, onProgress: () => {} });
    return voices.filter(({ speaker }) => speaker === 0);
  } finally {
    await embedder.close();
  }
}
