import type { FileHandle } from 'node:fs/promises';
import { StageError } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';

/** Samples a second of everything that is captured. */
export const captureRate = 16_000;

/** The header of 16 kHz mono 16-bit PCM with so many samples. */
export const speechHeader = (samples: number): Buffer => wavHeader(1, samples, speechRate);

/** Samples a speech file of ours says it holds; null when it is none of ours. */
export function samplesOf(header: Buffer): number | null {
  if (header.length < wavHeaderBytes) return null;
  const samples = header.readUInt32LE(40) / 2;
  return Number.isInteger(samples) && speechHeader(samples).equals(header) ? samples : null;
}

/** How the samples of a WAV file are stored. */
export type WavFormat = {
  /** `other` is A-law, ADPCM and the like: for ffmpeg. */
  coding: 'integer' | 'float' | 'other';
  channels: number;
  /** Samples a second. */
  rate: number;
  /** Bytes one sample of one channel takes, 1 to 8. */
  bytes: number;
  bigEndian: boolean;
};

export type WavLayout = WavFormat & {
  /** Where the samples start, in bytes from the file's start. */
  dataOffset: number;
  /** Bytes of samples that really are in the file: whole frames. */
  dataBytes: number;
  /** The header promises more than there is. */
  truncated: boolean;
  /** The header was never finished, or promises less than there is. */
  repaired: boolean;
};

/** Whether its samples are as ours are: 16-bit integers, the lower byte first. */
export const isPlainWav = (layout: WavLayout | null): layout is WavLayout =>
  layout?.coding === 'integer' && layout.bytes === 2 && !layout.bigEndian;

/** A file with more chunks before the samples is refused. */
const chunksMax = 4096;
const fmtBytesMax = 40;
const rateMin = 1000;
const rateMax = 768_000;
const channelsMax = 256;

/**
 * Finds format and samples of a RIFF, RIFX, RF64 or BW64 file by walking its chunks: nothing but
 * their heads is read, whatever their size. The `wav` package cannot be used for this: it wants
 * `fmt ` first, loses the sub-format of WAVE_FORMAT_EXTENSIBLE, ignores pad bytes and RF64, and
 * buffers whatever length a chunk claims (tried with 1.0.2).
 * Format: Microsoft, "Multiple channel audio data and WAVE files"; RF64: EBU Tech 3306.
 * @returns null when the file is not a WAV file.
 * @throws {StageError} `audio-damaged` when it is one without format or samples.
 */
export async function wavLayout(file: FileHandle): Promise<WavLayout | null> {
  const { size } = await file.stat();
  const head = await readAt(file, 0, 12);
  if (head.length < 12 || head.toString('latin1', 8, 12) !== 'WAVE') return null;
  const magic = head.toString('latin1', 0, 4);
  if (!['RIFF', 'RIFX', 'RF64', 'BW64'].includes(magic)) return null;

  const bigEndian = magic === 'RIFX';
  let format: WavFormat | undefined;
  let dataSize64: number | undefined;
  let offset = 12;
  for (let chunks = 0; chunks < chunksMax; chunks += 1) {
    const chunk = await readAt(file, offset, 8);
    if (chunk.length < 8) break;
    const id = chunk.toString('latin1', 0, 4);
    const length = u32(chunk, 4, bigEndian);
    const body = offset + 8;
    if (id === 'ds64') {
      const sizes = await readAt(file, body, 16);
      if (sizes.length === 16) dataSize64 = Number(sizes.readBigUInt64LE(8));
    } else if (id === 'fmt ') {
      format = formatOf(await readAt(file, body, Math.min(length, fmtBytesMax)), bigEndian);
    } else if (id === 'data') {
      if (!format) throw damaged('no-format');
      // `ds64` may be unfinished as well.
      const size64 = length === 0xff_ff_ff_ff && dataSize64 ? dataSize64 : undefined;
      const promised = size64 ?? length;
      const unfinished = size64 === undefined && isPlaceholder(length);
      const said = { dataOffset: body, promised, unfinished, size };
      return { ...format, ...(await extent(file, format, said)) };
    }
    offset = body + length + (length % 2);
  }
  throw damaged(format ? 'no-samples' : 'header-incomplete');
}

const u16 = (b: Buffer, at: number, big: boolean) =>
  big ? b.readUInt16BE(at) : b.readUInt16LE(at);
const u32 = (b: Buffer, at: number, big: boolean) =>
  big ? b.readUInt32BE(at) : b.readUInt32LE(at);
/**
 * Audio as recognisers want it: 16 kHz mono 16-bit PCM in a WAV file of ours (44-byte header), read
 * at random. Derived from the kept audio, can be made again at any time.
 */
