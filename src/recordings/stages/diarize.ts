import type { ModelFolders } from '../../speech/local/local-models.ts';
import {
  type LabelledTurn,
  onlySpeaker,
  speakerLabel,
  speakingTimes,
} from '../../../projections/recording/join-turns.ts';
import { underLabels, type Utterance } from '../../../projections/recording/utterances.ts';
import { draft } from '../../../projections/recording/reading.ts';
import { type Recording, speakersAsked } from '../../../projections/recording/recording.ts';
import type { RecordingFactOf } from '../../../events/facts/recording.ts';
import type { Log } from '../../shared/log.ts';
import { type SpeakerCount, besideOne } from '../../shared/speaker-count.ts';
import { StageError } from '../../shared/errors.ts';
import { milliseconds } from '../../shared/time.ts';
import { failure } from '../../words/failures.ts';
import type { Sentence } from '../../words/params.ts';
import { inEnglish } from '../../words/say.ts';
import { type Diarizer, localDiarizer, localEmbedder } from '../../speech/diarization/diarize.ts';
import type { Job, StageActivity } from './run-stage.ts';
import { isSplitCapture, withSpeech, withChannelFiles } from './stage-files.ts';
import { joinChannels } from '../../../projections/recording/join-channels.ts';
import { speakersOfEngine, voicesContent } from './engine-speakers.ts';
import type { AudioStore } from '../../storage/audio/audio-store.ts';
import type { SpeechFile } from '../../audio/wav.ts';
import { labelledVoices } from '../../speech/diarization/windows.ts';
import { type SplitTurns, splitTurns } from '../../speech/diarization/split-channels.ts';

type Completed = RecordingFactOf<'diarization.completed'>;

/**
 * Who spoke when. What goes wrong is a separate fact, `diarization.skipped` with the cause:
 * the meeting goes on with one speaker, and can be processed again from here.
 */
export const diarizeStage =
  (deps: { modelsDir: ModelFolders; files: AudioStore; log: Log }): StageActivity =>
  async (job) => {
    await job.acquireSlot({ name: 'diarization', concurrency: 1 });
    const recording = await job.recording();
    const { utterances } = draft(recording);
    const isSpoken = utterances.some(({ segments }) => segments.length > 0);
    // Where no one speaks there is no one to tell apart.
    if (!isSpoken) return await job.append({ type: 'diarization.completed', data: ofNobody });
    const speakers = speakersAsked(recording);
    const asked = { utterances, speakersMin: speakers.min ?? undefined };
    const split = await splitFound(job, recording, { ...deps, speakers }).catch((error: unknown) =>
      failed(error, job, deps.log),
    );
    // What goes wrong with two channels may go right with their mix.
    if (split && !('cause' in split))
      return await job.append(labelled(split, { ...asked, by: split.by, channelOf }));
    const byEngine = await speakersOfEngine(job, recording, speakers, deps);
    if (byEngine) return await job.append(byEngine);
    const diarizer = await localDiarizer(deps.modelsDir);
    if (!diarizer) {
      if (speakers.max !== 1) return await skip(job, failure('no-speaker-model'));
      const end = utterances.at(-1)!.end;
      const turns: [number, number, string][] = [[0, end, onlySpeaker]];
      const data = { ...ofNobody, turns };
      return await job.append({ type: 'diarization.completed', data });
    }
    const found = await closing(diarizer, () =>
      diarizedBy(diarizer, job, recording, deps).catch((error: unknown) =>
        failed(error, job, deps.log),
      ),
    );
    if ('cause' in found) return await skip(job, found.cause);
    await job.append(labelled(found, { ...asked, by: diarizer }));
  };

const ofNobody: Completed['data'] = { engine: 'built-in', model: null, turns: [] };

const skip = (job: Job, cause: Sentence): Promise<void> =>
  job.append({
    type: 'diarization.skipped',
    data: { reason: inEnglish(cause) },
    content: { cause },
  });

async function closing<T>(diarizer: Diarizer, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await diarizer.close();
  }
}

