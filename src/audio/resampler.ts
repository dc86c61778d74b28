import libsamplerate from '@alexanderolsen/libsamplerate-js';
import { speechRate } from './wav.ts';

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
    return parts.length === 1 ? parts[0]! : concat(parts);
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
