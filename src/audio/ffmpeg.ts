import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import type { Readable } from 'node:stream';
import { StageError, type StageErrorCode } from '../shared/errors.ts';
import { speechRate } from './wav.ts';

/** Seconds ffmpeg may give no byte before it counts as hung. */
const stallSeconds = 120;
/** What is kept of its messages: the beginning (tracks, length) and the end (what went wrong). */
const messagesMax = 16 * 1024;

/**
 * Containers that hold audio of their own. Playlists and scripts (hls, concat, sdp, …) are not
 * among them: an uploaded one could make ffmpeg read other people's files or the network.
 */
const demuxers =
  'aac,ac3,eac3,aiff,amr,amrnb,amrwb,ape,asf,au,avi,caf,dsf,dts,dv,flac,flv,gsm,loas,matroska,' +
  'mov,mp3,mpc,mpc8,mpeg,mpegts,mxf,nut,ogg,oma,rm,sox,tak,truehd,tta,voc,w64,wav,webm,wv';

/** Whether ffmpeg is on the PATH and runs. */
export function hasFfmpeg(): Promise<boolean> {
  return new Promise((resolve) => {
    execFile('ffmpeg', ['-version'], { timeout: 5000, killSignal: 'SIGKILL' }, (error) =>
      resolve(!error),
    );
  });
}

export type FfmpegAudio = {
  /** 16 kHz mono from -1 to 1. Ends ffmpeg when it is left early. */
  blocks: AsyncGenerator<Float32Array>;
  /** Seconds the file says it lasts, once the first block has come; null when it does not say. */
  secondsPromised(): number | null;
  /** Whether ffmpeg complained about parts of the file; complete after the last block. */
  damaged(): boolean;
};

/**
 * Decodes the first audio track of any file ffmpeg reads, as a stream with bounded memory.
 * @throws {StageError} (from the stream) `not-audio`, `no-audio-track`, `audio-damaged`,
 *   `unsupported-media`, `decoder-stalled` (retriable); AbortError when aborted.
 */
export function ffmpegAudio(path: string, signal: AbortSignal): FfmpegAudio {
  const messages = { head: '', tail: '' };
  const state = { failed: false };
  return {
    blocks: decode(path, signal, messages, state),
    secondsPromised: () => promisedSeconds(messages.head),
    damaged: () => state.failed || complaint.test(withoutTags(messages.head + messages.tail)),
  };
}

/**
 * Tracks of a file, without decoding it, and when the file says it was made (RFC 3339 UTC).
 * @throws {StageError} as `ffmpegAudio`, when there is no audio track.
 */
export async function ffmpegFindsAudio(path: string): Promise<{ madeAt: string | null }> {
  const args = ['-nostdin', '-hide_banner', ...inputOf(path)];
  const said = await new Promise<string>((resolve, reject) => {
    const limits = { timeout: 20_000, killSignal: 'SIGKILL', maxBuffer: 1 << 20 } as const;
    execFile('ffmpeg', args, limits, (error, _stdout, stderr) =>
      // Without an output it always ends in an error; only what it said counts.
      error?.killed ? reject(stalled()) : resolve(stderr),
    );
  });
  if (!/^ {2}Stream #0:.*: Audio:/m.test(said)) throw ffmpegSentence(said);
  return { madeAt: creationTime(said) };
}

/** Of the file, else of a track: MP4 and Matroska keep it in UTC. */
function creationTime(said: string): string | null {
  const [, time] = /^ {4,6}creation_time +: (\d{4}-\d\d-\d\dT[\d:.]+Z)$/m.exec(said) ?? [];
  const moment = new Date(time ?? '');
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}

/** The file name is an argument behind `file:`, so that no name is taken for an option or address. */
const inputOf = (path: string) => [
  '-protocol_whitelist',
  'file,pipe',
  '-format_whitelist',
  demuxers,
  '-i',
  `file:${path}`,
];

const complaint =
  /Error while decoding|Invalid data found|truncat|corrupt|partial file|File ended prematurely|Packet mismatch|Header missing|error reading/i;

type Reason = { code: StageErrorCode; sentence: string };

const fallback: Reason = {
  code: 'audio-damaged',
  sentence: 'ffmpeg could not decode any audio from this file: it is damaged.',
};

const reasons: readonly (Reason & { when: RegExp })[] = [
  {
    when: /matches no streams|does not contain any stream/i,
    code: 'no-audio-track',
    sentence: 'This file has no sound track.',
  },
  {
    when: /moov atom not found/i,
    code: 'audio-damaged',
    sentence:
      'This MP4 file is incomplete: its table of contents is missing, so nothing in it can be found. Copy or export it again.',
  },
  {
    when: /Decoder \(codec [^)]*\) not found|Decoding requested, but no decoder|Unknown decoder/i,
    code: 'unsupported-media',
    sentence: 'The ffmpeg on this machine has no decoder for the sound in this file.',
  },
  {
    when: /Format not on whitelist/i,
    code: 'unsupported-media',
    sentence: 'This is a playlist or another kind of file that holds no audio of its own.',
  },
  {
    when: /Permission denied|No such file/i,
    code: 'audio-missing',
    sentence: 'The audio file is gone or may not be read.',
  },
  {
    when: /Stream #0:.*: Audio:/i,
    code: 'audio-damaged',
    sentence: 'The sound track of this file is damaged from its start: nothing could be decoded.',
  },
  {
    when: /Stream #0:.*: (Video|Subtitle|Data):/i,
    code: 'no-audio-track',
    sentence: 'This file has no sound track.',
  },
  {
    when: /Invalid data found when processing input|Invalid argument|could not find codec parameters|Failed to read frame size/i,
    code: 'not-audio',
    sentence: 'This is not an audio file that can be read.',
  },
];

