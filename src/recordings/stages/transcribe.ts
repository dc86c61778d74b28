import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeToSpeech } from '../../audio/decode.ts';
import { openSpeechFile } from '../../audio/speech-file.ts';
import type { Recognised, SpeechEngine } from '../../speech/engine.ts';
import { locateSpeech } from '../../speech/detection/locate-speech.ts';
import type { Lease } from '../../shared/shared-resource.ts';
import { filesOf } from '../../../projections/recording/files.ts';
import { wordCount } from '../../../projections/recording/paragraphs.ts';
import { draft } from '../../../projections/recording/reading.ts';
import { speechFileName } from '../../shared/data-directory.ts';
import type { Job, StageActivity } from './run-stage.ts';

/** What of the whole stage's progress decoding and looking for speech take. */
const prelude = 0.1;

/** Audio to words: decodes, looks for speech, then recognises it stretch by stretch, each a fact. */
export function transcribe(deps: {
  /** @throws {StageError} `no-engine` */
  leaseEngine(): Promise<Lease<SpeechEngine>>;
  folderOf(recordingId: string): string;
  modelsDir: string;
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
    const first = await job.recording();
    const { audio } = filesOf(first, first.sources.draft);
    if (!audio) throw new Error('there is no audio');
    const { plan: planned } = draft(first);
    const folder = deps.folderOf(job.recordingId);
    const speechPath = join(folder, speechFileName);
    const warnings: string[] = [];
    // What decoding found is recorded with the plan: without one, a finished file is not enough.
    if (planned === null || !(await exists(speechPath))) {
      const decoded = await decodeToSpeech(join(folder, audio.path), speechPath, {
        signal: job.signal,
        onProgress: (fraction) => job.progress((fraction ?? 0) * prelude),
      });
      warnings.push(...decoded.warnings);
    }
    const speech = await openSpeechFile(speechPath);
    try {
      if (planned === null) {
        const located = await locateSpeech(speech, {
          secondsMax: engine.secondsMax,
          modelsDir: deps.modelsDir,
          signal: job.signal,
          onProgress: () => job.progress(prelude),
        });
        await job.append({
          type: 'speech.detected',
          data: { ...located, duration: speech.duration, warnings },
        });
      }
      const recording = await job.recording();
      const { plan, utterances } = draft(recording);
      const asked = recording.asked.draft;
      const stretches = plan ?? [];
      const recognise = (index: number): Promise<Recognised> | undefined => {
        const stretch = stretches[index];
        if (!stretch) return undefined;
        const recognised = engine.recognise(speech, stretch, {
          language: asked,
          signal: job.signal,
          next: stretches[index + 1],
          onWaiting: (waiting) => job.waiting(waiting),
        });
        recognised.catch(() => {}); // thrown when it is this one's turn to be stored
        return recognised;
      };
      let coming = recognise(utterances.length);
      for (let index = utterances.length; index < stretches.length; index += 1) {
        const stretch = stretches[index]!;
        const heard = (await coming)!;
        // The engine goes on while this is stored.
        coming = recognise(index + 1);
        await job.append({
          type: 'utterance.recognised',
          data: {
            index,
            start: stretch[0],
            end: stretch[1],
            words: heard.segments.reduce((sum, segment) => sum + wordCount(segment.text), 0),
            language: heard.language,
            ...(heard.doubt === undefined ? {} : { doubt: heard.doubt }),
          },
          content: { segments: heard.segments },
        });
        job.progress(prelude + (1 - prelude) * ((index + 1) / stretches.length));
      }
      const done = draft(await job.recording()).utterances;
      await job.append({
        type: 'transcription.completed',
        data: {
          engine: engine.engine,
          model: engine.model,
          language: mostHeard(done) ?? asked,
          utterances: done.length,
          words: done
            .flatMap((utterance) => utterance.segments)
            .reduce((sum, segment) => sum + wordCount(segment.text), 0),
        },
      });
    } finally {
      await speech.close();
    }
  }
}

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

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
