import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Block, Segment, Word } from '../../events/facts/transcript.ts';
import { draft } from '../../projections/recording/reading.ts';
import { decodeFlac } from '../../src/audio/flac.ts';
import type { Job, StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { wavHeader } from '../../src/audio/wav.ts';

/*
 * Audio that spells what is said in it: each second is one sample value, over and over, and the word `w<value>` is heard
 * there; a second of zeros is silence. So a transcript of it says what audio there is, and any lost, doubled or misplaced
 * second shows.
 */

export const rate = 16_000;
/** Sample values are so far apart, so that no conversion makes one another. */
const step = 16;

/** A 16 kHz mono WAV file of these words' numbers, a second each. */
export function spelled(numbers: readonly number[]): Uint8Array {
  const samples = new Int16Array(numbers.length * rate);
  for (const [second, number] of numbers.entries())
    samples.fill(number * step, second * rate, (second + 1) * rate);
  return Buffer.concat([wavHeader(1, samples.length, rate), Buffer.from(samples.buffer)]);
}

/** The numbers that 16-bit samples spell, second for second, 0 for silence. @throws where one is not whole */
export function numbersIn(wav: Uint8Array): number[] {
  const bytes = Buffer.from(wav).subarray(44);
  const samples = new Int16Array(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
  );
  if (samples.length % rate !== 0)
    throw new Error(`${samples.length} samples are no whole seconds`);
  return Array.from({ length: samples.length / rate }, (_, second) => {
    const own = samples.subarray(second * rate, (second + 1) * rate);
    if (own.some((one) => one !== own[0])) throw new Error(`second ${second} has several values`);
    return own[0]! / step;
  });
}

/** Who says a number, in a meeting of two. */
const speakerOf = (number: number): string => `SPEAKER_0${number % 2}`;
const engine = { engine: 'scripted', model: null };

/** Stages that hear what is spelled: in stretches of two seconds, turns of one speaker each, without a language model. */
export function spellingStages(
  dataDir: () => string,
): Partial<Record<'transcribe' | 'diarize' | 'identify' | 'join' | 'punctuate', StageActivity>> {
  const stage =
    (name: string, work: (job: Job) => Promise<void>): StageActivity =>
    async (job) => {
      await job.acquireSlot({ name, concurrency: 4 });
      await work(job);
    };
  return {
    transcribe: stage('transcribe', async (job) => {
      const heard = await heardIn(job, dataDir());
      const stretches = heard.flatMap((_, at): [number, number][] =>
        at % 2 === 0 ? [[at, Math.min(at + 2, heard.length)]] : [],
      );
      const plan = { detector: 'spelled', duration: heard.length, stretches, warnings: [] };
      // What a start left that was killed is not found again.
      const made = draft(await job.recording());
      if (made.plan === null) await job.append({ type: 'speech.detected', data: plan });
      for (const [index, [start, end]] of stretches.entries()) {
        if (index < made.utterances.length) continue;
        const segments = segmentsOf(heard, start, end);
        const data = { index, start, end, words: segments.length, language: 'en' };
        await job.append({ type: 'utterance.recognised', data, content: { segments } });
      }
      const words = heard.filter((number) => number !== 0).length;
      await job.append({
        type: 'transcription.completed',
        data: { ...engine, language: 'en', utterances: stretches.length, words },
      });
    }),
    diarize: stage('diarize', (job) =>
      job.append({ type: 'diarization.skipped', data: { reason: 'scripted' } }),
    ),
    identify: stage('identify', (job) =>
      job.append({ type: 'identification.skipped', data: { reason: 'scripted' } }),
    ),
    join: stage('join', async (job) => {
      const turns = turnsOf(await wordsHeard(job));
      const labels = [...new Set(turns.flatMap(({ speaker }) => speaker ?? []))];
      const speakers = labels.map((label) => ({ label, seconds: 1 }));
      const suggestions = labels.map((label) => ({
        label,
        name: null,
        confidence: null,
        reason: null,
        sample: null,
      }));
      await job.append({
        type: 'turns.joined',
        data: { speakers },
        content: { turns, suggestions },
      });
    }),
    punctuate: stage('punctuate', async (job) => {
      const { raw } = draft(await job.recording());
      const blocks = raw.map((block) => ({ ...block, text: block.text }));
      await job.append({
        type: 'transcript.punctuated',
        data: { ...engine, parts: 1, kept: [] },
        content: { blocks },
      });
    }),
  };
}

/** What the kept audio spells, whatever it is kept as. */
async function heardIn(job: Job, dataDir: string): Promise<number[]> {
  const { audio } = (await job.recording()).files;
  if (!audio) throw new Error('there is no audio');
  const path = join(dataDir, 'recordings', job.recordingId, audio.path);
  if (!path.endsWith('.flac')) return numbersIn(await readFile(path));
  const parts: Buffer[] = [Buffer.alloc(44)];
  await decodeFlac(path, job.signal, async (samples) => {
    for await (const part of samples as AsyncIterable<Buffer>) parts.push(part);
  });
  return numbersIn(Buffer.concat(parts));
}

function segmentsOf(heard: readonly number[], start: number, end: number): Segment[] {
  return heard.slice(start, end).flatMap((number, at) => {
    if (number === 0) return [];
    const word = wordAt(number, start + at);
    return [{ ...word, words: [word] }];
  });
}

/** A tenth of a second off the borders. */
const wordAt = (number: number, second: number): Word => ({
  text: `w${number}`,
  start: second + 0.1,
  end: second + 0.9,
});

async function wordsHeard(job: Job): Promise<Word[]> {
  const { utterances } = draft(await job.recording());
  return utterances.flatMap(({ segments }) => segments.flatMap(({ words }) => words));
}

function turnsOf(words: readonly Word[]): Block[] {
  const turns: Block[] = [];
  for (const word of words) {
    const speaker = speakerOf(Number(word.text.slice(1)));
    const last = turns.at(-1);
    if (last?.speaker === speaker) {
      Object.assign(last, { end: word.end, text: `${last.text} ${word.text}` });
      last.words.push(word);
      continue;
    }
    const id = `t-${String(turns.length + 1).padStart(4, '0')}`;
    turns.push({ id, speaker, start: word.start, end: word.end, text: word.text, words: [word] });
  }
  return turns;
}
