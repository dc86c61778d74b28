import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeToSpeech } from '../../audio/decode.ts';
import { openSpeechFile } from '../../audio/speech-file.ts';
import type { Recognised, SpeechEngine } from '../../speech/engine.ts';
import { locateSpeech } from '../../speech/detection/locate-speech.ts';
import type { Lease } from '../../shared/shared-resource.ts';
import { wordCount } from '../blocks.ts';
import { mostHeard } from '../recording-content.ts';
import { speechFileName } from '../recording-folder.ts';
import type { Job, StageActivity } from '../run-stage.ts';

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
    await job.begin({ name: engine.queue, places: 1 });
    const { audio, origin, plan: planned } = await job.content();
    const folder = deps.folderOf(job.recordingId);
    const speechPath = join(folder, speechFileName);
    const warnings: string[] = [];
    // What decoding has to tell is recorded with the plan: without one, a finished file is not enough.
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
        await job.offer({
          type: 'speech.detected',
          data: { ...located, duration: speech.duration, warnings },
        });
      }
      const { plan, utterances, asked } = await job.content();
      const stretches = plan?.stretches ?? [];
      const recognise = (index: number): Promise<Recognised> | undefined => {
        const stretch = stretches[index];
        if (!stretch) return undefined;
        const recognised = engine.recognise(speech, stretch, {
          language: asked ?? origin.data.language,
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
        await job.offer({
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
      const done = (await job.content()).utterances;
      await job.offer({
        type: 'transcription.completed',
        data: {
          engine: engine.engine,
          model: engine.model,
          language: mostHeard(done.map((data) => ({ data }))) ?? origin.data.language,
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

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
