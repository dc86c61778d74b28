import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { make, speak } from '../support/espeak.ts';

const sentences = [
  'good morning everyone and welcome to the weekly planning meeting',
  'the server was down for twenty minutes last night',
  'i think we should move the deadline to the end of march',
  'could you send me the report about the new customers before friday',
  'the second team has finished the work on the database',
];

/**
 * Writes a WAV file (16 kHz mono) of so many seconds of speech by espeak-ng: the same minute again and
 * again. Returns its path.
 */
export async function speechOf(seconds: number, path: string): Promise<string> {
  const minute = await oneMinute(dirname(path));
  const wanted = Math.round(seconds * rate) * 2;
  await writeFile(path, header(wanted));
  for (let left = wanted; left > 0; left -= minute.length) {
    await appendFile(path, left < minute.length ? minute.subarray(0, left) : minute);
  }
  return path;
}

const rate = 16_000;
const headerBytes = 44;

/** A minute of samples, 16 bit. */
async function oneMinute(below: string): Promise<Buffer> {
  const folder = await mkdtemp(join(below, 'speech-'));
  try {
    const raw = join(folder, 'raw.wav');
    const wav = join(folder, 'minute.wav');
    const text = Array.from({ length: 6 }, () => sentences.join('. ')).join('. ');
    await speak(text, raw);
    await make('sox', raw, '-r', String(rate), '-c', '1', '-b', '16', wav);
    const samples = (await readFile(wav)).subarray(headerBytes);
    if (samples.length < 60 * rate * 2) throw new Error('espeak-ng spoke for less than a minute');
    return samples.subarray(0, 60 * rate * 2);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html */
function header(dataBytes: number): Buffer {
  const bytes = Buffer.alloc(headerBytes);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + dataBytes, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(rate, 24);
  bytes.writeUInt32LE(rate * 2, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(dataBytes, 40);
  return bytes;
}
