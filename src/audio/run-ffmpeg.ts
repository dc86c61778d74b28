import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { onAbort } from '../shared/abort.ts';
import { apart, bareEnvironment } from '../shared/apart.ts';
import { loadOnce } from '../shared/package.ts';
import { StageError, type StageFailure } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';

/**
 * Memory that one ffmpeg may take. Reading takes some 60 MB, the index of a day of audio in MP4 some
 * 150 MB more; a picture of a few hundred KB can ask for gigabytes.
 */
const ffmpegMegabytesMax = 512;

/** Pixels of a picture or film that is opened on the way to the sound: a cover, not a poster. */
const pixelsMax = 1_000_000;

/** Before `-i`, for files that are not ours. */
export const inputLimits = ['-max_pixels', String(pixelsMax)];

type FfmpegProcess = ChildProcessByStdio<null, Readable, Readable>;

/**
 * Starts ffmpeg at low priority, with one thread and limited memory (by `prlimit`, where there is
 * one). Ended with SIGKILL when `signal` aborts, or after so many seconds; the caller limits what it puts out.
 * @param options.fileBytesMax longest file that it may write
 */
export async function startFfmpeg(
  args: readonly string[],
  {
    secondsMax,
    signal,
    fileBytesMax = 0,
  }: { secondsMax: number; signal?: AbortSignal; fileBytesMax?: number },
): Promise<FfmpegProcess> {
  const limits = (await hasPrlimit())
    ? ['prlimit', `--data=${ffmpegMegabytesMax * 1024 ** 2}`, `--fsize=${fileBytesMax}`, '--core=0']
    : [];
  const [program = 'ffmpeg', ...rest] = [
    ...(await apart()),
    ...limits,
    'ffmpeg',
    ...always,
    ...args,
  ];
  const env = bareEnvironment();
  const child = spawn(program, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = (): void => void child.kill('SIGKILL');
  const limit = setTimeout(kill, secondsMax * 1000);
  const forget = signal && onAbort(signal, kill);
  child.once('close', () => (clearTimeout(limit), forget?.()));
  if (child.pid !== undefined) lowerPriority(child.pid);
  return child;
}

/** Of the file, else of a track: MP4 and Matroska keep it in UTC. */
export function creationTime(said: string): string | null {
  const [, time] = /^ {4,6}creation_time +: (\d{4}-\d\d-\d\dT[\d:.]+Z)$/m.exec(said) ?? [];
  const moment = new Date(time ?? '');
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}

const complaint =
  /Error while decoding|Invalid data found|truncat|corrupt|partial file|File ended prematurely|Packet mismatch|Header missing|error reading/i;

/** Of what is not audio: tags between joined MP3 files, the rest of a block at the end of a GSM file. */
const harmless = /Header missing|Packet is too small/;

const consequence = /^Error while decoding stream #\S+ Invalid data found when processing input$/;

/** So much is lost at most where a complaint is harmless, in seconds. */
const harmlessSeconds = 0.1;

/** Whether ffmpeg's complaints mean that sound is missing. @param missing seconds less than promised. */
export function lostParts(messages: string, missing: number): boolean {
  const lines = withoutTags(messages).split('\n');
  const complaints = lines.filter(
    (line) => (complaint.test(line) || harmless.test(line)) && !consequence.test(line),
  );
  if (complaints.length === 0) return lines.some((line) => consequence.test(line));
  const isHarmless = complaints.every((line) => harmless.test(line));
  return !isHarmless || missing > harmlessSeconds * complaints.length;
}

/** One line for each sound track of the input, as ffmpeg describes it. */
export function soundTracks(said: string): string[] {
  const [input = ''] = said.split(/^Stream mapping:|^Output #/m);
  return input.match(/^ {2}Stream #0:.*: Audio:.*$/gm) ?? [];
}

const reasons: readonly { when: RegExp; sentence: StageFailure }[] = [
  {
    when: /Cannot allocate memory/i,
    sentence: failure('audio-needs-memory', { limit: ffmpegMegabytesMax * 1024 ** 2 }),
  },
  {
    when: /matches no streams|does not contain any stream/i,
    sentence: failure('no-audio-track'),
  },
  {
    when: /moov atom not found/i,
    sentence: failure('mp4-incomplete'),
  },
  {
    when: /Decoder \(codec [^)]*\) not found|Decoding requested, but no decoder|Unknown decoder/i,
    sentence: failure('no-decoder'),
  },
  {
    when: /Format not on whitelist/i,
    sentence: failure('playlist'),
  },
  {
    when: /Permission denied|No such file/i,
    sentence: failure('audio-file-gone'),
  },
  {
    when: /Stream #0:.{0,200}: Audio:/i,
    sentence: failure('audio-track-damaged'),
  },
  {
    when: /Stream #0:.{0,200}: (Video|Subtitle|Data):/i,
    sentence: failure('no-audio-track'),
  },
  {
    when: /Invalid data found when processing input|Invalid argument|could not find codec parameters|Failed to read frame size/i,
    sentence: failure('not-audio'),
  },
];

/** Seconds that a file says it lasts; null when it does not say. */
export function promisedSeconds(said: string): number | null {
  const found = /Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?)/.exec(said);
  return found ? Number(found[1]) * 3600 + Number(found[2]) * 60 + Number(found[3]) : null;
}

/**
 * What ffmpeg's messages mean for a person. The messages themselves go into `cause`: they may hold
 * names from the file's tags, which must not appear in an error message.
 */
export function ffmpegSentence(output: string): StageError {
  const messages = withoutTags(output);
  const found = reasons.find(({ when }) => when.test(messages));
  return new StageError(found?.sentence ?? failure('audio-damaged'), {
    retriable: false,
    cause: new Error(messages.slice(-2000)),
  });
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

/** ffmpeg's own words: a song called “Corrupt” is not corrupt. Tags are indented, names are quoted. */
function withoutTags(output: string): string {
  return output
    .split('\n')
    .filter((line) => !/^(\s{4}|Input #|Output #)/.test(line))
    .join('\n');
}
