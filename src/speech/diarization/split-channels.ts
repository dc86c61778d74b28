import type { Stretch } from '../../../events/facts/transcript.ts';
import { type SpeechFile, speechRate } from '../../audio/wav.ts';
import { webrtcSpeech } from '../detection/webrtc-detector.ts';
import type { SpokenTurn, WindowVoice } from './windows.ts';

/** The two channels of a split capture: the microphone, and what came out of the loudspeakers. */
export type SplitChannels = readonly [microphone: SpeechFile, speakers: SpeechFile];

/** Who speaks when. Speakers are counted from 0: the person at the microphone, then the others. */
export type SplitTurns = { turns: SpokenTurn[]; voices: WindowVoice[] };

/** Tells the people behind the loudspeakers apart, counted from 0. */
type Others = Pick<SplitTurns, 'turns' | 'voices'>;

/** Shares of the progress: looking at both channels, then telling the others apart. */
const lookingShare = 0.2;

/**
 * Who speaks when in a split capture: speech of the microphone is one person's, the others are told apart in
 * the other channel. Turns of both may overlap, where both speak.
 * @param options.others tells people in the other channel apart; null: all of them are one
 * @throws what `others` throws; AbortError
 */
export async function splitTurns(
  [microphone, speakers]: SplitChannels,
  {
    others,
    signal,
    onProgress,
  }: {
    others: ((audio: SpeechFile, onProgress: (fraction: number) => void) => Promise<Others>) | null;
    signal: AbortSignal;
    onProgress(fraction: number): void;
  },
): Promise<SplitTurns> {
  const heard = {
    microphone: await heardIn(microphone, signal),
    speakers: await heardIn(speakers, signal),
  };
  onProgress(lookingShare);
  const own = microphoneTurns(heard.microphone, heard.speakers);
  const found = others
    ? await others(speakers, (fraction) => onProgress(lookingShare + (1 - lookingShare) * fraction))
    : {
        turns: heard.speakers.speech.map(([start, end]): SpokenTurn => [start, end, 0]),
        voices: [],
      };
  const theirs = found.turns.map(([start, end, speaker]): SpokenTurn => [start, end, speaker + 1]);
  return {
    turns: louderApart(
      own.map(([start, end]): SpokenTurn => [start, end, 0]),
      theirs,
      (start, end) =>
        energyOf(heard.microphone.levels, start, end) > energyOf(heard.speakers.levels, start, end),
    ),
    voices: found.voices.map((voice) => ({ ...voice, speaker: voice.speaker + 1 })),
  };
}

/** By so much a turn is cut shorter than what it lies over, at both ends, seconds. */
const shorterSeconds = 0.004;

/**
 * All turns in order of time. Where the person and another speak at once, that part of the louder one's turn is a
 * turn of its own: a recogniser heard their words, and joining gives words to the shorter of two turns. Pure.
 */
export function louderApart(
  own: readonly SpokenTurn[],
  theirs: readonly SpokenTurn[],
  ownIsLouder: (start: number, end: number) => boolean,
): SpokenTurn[] {
  const both = [...own, ...theirs].toSorted((a, b) => a[0] - b[0]);
  const cuts = new Map<SpokenTurn, Stretch[]>(both.map((turn) => [turn, []]));
  let open: SpokenTurn[] = [];
  for (const turn of both) {
    open = open.filter(([, end]) => end > turn[0]);
    for (const other of open) {
      if ((turn[2] === 0) === (other[2] === 0)) continue;
      const [start, end] = [turn[0], Math.min(turn[1], other[1])];
      const [mine, notMine] = turn[2] === 0 ? [turn, other] : [other, turn];
      cuts.get(ownIsLouder(start, end) ? mine : notMine)?.push([start, end]);
    }
    open.push(turn);
  }
  return both.flatMap((turn) => cutOut(turn, cuts.get(turn) ?? [])).toSorted((a, b) => a[0] - b[0]);
}

/** A turn in pieces: those parts of it, and what lies between. */
function cutOut([start, end, speaker]: SpokenTurn, parts: readonly Stretch[]): SpokenTurn[] {
  const pieces: SpokenTurn[] = [];
  let at = start;
  for (const [from, to] of parts) {
    if (from < at) continue; // two others at once: the first part counts
    pieces.push([at, from, speaker], [from + shorterSeconds, to - shorterSeconds, speaker]);
    at = to;
  }
  pieces.push([at, end, speaker]);
  return pieces.filter(([from, to]) => to - from > 2 * shorterSeconds);
}

/** The energy of some frames: pauses and what is left of an echo count little. */
function energyOf(levels: Float32Array, start: number, end: number): number {
  return levels
    .subarray(...framesIn([start, end]))
    .reduce((sum, level) => sum + 10 ** (level / 10), 0);
}

