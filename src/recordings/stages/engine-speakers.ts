import type { RecordingFactOf } from '../../../events/facts/recording.ts';
import { underLabels } from '../../../projections/recording/heard-speakers.ts';
import {
  joinTurns,
  speakerLabel,
  speakingTimes,
} from '../../../projections/recording/join-turns.ts';
import { draft } from '../../../projections/recording/reading.ts';
import { type Recording, factAt } from '../../../projections/recording/recording.ts';
import type { Log } from '../../shared/log.ts';
import { diarizerInstalled, localEmbedder } from '../../speech/diarization/diarize.ts';
import {
  type ToldVoices,
  heardVoices,
  meanVoice,
  samePeople,
} from '../../speech/diarization/heard-voices.ts';
import type { WindowVoice } from '../../speech/diarization/windows.ts';
import type { ModelFolders } from '../../speech/local/local-models.ts';
import type { AudioStore } from '../../storage/audio/audio-store.ts';
import type { Job } from './run-stage.ts';
import { decodingShare, withSpeech } from './speech-of.ts';

type Completed = RecordingFactOf<'diarization.completed'>;
type Deps = { modelsDir: ModelFolders; files: AudioStore; log: Log };

/**
 * Who spoke when as the recogniser itself said, its speakers of several requests joined by how they sound
 * (where a model for speaker embedding is installed); null where it did not, or where it found another number of
 * speakers than a person said there are and this machine can tell them apart.
 */
export async function speakersOfEngine(
  job: Job,
  recording: Recording,
  speakers: number | null,
  deps: Deps,
): Promise<Completed | null> {
  const { utterances, source } = draft(recording);
  const heard = heardVoices(utterances.flatMap(({ segments }) => segments));
  if (!heard) return null;
  const { voices, embeddingModel } = await voicesOf(heard, job, recording, deps);
  const people = samePeople(heard, voices, speakers);
  const found = new Set(people).size;
  const isOther = speakers !== null && found !== speakers;
  if (isOther && (await diarizerInstalled(deps.modelsDir))) return null;

  const order = speakingTimes(joinTurns(underLabels(utterances, people.map(String)), []));
  const labelOf = new Map(order.map(({ label }, i) => [Number(label), speakerLabel(i)]));
  const labels = people.map((person) => labelOf.get(person)!);
  const transcription = factAt(recording, source.results.transcription, 'transcription.completed');
  const isApart = heard.requestCount > 1 && embeddingModel === null && found > 1;
  return {
    type: 'diarization.completed',
    data: {
      engine: transcription?.data.engine ?? 'compat',
      model: transcription?.data.model ?? null,
      turns: heard.turns.map(([start, end, name]) => [start, end, labels[name]!]),
      labels,
      ...(isApart ? { apart: heard.requestCount } : {}),
    },
    ...(embeddingModel === null
      ? {}
      : { content: { embedding_model: embeddingModel, voices: voicesByLabel(labels, voices) } }),
  };
}

function voicesByLabel(labels: readonly string[], voices: readonly WindowVoice[]) {
  return [...new Set(labels)].toSorted().flatMap((label) => {
    const mean = meanVoice(voices.filter(({ speaker }) => labels[speaker] === label));
    return mean ? [{ label, ...mean, seconds: Math.round(mean.seconds * 1000) / 1000 }] : [];
  });
}

/** How each of them sounds; nothing without a model. That it fails is logged: the recogniser's speakers stay. */
async function voicesOf(
  { turns }: ToldVoices,
  job: Job,
  recording: Recording,
  { modelsDir, files, log }: Deps,
): Promise<{ voices: WindowVoice[]; embeddingModel: string | null }> {
  const embedder = await localEmbedder(modelsDir);
  if (!embedder) return { voices: [], embeddingModel: null };
  try {
    const voices = await withSpeech(job, recording, { files }, (speech) =>
      embedder.embed(speech, turns, {
        signal: job.signal,
        onProgress: (fraction) => job.progress(decodingShare + (1 - decodingShare) * fraction),
      }),
    );
    const ordered = voices.toSorted((a, b) => a.speaker - b.speaker);
    return { voices: ordered, embeddingModel: embedder.embeddingModel };
  } catch (error) {
    if (job.signal.aborted) throw error;
    const { recordingId } = job;
    log.warn({ err: error, recordingId, stage: 'diarize' }, 'speakers could not be compared');
    return { voices: [], embeddingModel: null };
  } finally {
    await embedder.close();
  }
}
