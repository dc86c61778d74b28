import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hashFile, ifMissing, syncDirectory } from '../shared/files.ts';
import { type RecordingFactOf, recordingStream } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import { compressFlac } from '../audio/flac.ts';

/** The audio file of one recording, as its facts say, and what may lie beside it. */
export interface KeptAudio {
  /** Null when there is none, or it was removed. */
  readonly file: { path: string; bytes: number; sha256: string } | null;
  /** Whether it is the WAV that a capture or a browser left. */
  readonly asCaptured: boolean;
  /**
   * Makes the same samples into a FLAC file beside it, compared and synced, under a temporary name.
   * @throws {Error} when the WAV is not the one that was recorded; what `compressFlac` throws
   */
  compress(signal: AbortSignal): Promise<{
    data: RecordingFactOf<'audio.compressed'>['data'];
    /** Gives it its name, durably. */
    rename(): Promise<void>;
  }>;
  /** The fact that says so is stored. */
  replacedBy(file: { path: string; bytes: number; sha256: string }): void;
  gone(): void;
  /** Removes, durably, what facts say is replaced or removed, and what an unfinished compression left. */
  removeLeftovers(): Promise<void>;
}

const compressedName = 'audio.flac';
const temporaryName = `${compressedName}.tmp`;

/** Reads what the log says of a recording's audio. */
export async function keptAudio(
  { store, recordingsDir }: { store: EventStore; recordingsDir: string },
  recordingId: string,
): Promise<KeptAudio> {
  const folder = join(recordingsDir, recordingId);
  const audio = await audioInLog(store, recordingId);
  const replace = (file: KeptAudio['file']): void => {
    if (audio.file !== null) audio.past.add(audio.file.path);
    Object.assign(audio, { file, asCaptured: false });
  };
  return {
    get file() {
      return audio.file;
    },
    get asCaptured() {
      return audio.asCaptured;
    },
    async compress(signal) {
      if (audio.file === null) throw new Error('there is no audio to compress');
      const data = await compressBeside(folder, audio.file, signal);
      return {
        data,
        async rename() {
          await rename(join(folder, temporaryName), join(folder, compressedName));
          await syncDirectory(folder);
        },
      };
    },
    replacedBy: replace,
    gone: () => replace(null),
    async removeLeftovers() {
      for (const name of audio.past) {
        if (name !== audio.file?.path) await rm(join(folder, name), { force: true });
      }
      // Nothing is left of one that was erased.
      await syncDirectory(folder).catch(ifMissing(undefined));
    },
  };
}

type AudioInLog = {
  file: KeptAudio['file'];
  asCaptured: boolean;
  /** Names that may be there although no fact wants them to be. */
  past: Set<string>;
};

async function audioInLog(store: EventStore, recordingId: string): Promise<AudioInLog> {
  const past = new Set([temporaryName, compressedName]);
  let file: KeptAudio['file'] = null;
  let asCaptured = false;
  for await (const fact of store.read(recordingStream(recordingId))) {
    switch (fact.type) {
      case 'audio.imported':
      case 'audio.captured':
      case 'capture.interrupted':
        file = fact.data;
        asCaptured = fact.type !== 'audio.imported';
        break;
      case 'audio.compressed':
        past.add(fact.data.replaces);
        file = fact.data;
        asCaptured = false;
        break;
      case 'audio.removed':
        past.add(fact.data.path);
        file = null;
        asCaptured = false;
        break;
    }
  }
  return { file, asCaptured, past };
}

async function compressBeside(
  folder: string,
  { path: replaces, sha256 }: NonNullable<KeptAudio['file']>,
  signal: AbortSignal,
): Promise<RecordingFactOf<'audio.compressed'>['data']> {
  const source = join(folder, replaces);
  // A file that was damaged must not be made to look whole.
  if ((await hashFile(source))?.sha256 !== sha256) {
    throw new Error(`the audio ${source} is not as it was recorded`);
  }
  const temporary = join(folder, temporaryName);
  await compressFlac(source, temporary, signal);
  const made = (await hashFile(temporary))!;
  return { path: compressedName, ...made, replaces };
}
