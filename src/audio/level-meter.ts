import { captureRate, speechRate } from './wav.ts';

/** Watches how loud 16 kHz audio is, in bounded memory. */
export interface LevelMeter {
  add(block: Float32Array): void;
  level(): Level;
}

export type Level = {
  /** Peak in dB of full scale that the loudest 0.1 % (at least three) of the 100 ms blocks reach. */
  peak: number;
  /** Part of the samples that stand at full scale, 0 to 1. */
  clipped: number;
};

/** A histogram of block peaks, so that one click does not pass for a loud voice. */
export function levelMeter(): LevelMeter {
  const blockSamples = speechRate / 10;
  const counts = new Uint32Array(floorDb + 1); // counts[d]: blocks with a peak of -d dB
  let samples = 0;
  let clipped = 0;
  let inBlock = 0;
  let peak = 0;
  const closeBlock = () => {
    const db = peak > 0 ? Math.round(-20 * Math.log10(peak)) : floorDb;
    const bin = Math.min(floorDb, Math.max(0, db));
    counts[bin] = counts[bin]! + 1;
    inBlock = 0;
    peak = 0;
  };
  return {
    add(block) {
      for (let at = 0; at < block.length;) {
        const end = Math.min(block.length, at + blockSamples - inBlock);
        inBlock += end - at;
        let loudest = peak;
        for (; at < end; at += 1) {
          const size = Math.abs(block[at]!);
          if (size > loudest) loudest = size;
          if (size >= 0.999) clipped += 1;
        }
        peak = loudest;
        if (inBlock === blockSamples) closeBlock();
      }
      samples += block.length;
    },
    level() {
      if (inBlock > 0) closeBlock();
      const blocks = counts.reduce((sum, count) => sum + count, 0);
      const wanted = Math.min(blocks, Math.max(3, Math.ceil(blocks / 1000)));
      let seen = 0;
      const db = counts.findIndex((count) => (seen += count) >= wanted);
      return { peak: -(db < 0 ? floorDb : db), clipped: samples > 0 ? clipped / samples : 0 };
    },
  };
}

/** Below that everything is silence, in dB under full scale. */
const floorDb = 120;
/** Blocks of captured audio: 16 kHz, 16 bit, two channels interleaved as they come. Pure. */

/** What is read, measured and written at once: 100 ms. */
export const blockFrames = captureRate / 10;
/** The device is always asked for two channels. */
export const deviceFrameBytes = 4;

export type MeasuredBlock = {
  /** As it goes into the file. */
  pcm: Buffer;
  frames: number;
  /** Root mean square and peak of all channels, 0 to 1. */
  rms: number;
  peak: number;
  /** Not the faintest noise: nothing is connected, or it is muted. */
  flat: boolean;
  /** The same of each side; both are heard in a file of one channel. */
  flatSides: [boolean, boolean];
  /** Frames in which a channel stands at full scale. */
  clipped: number;
};

/**
 * Takes a block as it came and makes of it what is kept. One channel is the mean of both: servers mix
 * down differently (PipeWire by 0.707, which clips), so it is done here.
 * @param channels of the file, 1 or 2.
 */
export function measureBlock(interleaved: Buffer, channels: 1 | 2): MeasuredBlock {
  const frames = Math.floor(interleaved.length / deviceFrameBytes);
  const pcm = Buffer.alloc(frames * 2 * channels);
  let squares = 0;
  const lowest: [number, number] = [32_767, 32_767];
  const highest: [number, number] = [-32_768, -32_768];
  let clipped = 0;
  for (let frame = 0; frame < frames; frame += 1) {
    const left = interleaved.readInt16LE(frame * 4);
    const right = interleaved.readInt16LE(frame * 4 + 2);
    if (channels === 1) pcm.writeInt16LE(Math.round((left + right) / 2), frame * 2);
    else {
      pcm.writeInt16LE(left, frame * 4);
      pcm.writeInt16LE(right, frame * 4 + 2);
    }
    squares += left * left + right * right;
    lowest[0] = Math.min(lowest[0], left);
    lowest[1] = Math.min(lowest[1], right);
    highest[0] = Math.max(highest[0], left);
    highest[1] = Math.max(highest[1], right);
    if (isFullScale(left) || isFullScale(right)) clipped += 1;
  }
  const [low, high] = [Math.min(...lowest), Math.max(...highest)];
  // One step of dither apart is still flat.
  const isFlat = (from: number, to: number) => frames > 0 && to - from <= 1;
  return {
    pcm,
    frames,
    rms: frames === 0 ? 0 : Math.sqrt(squares / (2 * frames)) / 32_768,
    peak: frames === 0 ? 0 : Math.max(high, -low) / 32_768,
    flat: isFlat(low, high),
    flatSides: [isFlat(lowest[0], highest[0]), isFlat(lowest[1], highest[1])],
    clipped,
  };
}

const isFullScale = (sample: number) => sample >= 32_767 || sample <= -32_768;