/** What is heard in one channel: where there is speech, and how loud each frame of 100 ms is, in dB. */
export type HeardChannel = { speech: readonly Stretch[]; levels: Float32Array };

const frameSeconds = 0.1;
/** Louder than the loudspeakers are in the microphone by so much it is the person before it, dB. */
const aboveEchoDb = 6;
/** Louder than the room is by so much it is a sound: a detector's stretch reaches beyond what was said, dB. */
const aboveRoomDb = 3;
/** An echo in the room comes late and dies away: so many frames count together. */
const echoFrames = 3;
/** Of the frames in which others speak, the part in which the person is taken to be silent. */
const silentShare = 0.25;
/** Of the frames in which none speaks, the part that is taken for the room: the rest are other sounds. */
const roomShare = 0.5;
/** Fewer frames say nothing of an echo or a room. */
const enoughFrames = 10;
/** Shorter sounds are no speech, shorter pauses end no turn, seconds. */
const shortestSeconds = 0.25;
const pauseSeconds = 0.4;

/**
 * When the person at the microphone speaks. A microphone without headphones hears the loudspeakers as well, more
 * or less: by how much is measured where the others speak, and what is no louder than that is theirs. What is no
 * louder than the microphone is where none speaks is the room's. Pure.
 */
export function microphoneTurns(microphone: HeardChannel, speakers: HeardChannel): Stretch[] {
  const [mine, theirs] = [microphone.levels, speakers.levels];
  const spoken = framesOf(microphone.speech, mine.length);
  const others = framesOf(speakers.speech, mine.length);
  const echo = echoOf(mine, theirs, others);
  const room = atShare(
    mine.filter((_, at) => !spoken[at] && !others[at]),
    roomShare,
  );
  const turns: Stretch[] = [];
  for (const [at, level] of mine.entries()) {
    let loudest = -Infinity;
    for (let back = 0; back <= echoFrames; back += 1)
      loudest = Math.max(loudest, theirs[at - back] ?? -Infinity);
    if (!spoken[at] || level <= room + aboveRoomDb) continue;
    if (level <= loudest + echo + aboveEchoDb) continue;
    const [start, end] = [at * frameSeconds, (at + 1) * frameSeconds];
    const last = turns.at(-1);
    if (last && start - last[1] <= pauseSeconds) last[1] = end;
    else turns.push([start, end]);
  }
  return turns.filter(([start, end]) => end - start >= shortestSeconds);
}

/** By how many dB the loudspeakers are louder, or less loud, in the microphone than in their own channel. */
function echoOf(mine: Float32Array, theirs: Float32Array, others: Uint8Array): number {
  const differences = mine.subarray(0, theirs.length).map((level, at) => level - theirs[at]!);
  return atShare(
    differences.filter((_, at) => others[at]),
    silentShare,
  );
}

/** The level that such a share of some frames is below; -Infinity of too few. */
function atShare(levels: Float32Array, share: number): number {
  if (levels.length < enoughFrames) return -Infinity;
  return levels.toSorted()[Math.floor(levels.length * share)] ?? -Infinity;
}

function framesOf(speech: readonly Stretch[], count: number): Uint8Array {
  const frames = new Uint8Array(count);
  for (const stretch of speech) frames.fill(1, ...framesIn(stretch));
  return frames;
}

/** Of a frame, which times in seconds are not exact to: 5.1 s are the beginning of frame 51, not the end of frame 50. */
const inexact = 1e-6;

/** The frames that a stretch touches: the first, and the first after them. */
function framesIn([start, end]: Stretch): [first: number, after: number] {
  return [Math.floor(start / frameSeconds + inexact), Math.ceil(end / frameSeconds - inexact)];
}

export const heardIn = async (audio: SpeechFile, signal: AbortSignal): Promise<HeardChannel> => ({
  speech: await webrtcSpeech(audio, { signal, onProgress: () => {} }),
  levels: await levelsOf(audio, signal),
});

/** Read at once, seconds. */
const blockSeconds = 30;
/** Of digital silence. */
const floorDb = -100;

/** How loud each frame is: root mean square, in dB of full scale. */
async function levelsOf(audio: SpeechFile, signal: AbortSignal): Promise<Float32Array> {
  const frame = speechRate * frameSeconds;
  const levels = new Float32Array(Math.ceil(audio.samples / frame));
  let at = 0;
  for (let from = 0; from < audio.duration; from += blockSeconds) {
    signal.throwIfAborted();
    const block = await audio.read(from, Math.min(audio.duration, from + blockSeconds));
    for (let first = 0; first < block.length && at < levels.length; first += frame, at += 1) {
      let power = 0;
      const samples = block.subarray(first, first + frame);
      for (const sample of samples) power += (sample / 32_768) ** 2;
      levels[at] = Math.max(floorDb, 10 * Math.log10(power / samples.length));
    }
  }
  return levels;
}
