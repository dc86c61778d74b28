import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StageError } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';
import { syncDirectory, writeAt } from '../shared/files.ts';
import { type SpeechFile, samplesOf, speechHeader, wavHeaderBytes, speechRate } from './wav.ts';

/** Longest piece that can be read at once, in seconds (38 MB). */
const readSecondsMax = 1200;

/**
 * Opens a speech file for reading at random.
 * @throws {StageError} `speech-file-damaged` (retriable: it can be made again) when its header and
 *   length don't fit; errors of the file system.
 */
export async function openSpeechFile(path: string): Promise<SpeechFile> {
  const file = await open(path, 'r');
  try {
    const header = Buffer.alloc(wavHeaderBytes);
    const { bytesRead } = await file.read(header, 0, wavHeaderBytes, 0);
    const samples = samplesOf(header.subarray(0, bytesRead));
    const { size } = await file.stat();
    if (samples === null || size !== wavHeaderBytes + samples * 2)
      throw new StageError(failure('working-copy-damaged'), { retriable: true });
    return {
      path,
      samples,
      duration: samples / speechRate,
      read: (start, end) => readSamples(file, samples, [start, end]),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Samples of so many seconds, clamped to what there is. */
async function readSamples(
  file: FileHandle,
  samples: number,
  [start, end]: readonly [number, number],
): Promise<Int16Array> {
  const first = clamp(Math.round(start * speechRate), samples);
  const last = clamp(Math.round(end * speechRate), samples);
  const count = Math.max(0, last - first);
  if (count > readSecondsMax * speechRate)
    throw new RangeError(`More than ${readSecondsMax} seconds of audio read at once`);
  const piece = new Int16Array(count);
  const bytes = Buffer.from(piece.buffer);
  for (let done = 0; done < bytes.length;) {
    const at = wavHeaderBytes + first * 2 + done;
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, at);
    if (bytesRead === 0) throw new Error('A speech file became shorter while it was read');
    done += bytesRead;
  }
  return piece;
}

const clamp = (value: number, max: number) => Math.min(max, Math.max(0, value));

/** Longest audio one speech file holds, in hours: what 32-bit sizes of a WAV file allow. */
export const speechHoursMax = 36;

/**
 * By how many bytes the speech file of an audio file will be larger than the file itself: it takes 115 MB an
 * hour, also of silence that compressed takes some KB.
 * @param audio.seconds as the file says; 0 bytes where it does not
 */
export function speechBytesBeyond({
  bytes,
  seconds,
}: {
  bytes: number;
  seconds: number | null;
}): number {
  const samples = Math.ceil(Math.min(seconds ?? 0, speechHoursMax * 3600) * speechRate);
  return Math.max(0, wavHeaderBytes + samples * 2 - bytes);
}

/**
 * Writes blocks of 16 kHz mono samples (-1 to 1) as a speech file, each before the next is asked for.
 * The name appears only when all is written and on the disk, so a file that is there is complete.
 * @param gain factor on every sample; what then goes over full scale is cut off.
 * @returns number of samples.
 * @throws {StageError} `audio-too-long`; what `blocks` throws; errors of the file system.
 */
export async function writeSpeechFile(
  path: string,
  blocks: AsyncIterable<Float32Array>,
  { gain, signal }: { gain: number; signal: AbortSignal },
): Promise<number> {
  const writer = await openSpeechWriter(path, gain);
  try {
    for await (const block of blocks) {
      signal.throwIfAborted();
      await writer.add(block);
    }
    await writer.finish(signal);
    return writer.samples;
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

/** A speech file that grows; nothing has its name until it is finished. */
export interface SpeechWriter {
  readonly samples: number;
  /** Appends a block; returns it as it was written, good until the next. @throws {StageError} `audio-too-long` */
  add(block: Float32Array): Promise<Int16Array>;
  /** What was written of [start, end) seconds. */
  read(start: number, end: number): Promise<Int16Array>;
  /** Header, disk, name. */
  finish(signal?: AbortSignal): Promise<void>;
  /** Closes it and leaves nothing behind. Never throws. */
  discard(): Promise<void>;
}

/**
 * Bytes after which the disk is asked to keep what was written so far. Otherwise all of an hour would be, when a
 * person has stopped and waits for the text.
 */
const syncedEvery = 8_000_000;

/** @param gain factor on every sample; what then goes over full scale is cut off. */
export async function openSpeechWriter(path: string, gain = 1): Promise<SpeechWriter> {
  const unfinished = `${path}.part`;
  const file = await open(unfinished, 'w+', 0o600);
  let samples = 0;
  let room = new Int16Array(0);
  let unsynced = 0;
  let syncing: Promise<void> | null = null;
  const failures: Error[] = [];
  /** One at a time, beside what is written meanwhile. The system tells of a failure once: it is kept for `finish`. */
  const syncMore = () => {
    unsynced = 0;
    syncing ??= file
      .datasync()
      .catch((error: Error) => void failures.push(error))
      .finally(() => (syncing = null));
  };
  return {
    get samples() {
      return samples;
    },
    async add(block) {
      if (samples + block.length > speechHoursMax * 3600 * speechRate)
        throw new StageError(failure('audio-too-long', { limit: speechHoursMax }), {
          retriable: false,
        });
      if (room.length < block.length) room = new Int16Array(block.length);
      toPcm(block, gain, room);
      const bytes = Buffer.from(room.buffer, 0, block.length * 2);
      await writeAt(file, bytes, wavHeaderBytes + samples * 2);
      samples += block.length;
      unsynced += bytes.length;
      if (unsynced >= syncedEvery) syncMore();
      return room.subarray(0, block.length);
    },
    read: (start, end) => readSamples(file, samples, [start, end]),
    async finish(signal) {
      await writeAt(file, speechHeader(samples), 0);
      await syncing;
      if (failures[0] !== undefined) throw failures[0];
      await file.sync();
      await file.close();
      signal?.throwIfAborted();
      await rename(unfinished, path);
      await syncDirectory(dirname(path));
    },
    async discard() {
      await file.close().catch(() => {}); // it may be closed, and what it holds is not wanted
      await rm(unfinished, { force: true }).catch(() => {}); // made again under the same name
    },
  };
}

/** Written as the machine has its numbers, as `openSpeechFile` reads them: seven times as fast as a `Buffer`. */
function toPcm(block: Float32Array, gain: number, into: Int16Array): void {
  const scale = gain * 32_767;
  for (let i = 0; i < block.length; i += 1) {
    // Above zero cutting off the fraction is rounding down. NaN becomes silence.
    const above = block[i]! * scale + 32_768.5;
    into[i] = (above >= 65_536 ? 65_535 : above >= 0 ? above | 0 : above < 0 ? 0 : 32_768) - 32_768;
  }
}
