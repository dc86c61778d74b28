import { type FileHandle, open } from 'node:fs/promises';
import { wavHeaderBytes } from '../audio/wav.ts';
import { ifMissing } from '../shared/files.ts';

/** The samples of a recording's file, one channel, while its capture process goes on writing it. */
export interface DeskAudio {
  /** Samples in it now; what is half written is not counted. */
  samples(): Promise<number>;
  /** At most `count` samples from one on, as 16-bit little-endian PCM; empty at the end. */
  read(from: number, count: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** The file need not be there yet. */
export function openDeskAudio(path: string): DeskAudio {
  let opened: FileHandle | null = null;
  const file = async () =>
    (opened ??= await open(path, 'r').catch(ifMissing<FileHandle | null>(null)));
  return {
    async samples() {
      const size = (await (await file())?.stat())?.size ?? 0;
      return Math.max(0, Math.floor((size - wavHeaderBytes) / 2));
    },
    async read(from, count) {
      const buffer = Buffer.alloc(count * 2);
      const at = wavHeaderBytes + from * 2;
      const bytesRead = (await (await file())?.read(buffer, 0, buffer.length, at))?.bytesRead ?? 0;
      return buffer.subarray(0, bytesRead - (bytesRead % 2));
    },
    async close() {
      await opened?.close();
      opened = null;
    },
  };
}