async function* decode(
  path: string,
  signal: AbortSignal,
  messages: { head: string; tail: string },
  state: { failed: boolean },
): AsyncGenerator<Float32Array> {
  signal.throwIfAborted();
  // Of floats ffmpeg does not scale a mix down by itself: two equal channels would come out √2 as loud.
  const mix = ['-af', `aresample=${speechRate}:rematrix_maxval=1`, '-ac', '1'];
  const output = ['-map', '0:a:0', '-vn', '-sn', '-dn', ...mix, '-ar', String(speechRate)];
  const args = ['-nostdin', '-hide_banner', '-nostats', '-threads', '1', ...inputOf(path)];
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(
    'ffmpeg',
    [...args, ...output, '-f', 'f32le', 'pipe:1'],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  ended.catch(() => {}); // told below, when the stream has ended
  const kill = () => child.kill('SIGKILL');
  let hung = false;
  const watchdog = setInterval(() => {
    // A reader that takes its time leaves bytes waiting; only an empty pipe is ffmpeg's fault.
    if (moved || child.stdout.readableLength > 0) moved = false;
    else hung = kill();
  }, stallSeconds * 1000);
  let moved = true;
  signal.addEventListener('abort', kill, { once: true });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    const room = messagesMax - messages.head.length;
    messages.head += text.slice(0, Math.max(0, room));
    messages.tail = (messages.tail + text.slice(Math.max(0, room))).slice(-messagesMax);
  });
  try {
    if (child.pid !== undefined) lowerPriority(child.pid);
    let samples = 0;
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      moved = true;
      const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      const block = floats(bytes);
      rest = bytes.subarray(block.length * 4);
      samples += block.length;
      if (block.length > 0) yield block;
    }
    const code = await ended;
    signal.throwIfAborted();
    if (hung) throw stalled();
    state.failed = code !== 0;
    // What could be decoded of a damaged file is used, and said.
    if (samples === 0) throw ffmpegSentence(messages.head + messages.tail);
  } finally {
    clearInterval(watchdog);
    signal.removeEventListener('abort', kill);
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      const closed = once(child, 'close');
      child.stdout.destroy();
      kill();
      await closed;
    }
  }
}

function floats(bytes: Buffer): Float32Array {
  const block = new Float32Array(Math.floor(bytes.length / 4));
  for (let i = 0; i < block.length; i += 1) {
    const sample = bytes.readFloatLE(i * 4);
    block[i] = Number.isFinite(sample) ? sample : 0;
  }
  return block;
}

function promisedSeconds(said: string): number | null {
  const found = /Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?)/.exec(said);
  return found ? Number(found[1]) * 3600 + Number(found[2]) * 60 + Number(found[3]) : null;
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, 10);
  } catch {
    // It ended already, or the system does not allow it: then it runs at our own priority.
  }
}

function stalled(): StageError {
  return new StageError('decoder-stalled', 'ffmpeg stopped answering while it read the audio.', {
    retriable: true,
  });
}

/**
 * What ffmpeg's messages mean for a person. The messages themselves go into `cause`: they may hold
 * names from the file's tags, which are no business of an error message.
 */
function ffmpegSentence(output: string): StageError {
  const messages = withoutTags(output);
  const found = reasons.find(({ when }) => when.test(messages)) ?? fallback;
  return new StageError(found.code, found.sentence, {
    retriable: false,
    cause: new Error(messages.slice(-2000)),
  });
}

/** ffmpeg's own words: a song called “Corrupt” is not corrupt. Tags are indented, names are quoted. */
function withoutTags(output: string): string {
  return output
    .split('\n')
    .filter((line) => !/^(\s{4}|Input #|Output #)/.test(line))
    .join('\n');
}
