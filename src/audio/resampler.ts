import { speechRate, type WavFormat } from './wav.ts';
import { endianness } from 'node:os';
import type { WhichAudio } from './ffmpeg.ts';

/** Brings mono audio to 16 kHz, block by block. */
export interface Resampler {
  /** What comes out for this block; the block itself where nothing has to be done. */
  push(block: Float32Array): Float32Array;
  /** What was still inside. The whole output has the input's length × 16000 / rate, rounded. */
  end(): Float32Array;
  close(): void;
}

/**
 * libsamplerate's streaming converter (its fast sinc filter, 97 dB). It adds no delay, but holds the
 * last 20 to 50 samples back (measured): `end` feeds silence and cuts to the exact length.
 * @param rate samples a second of the input, 1 000 to 768 000.
 */
export async function createResampler(rate: number): Promise<Resampler> {
  if (rate === speechRate)
    return { push: (block) => block, end: () => new Float32Array(0), close() {} };

  const loaded = await import('@alexanderolsen/libsamplerate-js');
  // tsx, which runs the sources, gives what is in it without a default.
  const libsamplerate = loaded.default ?? loaded;
  // It checks rates, but converts by their ratio.
  const divisor = Math.ceil(rate / rateMax);
  const converter = await libsamplerate.create(1, rate / divisor, speechRate / divisor, {
    converterType: libsamplerate.ConverterType.SRC_SINC_FASTEST,
  });
  let taken = 0;
  let given = 0;
  const convert = (block: Float32Array) => {
    const parts: Float32Array[] = [];
    for (let at = 0; at < block.length; at += blockMax) {
      // The converter's own arrays are reused by its next call.
      parts.push(converter.full(block.subarray(at, at + blockMax)).slice());
    }
    const [first, ...others] = parts;
    return first && others.length === 0 ? first : concat(parts);
  };
  return {
    push(block) {
      taken += block.length;
      const out = convert(block);
      given += out.length;
      return out;
    },
    end() {
      const missing = Math.round((taken * speechRate) / rate) - given;
      if (missing <= 0) return new Float32Array(0);
      const silence = new Float32Array(Math.ceil(((missing + 400) * rate) / speechRate));
      return convert(silence).slice(0, missing);
    },
    close: () => converter.destroy(),
  };
}

/** The highest rate that the converter takes. */
const rateMax = 192_000;
/** The converter's buffer holds a million samples of input and of output; 1 kHz input grows 16-fold. */
const blockMax = 60_000;

function concat(parts: Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * Turns whole frames of PCM into mono samples from -1 to 1: one channel, or the mean of all. A value
 * that is not a number (floats from a lying header) becomes silence.
 * @param frames bytes of whole frames: its length is a multiple of `channels × bytes`.
 * @param into where they are written; one sample a frame must fit.
 * @returns the part of `into` that was written.
 */
export function pcmToMono(
  frames: Buffer,
  format: WavFormat,
  into: Float32Array,
  only: WhichAudio['channel'],
): Float32Array {
  const read = readerOf(format);
  const { channels, bytes } = format;
  const mono = into.subarray(0, frames.length / (channels * bytes));
  if (only !== null) {
    for (let i = 0; i < mono.length; i += 1) {
      const sample = read(frames, (i * channels + only) * bytes);
      mono[i] = Number.isFinite(sample) ? clamp(sample) : 0;
    }
    return mono;
  }
  if (format.coding === 'integer' && bytes === 2 && !format.bigEndian && littleEndian) {
    mixShorts(frames, channels, mono);
    return mono;
  }
  let at = 0;
  for (let i = 0; i < mono.length; i += 1) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel += 1, at += bytes) sum += read(frames, at);
    mono[i] = Number.isFinite(sum) ? clamp(sum / channels) : 0;
  }
  return mono;
}

/** The usual case, three times as fast (measured). */
function mixShorts(frames: Buffer, channels: number, mono: Float32Array): void {
  const aligned = frames.byteOffset % 2 === 0 ? frames : Buffer.from(frames);
  const shorts = new Int16Array(aligned.buffer, aligned.byteOffset, frames.length / 2);
  const scale = 1 / (32_768 * channels);
  if (channels === 1) {
    for (let i = 0; i < mono.length; i += 1) mono[i] = shorts[i]! * scale;
    return;
  }
  let at = 0;
  for (let i = 0; i < mono.length; i += 1) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel += 1, at += 1) sum += shorts[at]!;
    mono[i] = sum * scale;
  }
}

type Reader = (buffer: Buffer, at: number) => number;

function readerOf({ coding, bytes, bigEndian: big }: WavFormat): Reader {
  if (coding === 'float') {
    if (bytes === 8) return big ? (b, at) => b.readDoubleBE(at) : (b, at) => b.readDoubleLE(at);
    return big ? (b, at) => b.readFloatBE(at) : (b, at) => b.readFloatLE(at);
  }
  if (coding === 'integer') {
    if (bytes === 1) return (b, at) => (b.readUInt8(at) - 128) / 128;
    if (bytes === 2)
      return big ? (b, at) => b.readInt16BE(at) / 32_768 : (b, at) => b.readInt16LE(at) / 32_768;
    const full = 2 ** (8 * bytes - 1);
    return big
      ? (b, at) => b.readIntBE(at, bytes) / full
      : (b, at) => b.readIntLE(at, bytes) / full;
  }
  throw new TypeError(`Samples coded as ${coding} are for ffmpeg`);
}

const littleEndian = endianness() === 'LE';

/** Floats may go a little over full scale; more than +12 dB above that is not audio. */
const clamp = (sample: number) => (sample > 4 ? 4 : sample < -4 ? -4 : sample);
