import type { Stretch } from '../../events/transcript.ts';
import { type SpeechFile, speechRate } from '../audio/speech-file.ts';
import { spanBuilder } from './speech-spans.ts';
import { frameSamples, webrtcDetector } from './webrtc-detector.ts';

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
  const detector = await webrtcDetector(strictness);
  try {
    const frame = new Int16Array(frameSamples);
    const spans = spanBuilder(frameSamples / speechRate, smoothing);
    for (let at = 0; at < audio.duration; at += blockSeconds) {
      signal.throwIfAborted();
      const block = await audio.read(at, at + blockSeconds);
      const verdicts: boolean[] = [];
      const levels: number[] = [];
      for (let i = 0; i < block.length; i += frameSamples) {
        const samples = block.subarray(i, i + frameSamples);
        frame.fill(0);
        frame.set(samples);
        verdicts.push(detector.isSpeech(frame) && audible(samples));
        levels.push(brightLevel(samples));
      }
      const noise = steady(levels);
      for (const speech of verdicts) spans.add(speech && !noise);
      onProgress(Math.min(1, (at + blockSeconds) / audio.duration));
    }
    return spans.spans().map(([start, end]): Stretch => [start, Math.min(end, audio.duration)]);
  } finally {
    detector.close();
  }
}

/** A multiple of the frame, read at once: some milliseconds of work between two turns of the loop. */
const blockSeconds = 9;
/** Of 0 to 3. 2 hears espeak and telephone speech whole and lets clicks and hiss pass (tried). */
const strictness = 2;
/** 240 ms: half of it speech to begin, a quarter or less to end. */
const smoothing = { window: 8, begin: 4, end: 2 };
/** Under -60 dB (RMS) there is nothing to recognise, whatever the detector thinks of its shape. */
const rmsMin = 32;

function audible(samples: Int16Array): boolean {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return sum / samples.length >= rmsMin * rmsMin;
}

/** Level in dB of the differences between samples: hum and rumble count little. */
function brightLevel(samples: Int16Array): number {
  let sum = 0;
  for (let i = 1; i < samples.length; i += 1) sum += (samples[i]! - samples[i - 1]!) ** 2;
  return 10 * Math.log10(sum / samples.length + 1);
}

/**
 * Whether a block holds a steady noise (hiss, hum, a fan) and nothing else. Measured between the
 * quiet and the loud frames of a block: noises 0 to 3 dB, speech 10 to 60 dB.
 */
function steady(levels: readonly number[]): boolean {
  if (levels.length < 12) return false;
  const sorted = [...levels].sort((a, b) => a - b);
  return sorted.at(-5)! - sorted[Math.floor(sorted.length / 10)]! < 6;
}
