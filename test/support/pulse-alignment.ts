import { readFile } from 'node:fs/promises';

/** Samples of a plain 16-bit WAV file as our captures and sox write it; one channel of it. */
export async function wavSamples(path: string, channel = 0): Promise<Float64Array> {
  const file = await readFile(path);
  const channels = file.readUInt16LE(22);
  const start = file.indexOf('data', 36, 'latin1') + 8;
  const frames = Math.floor((file.length - start) / (2 * channels));
  return Float64Array.from(
    { length: frames },
    (_, frame) => file.readInt16LE(start + (frame * channels + channel) * 2) / 32_768,
  );
}

export type Alignment = {
  /** Sample of the recording at which the played audio begins; negative when its start is missing. */
  offset: number;
  /** Normalised correlation of each half second in which something was said, at its own best shift. */
  windows: { at: number; correlation: number; shift: number }[];
};

/** Half a second at 16 kHz. */
const windowSamples = 8000;
/** Clocks of null sinks differ by so much over a test; samples. */
const shiftMax = 160;

/**
 * Finds what was played in what was recorded, both 16 kHz, by cross-correlation.
 * @param searchFrom sample of the played audio that is looked for first; must be in the recording.
 */
export function align(
  played: Float64Array,
  recorded: Float64Array,
  { searchFrom = 0, seconds = 2 }: { searchFrom?: number; seconds?: number } = {},
): Alignment {
  const probe = played.subarray(searchFrom, searchFrom + seconds * 16_000);
  const at = bestShift(probe, recorded);
  const offset = at - searchFrom;
  const windows: Alignment['windows'] = [];
  for (let start = 0; start + windowSamples <= played.length; start += windowSamples) {
    const window = played.subarray(start, start + windowSamples);
    if (energy(window) / windowSamples < 1e-4) continue; // a pause between words
    let best = { at: start, correlation: -1, shift: 0 };
    for (let shift = -shiftMax; shift <= shiftMax; shift += 1) {
      const correlation = correlate(window, recorded, offset + start + shift);
      if (correlation > best.correlation) best = { at: start, correlation, shift };
    }
    windows.push(best);
  }
  return { offset, windows };
}

/** Coarsely with every 8th sample of smoothed signals, then by the sample. */
function bestShift(probe: Float64Array, recorded: Float64Array): number {
  const step = 8;
  const [small, large] = [decimated(probe, step), decimated(recorded, step)];
  const coarse = argmax(-small.length + 100, large.length - 100, (at) =>
    correlate(small, large, at),
  );
  return argmax((coarse - 4) * step, (coarse + 4) * step, (at) => correlate(probe, recorded, at));
}

function argmax(from: number, to: number, value: (at: number) => number): number {
  let best = from;
  let highest = -Infinity;
  for (let at = from; at <= to; at += 1) {
    const here = value(at);
    if (here > highest) [highest, best] = [here, at];
  }
  return best;
}

/** What lies outside the recording counts as silence, so that a missing part correlates badly. */
function correlate(window: Float64Array, recorded: Float64Array, at: number): number {
  let product = 0;
  let theirs = 0;
  let ours = 0;
  for (let i = 0; i < window.length; i += 1) {
    const sample = recorded[at + i] ?? 0;
    product += window[i]! * sample;
    theirs += sample * sample;
    ours += window[i]! * window[i]!;
  }
  return theirs === 0 || ours === 0 ? 0 : product / Math.sqrt(theirs * ours);
}

function decimated(samples: Float64Array, step: number): Float64Array {
  return Float64Array.from({ length: Math.floor(samples.length / step) }, (_, at) => {
    let sum = 0;
    for (let i = 0; i < step; i += 1) sum += samples[at * step + i]!;
    return sum / step;
  });
}

const energy = (samples: Float64Array) => samples.reduce((sum, sample) => sum + sample * sample, 0);

/** Samples of the played audio that a window covers. */
export const windowLength = windowSamples;