type Found = Awaited<ReturnType<Diarizer['diarize']>>;

async function diarizedBy(
  diarizer: Diarizer,
  job: Job,
  recording: Recording,
  { files }: { files: AudioStore },
): Promise<Found> {
  return await withSpeech(job, recording, { files }, (speech, onProgress) =>
    diarizer.diarize(speech, {
      speakers: speakersAsked(recording),
      signal: job.signal,
      onProgress,
    }),
  );
}

function failed(error: unknown, job: Job, log: Log): { cause: Sentence } {
  if (job.signal.aborted) throw error;
  log.warn(
    { err: error, recordingId: job.recordingId, stage: 'diarize' },
    'separating speakers failed',
  );
  return { cause: error instanceof StageError ? error.sentence : failure('unexpected-error') };
}

/** Numbered in the order in which their words come; who said nothing that was recognised comes last. */
function labelled(
  { turns, voices }: Found,
  {
    by: { engine, model, embeddingModel },
    utterances,
    speakersMin,
    channelOf,
  }: {
    by: DiarizedBy;
    utterances: readonly Utterance[];
    speakersMin: number | undefined;
    /** In which channel a speaker was found; without, in their mix, where anybody may be the first. */
    channelOf?: (speaker: number) => 0 | 1;
  },
): Completed {
  const numbered = turns.map(([start, end, speaker]): LabelledTurn => [
    start,
    end,
    String(speaker),
  ]);
  const unlabelled = underLabels(utterances, undefined);
  const heard =
    turns.length === 0
      ? []
      : speakingTimes(
          joinChannels(unlabelled, numbered, (label) => channelOf?.(Number(label)), speakersMin),
        );
  const order = [
    ...new Set([
      ...heard.map(({ label }) => label),
      ...voices.map(({ speaker }) => String(speaker)),
    ]),
  ];
  const labelOf = (speaker: number) => speakerLabel(order.indexOf(String(speaker)));
  const isApart = utterances.some(({ channel }) => channel !== undefined);
  const channels =
    channelOf &&
    isApart &&
    Object.fromEntries(
      order.map((speaker) => [labelOf(Number(speaker)), channelOf(Number(speaker))]),
    );
  return {
    type: 'diarization.completed',
    data: {
      engine,
      model,
      turns: turns.map(([from, to, who]) => [milliseconds(from), milliseconds(to), labelOf(who)]),
      ...(channels ? { channels } : {}),
    },
    ...voicesContent(embeddingModel, labelledVoices(voices, labelOf)),
  };
}

/** Of two channels: the one of the first speaker, and that of all others. */
const channelOf = (speaker: number): 0 | 1 => (speaker === 0 ? 0 : 1);

/** Who did it, as `diarization.completed` says. */
type DiarizedBy = { engine: string; model: string | null; embeddingModel: string | null };

/**
 * Who spoke when in a capture that kept the microphone apart from the loudspeakers, and in channels that were recognised apart: without models for telling
 * speakers apart the others are one. Null of any other recording, and of one person.
 * @throws {StageError} as `decodeToSpeech` and the diarizer; AbortError
 */
async function splitFound(
  job: Job,
  recording: Recording,
  options: {
    speakers: SpeakerCount;
    modelsDir: ModelFolders;
    files: AudioStore;
  },
): Promise<(SplitTurns & { by: DiarizedBy }) | null> {
  const { speakers, modelsDir, files } = options;
  const isApart = draft(recording).channels !== null;
  if (!(isApart || isSplitCapture(recording)) || speakers.max === 1) return null;
  const others = besideOne(speakers);
  return await withChannelFiles(job, recording, files, async (channels) =>
    channels ? await toldApart(channels, job, { others, modelsDir }) : null,
  );
}

async function toldApart(
  channels: readonly [SpeechFile, SpeechFile],
  job: Job,
  { others: speakers, modelsDir }: { others: SpeakerCount; modelsDir: ModelFolders },
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
