import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory, writeAt } from '../../shared/files.ts';
import { captureRate, wavHeader, wavHeaderBytes } from '../../audio/wav.ts';

/** A WAV file that grows. Killed at any moment it keeps every block that was written. */
export interface WavWriter {
  /** Frames in the file. */
  readonly frames: number;
  /** Samples a second. */
  readonly rate: number;
  /** Appends whole frames; in the file (not yet on the disk) when it returns. */
  write(pcm: Buffer): Promise<void>;
  /** Appends silence of so many frames. */
  writeSilence(frames: number): Promise<void>;
  /** Brings what was written onto the disk. */
  sync(): Promise<void>;
  /** Writes the present length into the header, for players; the samples are on the disk before that. */
  updateHeader(): Promise<void>;
  /** Header, disk, and no more. */
  close(): Promise<void>;
}

/**
 * Opens a file to go on where it ends; a new one, or one that was cut off at any byte.
 * @param rate samples a second.
 */
export async function openWavWriter(
  path: string,
  channels: 1 | 2,
  rate = captureRate,
): Promise<WavWriter> {
  let frames = await repairWav(path, channels, rate);
  const file = await open(path, 'r+');
  await syncDirectory(dirname(path));
  const frameBytes = channels * 2;

  const append = async (pcm: Buffer) => {
    const at = wavHeaderBytes + frames * frameBytes;
    await writeAt(file, pcm, at);
    frames += pcm.length / frameBytes;
  };
  const updateHeader = async () => {
    await file.datasync();
    await file.write(wavHeader(channels, frames, rate), 0, wavHeaderBytes, 0);
  };

  return {
    rate,
    get frames() {
      return frames;
    },
    write: append,
    async writeSilence(count) {
      const second = Buffer.alloc(rate * frameBytes);
      for (let left = count; left > 0; left -= rate) {
        await append(second.subarray(0, Math.min(left, rate) * frameBytes));
      }
    },
    sync: () => file.datasync(),
    updateHeader,
    async close() {
      try {
        await updateHeader();
        await file.sync();
      } finally {
        await file.close();
      }
    },
  };
}

/**
 * Makes a valid file of whatever a crash left of one: a new header from the file's length, and no half
 * frame at its end. What its samples were is a prefix of what it had been, and all that was left of it.
 * @param channels of the file: a torn header may not say. A missing file is made.
 * @param rate samples a second.
 * @returns frames in it; they are on the disk.
 */
export async function repairWav(
  path: string,
  channels: 1 | 2,
  rate = captureRate,
): Promise<number> {
  const file = await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return open(path, 'wx+', 0o600);
    throw error;
  });
  try {
    const { size } = await file.stat();
    const frames = Math.max(0, Math.floor((size - wavHeaderBytes) / (channels * 2)));
    const header = wavHeader(channels, frames, rate);
    const present = Buffer.alloc(wavHeaderBytes);
    await file.read(present, 0, wavHeaderBytes, 0);
    if (!present.equals(header)) await file.write(header, 0, wavHeaderBytes, 0);
    const bytes = wavHeaderBytes + frames * channels * 2;
    if (size > bytes) await file.truncate(bytes);
    await file.sync();
    return frames;
  } finally {
    await file.close();
  }
}
