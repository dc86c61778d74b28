import * as z from 'zod';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashFile, writeDurably, ifMissing } from '../../shared/files.ts';
import { captureRate, wavHeaderBytes } from '../../audio/wav.ts';
import type { GrowingHash } from '../file/growing-hash.ts';
import { type FinishedAudio } from '../file/capture-files.ts';
import { audioFileName } from '../../shared/data-directory.ts';
import { repairWav } from '../file/wav-writer.ts';
import { type SignalMeter, signalMeter } from './signal-meter.ts';

/** Samples a second that a browser may send. */
export const browserRates = { min: 8000, max: 192_000 } as const;

/** Removed with what captures keep beside the audio (see `removeCaptureFiles`). */
const noteName = 'capture-browser.json';

/** Of what a browser sends. `gaps`: silence that stands for what it did not hear, [first sample, samples]. */
export type BrowserNote = z.infer<typeof noteSchema>;

/** How a browser's audio is kept: samples a second, in each channel. A recording keeps the layout of its beginning. */
export type SentLayout = Pick<BrowserNote, 'rate' | 'channels'>;

/**
 * Notes at which rate a browser's audio is kept: as it is sent, so that a sample that was acknowledged is
 * that very sample in the file. Durable before the first one is taken, as a gap is before its silence.
 */
export const writeBrowserNote = (folder: string, note: BrowserNote): Promise<void> =>
  writeDurably(join(folder, noteName), JSON.stringify(note));

/** Null when no browser has sent anything yet. @throws {Error} when the note is damaged. */
export async function readBrowserNote(folder: string): Promise<BrowserNote | null> {
  const text = await readFile(join(folder, noteName), 'utf8').catch(ifMissing(null));
  return text === null ? null : noteSchema.parse(JSON.parse(text));
}

/**
 * Repairs, counts and hashes what a browser has sent. The ledger counts `samples` at the rate of
 * captures, as everywhere; the file keeps its own.
 * @param layout of the file.
 * @param counted.measured what was counted while it came, from the first sample on; only the rest is counted then. While a
 * person waits for the text, an hour is not looked through again.
 * @param counted.hash the same of its hash; null: all of it is read, and hashed in the order of its bytes.
 */
export async function finishedBrowserAudio(
  folder: string,
  { rate, channels }: SentLayout,
  counted: { measured?: SignalMeter | null; hash?: GrowingHash | null } = {},
): Promise<FinishedAudio> {
  const path = join(folder, audioFileName);
  const frames = await repairWav(path, channels, rate);
  const { measured = null } = counted;
  const isWhole = measured !== null && measured.samples <= frames * channels;
  const meter = isWhole ? measured : signalMeter(rate * channels);
  await measureRest(path, meter);
  const missed = gapsWithin((await readBrowserNote(folder))?.gaps ?? [], 0, frames);
  const missing = missed.reduce((sum, [, samples]) => sum + samples, 0);
  const hashed = await (counted.hash?.end() ?? hashFile(path));
  if (!hashed) throw new Error(`${path} has vanished`);
  return {
    path: audioFileName,
    ...hashed,
    duration: frames / rate,
    ...(channels === 2 ? { split: true as const } : {}),
    ledger: {
      samples: Math.round((frames * captureRate) / rate),
      gaps: missed.map(([start, samples]) => [rounded(start / rate), rounded(samples / rate)]),
      // A gap is silence, too, and said as what it is.
      silent_seconds: rounded(Math.max(0, meter.flat / channels - missing) / rate),
      clipped_samples: meter.clipped,
    },
  };
}

const rounded = (seconds: number) => Math.round(seconds * 1000) / 1000;

/** What of gaps lies between two samples. */
export function gapsWithin(
  gaps: BrowserNote['gaps'],
  from: number,
  to: number,
): BrowserNote['gaps'] {
  return gaps.flatMap(([start, samples]): BrowserNote['gaps'] => {
    const [first, end] = [Math.max(start, from), Math.min(start + samples, to)];
    return end > first ? [[first, end - first]] : [];
  });
}

/** Samples that are read at once. */
const samplesAtOnce = 512 * 1024;

/** Takes in what of a file is not counted yet. */
async function measureRest(path: string, meter: SignalMeter): Promise<void> {
  const file = await open(path, 'r');
  try {
    const block = new Int16Array(samplesAtOnce);
    const into = new Uint8Array(block.buffer);
    for (;;) {
      const at = wavHeaderBytes + meter.samples * 2;
      const { bytesRead } = await file.read(into, 0, into.length, at);
      if (bytesRead < 2) break;
      meter.add(block.subarray(0, bytesRead >> 1));
    }
  } finally {
    await file.close();
  }
}

const sampleCount = z.number().int().nonnegative();
const noteSchema = z.object({
  rate: z.number().int().min(browserRates.min).max(browserRates.max),
  channels: z.union([z.literal(1), z.literal(2)]).default(1),
  gaps: z.array(z.tuple([sampleCount, sampleCount])).default([]),
});
