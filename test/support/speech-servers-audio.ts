import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openSpeechFile, writeSpeechFile } from '../../src/audio/speech-file.ts';
import { type SpeechFile, speechRate } from '../../src/audio/wav.ts';
import { folderFor } from './espeak.ts';
import { type ToneWord, seeded, toneAudio, toneTalk } from './speech-servers-tones.ts';

/** A speech file of tone words, and what is said in it. */
export async function toneFile(
  t: TestContext,
  seconds: number,
  seed = 1,
): Promise<{ audio: SpeechFile; words: ToneWord[] }> {
  const words = toneTalk(seconds, seeded(seed));
  const audio = await speechFile(t, toneAudio(words, seconds));
  return { audio, words };
}

/** The same as 16-bit samples, as a microphone gives them. */
export async function tonePcm(words: readonly ToneWord[], seconds: number): Promise<Buffer> {
  const samples = new Int16Array(seconds * speechRate);
  let at = 0;
  for await (const block of toneAudio(words, seconds)) {
    samples.set(
      block.map((sample) => Math.round(sample * 32_767)),
      at,
    );
    at += block.length;
  }
  return Buffer.from(samples.buffer);
}

/** A speech file of any samples from -1 to 1. */
export async function speechFile(
  t: TestContext,
  blocks: AsyncIterable<Float32Array>,
): Promise<SpeechFile> {
  const path = join(await folderFor(t), 'speech.wav');
  await writeSpeechFile(path, blocks, { gain: 1, signal: new AbortController().signal });
  const audio = await openSpeechFile(path);
  t.after(() => audio.close());
  return audio;
}
