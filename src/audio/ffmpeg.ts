import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { StageError } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';
import { limited } from '../shared/mutex.ts';
import {
  creationTime,
  ffmpegSentence,
  lostParts,
  promisedSeconds,
  soundTracks,
  inputLimits,
  startFfmpeg,
} from './run-ffmpeg.ts';
import { speechRate } from './wav.ts';

/** Seconds ffmpeg may give no byte before it counts as hung. */
const stallSeconds = 120;
/** Hours one decoding may take; a day and a half of MP3 takes half of one on a small machine. */
const decodeHoursMax = 6;
/** Seconds until a file has said which tracks it has. */
const probeSeconds = 20;
/** Files that are probed at a time, and that wait for it: as many as uploads run, and some. */
const probes = limited(2, 64);
/** What is kept of its messages: the beginning (tracks, length) and the end (what went wrong). */
const messagesMax = 16 * 1024;

/**
 * Containers that hold the audio itself. Playlists and scripts (hls, concat, sdp, …) are not
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

/** What of a file is decoded: a sound track, counted from 0, and a channel of it; null: all, mixed. */
export type WhichAudio = { track: number; channel: 0 | 1 | null };

export type FfmpegAudio = {
  /** 16 kHz mono from -1 to 1. Ends ffmpeg when it is left early. */
  blocks: AsyncGenerator<Float32Array>;
  /** Seconds the file says it lasts, once the first block has come; null when it does not say. */
  secondsPromised(): number | null;
  /** How many sound tracks there are, once the first block has come. */
  tracks(): number;
  /** Whether the track has two channels, once the first block has come. */
  isStereo(): boolean;
  /** Whether parts of the file could not be decoded; complete after the last block. */
  damaged(): boolean;
};

/**
 * Decodes a sound track of any file ffmpeg reads, as a stream with bounded memory.
 * @throws {StageError} (from the stream) `not-audio`, `no-audio-track`, `audio-damaged`,
 *   `unsupported-media`, `decoder-stalled` (retriable); AbortError when aborted.
 */
export function ffmpegAudio(
  path: string,
  signal: AbortSignal,
  which: WhichAudio = { track: 0, channel: null },
): FfmpegAudio {
  const messages = { head: '', tail: '' };
  const state = { failed: false, samples: 0 };
  return {
    blocks: decode(path, which, signal, messages, state),
    secondsPromised: () => promisedSeconds(messages.head),
    tracks: () => soundTracks(messages.head).length,
    isStereo: () => /, (?:stereo|2 channels)/.test(soundTracks(messages.head)[which.track] ?? ''),
    damaged: () =>
      state.failed ||
      lostParts(
        messages.head + messages.tail,
        (promisedSeconds(messages.head) ?? Infinity) - state.samples / speechRate,
      ),
  };
}

/**
 * Looks for sound tracks of a file, without decoding it; when the file says it was made (RFC 3339 UTC), and how long it
 * says it is.
 * @throws {StageError} as `ffmpegAudio`, when there is no audio track.
 */
export async function ffmpegFindsAudio(
  path: string,
): Promise<{ madeAt: string | null; seconds: number | null }> {
  const said = await probes(() => tracksSaid(path));
  if (!/^ {2}Stream #0:.*: Audio:/m.test(said)) throw ffmpegSentence(said);
  return { madeAt: creationTime(said), seconds: promisedSeconds(said) };
}

/** What ffmpeg says of a file. Without an output it always ends in an error; only what it said counts. */
async function tracksSaid(path: string): Promise<string> {
  const child = await startFfmpeg(inputOf(path), { secondsMax: probeSeconds });
  let said = '';
  child.stdout.resume();
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (said.length < probeMessagesMax) said += text;
  });
  await once(child, 'close');
  if (child.killed) throw stalled();
  return said;
}

/** A file may claim a thousand tracks. */
const probeMessagesMax = 1024 * 1024;

/** The file name is an argument behind `file:`, so that no name is taken for an option or address. */
const inputOf = (path: string) => [
  ...inputLimits,
  '-protocol_whitelist',
  'file,pipe',
  '-format_whitelist',
  demuxers,
  '-i',
  `file:${path}`,
];

/** @yields what was decoded; `state` and `messages` are what it has said and done so far. */
async function* decode(
  path: string,
  which: WhichAudio,
  signal: AbortSignal,
  messages: { head: string; tail: string },
  state: { failed: boolean; samples: number },
): AsyncGenerator<Float32Array> {
  signal.throwIfAborted();
  const limits = { secondsMax: decodeHoursMax * 3600, signal };
  const child = await startFfmpeg([...inputOf(path), ...speechOutput(which)], limits);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  ended.catch(() => {}); // thrown below, when the stream has ended
  const watchdog = setInterval(() => {
    // A reader that takes its time leaves bytes waiting; only an empty pipe is ffmpeg's fault.
    if (moved || child.stdout.readableLength > 0) moved = false;
    else child.kill('SIGKILL');
  }, stallSeconds * 1000);
  let moved = true;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    const room = messagesMax - messages.head.length;
    messages.head += text.slice(0, Math.max(0, room));
    messages.tail = (messages.tail + text.slice(Math.max(0, room))).slice(-messagesMax);
  });
  try {
    let rest: Buffer = Buffer.alloc(0);
    const chunks: AsyncIterable<Buffer> = child.stdout;
    for await (const chunk of chunks) {
      moved = true;
      const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      const block = floats(bytes);
      rest = bytes.subarray(block.length * 4);
      state.samples += block.length;
      if (block.length > 0) yield block;
    }
    const code = await ended;
    signal.throwIfAborted();
    if (child.killed) throw stalled();
    state.failed = code !== 0;
    // What could be decoded of a damaged file is used, and said.
    if (state.samples === 0) throw ffmpegSentence(messages.head + messages.tail);
  } finally {
    clearInterval(watchdog);
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      const closed = once(child, 'close');
      child.stdout.destroy();
      child.kill('SIGKILL');
      await closed;
    }
  }
}

/** 32-bit floats, mono, at the rate of speech files. */
function speechOutput({ track, channel }: WhichAudio): string[] {
  const pick = channel === null ? '' : `pan=mono|c0=c${channel},`;
  // Of floats ffmpeg does not scale a mix down by itself: two equal channels would come out √2 as loud.
  const mix = ['-af', `${pick}aresample=${speechRate}:rematrix_maxval=1`, '-ac', '1'];
  const form = ['-ar', String(speechRate), '-f', 'f32le', 'pipe:1'];
  return ['-map', `0:a:${track}`, '-vn', '-sn', '-dn', ...mix, ...form];
}

function floats(bytes: Buffer): Float32Array {
  const block = new Float32Array(Math.floor(bytes.length / 4));
  for (let i = 0; i < block.length; i += 1) {
    const sample = bytes.readFloatLE(i * 4);
    block[i] = Number.isFinite(sample) ? sample : 0;
  }
  return block;
}

function stalled(): StageError {
  return new StageError(failure('reading-stalled'), {
    retriable: true,
  });
}
