import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stretch } from '../../../events/facts/transcript.ts';
import { loudnessOf } from '../../audio/decode.ts';
import { type GrowingWav, openGrowingWav } from '../../audio/growing-wav.ts';
import { type Level, levelMeter } from '../../audio/level-meter.ts';
import { openSpeechWriter, type SpeechWriter } from '../../audio/speech-file.ts';
import { type SpeechFile, speechHeader, speechRate } from '../../audio/wav.ts';
import { livePieceName, speechFileName } from '../../shared/data-directory.ts';
import { quietestIn } from '../detection/speech-segments.ts';
import {
  frameSamples,
  blockSeconds,
  frameSeconds,
  isSteady,
  spanBuilder,
  verdictOn,
  webrtcDetector,
} from '../detection/webrtc-detector.ts';
import {
  type ClosedSpeech,
  type WaitingStretch,
  closedSpeech,
  joinedStretch,
  liveSecondsMax,
} from './closed-speech.ts';
import { mutex } from '../../shared/mutex.ts';

/** Follows a file that is being captured: keeps the working copy of it up to date, and says what was said. */
export interface AudioFollower {
  /** Takes in what has come since. */
  follow(): Promise<void>;
  /** The next stretch to be recognised: several that wait are asked at once. Null: there is none. */
  next(): (WaitingStretch & { count: number }) | null;
  /** The same, once it is known who speaks in each that waits: those of one voice are asked at once. */
  nextOfOneVoice(
    voiceIn: (stretch: Stretch) => Promise<string | undefined>,
  ): Promise<ReturnType<AudioFollower['next']>>;
  /** They are in the plan. @param count as `next` said */
  taken(count: number): void;
  /** All that waits, joined to as long stretches as may be. */
  rest(secondsMax: number): Stretch[];
  /** When the first one ended that waits, in seconds; null: none does. */
  waitingSince(): number | null;
  /** Of what has come, seconds. */
  duration(): number;
  /** Speech that goes on, up to now; null: nobody speaks. */
  speaking(): Stretch | null;
  /** Samples of what has come. */
  read(start: number, end: number): Promise<Int16Array>;
  /** A stretch as a speech file of its own, made louder where it is very quiet. Close it: it is removed then. */
  piece(stretch: Stretch): Promise<SpeechFile>;
  /** The capture is over: takes in the rest, once. What was said and is not in the plan is left in `next`. */
  end(): Promise<EndedAudio>;
  /** Gives the working copy its name: it is whole. */
  keep(): Promise<void>;
  /** Frees everything; a working copy that was not kept is removed. */
  close(): Promise<void>;
}

export type EndedAudio = { duration: number; level: Level; isStereo: boolean };

/**
 * Opens a captured file. Null while there is none.
 * @param folders where the file grows, and where the working copy is made
 * @param options.from the plan reaches that far already, in seconds, `isCut` in speech
 */
export async function openFollower(
  { captured, work: folder }: { captured: string; work: string },
  audioName: string,
  { from, isCut }: { from: number; isCut: boolean },
): Promise<AudioFollower | null> {
  const source = await openGrowingWav(join(captured, audioName));
  if (!source) return null;
  const opened = await openParts(source, join(folder, speechFileName));
  const speech = closedSpeech({
    from,
    isCut,
    async cutBetween(earliest, latest) {
      const samples = await opened.copy.read(earliest, latest);
      return earliest + quietestIn(samples);
    },
  });
  return followerOf({ ...opened, speech, piecePath: join(folder, livePieceName) });
}

type Parts = {
  source: GrowingWav;
  copy: SpeechWriter;
  detector: Awaited<ReturnType<typeof openLiveDetector>>;
  meter: ReturnType<typeof levelMeter>;
};

async function openParts(source: GrowingWav, copyPath: string): Promise<Parts> {
  try {
    const copy = await openSpeechWriter(copyPath);
    return { source, copy, detector: await openLiveDetector(), meter: levelMeter() };
  } catch (error) {
    await source.close();
    throw error;
  }
}

