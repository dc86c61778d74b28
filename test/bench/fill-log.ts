import type { OfferedFact } from '../../events/facts/catalogue.ts';
import type { LevelLog } from '../../events/log/level-log.ts';

/** Facts of a recording's stream. */
const perStream = 50;
const streamsAtOnce = 100;

/**
 * Fills a log with streams of 50 facts. By default the dearest kind for projections: one import, then
 * facts that each change rows of several of them; no content. `spoken`: as recordings are, mostly
 * utterances, with or without what was said. `settled`: the last fact ends what was going on, and each has a key.
 * `from`: the number of the first stream, where others are there.
 */
export async function fillLog(
  log: LevelLog,
  count: number,
  options: { spoken?: 'content' | 'no-content'; settled?: boolean; from?: number } = {},
): Promise<void> {
  const streams = Math.ceil(count / perStream);
  for (let first = 0; first < streams; first += streamsAtOnce) {
    const wanted = Math.min(streamsAtOnce, streams - first);
    await Promise.all(
      Array.from({ length: wanted }, async (_, offset) => {
        const id = (options.from ?? 0) + first + offset;
        const rest = Array.from({ length: perStream - 1 }, (_unused, index) =>
          options.spoken ? spokenFact(id, index, options.spoken) : stageStarted(index),
        );
        if (options.settled) rest[perStream - 2] = cancelled();
        const named = { ...imported(id), subject: `${id}`, content: { filename: 'talk.wav' } };
        const beginning = options.settled ? named : imported(id);
        await log.append(`recording-${id}`, [beginning, ...rest], 0);
      }),
    );
  }
}

/** The fact that appends are measured with: 250 bytes, no content. */
export const stageStarted = (index: number): OfferedFact => ({
  type: 'stage.started',
  data: { stage: 'transcribe' },
  ...metadata(index),
});

const metadata = (index: number) => ({
  by: 'system',
  command: `01M7YB8DQZG1E7K5Q61TP77TYM/transcribe@${index}/1`,
  run: 1,
  attempt: index + 1,
  from: 'transcribing.recognising',
  to: 'transcribing.recognising',
  machine: 1,
});

const imported = (id: number): OfferedFact & { type: 'audio.imported' } => ({
  type: 'audio.imported',
  data: {
    owner: `user-${id % 20}`,
    kind: 'solo',
    language: null,
    speakers: null,
    path: 'audio.wav',
    bytes: 1,
    sha256: 'ab'.repeat(32),
    duration: 10,
    started_at: '2026-11-20T09:00:00Z',
  },
  by: 'anna',
  command: `import-${id}`,
  from: 'idle.new',
  to: 'transcribing.recognising',
  machine: 1,
});

const cancelled = (): OfferedFact => ({
  ...metadata(0),
  type: 'processing.cancelled',
  data: {},
  to: 'idle.kept',
});

/** The plan, then an utterance a stretch of 20 seconds. */
function spokenFact(id: number, index: number, content: 'content' | 'no-content'): OfferedFact {
  if (index === 0) return stageStarted(0);
  if (index === 1) {
    const stretches = Array.from({ length: perStream - 3 }, (_, at): [number, number] => [
      at * 20,
      at * 20 + 18,
    ]);
    const data = { detector: 'webrtc', duration: 1000, stretches, warnings: [] };
    return { ...metadata(1), type: 'speech.detected', data };
  }
  const start = (index - 2) * 20;
  const end = start + 18;
  const data = { index: index - 2, start, end, words: 40, language: 'en' };
  const fact = { ...metadata(index), type: 'utterance.recognised' as const, data };
  if (content === 'no-content') return fact;
  return { ...fact, subject: `${id}`, content: { segments: [{ start, end, text, words }] } };
}

const spokenWords = 'good morning everyone and welcome to the weekly planning meeting '
  .repeat(4)
  .trim()
  .split(' ');
const words = spokenWords.map((word, at) => ({
  text: word,
  start: at * 0.4,
  end: at * 0.4 + 0.3,
}));
const text = spokenWords.join(' ');
