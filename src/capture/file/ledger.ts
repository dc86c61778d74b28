import { milliseconds } from '../../shared/time.ts';
import { open } from 'node:fs/promises';
import type { KeptLedger } from '../../../events/facts/ledger.ts';
import { type MeasuredBlock, blockFrames, measureBlock } from '../../audio/level-meter.ts';
import { captureRate, wavHeaderBytes } from '../../audio/wav.ts';

export const emptyLedger: KeptLedger = {
  samples: 0,
  gaps: [],
  silent_seconds: 0,
  clipped_samples: 0,
};

/** A recording with more gaps than that has one long one. */
const gapsMax = 1000;

export const withBlock = (
  ledger: KeptLedger,
  block: Pick<MeasuredBlock, 'frames' | 'flat' | 'clipped'>,
): KeptLedger => ({
  ...ledger,
  samples: ledger.samples + block.frames,
  silent_seconds: milliseconds(
    ledger.silent_seconds + (block.flat ? block.frames / captureRate : 0),
  ),
  clipped_samples: ledger.clipped_samples + block.clipped,
});

/**
 * Notes that audio is missing at the end of what there is.
 * @param frames that are missing. @param filled whether silence of that length was put into the file.
 */
export function withGap(ledger: KeptLedger, frames: number, filled: boolean): KeptLedger {
  const start = milliseconds(ledger.samples / captureRate);
  const seconds = milliseconds(frames / captureRate);
  const before = ledger.gaps.slice(0, gapsMax - 1);
  const last = ledger.gaps[gapsMax - 1];
  const gap: [number, number] = last
    ? [last[0], milliseconds(start + seconds - last[0])]
    : [start, seconds];
  return {
    ...ledger,
    samples: ledger.samples + (filled ? frames : 0),
    gaps: [...before, gap],
  };
}

/**
 * The ledger of a file whose capture died: what the last notes say, and what came after them counted
 * again from the file.
 * @param frames in the file (see `repairWav`).
 */
export async function recoverLedger(
  path: string,
  channels: 1 | 2,
  frames: number,
  noted: KeptLedger | null,
): Promise<KeptLedger> {
  // Notes can be ahead of the file after a loss of power: then they say too much, and are cut.
  let ledger = noted ?? emptyLedger;
  if (ledger.samples > frames) {
    const seconds = frames / captureRate;
    ledger = {
      ...ledger,
      samples: frames,
      gaps: ledger.gaps.filter(([start]) => start <= seconds),
    };
  }
  const file = await open(path, 'r');
  try {
    const block = Buffer.alloc(blockFrames * channels * 2);
    while (ledger.samples < frames) {
      const at = wavHeaderBytes + ledger.samples * channels * 2;
      const { bytesRead } = await file.read(block, 0, block.length, at);
      const pcm = block.subarray(0, bytesRead - (bytesRead % (channels * 2)));
      if (pcm.length === 0) return { ...ledger, samples: frames };
      ledger = withBlock(ledger, measureBlock(channels === 2 ? pcm : doubled(pcm), 1));
    }
    return ledger;
  } finally {
    await file.close();
  }
}

/** One channel as two equal ones. */
function doubled(mono: Buffer): Buffer {
  const stereo = Buffer.alloc(mono.length * 2);
  for (let at = 0; at < mono.length; at += 2) {
    mono.copy(stereo, at * 2, at, at + 2);
    mono.copy(stereo, at * 2 + 2, at, at + 2);
  }
  return stereo;
}
