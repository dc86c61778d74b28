import { type FileHandle, open, rm } from 'node:fs/promises';
import { StageError } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';
import { decodeToSpeech } from './decode.ts';
import { decodeFlac, flacLength } from './flac.ts';
import { writeAt } from '../shared/files.ts';
import {
  captureRate,
  isPlainWav,
  readAt,
  wavFramesMax,
  wavHeader,
  wavHeaderBytes,
  wavLayout,
} from './wav.ts';

/** What audio is put together of, in order: a file from one second to another, up to its end; without a file, silence. */
export type AudioPiece = { path: string | null; from: number; to: number };

/** 16-bit samples of a file, as they are on the disk. */
type Samples = {
  file: FileHandle;
  /** Bytes before the first. */
  offset: number;
  frames: number;
  format: Format;
};
type Format = { channels: 1 | 2; rate: number };

/** Bytes copied at once: whole frames of one and of two channels. */
const copiedBytes = 256 * 1024;

/**
 * Puts pieces of audio files together to one WAV file, synced; sample for sample where all are 16-bit WAV or FLAC of one
 * format, else as 16 kHz mono. What is decoded on the way lies beside the target, and is gone then; where it fails, the
 * target too: half of one on a full disk would keep the room that another try needs.
 * @returns seconds and channels of it
 * @throws {StageError} as `decodeToSpeech`, `compressFlac`; `audio-too-long`; AbortError
 */
export async function assembleAudio(
  target: string,
  pieces: readonly AudioPiece[],
  signal: AbortSignal,
): Promise<{ duration: number; channels: 1 | 2 }> {
  const paths = [...new Set(pieces.flatMap(({ path }) => path ?? []))];
  const aside = (index: number): string => `${target}.${index}`;
  const opened = new Map<string, Samples>();
  try {
    for (const [index, path] of paths.entries()) {
      const samples = await samplesIn(path, aside(index), signal);
      if (samples) opened.set(path, samples);
    }
    const format = formatOf(paths.map((path) => opened.get(path)));
    for (const [index, path] of paths.entries()) {
      const present = opened.get(path);
      if (present && isSame(present.format, format)) continue;
      await present?.file.close();
      opened.set(path, await decoded(path, aside(index), signal));
    }
    const frames = await written(target, pieces, { opened, format, signal });
    return { duration: frames / format.rate, channels: format.channels };
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  } finally {
    for (const { file } of opened.values()) await file.close();
    for (const index of paths.keys()) await rm(aside(index), { force: true });
  }
}

/** The format that all have, if they have one. */
function formatOf(all: readonly (Samples | undefined)[]): Format {
  const [first] = all;
  const isOne = first && all.every((one) => one && isSame(one.format, first.format));
  return isOne ? first.format : { channels: 1, rate: captureRate };
}

const isSame = (a: Format, b: Format): boolean => a.channels === b.channels && a.rate === b.rate;

/** The samples of a WAV or FLAC file; null where others have to be made of it. */
async function samplesIn(
  path: string,
  aside: string,
  signal: AbortSignal,
): Promise<Samples | null> {
  const file = await open(path, 'r');
  try {
    const layout = await wavLayout(file);
    if (isPlainWav(layout)) {
      const { channels, rate, dataOffset: offset, dataBytes } = layout;
      if (channels === 1 || channels === 2)
        return { file, offset, frames: dataBytes / channels / 2, format: { channels, rate } };
    }
    const head = await readAt(file, 0, 4);
    await file.close();
    return head.toString('latin1') === 'fLaC' ? await fromFlac(path, aside, signal) : null;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function fromFlac(path: string, aside: string, signal: AbortSignal): Promise<Samples | null> {
  const { channels, rate } = await flacLength(path);
  if (channels !== 1 && channels !== 2) return null;
  const file = await open(aside, 'w+', 0o600);
  try {
    let bytes = 0;
    await decodeFlac(path, signal, async (samples) => {
      for await (const chunk of samples as AsyncIterable<Buffer>) {
        await writeAt(file, chunk, bytes);
        bytes += chunk.length;
      }
    });
    return {
      file,
      offset: 0,
      frames: Math.floor(bytes / channels / 2),
      format: { channels, rate },
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Any audio as 16 kHz mono, as loud as it is. */
async function decoded(path: string, aside: string, signal: AbortSignal): Promise<Samples> {
  await decodeToSpeech(path, aside, { signal, amplifies: false });
  const samples = await samplesIn(aside, aside, signal);
  if (!samples) throw new Error('what was decoded cannot be read');
  return samples;
}

async function written(
  target: string,
  pieces: readonly AudioPiece[],
  { opened, format, signal }: { opened: Map<string, Samples>; format: Format; signal: AbortSignal },
): Promise<number> {
  const { channels, rate } = format;
  const frameBytes = channels * 2;
  const file = await open(target, 'w', 0o600);
  let frames = 0;
  try {
    for (const { path, from, to } of pieces) {
      const source = path === null ? null : opened.get(path)!;
      const last = Math.min(Math.round(to * rate), source?.frames ?? Infinity);
      for (let at = Math.round(from * rate); at < last;) {
        signal.throwIfAborted();
        const count = Math.min(copiedBytes / frameBytes, last - at);
        const block = Buffer.alloc(count * frameBytes);
        if (source) await readAll(source, block, at * frameBytes);
        await writeAt(file, block, wavHeaderBytes + frames * frameBytes);
        [frames, at] = [frames + count, at + count];
        if (frames > wavFramesMax(channels))
          throw new StageError(
            failure('audio-too-long', { limit: Math.floor(frames / rate / 3600) }),
            {
              retriable: false,
            },
          );
      }
    }
    await writeAt(file, wavHeader(channels, frames, rate), 0);
    await file.sync();
    return frames;
  } finally {
    await file.close();
  }
}

/** What a file has lost meanwhile is silence. */
async function readAll({ file, offset }: Samples, into: Buffer, at: number): Promise<void> {
  for (let done = 0; done < into.length;) {
    const { bytesRead } = await file.read(into, done, into.length - done, offset + at + done);
    if (bytesRead === 0) return;
    done += bytesRead;
  }
}
