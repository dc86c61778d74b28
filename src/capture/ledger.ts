import { captureRate, type MeasuredBlock } from './capture-audio.ts';

/** How much was captured and what is missing from it; the form it has in `audio.captured`. */
export type Ledger = {
  /** Frames in the file, with the silence that stands for gaps. */
  samples: number;
  /** [second in the file, seconds missing] */
  gaps: [number, number][];
  /** Seconds in which the device gave nothing but digital silence. */
  silent_seconds: number;
  clipped_samples: number;
};

export const emptyLedger: Ledger = { samples: 0, gaps: [], silent_seconds: 0, clipped_samples: 0 };

/** A recording with more gaps than that has one long one. */
const gapsMax = 1000;

export const withBlock = (
  ledger: Ledger,
  block: Pick<MeasuredBlock, 'frames' | 'flat' | 'clipped'>,
): Ledger => ({
  ...ledger,
  samples: ledger.samples + block.frames,
  silent_seconds: rounded(ledger.silent_seconds + (block.flat ? block.frames / captureRate : 0)),
  clipped_samples: ledger.clipped_samples + block.clipped,
});

/**
 * Notes that audio is missing at the end of what there is.
 * @param frames that are missing. @param filled whether silence of that length was put into the file.
 */
export function withGap(ledger: Ledger, frames: number, filled: boolean): Ledger {
  const start = rounded(ledger.samples / captureRate);
  const seconds = rounded(frames / captureRate);
  const before = ledger.gaps.slice(0, gapsMax - 1);
  const last = ledger.gaps[gapsMax - 1];
  const gap: [number, number] = last
    ? [last[0], rounded(start + seconds - last[0])]
    : [start, seconds];
  return {
    ...ledger,
    samples: ledger.samples + (filled ? frames : 0),
    gaps: [...before, gap],
  };
}

const rounded = (seconds: number) => Math.round(seconds * 1000) / 1000;
