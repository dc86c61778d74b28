import { type FileHandle, open, stat } from 'node:fs/promises';
import { StageError } from '../shared/errors.ts';
import { pcmToMono } from './resampler.ts';
import { type WavLayout, wavLayout } from './wav.ts';
import { ifMissing } from '../shared/files.ts';

/** A WAV file that another process is still writing, read as 16 kHz mono from -1 to 1. */
export interface GrowingWav {
  readonly isStereo: boolean;
  /** What was added since the last call, in blocks that are good until the next. @throws {FileReplaced} */
  more(): AsyncGenerator<Float32Array>;
  /** The rest of a file that does not grow any more. */
  end(): AsyncGenerator<Float32Array>;
  close(): Promise<void>;
}

/** Another file has the name by now: this one does not grow any more. */
export class FileReplaced extends Error {
  override name = 'FileReplaced';
}

/** Bytes read at once: some milliseconds of work. */
const readBytes = 64 * 1024;

/** Opens a file that is being captured. Null while it is not there, or has no whole header yet. */
export async function openGrowingWav(path: string): Promise<GrowingWav | null> {
  const file = await open(path, 'r').catch(ifMissing(null));
  if (!file) return null;
  const layout = await wavLayout(file).catch((error: unknown) => {
    if (error instanceof StageError) return null;
    throw error;
  });
  if (layout) return await growingWav(path, file, layout);
  await file.close();
  return null;
}

async function growingWav(path: string, file: FileHandle, layout: WavLayout): Promise<GrowingWav> {
  const frame = layout.channels * layout.bytes;
  const buffer = Buffer.alloc(readBytes - (readBytes % frame));
  const mono = new Float32Array(buffer.length / frame);
  // WebAssembly, loaded with the first file.
  const { createResampler } = await import('./resampler.ts');
  const resampler = await createResampler(layout.rate);
  let at = layout.dataOffset;
  async function* more(): AsyncGenerator<Float32Array> {
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
      // A frame that is half written is read the next time.
      const whole = bytesRead - (bytesRead % frame);
      if (whole === 0) return await assertInPlace(path, file);
      at += whole;
      yield resampler.push(pcmToMono(buffer.subarray(0, whole), layout, mono, null));
    }
  }
  return {
    isStereo: layout.channels === 2,
    more,
    async *end() {
      yield* more();
      yield resampler.end();
    },
    async close() {
      resampler.close();
      await file.close();
    },
  };
}

/** A process that takes a recording over goes on with a copy of its file. One that is complete may have been moved. */
async function assertInPlace(path: string, file: FileHandle): Promise<void> {
  const there = await stat(path).catch(ifMissing(null));
  if (there && there.ino !== (await file.stat()).ino) throw new FileReplaced(`${path} is another`);
}
