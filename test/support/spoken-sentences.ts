import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { wavHeader } from '../../src/audio/wav.ts';
import { speak } from './espeak.ts';

const sentences = [
  'good morning everyone and welcome to the weekly planning meeting',
  'the server was down for twenty minutes last night',
  'i think we should move the deadline to the end of march',
  'could you send me the report about the new customers before friday',
  'the second team has finished the work on the database',
];

/** What espeak-ng speaks at, samples a second. */
export const spokenRate = 22_050;

export type Spoken = {
  /** 16-bit mono samples. */
  pcm: Buffer;
  /** The same as a WAV file. */
  wav: Buffer<ArrayBuffer>;
  said: string;
  /** When each sentence ends, seconds. */
  ends: number[];
};

/** So many sentences, the same five again and again, each followed by a pause. */
export async function spokenSentences(
  folder: string,
  count: number,
  { pauseSeconds = 1.2, voices = ['en-us'] }: { pauseSeconds?: number; voices?: string[] } = {},
): Promise<Spoken> {
  const clips = new Map<string, Buffer>();
  const pause = Buffer.alloc(Math.round(pauseSeconds * spokenRate) * 2);
  const parts: Buffer[] = [];
  const said: string[] = [];
  const ends: number[] = [];
  let bytes = 0;
  for (let at = 0; at < count; at += 1) {
    const text = sentences[at % sentences.length]!;
    const voice = voices[at % voices.length]!;
    const clip = clips.get(`${voice} ${text}`) ?? (await clipOf(text, voice, folder));
    clips.set(`${voice} ${text}`, clip);
    parts.push(clip, pause);
    said.push(text);
    ends.push((bytes + clip.length) / 2 / spokenRate);
    bytes += clip.length + pause.length;
  }
  const pcm = Buffer.concat(parts);
  const wav = Buffer.concat([wavHeader(1, pcm.length / 2, spokenRate), pcm]);
  return { pcm, wav, said: said.join(' '), ends };
}

/** Without the silence that espeak-ng leaves at the end. */
async function clipOf(text: string, voice: string, folder: string): Promise<Buffer> {
  const path = join(folder, 'sentence.wav');
  await speak(text, path, { voice });
  const samples = (await readFile(path)).subarray(44);
  let end = samples.length;
  while (end > 1 && Math.abs(samples.readInt16LE(end - 2)) < 64) end -= 2;
  return samples.subarray(0, end);
}