function followerOf({
  source,
  copy,
  detector,
  meter,
  speech,
  piecePath,
}: Parts & { speech: ReturnType<typeof closedSpeech>; piecePath: string }): AudioFollower {
  const waiting: WaitingStretch[] = [];
  let isKept = false;
  const duration = () => copy.samples / speechRate;
  // Two readers at once would each take a part of the other's: a restart in a meeting had words lost by it.
  const inTurn = mutex();
  const take = async (blocks: AsyncIterable<Float32Array>) => {
    for await (const block of blocks) {
      if (block.length === 0) continue;
      meter.add(block);
      await judge(await copy.add(block), detector, speech);
    }
    waiting.push(...speech.closed());
  };
  const takeRest = async (): Promise<EndedAudio> => {
    await inTurn(() => take(source.end()));
    for (const span of detector.end()) await speech.grow(span);
    speech.end(duration());
    waiting.push(...speech.closed());
    return { duration: duration(), level: meter.level(), isStereo: source.isStereo };
  };
  let ended: Promise<EndedAudio> | null = null;
  const next = () => (waiting.length === 0 ? null : joinedStretch(waiting, liveSecondsMax));
  return {
    follow: () => inTurn(() => take(source.more())),
    next,
    async nextOfOneVoice(voiceIn) {
      // More may come meanwhile.
      for (let at = 0; at < (next()?.count ?? 0); at += 1) {
        const one = waiting[at]!;
        if (!('voice' in one)) one.voice = await voiceIn(one.stretch);
      }
      return next();
    },
    taken: (count) => void waiting.splice(0, count),
    rest(secondsMax) {
      const stretches: Stretch[] = [];
      for (let at = 0; at < waiting.length;) {
        const { stretch, count } = joinedStretch(waiting.slice(at), secondsMax);
        stretches.push(stretch);
        at += count;
      }
      return stretches;
    },
    waitingSince: () => waiting[0]?.stretch[1] ?? null,
    duration,
    speaking: () => spanTo(speech.openSince(), duration()),
    read: (start, end) => copy.read(start, end),
    async piece([start, end]) {
      return await pieceFile(await copy.read(start, end), piecePath);
    },
    end: () => (ended ??= takeRest()),
    async keep() {
      await copy.finish();
      isKept = true;
    },
    async close() {
      await source.close();
      detector.close();
      if (!isKept) await copy.discard();
    },
  };
}

const spanTo = (since: number | null, now: number): Stretch | null =>
  since === null ? null : [since, now];

/** A verdict at a time: where stretches end must not depend on how much comes at once. */
async function judge(
  samples: Int16Array,
  detector: LiveDetector,
  speech: ClosedSpeech,
): Promise<void> {
  for (let at = 0; at < samples.length; at += frameSamples) {
    for (const span of detector.add(samples.subarray(at, at + frameSamples)))
      await speech.grow(span);
    const since = detector.speechSince();
    if (since === null) speech.quiet(detector.quietUntil());
    else await speech.grow([since, detector.seconds()]);
  }
}

/** Such a file holds a stretch at most, and is no work to lose: it is not synced. */
async function pieceFile(samples: Int16Array, path: string): Promise<SpeechFile> {
  amplify(samples);
  const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
  await writeFile(path, Buffer.concat([speechHeader(samples.length), bytes]), { mode: 0o600 });
  const at = (seconds: number) => Math.max(0, Math.round(seconds * speechRate));
  return {
    path,
    samples: samples.length,
    duration: samples.length / speechRate,
    read: async (start, end) => samples.slice(at(start), at(end)),
    close: () => rm(path, { force: true }),
  };
}

/** What would be amplified after the recording is amplified now, a stretch at a time. */
function amplify(samples: Int16Array): void {
  const meter = levelMeter();
  meter.add(Float32Array.from(samples, (sample) => sample / 32_768));
  const { gainDb } = loudnessOf(meter.level());
  if (gainDb === 0) return;
  const gain = 10 ** (gainDb / 20);
  for (let i = 0; i < samples.length; i += 1)
    samples[i] = Math.max(-32_768, Math.min(32_767, Math.round(samples[i]! * gain)));
}

/** Finds speech in audio that is still coming: `webrtcSpeech`, some frames behind. */
interface LiveDetector {
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

async function openLiveDetector(): Promise<LiveDetector> {
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
