import { open } from 'node:fs/promises';
import { blockFrames, captureRate, measureBlock } from './capture-audio.ts';
import { emptyLedger, withBlock, type Ledger } from './ledger.ts';
import { wavHeaderBytes } from './wav-header.ts';

/**
 * The ledger of a file whose capture died: what the last notes say, and what came after them counted
 * again from the file.
 * @param frames in the file (see `repairWav`).
 */
export async function recoverLedger(
  path: string,
  channels: 1 | 2,
  frames: number,
  noted: Ledger | null,
): Promise<Ledger> {
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
