import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { apart, bareEnvironment } from '../shared/apart.ts';
import { loadOnce } from '../shared/package.ts';

/**
 * Memory that one ffmpeg may take. Reading takes some 60 MB, the index of a day of audio in MP4 some
 * 150 MB more; a picture of a few hundred KB can ask for gigabytes.
 */
export const ffmpegMegabytesMax = 512;
/** Pixels of a picture or film that is opened on the way to the sound: a cover, not a poster. */
const pixelsMax = 1_000_000;

/** Before `-i`, for files that are not ours. */
export const inputLimits = ['-max_pixels', String(pixelsMax)];

type FfmpegProcess = ChildProcessByStdio<null, Readable, Readable>;

/**
 * Starts ffmpeg at low priority, with one thread and limited memory (by `prlimit`, where there is
 * one). The caller ends it with SIGKILL, and limits its time and what it puts out.
 * @param fileBytesMax longest file that it may write
 */
export async function startFfmpeg(
  args: readonly string[],
  { fileBytesMax = 0 }: { fileBytesMax?: number } = {},
): Promise<FfmpegProcess> {
  const limits = (await hasPrlimit())
    ? ['prlimit', `--data=${ffmpegMegabytesMax * 1024 ** 2}`, `--fsize=${fileBytesMax}`, '--core=0']
    : [];
  const [program, ...rest] = [...(await apart()), ...limits, 'ffmpeg', ...always, ...args];
  const env = bareEnvironment();
  const child = spawn(program!, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  if (child.pid !== undefined) lowerPriority(child.pid);
  return child;
}

const always = ['-nostdin', '-hide_banner', '-nostats', '-threads', '1'];

/** Linux has it with util-linux; other systems have no such limit. */
const hasPrlimit = loadOnce(() =>
  promisify(execFile)('prlimit', ['--version'], { timeout: 5000 }).then(
    () => true,
    () => false,
  ),
);

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, 10);
  } catch {
    // It ended already, or the system does not allow it: then it runs at our own priority.
  }
}
