import * as z from 'zod';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing, privateDirectory, writeDurably } from '../../shared/files.ts';
import type { AudioStore } from '../../storage/audio/audio-store.ts';
import { type LateBase, lateFolder } from './late-file.ts';

/** What a recording had when what comes late began to, for all nodes that may take it in. */
export type LateBases = {
  /** Durable before the first sample is taken: its number is behind these. */
  write(recordingId: string, base: LateBase): Promise<void>;
  /** Null when nothing was taken yet. @throws {Error} when it is damaged */
  read(recordingId: string): Promise<LateBase | null>;
  /** Removes it with what was taken, once that is added, or nothing is there to add it to. */
  remove(recordingId: string): Promise<void>;
};

/** Beside what was taken: in the folder of the recording, or with its pieces in the bucket. */
export function lateBases(files: Pick<AudioStore, 'captureFolder' | 'late'>): LateBases {
  const { late } = files;
  const folderOf = (recordingId: string): string => lateFolder(files.captureFolder(recordingId));
  const pathOf = (recordingId: string): string => join(folderOf(recordingId), baseName);
  return {
    async write(recordingId, base) {
      const text = JSON.stringify(base);
      if (late) return await late.keepNote(recordingId, text);
      await privateDirectory(folderOf(recordingId));
      await writeDurably(pathOf(recordingId), text);
    },
    async read(recordingId) {
      const text = late
        ? await late.note(recordingId)
        : await readFile(pathOf(recordingId), 'utf8').catch(ifMissing(null));
      return text === null ? null : baseSchema.parse(JSON.parse(text));
    },
    async remove(recordingId) {
      await late?.remove(recordingId);
      await rm(folderOf(recordingId), { recursive: true, force: true });
    },
  };
}

const baseName = 'late.json';
const baseSchema = z.object({
  samples: z.number().int().nonnegative(),
  rate: z.number().int().positive(),
});
