import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably, ifMissing } from '../shared/files.ts';
import { StageError, hasCode } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';
import { decoderFor } from './accepts-audio.ts';
import { ffmpegAudio } from './ffmpeg.ts';
import { speechRate, wavLayout } from './wav.ts';
import { wavSamples } from './decode.ts';
import { mutex } from '../shared/mutex.ts';

/** What is computed and kept; coarser ones are made from it. */
export const peaksPerSecondMax = 100;

/** The loudest sample of each stretch of time, 0 to 1 in steps of 1/255, for drawing a recording. */
export type PeaksOf = (wanted: {
  /** Folder of this machine in which they are kept. */
  folder: string;
  /** Works with the kept audio, which has an absolute path as long as that takes. */
  read<T>(work: (path: string) => Promise<T>): Promise<T>;
  /** Of the audio, so that the peaks of another file are never taken for its own. */
  sha256: string;
  /** A divisor of `peaksPerSecondMax`. */
  perSecond: number;
  /** Aborted when no request waits for them any more. */
  signal: AbortSignal;
}) => Promise<number[]>;

/** Files being decoded for their peaks; more are refused. */
const waitingMax = 16;
/** A speech file has at most 37 hours. */
const hoursMax = 40;
const samplesPerPeak = speechRate / peaksPerSecondMax;

/**
 * Computes peaks once for each audio file, by decoding it as a stream, one file at a time.
 * @throws (from the function) {StageError} as `decoderFor`; an error with code `BUSY`; AbortError.
 */
export function openPeaks(): PeaksOf {
  const underWay = new Map<string, Shared>();
  const oneAtATime = mutex();

  return async ({ folder, read, sha256, perSecond, signal }) => {
    const path = join(folder, peaksFileName);
    const compute = (stop: AbortSignal) => read((audio) => computePeaks(audio, stop));
    const fine = (await keptPeaks(path, sha256)) ?? (await share(compute, path, sha256, signal));
    return coarser(fine, peaksPerSecondMax / perSecond);
  };

  /** Several who ask at once share one computation, which ends when the last of them has gone. */
  async function share(
    compute: (stop: AbortSignal) => Promise<Buffer>,
    path: string,
    sha256: string,
    signal: AbortSignal,
  ): Promise<Buffer> {
    signal.throwIfAborted();
    let shared = underWay.get(path);
    if (!shared) {
      if (underWay.size >= waitingMax) throw new PeaksBusy();
      const stop = new AbortController();
      const work = oneAtATime(async () => {
        const peaks = await compute(stop.signal);
        await keepPeaks(path, sha256, peaks);
        return peaks;
      });
      const begun = { work, stop, waiting: 0 };
      const end = () => forget(path, begun);
      work.then(end, end);
      underWay.set(path, begun);
      shared = begun;
    }
    const mine = shared;
    mine.waiting += 1;
    const leave = () => {
      mine.waiting -= 1;
      if (mine.waiting > 0) return;
      mine.stop.abort();
      forget(path, mine);
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await mine.work;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** The next request starts a new decoding. */
  function forget(path: string, shared: Shared): void {
    if (underWay.get(path) === shared) underWay.delete(path);
  }
}

type Shared = { work: Promise<Buffer>; stop: AbortController; waiting: number };

class PeaksBusy extends Error {
  override name = 'PeaksBusy';
  readonly code = 'BUSY';
  constructor() {
    super('Too many recordings are being drawn at the same time');
  }
}

/** Loudest sample of each hundredth of a second, 0 to 255. */
async function computePeaks(audio: string, signal: AbortSignal): Promise<Buffer> {
  let peaks = Buffer.alloc(peaksPerSecondMax * 60);
  let count = 0;
  let loudest = 0;
  let samples = 0;
  const push = () => {
    if (count === peaks.length) peaks = Buffer.concat([peaks], peaks.length * 2);
    peaks[count] = Math.min(255, Math.round(loudest * 255));
    count += 1;
    loudest = 0;
  };
  for await (const block of decoded(audio, signal)) {
    signal.throwIfAborted();
    for (const sample of block) {
      loudest = Math.max(loudest, Math.abs(sample));
      samples += 1;
      if (samples % samplesPerPeak === 0) push();
    }
    if (samples > hoursMax * 3600 * speechRate) throw tooLong();
  }
  if (samples % samplesPerPeak !== 0) push();
  return peaks.subarray(0, count);
}

async function* decoded(path: string, signal: AbortSignal): AsyncGenerator<Float32Array> {
  if ((await decoderFor(path)) === 'ffmpeg') {
    yield* ffmpegAudio(path, signal).blocks;
    return;
  }
  const file = await open(path, 'r');
  try {
    yield* wavSamples(file, (await wavLayout(file))!);
  } finally {
    await file.close();
  }
}

/** Derived from the audio: the hash of the audio as its fact has it, then a byte a hundredth of a second. */
const peaksFileName = 'peaks';

async function keptPeaks(path: string, sha256: string): Promise<Buffer | undefined> {
  const kept = await readFile(path).catch(ifMissing(undefined));
  const { length } = sha256;
  return kept?.toString('latin1', 0, length) === sha256 ? kept.subarray(length) : undefined;
}

/** Keeping them is a convenience: without room on the disk they are computed again. */
async function keepPeaks(path: string, sha256: string, peaks: Buffer): Promise<void> {
  try {
    await writeDurably(path, Buffer.concat([Buffer.from(sha256, 'latin1'), peaks]));
  } catch (error) {
    // No folder: the recording was erased meanwhile.
    if (!hasCode(error, 'ENOENT', 'ENOSPC', 'EDQUOT', 'EROFS')) throw error;
    await rm(`${path}.tmp`, { force: true });
  }
}

function coarser(fine: Buffer, factor: number): number[] {
  const peaks: number[] = [];
  for (let at = 0; at < fine.length; at += factor) {
    const loudest = fine.subarray(at, at + factor).reduce((a, b) => Math.max(a, b), 0);
    peaks.push(Math.round((loudest / 255) * 1000) / 1000);
  }
  return peaks;
}

const tooLong = () =>
  new StageError(failure('audio-too-long', { limit: hoursMax }), {
    retriable: false,
  });
