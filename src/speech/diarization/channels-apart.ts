import type { Stretch } from '../../../events/facts/transcript.ts';
import { openSpeechFile, writeSpeechFile } from '../../audio/speech-file.ts';
import { type SpeechFile, speechRate } from '../../audio/wav.ts';
import { paddingSeconds } from '../detection/speech-segments.ts';
import {
  type HeardChannel,
  type SplitChannels,
  heardIn,
  microphoneTurns,
} from './split-channels.ts';

/** Two channels that carry different speech, each with what it says itself alone. */
export type ApartChannels = {
  files: SplitChannels;
  /** When each speaks, in seconds. */
  speech: readonly [Stretch[], Stretch[]];
};

/** By so much one channel is louder than the other where it speaks alone, dB. */
const louderDb = 10;
/** Part of the speech in which one channel is that much louder; less is a room with two microphones. */
const louderShare = 0.6;
/** Speech of each of two who talk, seconds. */
const ownSecondsMin = 2;
/** Read at once, seconds. */
const blockSeconds = 30;

/**
 * Two channels of a call or of a combined recording, apart: what one hears of the other is silent in it, so that each word
 * counts once. Null where both carry the same, or only one carries speech.
 * @param targets where the channels are written; the caller closes and removes them
 */
export async function channelsApart(
  channels: SplitChannels,
  targets: readonly [string, string],
  signal: AbortSignal,
): Promise<ApartChannels | null> {
  const [one, other] = [await heardIn(channels[0], signal), await heardIn(channels[1], signal)];
  if (!carryDifferentSpeech(one, other)) return null;
  const speech = [microphoneTurns(one, other), microphoneTurns(other, one)] as const;
  if (speech.some((turns) => secondsOf(turns) < ownSecondsMin)) return null;
  const files = [
    await onlySpeech(channels[0], speech[0], targets[0], signal),
    await onlySpeech(channels[1], speech[1], targets[1], signal),
  ] as const;
  return { files, speech };
}

/** Whether one channel is clearly louder than the other for most of the speech, and now and then either. Pure. */
export function carryDifferentSpeech(one: HeardChannel, other: HeardChannel): boolean {
  const spoken = new Set<number>();
  for (const [start, end] of [...one.speech, ...other.speech])
    for (let frame = Math.ceil(start * 10); frame < Math.floor(end * 10); frame += 1)
      spoken.add(frame);
  let [oneLouder, otherLouder] = [0, 0];
  for (const frame of spoken) {
    const difference = (one.levels[frame] ?? 0) - (other.levels[frame] ?? 0);
    if (difference >= louderDb) oneLouder += 1;
    if (difference <= -louderDb) otherLouder += 1;
  }
  const least = Math.min(oneLouder, otherLouder) / 10;
  return least >= ownSecondsMin && oneLouder + otherLouder >= louderShare * spoken.size;
}

const secondsOf = (turns: readonly Stretch[]): number =>
  turns.reduce((sum, [start, end]) => sum + end - start, 0);

/** The same audio with silence where the channel does not speak itself. */
async function onlySpeech(
  channel: SpeechFile,
  turns: readonly Stretch[],
  target: string,
  signal: AbortSignal,
): Promise<SpeechFile> {
  const spans = turns.map(([start, end]): Stretch => [
    start - paddingSeconds,
    end + paddingSeconds,
  ]);
  async function* blocks() {
    let next = 0;
    for (let from = 0; from < channel.duration; from += blockSeconds) {
      const to = Math.min(channel.duration, from + blockSeconds);
      const samples = await channel.read(from, to);
      const kept = new Float32Array(samples.length);
      while ((spans[next]?.[1] ?? Infinity) <= from) next += 1;
      for (const [start, end] of spans.slice(next)) {
        if (start >= to) break;
        const first = Math.max(0, Math.round((start - from) * speechRate));
        const last = Math.min(samples.length, Math.round((end - from) * speechRate));
        for (let i = first; i < last; i += 1) kept[i] = samples[i]! / 32_768;
      }
      yield kept;
    }
  }
  await writeSpeechFile(target, blocks(), { gain: 1, signal });
  return await openSpeechFile(target);
}
