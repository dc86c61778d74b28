import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { wavHeaderBytes } from '../../audio/wav.ts';
import { audioFileName } from '../../shared/data-directory.ts';
import { fileHash, ifMissing } from '../../shared/files.ts';

/** Its header changes as long as it grows. */
const form = `first-${wavHeaderBytes}-last:`;
/** What was written last may still be cut off and written again, when a capture dies: half a frame of it. */
const lastBytes = 1024 * 1024;
/** Bytes read at once, and milliseconds between two looks. */
const readBytes = 1024 * 1024;
const lookEveryMs = 5_000;

/** Follows the audio of a recording's folder, which may not be there yet. What it misses is read at the end. */
export const growingHash = (folder: string): GrowingHash =>
  new GrowingHash(join(folder, audioFileName));

/** The hash of a file while it is captured: at the end only its last samples and its header are left to be hashed. */
export class GrowingHash {
  readonly #path: string;
  #hash = fileHash(form);
  #bytes = 0;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
    this.#lookLater();
  }

  /** Of the file as it is now; it grows no more. @throws the system's errors */
  async end(): Promise<{ sha256: string; bytes: number }> {
    await this.close();
    const file = await open(this.#path, 'r');
    try {
      await this.#take(file, 0);
      const { buffer } = await file.read(Buffer.alloc(wavHeaderBytes), 0, wavHeaderBytes, 0);
      return { sha256: this.#hash.digest(buffer), bytes: this.#bytes };
    } finally {
      await file.close();
    }
  }

  /** Reads no more; twice is once. */
  async close(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    await this.#reading;
  }

  #lookLater(): void {
    const look = async () => {
      this.#reading = this.#look();
      await this.#reading;
      if (!this.#isOver) this.#lookLater();
    };
    this.#timer = setTimeout(() => void look(), lookEveryMs).unref();
  }

  /** Never throws: what cannot be read now is read at the end, which says why it cannot. */
  async #look(): Promise<void> {
    try {
      const file = await open(this.#path, 'r').catch(ifMissing(null));
      if (!file) return;
      try {
        await this.#take(file, lastBytes);
      } finally {
        await file.close();
      }
    } catch {
      this.#beginAgain();
    }
  }

  async #take(file: Awaited<ReturnType<typeof open>>, left: number): Promise<void> {
    const { size } = await file.stat();
    if (size < this.#bytes) this.#beginAgain();
    const chunk = Buffer.alloc(Math.min(readBytes, Math.max(0, size - left - this.#bytes)));
    for (;;) {
      const wanted = Math.min(chunk.length, size - left - this.#bytes);
      if (wanted <= 0) return;
      const { bytesRead } = await file.read(chunk, 0, wanted, this.#bytes);
      if (bytesRead === 0) return;
      this.#hash.update(chunk.subarray(0, bytesRead));
      this.#bytes += bytesRead;
    }
  }

  #beginAgain(): void {
    this.#hash = fileHash(form);
    this.#bytes = 0;
  }
}
