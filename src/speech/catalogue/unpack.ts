import { bareEnvironment } from '../../shared/apart.ts';
import { modelFailure } from '../../words/models.ts';
import type { Sentence } from '../../words/params.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, normalize, sep } from 'node:path';
import { PassThrough, Readable, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Extract, extract } from 'tar-stream';
import { ModelError } from './model-error.ts';
import { hasCode, messageOf, syscallOf } from '../../shared/errors.ts';

export type UnpackOptions = {
  /** Which files are taken, by their path below the archive's single top folder. */
  wanted(path: string): boolean;
  /** Bytes of the files taken, at most. */
  bytesMax: number;
  signal: AbortSignal;
};

/** Things in an archive, also those that are not taken. */
const entriesMax = 10_000;
/** Bytes that an archive may hold for each that is taken: what is not wanted is read and dropped. */
const droppedMax = 4;

/** Whether a file is an archive that can be unpacked, by its name. */
export const isArchive = (path: string): boolean => /\.(?:tar|tar\.gz|tgz|tar\.bz2)$/i.test(path);

/**
 * Unpacks plain files of an archive (`.tar`, `.tar.gz`, `.tgz`; `.tar.bz2` by the program `bzip2`) into a folder, as a
 * stream. The single top folder is dropped. Links, devices and names that lead elsewhere are never written.
 * @returns the paths that were written
 * @throws {ModelError} `archive-unusable`, `program-missing`, `no-room`; AbortError. What was written stays.
 */
export async function unpack(
  archive: string,
  folder: string,
  options: UnpackOptions,
): Promise<string[]> {
  const { signal, bytesMax } = options;
  const plain = uncompressed(archive, signal);
  const parts = extract();
  const taken: string[] = [];
  const limited = atMost(bytesMax * droppedMax + entriesMax * 1024);
  // A stream of streamx's, which Node's pipeline takes.
  const reading = pipeline(plain.stream, limited, parts as unknown as Writable, { signal });
  const writing = writeFiles(parts, folder, options, taken);
  try {
    await Promise.all([reading, writing, plain.ended]);
  } catch (error) {
    parts.destroy();
    await Promise.allSettled([reading, writing, plain.ended]);
    signal.throwIfAborted();
    throw asModelError(error, archive);
  }
  return taken;
}

async function writeFiles(
  parts: Extract,
  folder: string,
  { wanted, bytesMax }: UnpackOptions,
  taken: string[],
): Promise<void> {
  let entries = 0;
  let bytes = 0;
  for await (const part of parts) {
    entries += 1;
    if (entries > entriesMax) throw unusable(modelFailure('too-many-files'));
    const { type, name, size } = part.header;
    const path = type === 'file' ? belowTop(name) : null;
    if (path === null || !wanted(path)) {
      part.resume();
      continue;
    }
    bytes += size;
    if (bytes > bytesMax) throw unusable(modelFailure('files-too-large'));
    if (taken.includes(path)) throw unusable(modelFailure('file-twice', { path }));
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await pipeline(
      Readable.from(part),
      createWriteStream(target, { mode: 0o600, flags: 'w', flush: true }),
    );
    taken.push(path);
  }
}

/** The path without the top folder; null for what leads out of it. */
function belowTop(name: string): string | null {
  const steps = normalize(name.replaceAll('\\', '/'))
    .split(sep)
    .filter((step) => step !== '.');
  if (steps.includes('..') || steps[0] === '') return null;
  const path = steps.slice(1).join('/');
  return path === '' ? (steps[0] ?? null) : path;
}

/** The tar below the compression. `ended` settles when the program has ended, and rejects if it failed. */
function uncompressed(
  archive: string,
  signal: AbortSignal,
): { stream: Readable; ended: Promise<void> } {
  const source = createReadStream(archive);
  if (/\.bz2$/i.test(archive)) return bunzipped(source, signal);
  const done = Promise.resolve();
  if (!/gz$/i.test(archive)) return { stream: source, ended: done };
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  return { stream: source.pipe(gunzip), ended: done };
}

function bunzipped(
  source: Readable,
  signal: AbortSignal,
): { stream: Readable; ended: Promise<void> } {
  const child = spawn('bzip2', ['-dc'], {
    env: bareEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
    signal,
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-500)));
  source.on('error', () => child.kill());
  // It may end before it has read all; its exit code tells.
  child.stdin.on('error', () => {});
  source.pipe(child.stdin);
  const stream = child.stdout.pipe(new PassThrough());
  // Left unread, it would wait for ever.
  stream.on('close', () => stream.readableEnded || child.kill());
  return { stream, ended: endOf(child, () => said) };
}

async function endOf(child: ChildProcess, said: () => string): Promise<void> {
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    const [line = ''] = said().split('\n', 1);
    if (code !== 0) throw unusable(line === '' ? modelFailure('bzip2-failed') : quoted(line));
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    throw new ModelError('program-missing', modelFailure('bzip2-missing'));
  }
}

/** A small archive can hold very much of nothing. */
function atMost(bytesMax: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > bytesMax) done(unusable(modelFailure('too-much')));
      else done(null, chunk);
    },
  });
}

function asModelError(error: unknown, archive: string): unknown {
  if (error instanceof ModelError) return error;
  if (syscallOf(error) !== undefined) return error;
  return unusable(quoted(messageOf(error)), archive);
}

const quoted = (text: string): Sentence => modelFailure('as-quoted', { text });

const unusable = (cause: Sentence, archive?: string): ModelError =>
  new ModelError(
    'archive-unusable',
    modelFailure('archive-unusable', { cause, archive: archive?.split(sep).at(-1) }),
  );
