import { speechRate } from './speech-file.ts';

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
      for (const sample of block) {
        const size = Math.abs(sample);
        if (size > peak) peak = size;
        if (size >= 0.999) clipped += 1;
        inBlock += 1;
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
