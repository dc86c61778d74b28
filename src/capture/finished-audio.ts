import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { captureRate } from './capture-audio.ts';
import { audioFileName, readNotes } from './capture-files.ts';
import type { Ledger } from './ledger.ts';
import { recoverLedger } from './recover-ledger.ts';
import { repairWav } from './wav-writer.ts';

/** The captured file, as `audio.captured` tells of it. */
export type FinishedAudio = {
  path: string;
  bytes: number;
  sha256: string;
  /** Seconds. */
  duration: number;
  ledger: Ledger;
};

/** Repairs what a capture left, counts and hashes it. The file is made when there is none. */
export async function finishedAudio(folder: string, channels: 1 | 2): Promise<FinishedAudio> {
  const path = join(folder, audioFileName);
  const frames = await repairWav(path, channels);
  const notes = await readNotes(folder);
  const ledger = await recoverLedger(path, channels, frames, notes?.ledger ?? null);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return {
    path: audioFileName,
    bytes: (await stat(path)).size,
    sha256: hash.digest('hex'),
    duration: frames / captureRate,
    ledger,
  };
}
