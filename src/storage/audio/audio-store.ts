import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { wavHeaderBytes } from '../../audio/wav.ts';
import { audioFileName } from '../../shared/data-directory.ts';
import { ifMissing } from '../../shared/files.ts';
import type { NotedLiveAudio, LiveAudio } from './live-audio.ts';

/**
 * The files of recordings: kept audio, which facts name and every node can read, and what is derived from it, which is
 * this machine's alone. A file is kept under a name before a fact names it, and never changed under that name.
 */
export interface AudioStore {
  /** Where what is being recorded is kept for all nodes, besides in `captureFolder`; null: every node sees that folder. */
  readonly live: LiveAudio | null;
  /** The same for what a browser sends when its recording has ended. */
  readonly late: NotedLiveAudio | null;
  /** Where a recording is captured, and where what a browser sends late is kept. */
  captureFolder(recordingId: string): string;
  /** Folder of this machine for what is derived from a recording's audio; no other node has it. */
  workFolder(recordingId: string): Promise<string>;
  /**
   * Works with a kept file, which stays at its path as long as that takes.
   * @throws {StageError} `audio-missing`, {BlobsError}; what `work` throws. With files, `work` finds out itself that it is missing
   */
  read<T>(recordingId: string, file: AudioFile, work: (path: string) => Promise<T>): Promise<T>;
  /** Opens a kept file to send it on. @throws an error with the code `ENOENT` when there is none */
  open(recordingId: string, file: AudioFile): Promise<OpenAudio>;
  /**
   * Keeps a finished file of this machine, durably, for all nodes; it is moved away.
   * @returns the name for the fact: the wanted one, or where several nodes may keep at once, one with its hash
   */
  keep(recordingId: string, name: string, made: { path: string; sha256: string }): Promise<string>;
  /** Of these names nothing is left that was kept or derived; twice is once. */
  remove(recordingId: string, names: readonly string[]): Promise<void>;
  /** Removes files that were derived and are not needed any more. */
  removeDerived(recordingId: string, names: readonly string[]): Promise<void>;
  /** Removes everything of a recording. */
  removeAll(recordingId: string): Promise<void>;
  /** Another node removes everything of a recording: on this machine nothing of it is left. */
  leave(recordingId: string): Promise<void>;
}

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
