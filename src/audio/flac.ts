import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { syncFile } from '../shared/files.ts';
import { StageError } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';
import { startFfmpeg } from './run-ffmpeg.ts';
import { isPlainWav, wavLayout } from './wav.ts';

/** Minutes one run of ffmpeg may take; eight hours of speech take less than one. */
const minutesMax = 30;
/** What is kept of ffmpeg's messages: their end. */
const messagesMax = 4096;

/**
 * Compresses a 16-bit WAV file to FLAC, decodes the result again and compares every sample with the
 * original, which is only read. The target is synced when this returns; before that it is nothing.
 * @throws {StageError} `flac-differs` (a sample is not the same), `ffmpeg-failed`, `not-16-bit`;
 *   AbortError when aborted; errors of the file system.
 */
export async function compressFlac(
  source: string,
  target: string,
  signal: AbortSignal,
): Promise<void> {
  const original = await samplesHash(source);
  const output = ['-map_metadata', '-1', '-fflags', '+bitexact', '-c:a', 'flac', '-f', 'flac'];
  // Noise does not become smaller; heads of frames come on top of it.
  const fileBytesMax = (await stat(source)).size * 2 + 1024 ** 2;
  const convert = ['-y', '-f', 'wav', '-i', `file:${source}`, ...output, `file:${target}`];
  await ffmpeg(convert, { signal, fileBytesMax });
  // What is compared is what the disk has taken.
  await syncFile(target);
  const hash = createHash('sha256');
  await decodeFlac(target, signal, async (samples) => {
    const chunks: AsyncIterable<Buffer> = samples;
    for await (const chunk of chunks) hash.update(chunk);
  });
  if (hash.digest('hex') !== original)
    throw new StageError(failure('flac-differs'), {
      retriable: true,
    });
}

/** Samples a second, how many there are, and of how many channels, as a FLAC file says (RFC 9639, 8.2). @throws {StageError} `ffmpeg-failed` */
export async function flacLength(
  path: string,
): Promise<{ rate: number; frames: number; channels: number }> {
  const file = await open(path, 'r');
  try {
    const head = Buffer.alloc(26);
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    if (bytesRead < head.length || head.toString('latin1', 0, 4) !== 'fLaC')
      throw new StageError(failure('not-flac'), { retriable: false });
    const rate = head.readUIntBE(18, 3) >> 4;
    const channels = ((head[20]! >> 1) & 0x07) + 1;
    return { rate, frames: (head[21]! & 0x0f) * 2 ** 32 + head.readUInt32BE(22), channels };
  } finally {
    await file.close();
  }
}

/** Decodes a FLAC file of ours into 16-bit samples. @throws as `compressFlac` */
export const decodeFlac = (
  path: string,
  signal: AbortSignal,
  read: (samples: Readable) => Promise<void>,
): Promise<void> => {
  const decoded = ['-f', 'flac', '-i', `file:${path}`, '-f', 's16le', '-c:a', 'pcm_s16le'];
  return ffmpeg([...decoded, 'pipe:1'], { signal, fileBytesMax: 0 }, read);
};

/** SHA-256 of the samples alone, read without ffmpeg: it must not be its own witness. */
async function samplesHash(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const layout = await wavLayout(file);
    if (!isPlainWav(layout))
      throw new StageError(failure('not-16-bit'), {
        retriable: false,
      });
    const hash = createHash('sha256');
    const { dataOffset: start, dataBytes } = layout;
    if (dataBytes > 0) {
      const end = start + dataBytes - 1;
      const chunks: AsyncIterable<Buffer> = createReadStream(path, { start, end });
      for await (const chunk of chunks) hash.update(chunk);
    }
    return hash.digest('hex');
  } finally {
    await file.close();
  }
}

/** Resolves when ffmpeg has ended well and `read` has taken in what it put out. */
async function ffmpeg(
  args: string[],
  { signal, fileBytesMax }: { signal: AbortSignal; fileBytesMax: number },
  read: (stdout: Readable) => Promise<void> = async (stdout) => void stdout.resume(),
): Promise<void> {
  signal.throwIfAborted();
  const messagesOnly = ['-loglevel', 'error', '-protocol_whitelist', 'file,pipe', '-xerror'];
  const limits = { secondsMax: minutesMax * 60, signal, fileBytesMax };
  const child = await startFfmpeg([...messagesOnly, ...args], limits);
  let messages = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    messages = (messages + text).slice(-messagesMax);
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    let failed: Error | undefined;
    // Not before it is gone: until then it may write.
    child.once('error', (error) => {
      failed = error;
      if (child.pid === undefined) reject(error);
    });
    child.once('close', (code) => (failed ? reject(failed) : resolve(code)));
  });
  const [outcome, reading] = await Promise.allSettled([ended, read(child.stdout)]);
  signal.throwIfAborted();
  if (outcome.status === 'rejected') throw outcome.reason;
  if (outcome.value !== 0)
    throw new StageError(failure('flac-failed'), {
      retriable: true,
      cause: new Error(messages),
    });
  if (reading.status === 'rejected') throw reading.reason;
}
