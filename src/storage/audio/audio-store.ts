import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createWriteStream } from 'node:fs';
import { StageError, hasCode } from '../../shared/errors.ts';
import { dataFailure } from '../../words/data-failures.ts';
import { failure } from '../../words/failures.ts';
import { hashFile, ifMissing } from '../../shared/files.ts';
import { wavHeaderBytes } from '../../audio/wav.ts';
import { audioFileName } from '../../shared/data-directory.ts';
import { type Blobs, BlobsError } from '../blobs/blobs.ts';
import {
  type BeforePut,
  type NotedLiveAudio,
  type LiveAudio,
  lateInBucket,
  liveInBucket,
} from './live-audio.ts';

/** As facts name it. */
export type AudioFile = { path: string; sha256: string; bytes: number };

/** Open for reading. */
export type OpenAudio = {
  /** Bytes. */
  size: number;
  /** From a byte to another, both included; the last thing that is asked. */
  stream(start: number, end: number): Promise<Readable>;
  /** Unless it was streamed. */
  close(): Promise<void>;
};

/** Whether audio of a recording lies where it is captured: on this machine, or for all nodes. */
export async function isCaptured(
  recordingId: string,
  files: Pick<AudioStore, 'captureFolder' | 'live'>,
): Promise<boolean> {
  const path = join(files.captureFolder(recordingId), audioFileName);
  const { size } = await stat(path).catch(ifMissing({ size: 0 }));
  if (size > wavHeaderBytes) return true;
  return files.live !== null && (await files.live.heardAt(recordingId)) !== null;
}

/** Bytes of kept audio that lie on this machine too, when nothing reads them. */
const cachedBytesMax = 20 * 1024 ** 3;
/** Tries of one download whose connection breaks off. */
const downloadsMax = 3;

/** A file that is here, or on its way. */
type Cached = { path: string; bytes: number; users: number; there: Promise<void> };

/** What keeps audio, and where. */
type AudioPlace = {
  blobs: Blobs;
  /** Above the folders of this machine, one a recording, for what is derived and for what had to be got. */
  derived: string;
  /** Where several processes keep audio: then no two keep different files under the same name. */
  beforePut?: BeforePut;
  /** Bytes of what was got that stay here, when nothing reads them. */
  cachedBytesMax?: number;
};

/**
 * Audio in blobs, under `recordings/<id>/<name>`. Where that is no path, what is read lies on this machine in the meantime,
 * whole and compared with its SHA-256; up to a bound it stays there for the next time. Nothing of an earlier process is used.
 */
export const openAudioStore = (place: AudioPlace): AudioStore => new AudioStore(place);

const keyOf = (recordingId: string, name: string): string => `${folderOf(recordingId)}${name}`;
const folderOf = (recordingId: string): string => `recordings/${recordingId}/`;

/**
 * The files of recordings: kept audio, which facts name and every node can read, and what is derived from it, which is
 * this machine's alone. A file is kept under a name before a fact names it, and never changed under that name.
 */
export class AudioStore {
  /** Where what is being recorded is kept for all nodes, besides in `captureFolder`; null: every node sees that folder. */
  readonly live: LiveAudio | null;
  /** The same for what a browser sends when its recording has ended. */
  readonly late: NotedLiveAudio | null;
  readonly #place: AudioPlace;
  /** By key, the longest unused first. */
  readonly #cached = new Map<string, Cached>();

  constructor(place: AudioPlace) {
    const { blobs, beforePut = async () => {} } = place;
    const growsInPlace = blobs.pathOf('recordings') !== null;
    this.live = growsInPlace ? null : liveInBucket(blobs, beforePut);
    this.late = growsInPlace ? null : lateInBucket(blobs);
    this.#place = place;
  }

  /** Where a recording is captured, and where what a browser sends late is kept. */
  captureFolder(recordingId: string): string {
    return this.#keptPath(recordingId) ?? this.#mine(recordingId);
  }

