import { type FileHandle, open, rm } from 'node:fs/promises';
import { StageError } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';
import { decoderFor } from './accepts-audio.ts';
import { type WhichAudio, ffmpegAudio } from './ffmpeg.ts';
import { type Level, levelMeter } from './level-meter.ts';
import { pcmToMono } from './resampler.ts';
import { type WavLayout, speechRate, wavLayout } from './wav.ts';
import { writeSpeechFile } from './speech-file.ts';

/**
 * What a reader should know of the audio:
 * - `truncated`: shorter than the file says; what is there is used.
 * - `header-repaired`: its header was unfinished or promised less than there is.
 * - `damaged`: parts could not be decoded.
 * - `quiet`: so quiet that it was amplified for recognition.
 * - `silent`: nothing audible at all.
 * - `clipped`: recorded too loud.
 * - `one-channel`: the channels are inverted and cancel each other out; the louder one is used.
 */
export type AudioWarning =
  | 'truncated'
  | 'header-repaired'
  | 'damaged'
  | 'quiet'
  | 'silent'
  | 'clipped'
  | 'one-channel';

export type DecodedSpeech = {
  /** Seconds. */
  duration: number;
  /** At 16 kHz. */
  samples: number;
  warnings: AudioWarning[];
  decoder: 'wav' | 'ffmpeg';
  /** Sound tracks of the file. */
  tracks: number;
  /** By how many dB the working copy is louder than the kept audio; 0 as a rule. */
  gainDb: number;
};

/**
 * Decodes any audio file into a speech file (16 kHz mono). WAV is read here, the rest by ffmpeg.
 * Very quiet audio is made louder in the working copy; of two channels that cancel each other out the
 * louder one is taken. The source is never touched. The target appears only when it is complete.
 * @param source path of the kept audio. @param target path of the speech file to write.
 * @throws {StageError} see `decoderFor`; `decoder-stalled`, `audio-too-long`; AbortError.
 */
export async function decodeToSpeech(
  source: string,
  target: string,
  {
    signal,
    track = 0,
    amplifies = true,
    onProgress = () => {},
  }: {
    signal: AbortSignal;
    /** Which sound track of the file, from 0. */
    track?: number;
    /** Whether very quiet audio becomes louder. */
    amplifies?: boolean;
    onProgress?: ((fraction: number | null) => void) | undefined;
  },
): Promise<DecodedSpeech> {
  signal.throwIfAborted();
  const decoder = await decoderFor(source);
  const runPass = decoder === 'wav' ? wavPass : ffmpegPass;
  const pass = (channel: WhichAudio['channel'], gain = 1): ReturnType<Pass> =>
    runPass(source, target, { track, channel, gain, signal, onProgress });
  const mixed = await pass(null);
  const { channel, level } = await audible(mixed, pass);
  const warnings = new Set(mixed.warnings);
  if (channel !== null) warnings.add('one-channel');
  const gainDb = amplifies ? loudnessOf(level).gainDb : 0;
  // From the source each time: amplifying 16-bit samples would amplify their rounding too.
  if (gainDb > 0 || channel !== null) await pass(channel, 10 ** (gainDb / 20));
  for (const warning of loudnessOf(level).warnings) warnings.add(warning);
  const { samples, tracks } = mixed;
  const duration = samples / speechRate;
  return { duration, samples, warnings: [...warnings], decoder, gainDb, tracks };
}

/**
 * The louder channel where two cancel each other out in the mix (a cable wired the wrong way round
 * inverts one), else the mix, as null.
 */
async function audible(
  mixed: Awaited<ReturnType<Pass>>,
  pass: (channel: 0 | 1) => ReturnType<Pass>,
): Promise<{ channel: 0 | 1 | null; level: Level }> {
  const mix = { channel: null, level: mixed.level };
  if (!mixed.isStereo || mixed.level.peak >= quietDb) return mix;
  const left = { channel: 0 as const, level: (await pass(0)).level };
  if (left.level.peak < mixed.level.peak + cancelledDb) return mix;
  const right = { channel: 1 as const, level: (await pass(1)).level };
  return right.level.peak > left.level.peak ? right : left;
}

/** Peaks (see `Level.peak`) below this are too quiet for recognisers and voice detectors. */
const quietDb = -26;

/** Where amplified audio peaks, and the most that is added: more would only lift the noise. */
const targetDb = -9;

const gainDbMax = 40;

const silentDb = -75;

/** A channel alone is 6 dB louder than its mix with a silent one; more means that the other takes away. */
const cancelledDb = 12;

/** Part of the samples at full scale above which we speak of clipping. */
const clippedMax = 0.001;

const wavPass: Pass = async (source, target, { channel, gain, signal, onProgress }) => {
  const file = await open(source, 'r');
  try {
    const layout = await wavLayout(file);
    if (!layout) throw new Error(`${source} is not a WAV file any more`);
    const expected = layout.dataBytes / layout.channels / layout.bytes / layout.rate;
    const meter = levelMeter();
    const blocks = metered(wavSamples(file, layout, channel), meter, () => expected, onProgress);
    const isStereo = layout.channels === 2;
    const isThere = channel === null || isStereo;
    const samples = isThere ? await writeSpeechFile(target, blocks, { gain, signal }) : 0;
    const warnings = new Set<AudioWarning>();
    if (layout.truncated) warnings.add('truncated');
    if (layout.repaired) warnings.add('header-repaired');
    return { samples, level: meter.level(), warnings, tracks: 1, isStereo };
  } finally {
    await file.close();
  }
};

