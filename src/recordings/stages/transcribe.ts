import type { ModelFolders } from '../../speech/local/local-models.ts';
import { join } from 'node:path';
import type { Stretch } from '../../../events/facts/transcript.ts';
import { openSpeechFile } from '../../audio/speech-file.ts';
import type { SpeechFile } from '../../audio/wav.ts';
import { overlapSeconds } from '../../speech/detection/seams.ts';
import { longerStretches } from '../../speech/detection/speech-segments.ts';
import type { Meeting, SpeechEngine } from '../../speech/engine.ts';
import { recognisePlan } from '../../speech/recognise-plan.ts';
import { spokenAudio } from '../../speech/spoken-audio.ts';
import type { WaitingFor } from '../../shared/retry-stage.ts';
import type { Lease } from '../../shared/shared-resource.ts';
import { filesOf } from '../../../projections/recording/files.ts';
import type { Recording } from '../../../projections/recording/recording.ts';
import { wordCount } from '../../../projections/recording/paragraphs.ts';
import { draft } from '../../../projections/recording/reading.ts';
import { withRoom } from './with-room.ts';
import { exists } from '../../shared/files.ts';
import { speechFileName } from '../../shared/data-directory.ts';
import { speakersAsked } from './diarize.ts';
import type { Job, StageActivity } from './run-stage.ts';
import { withChannelsFor } from './with-channels.ts';

/** What of the whole stage's progress decoding and looking for speech take. */
const prelude = 0.1;

/** Audio to words: decodes, looks for speech, then recognises it segment by segment, each a fact. */
export function transcribe(deps: {
  /** @throws {StageError} `no-engine` */
  leaseEngine(): Promise<Lease<SpeechEngine>>;
  folderOf(recordingId: string): string;
  modelsDir: ModelFolders;
}): StageActivity {
  return async (job) => {
    const { value: engine, release } = await deps.leaseEngine();
    try {
      await transcribeWith(engine, job);
    } finally {
      release();
    }
  };

  async function transcribeWith(engine: SpeechEngine, job: Job): Promise<void> {
    await job.acquireSlot({ name: engine.queue, concurrency: 1 });
    const folder = deps.folderOf(job.recordingId);
    const speechPath = join(folder, speechFileName);
    await prepareSpeech(job, { folder, speechPath, engine, modelsDir: deps.modelsDir });
    const speech = await openSpeechFile(speechPath);
    try {
      await withChannelsFor(engine, job, folder, (channels) =>
        recogniseAll(engine, job, speech, channels),
      );
    } finally {
      await speech.close();
    }
    await complete(engine, job);
  }
}

/** Sees to it that there is a speech file, and a plan of what is asked of the engine. */
async function prepareSpeech(
  job: Job,
  at: { folder: string; speechPath: string; engine: SpeechEngine; modelsDir: ModelFolders },
): Promise<void> {
  const recording = await job.recording();
  const { audio } = filesOf(recording, recording.sources.draft);
  if (!audio) throw new Error('there is no audio');
  const { plan } = draft(recording);
  // What decoding has to say is recorded with the plan: without one, a finished file is not enough.
  if (plan !== null && (await exists(at.speechPath))) return;
  const source = join(at.folder, audio.path);
  const { decoded, located, tracks } = await withRoom(job, () =>
    spokenAudio(source, at.speechPath, {
      secondsMax: at.engine.secondsMax - overlapSeconds,
      modelsDir: at.modelsDir,
      signal: job.signal,
      onProgress: (fraction) => job.progress((fraction ?? 0) * prelude),
    }),
  );
  job.progress(prelude);
  if (plan !== null) return;
  const { duration, warnings } = decoded;
  const stretches = await stretchesFor(job, recording, located.stretches, at);
  const data = { ...located, stretches, duration, warnings, ...(tracks ? { tracks } : {}) };
  await job.append({ type: 'speech.detected', data });
}

/**
 * What an engine is asked of a meeting: where it tells speakers apart, as much at once as it takes, since its
 * speakers of one request say nothing about those of another.
 */
async function stretchesFor(
  job: Job,
  recording: Recording,
  planned: Stretch[],
  { engine, speechPath }: { engine: SpeechEngine; speechPath: string },
): Promise<Stretch[]> {
  if (draft(recording).kind !== 'meeting' || planned.length < 2) return planned;
  const speech = await openSpeechFile(speechPath);
  try {
    await engine.learnSpeakers?.(speech, planned[0]!, askedOf(job, recording));
  } finally {
    await speech.close();
  }
  const { meetingSecondsMax } = engine;
  return meetingSecondsMax === undefined
    ? planned
    : longerStretches(planned, meetingSecondsMax - overlapSeconds);
}

const askedOf = (job: Job, recording: Recording) => ({
  language: recording.asked.draft,
  signal: job.signal,
  onWaiting: (waiting: WaitingFor | null) => job.waiting(waiting),
});

/** Asks the engine for each stretch of speech that has not been recognised yet; each is a fact. */
async function recogniseAll(
  engine: SpeechEngine,
  job: Job,
  speech: SpeechFile,
  channels: Meeting['channels'],
): Promise<void> {
  const recording = await job.recording();
  const { plan, utterances, kind } = draft(recording);
  const planned = plan ?? [];
  const heard = recognisePlan(engine, speech, planned, {
    done: utterances,
    meeting: kind === 'meeting' ? { speakers: speakersAsked(recording), channels } : undefined,
    ...askedOf(job, recording),
  });
  for await (const { index, start, end, segments, language, doubt } of heard) {
    const words = wordsIn(segments);
    await job.append({
      type: 'utterance.recognised',
      data: { index, start, end, words, language, ...(doubt === undefined ? {} : { doubt }) },
      content: { segments },
    });
    job.progress(prelude + (1 - prelude) * ((index + 1) / planned.length));
  }
}

async function complete(engine: SpeechEngine, job: Job): Promise<void> {
  const recording = await job.recording();
  const { utterances } = draft(recording);
  await job.append({
    type: 'transcription.completed',
    data: {
      engine: engine.engine,
      model: engine.model,
      language: mostHeard(utterances) ?? recording.asked.draft,
      utterances: utterances.length,
      words: wordsIn(utterances.flatMap(({ segments }) => segments)),
    },
  });
}

const wordsIn = (segments: readonly { text: string }[]): number =>
  segments.reduce((sum, { text }) => sum + wordCount(text), 0);

/** The language of most of the speech, by seconds. */
export function mostHeard(
  utterances: readonly { start: number; end: number; language: string | null }[],
): string | null {
  const seconds = new Map<string, number>();
  for (const { language, start, end } of utterances) {
    if (language !== null) seconds.set(language, (seconds.get(language) ?? 0) + end - start);
  }
  const [most] = [...seconds].toSorted((a, b) => b[1] - a[1]);
  return most?.[0] ?? null;
}
