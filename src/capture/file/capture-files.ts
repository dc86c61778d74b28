import * as z from 'zod';
import { open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type KeptLedger, ledgerSchema } from '../../../events/facts/ledger.ts';
import type { GrowingHash } from './growing-hash.ts';
import { writeDurably, ifMissing } from '../../shared/files.ts';
import { readJsonFile } from '../../shared/json.ts';
import { recoverLedger } from './ledger.ts';
import { captureRate, wavHeaderBytes } from '../../audio/wav.ts';
import { audioFileName } from '../../shared/data-directory.ts';
import { repairWav } from './wav-writer.ts';

/** The ALSA configuration of one capture: others' devices come and go without renaming its own. */
export const captureConfigName = 'capture.conf';

const claimFileName = 'capture.json';
const notesFileName = 'capture-ledger.json';

/**
 * Which capture process may write this recording's audio. Written by the service before it starts one;
 * a process whose claim is no longer here ends without touching the file.
 */
export type CaptureClaim = z.infer<typeof claimSchema>;

const claimSchema = z.object({
  claim: z.string(),
  socketPath: z.string(),
  device: z.string(),
  channels: z.union([z.literal(1), z.literal(2)]),
  /** Of the combined source: whether echoes are taken out of it. */
  cancelsEcho: z.boolean().optional(),
  /** Milliseconds since 1970, when it was written. */
  at: z.number(),
});

/** Another process has claimed the recording: nothing of it may be touched any more. */
export class ClaimedElsewhere extends Error {
  override name = 'ClaimedElsewhere';
}

/** What a capture process leaves for the one after it. At most a few seconds old, exact once `ended` is set. */
export type CaptureNotes = z.infer<typeof notesSchema>;

const notesSchema = z.object({
  claim: z.string(),
  ledger: ledgerSchema,
  paused: z.boolean(),
  ended: z
    .enum([
      'stopped',
      'device-unavailable',
      'limit-hours',
      'disk-low',
      'disk-failed',
      'orphaned',
      'terminated',
    ])
    .nullable(),
});

export const writeClaim = (folder: string, claim: CaptureClaim): Promise<void> =>
  writeDurably(join(folder, claimFileName), JSON.stringify(claim));

/** Null when nothing was ever captured here. */
export const readClaim = async (folder: string): Promise<CaptureClaim | null> =>
  (await readJsonFile(join(folder, claimFileName), claimSchema)) ?? null;

export async function writeNotes(folder: string, notes: CaptureNotes): Promise<void> {
  const path = join(folder, notesFileName);
  if (notes.ended !== null) return await writeDurably(path, JSON.stringify(notes));
  // Not synced: after a loss of power the audio itself is counted again.
  await writeFile(`${path}.tmp`, JSON.stringify(notes), { mode: 0o600 });
  await rename(`${path}.tmp`, path);
}

export const readNotes = async (folder: string): Promise<CaptureNotes | null> =>
  (await readJsonFile(join(folder, notesFileName), notesSchema)) ?? null;

/** Removes what captures keep beside the audio, and with `audio` that too. */
export async function removeCaptureFiles(
  folder: string,
  { audio }: { audio: boolean },
): Promise<void> {
  // In the runtime directory when the folder's path was too long.
  const claim = await readClaim(folder);
  if (claim) await rm(claim.socketPath, { force: true });
  const names = await readdir(folder).catch(ifMissing([]));
  for (const name of names) {
    if (/^capture[-.]/.test(name) || (audio && name === audioFileName))
      await rm(join(folder, name), { force: true });
  }
}

/** Of the audio in a recording's folder whose claim is gone; null when there is none. A torn header says one. */
export async function channelsCaptured(folder: string): Promise<1 | 2 | null> {
  const file = await open(join(folder, audioFileName)).catch(ifMissing(null));
  if (!file) return null;
  try {
    const { size } = await file.stat();
    if (size <= wavHeaderBytes) return null;
    const { buffer } = await file.read(Buffer.alloc(wavHeaderBytes), 0, wavHeaderBytes, 0);
    return buffer.readUInt16LE(22) === 2 ? 2 : 1;
  } finally {
    await file.close();
  }
}

/** The captured file, as `audio.captured` describes it. */
export type FinishedAudio = {
  path: string;
  bytes: number;
  sha256: string;
  /** Seconds. */
  duration: number;
  ledger: KeptLedger;
  /** Two channels: the microphone left, what came out of the loudspeakers right. */
  split?: true;
};

/** Repairs what a capture left, counts it, and hashes what is not hashed yet. The file is made when there is none. */
export async function finishedAudio(
  folder: string,
  channels: 1 | 2,
  hash: GrowingHash,
): Promise<FinishedAudio> {
  const path = join(folder, audioFileName);
  const frames = await repairWav(path, channels);
  const notes = await readNotes(folder);
  const ledger = await recoverLedger(path, channels, frames, notes?.ledger ?? null);
  const hashed = await hash.end();
  return {
    path: audioFileName,
    ...hashed,
    duration: frames / captureRate,
    ledger,
  };
}