const ffmpegPass: Pass = async (source, target, { gain, signal, onProgress, ...which }) => {
  const audio = ffmpegAudio(source, signal, which);
  const meter = levelMeter();
  const blocks = metered(audio.blocks, meter, () => audio.secondsPromised(), onProgress);
  const samples = await writeSpeechFile(target, blocks, { gain, signal });
  const warnings = new Set<AudioWarning>();
  if (audio.damaged()) warnings.add('damaged');
  const promised = audio.secondsPromised() ?? 0;
  // Promises of MP3 files without an index are estimates: only a clear difference counts. A file of
  // several tracks promises what the longest one holds.
  const isPromised = audio.tracks() === 1;
  if (isPromised && promised - samples / speechRate > Math.max(1, promised * 0.02))
    warnings.add('truncated');
  const isStereo = audio.isStereo();
  return { samples, level: meter.level(), warnings, tracks: audio.tracks(), isStereo };
};

/** Bytes read at once: some milliseconds of work, so that the event loop stays free. */
const readBytes = 256 * 1024;

/**
 * The samples of a WAV file as 16 kHz mono from -1 to 1, in blocks that are good until the next is
 * asked for. Of one channel, or of all, mixed.
 */
export async function* wavSamples(
  file: FileHandle,
  layout: WavLayout,
  channel: WhichAudio['channel'] = null,
): AsyncGenerator<Float32Array> {
  const frame = layout.channels * layout.bytes;
  const buffer = Buffer.alloc(Math.max(frame, readBytes - (readBytes % frame)));
  // The same for each block: hours of fresh ones are more garbage than the collector sees in time.
  const mono = new Float32Array(buffer.length / frame);
  // WebAssembly, loaded with the first file: the start of the service must not wait for it.
  const { createResampler } = await import('./resampler.ts');
  const resampler = await createResampler(layout.rate);
  try {
    const end = layout.dataOffset + layout.dataBytes;
    for (let at = layout.dataOffset; at < end;) {
      const wanted = Math.min(buffer.length, end - at);
      const { bytesRead } = await file.read(buffer, 0, wanted, at);
      const whole = bytesRead - (bytesRead % frame);
      if (whole === 0) break; // the file became shorter meanwhile
      at += whole;
      yield resampler.push(pcmToMono(buffer.subarray(0, whole), layout, mono, channel));
    }
    yield resampler.end();
  } finally {
    resampler.close();
  }
}

/** By how much audio is to be amplified for recognition, and what a reader should know of how loud it is. */
export function loudnessOf({ peak, clipped }: Level): {
  gainDb: number;
  /** Two channels may cancel each other out. */
  isQuiet: boolean;
  warnings: AudioWarning[];
} {
  const isQuiet = peak < quietDb;
  const isSilent = peak <= silentDb;
  const gainDb = isQuiet && !isSilent ? Math.min(gainDbMax, targetDb - peak) : 0;
  const warnings: AudioWarning[] = [];
  if (gainDb > 0) warnings.push('quiet');
  if (isSilent) warnings.push('silent');
  if (clipped > clippedMax) warnings.push('clipped');
  return { gainDb, isQuiet, warnings };
}

/**
 * Decodes each of two channels into a speech file (16 kHz mono). The targets appear only when they are complete.
 * @returns whether there are two; without them no target is left
 * @throws {StageError} as `decodeToSpeech`; AbortError
 */
export async function decodeChannels(
  source: string,
  targets: readonly [string, string],
  { signal, track }: { signal: AbortSignal; track: number },
): Promise<boolean> {
  const decoder = await decoderFor(source);
  const runPass = decoder === 'wav' ? wavPass : ffmpegPass;
  for (const channel of [0, 1] as const) {
    signal.throwIfAborted();
    const how = { track, channel, gain: 1, signal, onProgress() {} };
    if ((await runPass(source, targets[channel], how)).isStereo) continue;
    await Promise.all(targets.map((target) => rm(target, { force: true })));
    return false;
  }
  return true;
}

type Pass = (
  source: string,
  target: string,
  how: WhichAudio & {
    gain: number;
    signal: AbortSignal;
    onProgress: (fraction: number | null) => void;
  },
) => Promise<{
  samples: number;
  level: Level;
  warnings: Set<AudioWarning>;
  tracks: number;
  isStereo: boolean;
}>;

async function* metered(
  blocks: AsyncIterable<Float32Array>,
  meter: ReturnType<typeof levelMeter>,
  secondsExpected: () => number | null,
  onProgress: (fraction: number | null) => void,
): AsyncGenerator<Float32Array> {
  let samples = 0;
  let reported = 0;
  for await (const block of blocks) {
    meter.add(block);
    samples += block.length;
    if (samples - reported >= 10 * speechRate) {
      reported = samples;
      const expected = secondsExpected();
      onProgress(expected ? Math.min(1, samples / speechRate / expected) : null);
    }
    yield block;
  }
  if (samples === 0) throw new StageError(failure('audio-no-samples'), { retriable: false });
}
