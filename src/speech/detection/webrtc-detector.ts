/* oxlint-disable no-underscore-dangle -- the C functions' names, as Emscripten exports them */
import loadFvad from '@echogarden/fvad-wasm';
import { type SpeechFile, speechRate } from '../../audio/wav.ts';
import type { Stretch } from '../../../events/facts/transcript.ts';

/** libfvad's detector: one verdict for each 30 ms of 16 kHz audio. */
export interface WebrtcDetector {
  isSpeech(frame: Int16Array): boolean;
  close(): void;
}

/** Samples of a frame. */
export const frameSamples = speechRate * 0.03;
export const frameSeconds = frameSamples / speechRate;

export type DetectOptions = {
  signal: AbortSignal;
  /** Fraction done, 0 to 1. */
  onProgress: (fraction: number) => void;
};

/**
 * Spans of speech by WebRTC's detector (Gaussian mixtures over six bands; libfvad). Works on any
 * machine without a model; takes some noise and music for speech. About 1/2000 of real time.
 */
export async function webrtcSpeech(
  audio: SpeechFile,
  { signal, onProgress }: DetectOptions,
): Promise<Stretch[]> {
  const detector = await webrtcDetector();
  try {
    const spans = spanBuilder();
    for (let at = 0; at < audio.duration; at += blockSeconds) {
      signal.throwIfAborted();
      const block = await audio.read(at, at + blockSeconds);
      const verdicts: boolean[] = [];
      const levels: number[] = [];
      for (let i = 0; i < block.length; i += frameSamples) {
        const samples = block.subarray(i, i + frameSamples);
        const { speech, bright } = verdictOn(detector, samples);
        verdicts.push(speech);
        levels.push(bright);
      }
      const noise = isSteady(levels);
      for (const speech of verdicts) spans.add(speech && !noise);
      onProgress(Math.min(1, (at + blockSeconds) / audio.duration));
    }
    return spans.spans().map(([start, end]): Stretch => [start, Math.min(end, audio.duration)]);
  } finally {
    detector.close();
  }
}

/** A multiple of the frame, read at once: some milliseconds of work between two turns of the loop. */
export const blockSeconds = 9;
/** Of 0 to 3. 2 hears espeak and telephone speech whole and lets clicks and hiss pass (tried). */
const strictness = 2;
/** 240 ms: half of it speech to begin, a quarter or less to end. */
const smoothing = { window: 8, begin: 4, end: 2 };
/** Under -60 dB (RMS) there is nothing to recognise, whatever the detector thinks of its shape. */
const rmsMin = 32;

/** Turns one verdict a frame into spans of speech. */
export interface SpanBuilder {
  /** The next frame: speech or not. */
  add(speech: boolean): void;
  /** All spans, in seconds, sorted, apart from each other. The last frame must have been added. */
  spans(): Stretch[];
  /** The spans that have ended since the last call. */
  ended(): Stretch[];
  /** When the span began that has not ended; null: there is none. */
  openSince(): number | null;
}

/** Whether a frame (the last of the audio may be shorter) holds speech, before steady noise is looked for. */
export function verdictOn(
  detector: WebrtcDetector,
  samples: Int16Array,
): { speech: boolean; bright: number } {
  const { audible, bright } = levelsOf(samples);
  return { speech: detector.isSpeech(wholeFrame(samples)) && audible, bright };
}

export async function webrtcDetector(): Promise<WebrtcDetector> {
  const fvad = await loadFvad();
  const detector = fvad._fvad_new();
  const memory = fvad._malloc(frameSamples * 2);
  if (
    detector === 0 ||
    memory === 0 ||
    fvad._fvad_set_mode(detector, strictness) !== 0 ||
    fvad._fvad_set_sample_rate(detector, speechRate) !== 0
  )
    throw new Error('The WebRTC voice detector could not be set up');
  return {
    isSpeech(frame) {
      // Looked up each time: the heap's views are replaced when it grows.
      fvad.HEAP16.set(frame, memory / 2);
      return fvad._fvad_process(detector, memory, frameSamples) === 1;
    },
    close() {
      fvad._free(memory);
      fvad._fvad_free(detector);
    },
  };
}

/** The last frame of the audio is filled up with silence. */
function wholeFrame(samples: Int16Array): Int16Array {
  if (samples.length === frameSamples) return samples;
  const frame = new Int16Array(frameSamples);
  frame.set(samples);
  return frame;
}

/** `bright`: level in dB of the differences between samples, in which hum and rumble count little. */
function levelsOf(samples: Int16Array): { audible: boolean; bright: number } {
  let power = 0;
  let differences = 0;
  let before = samples[0] ?? 0;
  for (const sample of samples) {
    const difference = sample - before;
    power += sample * sample;
    differences += difference * difference;
    before = sample;
  }
  return {
    audible: power / samples.length >= rmsMin * rmsMin,
    bright: 10 * Math.log10(differences / samples.length + 1),
  };
}

/**
 * Whether a block holds a steady noise (hiss, hum, a fan) and nothing else. Measured between the
 * quiet and the loud frames of a block: noises 0 to 3 dB, speech 10 to 60 dB.
 */
export function isSteady(levels: readonly number[]): boolean {
  if (levels.length < 12) return false;
  const sorted = [...levels].sort((a, b) => a - b);
  return sorted.at(-5)! - sorted[Math.floor(sorted.length / 10)]! < 6;
}

/**
 * Hysteresis over a sliding window: single frames neither begin speech nor end it. A span reaches
 * back to the start of the window in which it began.
 */
export function spanBuilder(): SpanBuilder {
  const { window, begin, end } = smoothing;
  const ring = new Uint8Array(window);
  const found: Stretch[] = [];
  let frames = 0;
  let voiced = 0;
  let from = -1; // first frame of the open span
  let closed = 0; // where the last one ended
  return {
    add(speech) {
      const slot = frames % window;
      voiced += Number(speech) - ring[slot]!;
      ring[slot] = Number(speech);
      frames += 1;
      if (from < 0 && voiced >= begin) from = Math.max(closed, frames - window);
      else if (from >= 0 && voiced <= end) {
        found.push([from * frameSeconds, frames * frameSeconds]);
        closed = frames;
        from = -1;
      }
    },
    spans: () => (from < 0 ? found : [...found, [from * frameSeconds, frames * frameSeconds]]),
    ended: () => found.splice(0),
    openSince: () => (from < 0 ? null : from * frameSeconds),
  };
}
