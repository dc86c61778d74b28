import { execFile } from 'node:child_process';
import { open, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { speechHeader, speechRate } from '../../src/audio/wav.ts';

const run = promisify(execFile);

/** A voice of espeak-ng: `-v` and `-p`. Told apart best with different variants and pitches. */
export type Voice = { voice: string; pitch: number };
/** Something said: by the voice of that index, so many seconds after the line before ended (negative: over its end). */
export type Line = { speaker: number; text: string; gap?: number };
/** What was said when, in seconds. */
export type Said = { speaker: number; start: number; end: number; text: string };

/**
 * Five voices that the test models tell apart well: the first two of different sex, the first and the third
 * of one. Not every pair of espeak-ng's is: for the test embedding `en-gb+m7` and `en-gb+f5` are one person.
 */
export const voices: readonly Voice[] = [
  { voice: 'en-us+m2', pitch: 35 },
  { voice: 'en-us+f1', pitch: 65 },
  { voice: 'en-us+m3', pitch: 65 },
  { voice: 'en-us+f2', pitch: 35 },
  { voice: 'en-us+m7', pitch: 50 },
];

/** Sentences that the test recogniser never saw in its training and makes few mistakes in. */
export const sentences: readonly string[] = [
  'good morning everyone and welcome to the weekly planning meeting',
  'first we will go over the budget for the next quarter',
  'sarah can you give us an update on the mobile application',
  'the server was down for twenty minutes last night',
  'i think we should move the deadline to the end of march',
  'our customers are happy with the new version of the product',
  'please send me the report before friday afternoon',
  'the train to london leaves at half past seven',
  'he bought three apples and a bottle of milk',
  'what time does the library close on saturday',
  'we received over two hundred applications for this position',
  'the quick brown fox jumps over the lazy dog',
  'she wrote a long letter to her brother in canada',
  'nobody knows why the old bridge was closed',
  'the doctor told him to drink more water and rest',
  'can you hear me clearly or is the sound too low',
  'this decision will change the future of the company',
  'the children played in the garden until it was dark',
  'thank you for your time and have a wonderful evening',
];

/** Lines of so many sentences, each by another of so many voices than the line before. */
export const linesOf = (speakers: number, count: number): Line[] =>
  Array.from({ length: count }, (_, at) => ({
    speaker: at % speakers,
    text: sentences[at % sentences.length]!,
  }));

/** A dialogue as 16 kHz samples, and who said what when. The same lines are the same samples. */
export async function synthesise(
  lines: readonly Line[],
  among: readonly Voice[] = voices,
): Promise<{ samples: Int16Array; said: Said[] }> {
  const spoken = new Map<string, Int16Array>();
  const said: Said[] = [];
  const pieces: { at: number; samples: Int16Array }[] = [];
  let end = 0.3;
  for (const { speaker, text, gap = 0.4 } of lines) {
    const key = `${speaker} ${text}`;
    const samples = spoken.get(key) ?? (await speechOf(text, among[speaker]!));
    spoken.set(key, samples);
    const start = Math.max(0, end + gap);
    end = start + samples.length / speechRate;
    pieces.push({ at: Math.round(start * speechRate), samples });
    said.push({ speaker, start, end, text });
  }
  const mixed = new Int16Array(Math.ceil((end + 0.5) * speechRate));
  for (const { at, samples } of pieces) {
    for (let i = 0; i < samples.length; i += 1) {
      mixed[at + i] = Math.max(-32_768, Math.min(32_767, mixed[at + i]! + samples[i]!));
    }
  }
  return { samples: mixed, said };
}

/** Writes samples as a speech file, several parts one after the other. */
export async function writeDialogue(
  path: string,
  samples: Int16Array | readonly Int16Array[],
): Promise<void> {
  const parts = samples instanceof Int16Array ? [samples] : samples;
  await writeFile(path, speechHeader(parts.reduce((sum, part) => sum + part.length, 0)));
  const file = await open(path, 'a');
  try {
    for (const part of parts) {
      await file.appendFile(Buffer.from(part.buffer, part.byteOffset, part.byteLength));
    }
  } finally {
    await file.close();
  }
}

/** Without the silence that espeak-ng adds, so that who spoke when is known. */
async function speechOf(text: string, { voice, pitch }: Voice): Promise<Int16Array> {
  const args = ['-v', voice, '-p', String(pitch), '--stdout', text];
  const format = ['-t', 'raw', '-r', String(speechRate), '-c', '1', '-b', '16', '-e', 'signed'];
  const trim = [
    'silence',
    '1',
    '0.01',
    '0.5%',
    'reverse',
    'silence',
    '1',
    '0.01',
    '0.5%',
    'reverse',
  ];
  const wav = await run('espeak-ng', args, { encoding: 'buffer', maxBuffer: 1 << 26 });
  const sox = run('sox', ['-t', 'wav', '-', ...format, '-', ...trim], {
    encoding: 'buffer',
    maxBuffer: 1 << 26,
  });
  sox.child.stdin?.end(wav.stdout);
  const { stdout } = await sox;
  return new Int16Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.length));
}

/** Where in the whole a piece begins, in seconds. */
export function placeOf(piece: Int16Array, whole: Int16Array): number {
  const loud = piece.findIndex((sample) => Math.abs(sample) > 1000);
  for (let at = 0; at + 400 < whole.length; at += 1) {
    let i = 0;
    while (i < 400 && Math.abs(whole[at + i]! - piece[loud + i]!) <= 2) i += 1;
    if (i === 400) return (at - loud) / 16_000;
  }
  throw new Error('not a piece of it');
}
