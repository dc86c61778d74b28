import type { Stretch } from '../../../events/facts/transcript.ts';
import { speechRate } from '../../audio/wav.ts';
import {
  blockSeconds,
  frameSamples,
  frameSeconds,
  isSteady,
  spanBuilder,
  verdictOn,
  webrtcDetector,
} from '../detection/webrtc-detector.ts';

/** Finds speech in audio that is still coming: `webrtcSpeech`, some frames behind. */
export interface LiveDetector {
  /** Takes the next samples; returns the spans of speech that have ended, in seconds. */
  add(samples: Int16Array): Stretch[];
  /** Of what was judged so far, seconds. */
  seconds(): number;
  /** Up to when nobody has spoken, where nobody speaks: also of what comes, as long as none of it may be speech. */
  quietUntil(): number;
  /** When the speech began that has not ended yet; null: nobody speaks. */
  speechSince(): number | null;
  /** There is no more: judges what is left, and ends the span that is open. */
  end(): Stretch[];
  close(): void;
}

/** Steady noise is told by the last 9 s, as in a block of the whole file … */
const levelsMax = Math.round(blockSeconds / frameSeconds);
/** … and by 180 ms to come, so that it does not swallow how a word begins in it. */
const aheadFrames = 6;
/** Frames between two looks for steady noise: sorting them costs more than the detector. */
const noiseEvery = 3;

export async function openLiveDetector(): Promise<LiveDetector> {
  const detector = await webrtcDetector();
  const spans = spanBuilder();
  const levels: number[] = [];
  const verdicts: boolean[] = [];
  const frame = new Int16Array(frameSamples);
  let filled = 0;
  let judged = 0;
  let noise = false;
  const judgeOldest = () => {
    if (judged % noiseEvery === 0) noise = isSteady(levels);
    spans.add(verdicts.shift()! && !noise);
    judged += 1;
  };
  const take = (samples: Int16Array) => {
    const { speech, bright } = verdictOn(detector, samples);
    verdicts.push(speech);
    levels.push(bright);
    if (levels.length > levelsMax) levels.shift();
    if (verdicts.length > aheadFrames) judgeOldest();
  };
  return {
    add(samples) {
      for (let at = 0; at < samples.length;) {
        const end = Math.min(samples.length, at + frameSamples - filled);
        frame.set(samples.subarray(at, end), filled);
        filled += end - at;
        at = end;
        if (filled < frameSamples) break;
        take(frame);
        filled = 0;
      }
      return spans.ended();
    },
    seconds: () => judged * frameSeconds,
    quietUntil() {
      const first = verdicts.indexOf(true);
      return (judged + (first < 0 ? verdicts.length : first)) * frameSeconds;
    },
    speechSince: () => spans.openSince(),
    end() {
      const rest = (judged + verdicts.length) * frameSeconds + filled / speechRate;
      if (filled > 0) take(frame.subarray(0, filled));
      filled = 0;
      while (verdicts.length > 0) judgeOldest();
      return spans.spans().map(([start, end]): Stretch => [start, Math.min(end, rest)]);
    },
    close: () => detector.close(),
  };
}
