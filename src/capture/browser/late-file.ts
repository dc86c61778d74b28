import { inChannels } from './in-channels.ts';
import { type FileHandle, mkdir, open, readFile, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ulid } from 'ulid';
import * as z from 'zod';
import { decodeFlac, flacLength } from '../../audio/flac.ts';
import { isPlainWav, wavLayout } from '../../audio/wav.ts';
import { StageError } from '../../shared/errors.ts';
import { failure } from '../../words/failures.ts';
import type { FinishedAudio } from '../file/capture-files.ts';
import { audioFileName } from '../../shared/data-directory.ts';
import { type WavWriter, openWavWriter } from '../file/wav-writer.ts';
import {
  type SentLayout,
  finishedBrowserAudio,
  gapsWithin,
  readBrowserNote,
} from './browser-file.ts';
import { diskAt, ifMissing, privateDirectory, writeDurably } from '../../shared/files.ts';
import { DiskFull } from '../../storage/disk.ts';
import type { AudioStore } from '../../storage/audio/audio-store.ts';

/** What a recording had when its browser came back: samples of each channel, and how many a second. */
export type LateBase = SentLayout & { samples: number };

/** Where what a browser sends after the end lies until it is added: as a browser's recording does. */
export const lateFolder = (folder: string): string => join(folder, 'late');

/** How much audio a recording has. @throws {StageError} `not-16-bit`, `audio-missing` */
export async function lengthOf(path: string): Promise<LateBase> {
  if (path.endsWith('.flac')) {
    const { frames, rate, channels } = await flacLength(path);
    return { samples: frames, rate, channels: fewChannels(channels) };
  }
  const { file, dataBytes, rate, channels } = await openedWav(path);
  await file.close();
  return { samples: dataBytes / (channels * 2), rate, channels };
}

/** Gaps in late audio that is added after `has` samples: [second in the joined file, seconds]. */
export async function lateGaps(
  folder: string,
  base: LateBase,
  has: number,
): Promise<[number, number][]> {
  const gaps = (await readBrowserNote(lateFolder(folder)))?.gaps ?? [];
  const added = gapsWithin(gaps, has - base.samples, Infinity);
  return added.map(([start, samples]) => [(base.samples + start) / base.rate, samples / base.rate]);
}

/**
 * Makes the recording's audio and what came late into one file, synced, to be moved to where audio is kept.
 * @param options.main path of the audio that there is, which has `has` samples: those behind the base came late as well
 * @param options.freeBytesMin as many bytes stay free on the disk
 * @returns with the absolute path of the file, whose folder no other process writes into
 * @throws {DiskFull} before anything is written, {StageError}; of what failed nothing is left
 */
export async function joinLate(
  folder: string,
  options: {
    main: string;
    base: LateBase;
    has: number;
    signal: AbortSignal;
    freeBytesMin: number;
  },
): Promise<FinishedAudio> {
  const { base, has, freeBytesMin } = options;
  const parent = lateFolder(folder);
  await removeJoined(parent);
  const late = join(parent, audioFileName);
  const { size } = await stat(late);
  const { free } = await diskAt(parent);
  if (free - has * base.channels * 2 - size < freeBytesMin) throw new DiskFull(free, freeBytesMin);
  const joined = join(parent, `${joinedPrefix}${ulid()}`);
  await mkdir(joined, { mode: 0o700 });
  try {
    return await joinInto(joined, late, options);
  } catch (error) {
    await rm(joined, { recursive: true, force: true });
    throw error;
  }
}

/** Those of a process that died, or lost the recording, while it joined. */
async function removeJoined(parent: string): Promise<void> {
  for (const name of await readdir(parent))
    if (name.startsWith(joinedPrefix))
      await rm(join(parent, name), { recursive: true, force: true });
}

const joinedPrefix = 'joined-';

async function joinInto(
  joined: string,
  late: string,
  { main, base, has, signal }: { main: string; base: LateBase; has: number; signal: AbortSignal },
): Promise<FinishedAudio> {
  const path = join(joined, audioFileName);
  const writer = await openWavWriter(path, base.channels, base.rate);
  try {
    await append(writer, { path: main, base, signal });
    if (writer.frames !== has || has < base.samples)
      throw new StageError(failure('audio-shorter-than-before'), {
        retriable: false,
      });
    await append(writer, { path: late, base, signal, skipped: has - base.samples });
  } finally {
    await writer.close();
  }
  const finished = await finishedBrowserAudio(joined, base);
  return { ...finished, path };
}

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

type Appended = {
  path: string;
  base: LateBase;
  signal: AbortSignal;
  /** Samples at the beginning of a WAV file. */
  skipped?: number;
};

async function append(
  writer: WavWriter,
  { path, base: { channels }, signal, skipped = 0 }: Appended,
): Promise<void> {
  if (path.endsWith('.flac')) {
    await decodeFlac(path, signal, (samples) =>
      write(writer, samples, { from: channels, channels }),
    );
    return;
  }
  // What came late may have been begun by a release that kept the channels of its browser.
  const { file, dataOffset, dataBytes, channels: from } = await openedWav(path);
  const [start, end] = [dataOffset + skipped * from * 2, dataOffset + dataBytes - 1];
  try {
    if (start > end) return;
    const samples = file.createReadStream({ start, end, signal, autoClose: false });
    await write(writer, samples, { from, channels });
  } finally {
    await file.close();
  }
}

/** Whole samples only: a chunk may end in the middle of one. */
async function write(
  writer: WavWriter,
  samples: AsyncIterable<Buffer>,
  { from, channels }: { from: 1 | 2; channels: 1 | 2 },
): Promise<void> {
  let rest = Buffer.alloc(0);
  for await (const chunk of samples) {
    const bytes = Buffer.concat([rest, chunk]);
    const whole = bytes.length - (bytes.length % (from * 2));
    await writer.write(inChannels(bytes.subarray(0, whole), from, channels));
    rest = bytes.subarray(whole);
  }
}

type OpenedWav = SentLayout & { file: FileHandle; dataOffset: number; dataBytes: number };

async function openedWav(path: string): Promise<OpenedWav> {
  const file = await open(path, 'r');
  try {
    const layout = await wavLayout(file);
    if (!isPlainWav(layout)) throw not16Bit();
    const { dataOffset, dataBytes, rate } = layout;
    return { file, dataOffset, dataBytes, rate, channels: fewChannels(layout.channels) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** What browsers and desks send has one or two. */
function fewChannels(channels: number): 1 | 2 {
  if (channels !== 1 && channels !== 2) throw not16Bit();
  return channels;
}

const not16Bit = (): StageError => new StageError(failure('not-16-bit'), { retriable: false });

const baseName = 'late.json';

const baseSchema = z.object({
  samples: z.number().int().nonnegative(),
  rate: z.number().int().positive(),
  channels: z.union([z.literal(1), z.literal(2)]).default(1),
});
