import { type FileHandle, open } from 'node:fs/promises';
import { StageError } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';
import { ffmpegFindsAudio, hasFfmpeg } from './ffmpeg.ts';
import { readAt, wavLayout } from './wav.ts';

/** What a file says of itself; null where it does not say. */
export type AcceptedAudio = {
  /** When it was made, RFC 3339 UTC. */
  madeAt: string | null;
  /** How long it is. */
  seconds: number | null;
};

/**
 * Looks whether a file is audio that can be read here, by what is in it, not by its name. Quick:
 * nothing is decoded.
 * @throws {StageError} `unsupported-media`, never retriable, with a sentence that says what to do.
 */
export async function acceptsAudio(path: string): Promise<AcceptedAudio> {
  try {
    return await examine(path);
  } catch (error) {
    if (!(error instanceof StageError) || error.retriable) throw error;
    throw new StageError(error.sentence, {
      as: 'unsupported-media',
      retriable: false,
      cause: error,
    });
  }
}

/**
 * How a file is to be decoded.
 * @throws {StageError} `audio-empty`, `audio-encrypted`, `ffmpeg-missing`, `audio-damaged`,
 *   `not-audio`, `no-audio-track`, `unsupported-media`.
 */
export async function decoderFor(path: string): Promise<'wav' | 'ffmpeg'> {
  const file = await open(path, 'r');
  try {
    if ((await file.stat()).size === 0)
      throw new StageError(failure('audio-empty'), { retriable: false });
    const layout = await wavLayout(file);
    if (layout && layout.coding !== 'other') {
      if (layout.dataBytes === 0)
        throw new StageError(failure('audio-no-samples'), { retriable: false });
      return 'wav';
    }
    if (await mp4Encrypted(file))
      throw new StageError(failure('audio-protected'), { retriable: false });
  } finally {
    await file.close();
  }
  if (await hasFfmpeg()) return 'ffmpeg';
  throw new StageError(failure('ffmpeg-missing'), { retriable: false });
}

/** Boxes walked at most; a film has some hundreds. */
const boxesMax = 10_000;
const containers = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);
const encryptedEntries = new Set(['enca', 'drms', 'encv', 'drmi']);

async function examine(path: string): Promise<AcceptedAudio> {
  if ((await decoderFor(path)) === 'ffmpeg') return await ffmpegFindsAudio(path);
  const file = await open(path, 'r');
  try {
    const layout = await wavLayout(file);
    const seconds = layout && layout.dataBytes / (layout.channels * layout.bytes * layout.rate);
    return { madeAt: null, seconds };
  } finally {
    await file.close();
  }
}

/**
 * Whether a track of an MP4 file is encrypted (iTunes' `drms`, Common Encryption's `enca`): ffmpeg
 * does not say so but decodes noise. Walks box heads only (ISO/IEC 14496-12, 8.1 and 8.12).
 * @returns false for files of other kinds.
 */
async function mp4Encrypted(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  const first = await readAt(file, 4, 4);
  if (first.toString('latin1') !== 'ftyp') return false;
  const ranges: [number, number][] = [[0, size]];
  let boxes = 0;
  for (let range = ranges.pop(); range; range = ranges.pop()) {
    let [at, end] = range;
    while (at + 8 <= end && boxes < boxesMax) {
      boxes += 1;
      const bytes = await readAt(file, at, 16);
      if (bytes.length < 8) break;
      const type = bytes.toString('latin1', 4, 8);
      if (encryptedEntries.has(type)) return true;
      const short = bytes.readUInt32BE(0);
      const large = short === 1 && bytes.length === 16;
      const length = short === 0 ? end - at : large ? Number(bytes.readBigUInt64BE(8)) : short;
      const body = at + (large ? 16 : 8);
      if (length < body - at) break; // a box that claims less than its own head
      if (containers.has(type)) ranges.push([body, Math.min(at + length, end)]);
      if (type === 'stsd') ranges.push([body + 8, Math.min(at + length, end)]);
      at += length;
    }
  }
  return false;
}