export interface SpeechFile {
  readonly path: string;
  /** Samples at 16 kHz. */
  readonly samples: number;
  /** Seconds. */
  readonly duration: number;
  /** Samples of [start, end) seconds, clamped to the file. */
  read(start: number, end: number): Promise<Int16Array>;
  close(): Promise<void>;
}

/** Samples a second in every speech file. */
export const speechRate = 16_000;

/** Bytes before the samples: RIFF, fmt and data heads and nothing else. */
export const wavHeaderBytes = 44;

/**
 * The header of 16-bit PCM. Format: Microsoft/IBM, "Multimedia Programming Interface" 1.0.
 * @param rate samples a second.
 */
export function wavHeader(channels: 1 | 2, frames: number, rate = captureRate): Buffer {
  const header = Buffer.alloc(wavHeaderBytes);
  const dataBytes = frames * channels * 2;
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(wavHeaderBytes - 8 + dataBytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * channels * 2, 28);
  header.writeUInt16LE(channels * 2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(dataBytes, 40);
  return header;
}

/** More does not fit into the header's 32 bits; some 18 hours of two channels at the rate of captures. */
export const wavFramesMax = (channels: 1 | 2): number =>
  Math.floor((0xff_ff_ff_ff - wavHeaderBytes) / (channels * 2));

function formatOf(fmt: Buffer, bigEndian: boolean): WavFormat {
  if (fmt.length < 16) throw damaged('header-incomplete');
  const tag = u16(fmt, 0, bigEndian);
  const channels = u16(fmt, 2, bigEndian);
  const rate = u32(fmt, 4, bigEndian);
  const blockAlign = u16(fmt, 12, bigEndian);
  const bits = u16(fmt, 14, bigEndian);
  if (channels < 1 || channels > channelsMax || rate < rateMin || rate > rateMax)
    throw damaged('channels', { channels, rate });
  // The first two bytes of the sub-format's GUID are the plain format tag.
  const plainTag = tag === 0xff_fe && fmt.length >= 26 ? u16(fmt, 24, bigEndian) : tag;
  const coding = plainTag === 1 ? 'integer' : plainTag === 3 ? 'float' : 'other';
  const aligned = blockAlign / channels;
  const bytes = Number.isInteger(aligned) && aligned > 0 ? aligned : Math.ceil(bits / 8);
  const known = coding === 'float' ? [4, 8] : [1, 2, 3, 4];
  if (coding !== 'other' && !known.includes(bytes)) throw damaged('sample-bytes', { bytes });
  return { coding, channels, rate, bytes, bigEndian };
}

type Promised = { dataOffset: number; promised: number; unfinished: boolean };

/**
 * Recorders that were cut off, and programs that write into a pipe, leave 0, the largest number there is (ffmpeg), or the
 * largest with a sign, as sox (0x7FFFF000) and arecord (0x80000000) do, less what is no whole frame.
 */
const isPlaceholder = (length: number): boolean =>
  length === 0 || (length >= 0x7f_ff_e0_00 && length <= 0x80_00_10_00) || length >= 0xff_ff_f0_00;

/** What is really there, against what the header says. */
async function extent(
  file: FileHandle,
  format: WavFormat,
  { dataOffset, promised, unfinished, size }: Promised & { size: number },
) {
  const present = size - dataOffset;
  const frame = format.channels * format.bytes;
  const more = promised < present && !(await chunkAt(file, dataOffset + promised, size));
  const bytes = unfinished || more ? present : Math.min(promised, present);
  return {
    dataOffset,
    dataBytes: bytes - (bytes % frame),
    truncated: !unfinished && promised > present,
    repaired: (unfinished && promised > present) || (present > 0 && promised === 0) || more,
  };
}

/** Whether another chunk (or only a pad byte or two) follows the samples. */
async function chunkAt(file: FileHandle, end: number, size: number): Promise<boolean> {
  const at = end + (end % 2);
  if (size - at < 8) return true;
  const head = await readAt(file, at, 8);
  return /^[\x20-\x7e]{4}$/.test(head.toString('latin1', 0, 4));
}

/** So many bytes from a position; fewer where the file ends. */
export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** @param fault what of its header is wrong, with what the header says */
const damaged = (...fault: Parameters<typeof wavDamaged>): StageError =>
  new StageError(wavDamaged(...fault), { retriable: false });

const wavDamaged = (
  fault: 'header-incomplete' | 'no-samples' | 'no-format' | 'channels' | 'sample-bytes',
  said: { channels?: number; rate?: number; bytes?: number } = {},
) => failure('wav-damaged', { fault, ...said });
