import * as z from 'zod';
import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../shared/errors.ts';
import { writeDurably } from '../../shared/files.ts';
import { captureRate, wavHeaderBytes } from '../../audio/wav.ts';
import { type FinishedAudio } from '../file/capture-files.ts';
import { audioFileName } from '../../shared/data-directory.ts';
import { repairWav } from '../file/wav-writer.ts';

/** Samples a second that a browser may send. */
export const browserRates = { min: 8000, max: 192_000 } as const;

/** Tenths of a second that are read at once: the whole file is, while a person waits for the text. */
const piecesAtOnce = 100;

/** Removed with what captures keep beside the audio (see `removeCaptureFiles`). */
const noteName = 'capture-browser.json';

/**
 * Notes at which rate a browser's audio is kept: as it is sent, so that a sample that was acknowledged is
 * that very sample in the file. Durable before the first one is taken.
 */
export const writeBrowserRate = (folder: string, rate: number): Promise<void> =>
  writeDurably(join(folder, noteName), JSON.stringify({ rate }));

/** Null when no browser has sent anything yet. @throws {Error} when the note is damaged. */
export async function readBrowserRate(folder: string): Promise<number | null> {
  try {
    return noteSchema.parse(JSON.parse(await readFile(join(folder, noteName), 'utf8'))).rate;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/**
 * Repairs, counts and hashes what a browser has sent. The ledger counts `samples` at the rate of
 * captures, as everywhere; the file keeps its own.
 * @param rate samples a second of the file.
 */
export async function finishedBrowserAudio(folder: string, rate: number): Promise<FinishedAudio> {
  const path = join(folder, audioFileName);
  const frames = await repairWav(path, 1, rate);
  const hash = createHash('sha256');
  const file = await open(path, 'r');
  let bytes = 0;
  let flatFrames = 0;
  let clipped = 0;
  try {
    const header = Buffer.alloc(wavHeaderBytes);
    await file.read(header, 0, wavHeaderBytes, 0);
    hash.update(header);
    bytes += wavHeaderBytes;
    // A tenth of a second: the piece in which a capture looks for silence too.
    const piece = Math.floor(rate / 10);
    const block = new Int16Array(piece * piecesAtOnce);
    const into = new Uint8Array(block.buffer);
    for (;;) {
      const { bytesRead } = await file.read(into, 0, into.length, bytes);
      if (bytesRead === 0) break;
      hash.update(into.subarray(0, bytesRead));
      bytes += bytesRead;
      const samples = block.subarray(0, bytesRead >> 1);
      for (let at = 0; at < samples.length; at += piece) {
        const measured = measure(samples.subarray(at, at + piece));
        if (measured.flat) flatFrames += Math.min(piece, samples.length - at);
        clipped += measured.clipped;
      }
    }
  } finally {
    await file.close();
  }
  return {
    path: audioFileName,
    bytes,
    sha256: hash.digest('hex'),
    duration: frames / rate,
    ledger: {
      samples: Math.round((frames * captureRate) / rate),
      gaps: [],
      silent_seconds: Math.round((flatFrames / rate) * 1000) / 1000,
      clipped_samples: clipped,
    },
  };
}

const noteSchema = z.object({ rate: z.number().int().min(browserRates.min).max(browserRates.max) });

/** Whether a piece of mono audio is without any signal, and how many samples stand at full scale. */
function measure(samples: Int16Array): { flat: boolean; clipped: number } {
  let lowest = 32_767;
  let highest = -32_768;
  let clipped = 0;
  for (let at = 0; at < samples.length; at += 1) {
    const sample = samples[at]!;
    if (sample < lowest) lowest = sample;
    if (sample > highest) highest = sample;
    if (sample === 32_767 || sample === -32_768) clipped += 1;
  }
  // One step of dither apart is still flat.
  return { flat: highest - lowest <= 1, clipped };
}