  /** Folder of this machine for what is derived from a recording's audio; no other node has it. */
  async workFolder(recordingId: string): Promise<string> {
    const folder = this.#mine(recordingId);
    // Beside the audio it comes and goes with that.
    if (folder !== this.#keptPath(recordingId))
      await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  /**
   * Works with a kept file, which stays at its path as long as that takes.
   * @throws {StageError} `audio-missing`, {BlobsError}; what `work` throws. With files, `work` finds out itself that it is missing
   */
  async read<T>(
    recordingId: string,
    file: AudioFile,
    work: (path: string) => Promise<T>,
  ): Promise<T> {
    const key = keyOf(recordingId, file.path);
    const path = this.#place.blobs.pathOf(key);
    if (path !== null) return await work(path);
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

  /** Opens a kept file to send it on. @throws an error with the code `ENOENT` when there is none */
  async open(recordingId: string, file: AudioFile) {
    const key = keyOf(recordingId, file.path);
    const path = this.#place.blobs.pathOf(key);
    const { O_RDONLY, O_NOFOLLOW } = constants;
    const handle =
      path === null ? await this.#openCached(key) : await open(path, O_RDONLY | O_NOFOLLOW);
    if (handle)
      return {
        size: (await handle.stat()).size,
        stream: async (start: number, end: number) => handle.createReadStream({ start, end }),
        close: () => handle.close(),
      };
    const head = await this.#place.blobs.head(key);
    if (head === null) throw new AudioIsMissing();
    return {
      size: head.bytes,
      stream: async (start: number, end: number) => {
        const found = await this.#place.blobs.get(key, { range: { start, end } });
        if (found === null) throw new AudioIsMissing();
        return found.body;
      },
      close: async () => {},
    };
  }

  /**
   * Keeps a finished file of this machine, durably, for all nodes; it is moved away.
   * @returns the name for the fact: the wanted one, or where several nodes may keep at once, one with its hash
   */
  async keep(
    recordingId: string,
    wanted: string,
    made: { path: string; sha256: string },
  ): Promise<string> {
    const { blobs, beforePut } = this.#place;
    await beforePut?.(recordingId);
    // The same name is the same content; put again, it is not old.
    const name = beforePut ? hashedName(wanted, made.sha256) : wanted;
    await blobs.move(keyOf(recordingId, name), made);
    return name;
  }

  /** Of these names nothing is left that was kept or derived; twice is once. */
  async remove(recordingId: string, names: readonly string[]): Promise<void> {
    for (const name of names) {
      await this.#place.blobs.delete(keyOf(recordingId, name));
      await this.#uncache(keyOf(recordingId, name));
    }
    await this.removeDerived(recordingId, names);
  }

  /** Removes files that were derived and are not needed any more. */
  async removeDerived(recordingId: string, names: readonly string[]): Promise<void> {
    for (const name of names) await rm(this.#mine(recordingId, name), { force: true });
  }

  /** Removes everything of a recording. */
  async removeAll(recordingId: string): Promise<void> {
    await this.#place.blobs.deleteAll(folderOf(recordingId));
    await this.leave(recordingId);
  }

  /** Another node removes everything of a recording: on this machine nothing of it is left. */
  async leave(recordingId: string): Promise<void> {
    for (const key of this.#cached.keys())
      if (key.startsWith(folderOf(recordingId))) await this.#uncache(key);
    await rm(this.#mine(recordingId), { recursive: true, force: true });
  }

  #mine(recordingId: string, name = ''): string {
    return join(this.#place.derived, recordingId, name);
  }

  /** The folder that every process has; null where there is none. */
  #keptPath(recordingId: string): string | null {
    return this.#place.blobs.pathOf(`recordings/${recordingId}`);
  }

  async #openCached(key: string): Promise<FileHandle | null> {
    const cached = this.#cached.get(key);
    if (!cached) return null;
    return await cached.there.then(() => open(cached.path, 'r')).catch(() => null);
  }

  #begin(recordingId: string, key: string, file: AudioFile): Cached {
    const path = this.#mine(recordingId, file.path);
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
      const found = await this.#place.blobs.get(key);
      if (found === null) throw new StageError(failure('no-audio'), { retriable: false });
      try {
        await pipeline(found.body, createWriteStream(part, { mode: 0o600 }));
        if ((await hashFile(part, { like: sha256 }))?.sha256 !== sha256)
          throw new BlobsError('BLOBS_DIFFER', dataFailure('audio-changed'));
        await rename(part, path);
        return;
      } catch (error) {
        await rm(part, { force: true });
        if (!hasCode<BlobsError>(error, 'BLOBS_AWAY') || tries === downloadsMax) throw error;
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
      if (bytes <= (this.#place.cachedBytesMax ?? cachedBytesMax)) return;
      if (one.users > 0) continue;
      await this.#uncache(key);
      bytes -= one.bytes;
    }
  }
}

/** A name that no other content has, so that two nodes never write over each other's file. */
function hashedName(name: string, sha256: string): string {
  const extension = extname(name);
  return `${basename(name, extension)}-${sha256.slice(0, 16)}${extension}`;
}

/** As of a file. */
class AudioIsMissing extends Error {
  override name = 'AudioIsMissing';
  readonly code = 'ENOENT';
  constructor() {
    super('There is no such audio.');
  }
}
