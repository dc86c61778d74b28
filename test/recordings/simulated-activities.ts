import { documentFilesOf } from '../../projections/recording/recording.ts';
import { draft } from '../../projections/recording/reading.ts';
import type { Stage } from '../../events/facts/recording.ts';
import type { StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { StageError } from '../../src/shared/errors.ts';
import { failure } from '../../src/words/failures.ts';
import type { Random } from '../support/seeded.ts';

const block = (start: number, text: string) => ({ start, end: start + 1, text, words: [] });
const nothing = { engine: 'simulated', model: null };

/**
 * Activities that do what the real ones do to the log, without an engine behind them: they wait their
 * turn, take a few moments, now and then fail, and offer their results.
 */
export function simulatedActivities(
  random: Random,
  failures: number,
): Record<Stage, StageActivity> {
  const moments = async (count: number) => {
    for (let moment = 0; moment < count; moment += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const stage =
    (queue: string, work: StageActivity): StageActivity =>
    async (job) => {
      await job.acquireSlot({ name: queue, concurrency: 1 });
      await moments(random.below(4));
      if (random.chance(failures)) {
        throw new StageError(failure('speech-failed', { cause: 'simulated' }), { retriable: true });
      }
      await work(job);
    };

  return {
    capture: stage('capture', async () => {
      throw new StageError(failure('no-device-connected'), { retriable: false });
    }),
    follow: async () => {},
    assemble: async () => {},
    continue: async () => {},
    transcribe: stage('speech', async (job) => {
      if (draft(await job.recording()).plan === null) {
        await job.append({
          type: 'speech.detected',
          data: {
            detector: 'simulated',
            duration: 9,
            stretches: [
              [0, 3],
              [3, 6],
              [6, 9],
            ],
            warnings: [],
          },
        });
      }
      for (let index = draft(await job.recording()).utterances.length; index < 3; index += 1) {
        await moments(random.below(3));
        await job.append({
          type: 'utterance.recognised',
          data: { index, start: index * 3, end: index * 3 + 3, words: 2, language: 'en' },
          content: { segments: [block(index * 3, `words ${index}`)] },
        });
      }
      await job.append({
        type: 'transcription.completed',
        data: { ...nothing, language: 'en', utterances: 3, words: 6 },
      });
    }),
    diarize: stage('diarization', async (job) => {
      await job.append({ type: 'diarization.skipped', data: { reason: 'simulated' } });
    }),
    identify: stage('language', async (job) => {
      await job.append({ type: 'identification.skipped', data: { reason: 'simulated' } });
    }),
    join: stage('joining', async (job) => {
      await job.append({
        type: 'turns.joined',
        data: { speakers: [{ label: 'SPEAKER_1', seconds: 9 }] },
        content: { turns: [], suggestions: [] },
      });
    }),
    punctuate: stage('language', async (job) => {
      await job.append({
        type: 'transcript.punctuated',
        data: { ...nothing, parts: 1, kept: [] },
        content: { blocks: draft(await job.recording()).raw },
      });
    }),
    summarise: stage('language', async (job) => {
      await job.append({
        type: 'summary.completed',
        data: { ...nothing, parts: 1, language: 'en' },
        content: { text: 'a summary' },
      });
    }),
    entitle: stage('language', async (job) => {
      await job.append({
        type: 'title.chosen',
        data: nothing,
        content: { title: 'A title', abstract: 'About something.' },
      });
    }),
    write: stage('documents', async (job) => {
      const recording = await job.recording();
      const files = documentFilesOf(recording, recording.sources.draft);
      if (!files.hasName) {
        await job.append({
          type: 'documents.named',
          data: { local_start: '2026-01-01T10:00:00+00:00', ui_language: 'en', renderer: 1 },
          content: { base: '2026-01-01 10.00 A title', title: 'A title' },
        });
      }
      await job.append({
        type: 'documents.saved',
        data: {
          version: files.nextVersion,
          renderer: 1,
          sha256: { index: '', transcript: '', summary: '' },
          kept: [],
        },
        content: { paths: { index: 'i', transcript: 't', summary: 's' } },
      });
    }),
  };
}
