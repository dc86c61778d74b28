import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createWriteStream } from 'node:fs';
import { StageError, hasCode } from '../../shared/errors.ts';
import { hashFile, ifMissing } from '../../shared/files.ts';
import { type Blobs, BlobsError } from '../blobs/blobs.ts';
import type { AudioFile, AudioStore } from './audio-store.ts';
import {
  type BeforePut,
  type NotedLiveAudio,
  type LiveAudio,
  lateInBucket,
  liveInBucket,
} from './live-audio.ts';
import { hashedName } from './folder-audio.ts';

/** Bytes of kept audio that lie on this machine too, when nothing reads them. */
const cachedBytesMax = 20 * 1024 ** 3;
/** Tries of one download whose connection breaks off. */
const downloadsMax = 3;

/** A file that is here, or on its way. */
type Cached = { path: string; bytes: number; users: number; there: Promise<void> };

/**
 * Audio in blobs, under `recordings/<id>/<name>`. What is read lies on this machine in the meantime, whole and compared with
 * its SHA-256; up to a bound it stays there for the next time. Nothing of an earlier process is used.
 * @param folder of this machine; it is emptied
 * @param options.bytesMax of what stays here; for tests
 * @param options.beforePut
 */
export async function audioInBlobs(
  blobs: Blobs,
  folder: string,
  options: { bytesMax?: number; beforePut: BeforePut },
): Promise<AudioStore> {
  for (const name of (await readdir(folder).catch(ifMissing(null))) ?? [])
    await rm(join(folder, name), { recursive: true, force: true });
  return new BlobAudio(blobs, folder, options);
}

const keyOf = (recordingId: string, name = ''): string => `recordings/${recordingId}/${name}`;

class BlobAudio implements AudioStore {
  readonly live: LiveAudio;
  readonly late: NotedLiveAudio;
  readonly #blobs: Blobs;
  readonly #folder: string;
  readonly #bytesMax: number;
  readonly #beforePut: BeforePut;
  /** By key, the longest unused first. */
  readonly #cached = new Map<string, Cached>();

  constructor(
    blobs: Blobs,
    folder: string,
    { bytesMax = cachedBytesMax, beforePut }: Parameters<typeof audioInBlobs>[2],
  ) {
    this.live = liveInBucket(blobs, beforePut);
    this.late = lateInBucket(blobs);
    this.#beforePut = beforePut;
    this.#blobs = blobs;
    this.#folder = folder;
    this.#bytesMax = bytesMax;
  }

  captureFolder(recordingId: string): string {
    return join(this.#folder, recordingId);
  }

  async workFolder(recordingId: string): Promise<string> {
    const folder = join(this.#folder, recordingId);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  async read<T>(
    recordingId: string,
    file: AudioFile,
    work: (path: string) => Promise<T>,
  ): Promise<T> {
    const key = keyOf(recordingId, file.path);
    const cached = this.#cached.get(key) ?? this.#begin(recordingId, key, file);
    cached.users += 1;
    // The last to be used.
    this.#cached.delete(key);
    this.#cached.set(key, cached);
    try {
      await cached.there;
      return await work(cached.path);
    } finally {
      cached.users -= 1;
      await this.#makeRoom();
    }
  }

  async open(recordingId: string, file: AudioFile) {
    const key = keyOf(recordingId, file.path);
    const cached = this.#cached.get(key);
    const handle =
      cached && (await cached.there.then(() => open(cached.path, 'r')).catch(() => null));
    if (handle)
      return {
        size: (await handle.stat()).size,
        stream: async (start: number, end: number) => handle.createReadStream({ start, end }),
        close: () => handle.close(),
      };
    const head = await this.#blobs.head(key);
    if (head === null) throw new AudioIsMissing();
    return {
      size: head.bytes,
      stream: async (start: number, end: number) => {
        const found = await this.#blobs.get(key, { range: { start, end } });
        if (found === null) throw new AudioIsMissing();
        return found.body;
      },
      close: async () => {},
    };
  }

  async keep(
    recordingId: string,
    wanted: string,
    { path, sha256 }: { path: string; sha256: string },
  ): Promise<string> {
    const name = hashedName(wanted, sha256);
    await this.#beforePut(recordingId);
    // The same name is the same content; put again, it is not old.
    await this.#blobs.put(keyOf(recordingId, name), { path }, { sha256 });
    await rm(path, { force: true });
    return name;
  }

  async remove(recordingId: string, names: readonly string[]): Promise<void> {
    for (const name of names) {
      await this.#blobs.delete(keyOf(recordingId, name));
      await this.#uncache(keyOf(recordingId, name));
      await rm(join(this.#folder, recordingId, name), { force: true });
    }
  }

  async removeDerived(recordingId: string, names: readonly string[]): Promise<void> {
    for (const name of names) await rm(join(this.#folder, recordingId, name), { force: true });
  }

  async removeAll(recordingId: string): Promise<void> {
    for await (const { key } of this.#blobs.list(keyOf(recordingId))) await this.#blobs.delete(key);
    await this.leave(recordingId);
  }

  async leave(recordingId: string): Promise<void> {
    for (const key of this.#cached.keys())
      if (key.startsWith(keyOf(recordingId))) await this.#uncache(key);
    await rm(join(this.#folder, recordingId), { recursive: true, force: true });
  }

  #begin(recordingId: string, key: string, file: AudioFile): Cached {
    const path = join(this.#folder, recordingId, file.path);
    const there = this.workFolder(recordingId).then(() => this.#download(key, path, file));
    const cached = { path, bytes: file.bytes, users: 0, there };
    // What did not come is asked for again by the next.
    there.catch(() => {
      if (this.#cached.get(key) === cached) this.#cached.delete(key);
    });
    return cached;
  }

  async #download(key: string, path: string, { sha256 }: AudioFile): Promise<void> {
    const part = `${path}.download`;
    for (let tries = 1; ; tries += 1) {
      const found = await this.#blobs.get(key);
      if (found === null)
        throw new StageError('audio-missing', 'There is no audio.', { retriable: false });
      try {
        await pipeline(found.body, createWriteStream(part, { mode: 0o600 }));
        if ((await hashFile(part))?.sha256 !== sha256)
          throw new BlobsError('BLOBS_DIFFER', 'The audio is not as it was recorded.');
        await rename(part, path);
        return;
      } catch (error) {
        await rm(part, { force: true });
        if (!hasCode(error, 'BLOBS_AWAY') || tries === downloadsMax) throw error;
      }
    }
  }

  async #uncache(key: string): Promise<void> {
    const cached = this.#cached.get(key);
    this.#cached.delete(key);
    if (cached) await rm(cached.path, { force: true });
  }

  async #makeRoom(): Promise<void> {
    let bytes = [...this.#cached.values()].reduce((sum, one) => sum + one.bytes, 0);
    for (const [key, one] of this.#cached) {
      if (bytes <= this.#bytesMax) return;
      if (one.users > 0) continue;
      await this.#uncache(key);
      bytes -= one.bytes;
    }
  }
}

/** As of a file. */
class AudioIsMissing extends Error {
  override name = 'AudioIsMissing';
  readonly code = 'ENOENT';
  constructor() {
    super('There is no such audio.');
  }
}
