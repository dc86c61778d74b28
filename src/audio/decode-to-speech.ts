import { open } from 'node:fs/promises';
import { StageError } from '../stage-error.ts';
import { decoderFor } from './accepts-audio.ts';
import { ffmpegAudio, hasFfmpeg } from './ffmpeg.ts';
import { type Level, levelMeter } from './level-meter.ts';
import { speechRate } from './speech-file.ts';
import { wavLayout } from './wav-layout.ts';
import { wavSamples } from './wav-samples.ts';
import { writeSpeechFile } from './write-speech-file.ts';

/**
 * What a reader should know of the audio:
 * - `truncated`: shorter than the file says; what is there is used.
 * - `header-repaired`: its header was unfinished or promised less than there is.
 * - `damaged`: parts could not be decoded.
 * - `quiet`: so quiet that it was amplified for recognition.
 * - `silent`: nothing audible at all.
 * - `clipped`: recorded too loud.
 */
export type AudioWarning =
  | 'truncated'
  | 'header-repaired'
  | 'damaged'
  | 'quiet'
  | 'silent'
  | 'clipped';

export type DecodedSpeech = {
  /** Seconds. */
  duration: number;
  /** At 16 kHz. */
  samples: number;
  warnings: AudioWarning[];
  decoder: 'wav' | 'ffmpeg';
  /** By how many dB the working copy is louder than the kept audio; 0 as a rule. */
  gainDb: number;
};

/**
 * Decodes any audio file into a speech file (16 kHz mono). WAV is read here, the rest by ffmpeg.
 * Very quiet audio is made louder in the working copy; the source is never touched. The target
 * appears only when it is complete.
 * @param source path of the kept audio. @param target path of the speech file to write.
 * @throws {StageError} see `decoderFor`; `decoder-stalled`, `audio-too-long`; AbortError.
 */
export async function decodeToSpeech(
  source: string,
  target: string,
  {
    signal,
    onProgress = () => {},
  }: { signal: AbortSignal; onProgress?: ((fraction: number | null) => void) | undefined },
): Promise<DecodedSpeech> {
  signal.throwIfAborted();
  const decoder = await decoderFor(source, hasFfmpeg);
  const pass = decoder === 'wav' ? wavPass : ffmpegPass;
  const first = await pass(source, target, 1, signal, onProgress);
  const gainDb = gainFor(first.level);
  if (gainDb > 0) {
    // A second time from the source: amplifying 16-bit samples would amplify their rounding too.
    await pass(source, target, 10 ** (gainDb / 20), signal, onProgress);
    first.warnings.add('quiet');
  }
  if (first.level.peak <= silentDb) first.warnings.add('silent');
  if (first.level.clipped > clippedMax) first.warnings.add('clipped');
  const { samples, warnings } = first;
  return { duration: samples / speechRate, samples, warnings: [...warnings], decoder, gainDb };
}

/** Peaks (see `Level.peak`) below this are too quiet for recognisers and voice detectors. */
const quietDb = -26;
/** Where amplified audio peaks, and the most that is added: more would only lift the noise. */
const targetDb = -9;
const gainDbMax = 40;
const silentDb = -75;
/** Part of the samples at full scale above which we speak of clipping. */
const clippedMax = 0.001;

function gainFor({ peak }: Level): number {
  if (peak >= quietDb || peak <= silentDb) return 0;
  return Math.min(gainDbMax, targetDb - peak);
}

type Pass = (
  source: string,
  target: string,
  gain: number,
  signal: AbortSignal,
  onProgress: (fraction: number | null) => void,
) => Promise<{ samples: number; level: Level; warnings: Set<AudioWarning> }>;

const wavPass: Pass = async (source, target, gain, signal, onProgress) => {
  const file = await open(source, 'r');
  try {
    const layout = await wavLayout(file);
    if (!layout) throw new Error(`${source} is no WAV file any more`);
    const expected = layout.dataBytes / layout.channels / layout.bytes / layout.rate;
    const meter = levelMeter();
    const blocks = metered(wavSamples(file, layout), meter, () => expected, onProgress);
    const samples = await writeSpeechFile(target, blocks, { gain, signal });
    const warnings = new Set<AudioWarning>();
    if (layout.truncated) warnings.add('truncated');
    if (layout.repaired) warnings.add('header-repaired');
    return { samples, level: meter.level(), warnings };
  } finally {
    await file.close();
  }
};

const ffmpegPass: Pass = async (source, target, gain, signal, onProgress) => {
  const audio = ffmpegAudio(source, signal);
  const meter = levelMeter();
  const blocks = metered(audio.blocks, meter, () => audio.secondsPromised(), onProgress);
  const samples = await writeSpeechFile(target, blocks, { gain, signal });
  const warnings = new Set<AudioWarning>();
  if (audio.damaged()) warnings.add('damaged');
  const promised = audio.secondsPromised() ?? 0;
  // Promises of MP3 files without an index are estimates: only a clear difference counts.
  if (promised - samples / speechRate > Math.max(1, promised * 0.02)) warnings.add('truncated');
  return { samples, level: meter.level(), warnings };
};

async function* metered(
  blocks: AsyncIterable<Float32Array>,
  meter: ReturnType<typeof levelMeter>,
  secondsExpected: () => number | null,
  onProgress: (fraction: number | null) => void,
): AsyncGenerator<Float32Array> {
  let samples = 0;
  let told = 0;
  for await (const block of blocks) {
    meter.add(block);
    samples += block.length;
    if (samples - told >= 10 * speechRate) {
      told = samples;
      const expected = secondsExpected();
      onProgress(expected ? Math.min(1, samples / speechRate / expected) : null);
    }
    yield block;
  }
  if (samples === 0)
    throw new StageError('audio-empty', 'The file holds no audio.', { retriable: false });
}
