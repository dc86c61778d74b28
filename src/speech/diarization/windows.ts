import type { Stretch } from '../../../events/facts/transcript.ts';
import type { SpeakerCount } from '../../shared/speaker-count.ts';
import { milliseconds } from '../../shared/time.ts';
import { similarity } from '../../../projections/recording/voices.ts';

/**
 * Who speaks when in one window, and how each of its speakers sounds. Speakers are numbers that mean
 * nothing in another window; times are seconds of the whole recording.
 */
export type Window = {
  span: Stretch;
  turns: readonly SpokenTurn[];
  voices: readonly WindowVoice[];
};
/** [start, end, speaker] */
export type SpokenTurn = readonly [number, number, number];
export type WindowVoice = {
  speaker: number;
  /** Of length 1, as the model made it of `seconds` of speech; null when there was too little of it. */
  embedding: readonly number[] | null;
  seconds: number;
};

/** Shortest window of a recording that has several, and how much of it the next one hears again. */
const windowSeconds = 300;
const overlapSeconds = 30;

/**
 * Cuts a recording into windows of equal length, 5 to 10 minutes (a shorter recording is one), each of
 * which begins before the one before it ends: what a process holds does not grow with the recording.
 */
export function windowsOf(duration: number): Stretch[] {
  const fresh = windowSeconds - overlapSeconds;
  const count = Math.max(1, Math.floor((duration - overlapSeconds) / fresh));
  const step = (duration - overlapSeconds) / count;
  return Array.from({ length: count }, (_, at): Stretch => {
    const isLast = at === count - 1;
    return count === 1
      ? [0, duration]
      : [at * step, isLast ? duration : at * step + step + overlapSeconds];
  });
}

/** Similarity (cosine) from which a window's speaker is one known from earlier windows … */
export const joinMin = 0.5;
/** … of one with little speech, whose embedding says less … */
export const joinShortMin = 0.3;
/** … and from which two speakers are one although a window took them for two. */
const sameMin = 0.7;
/** Speech that makes an embedding reliable, seconds. */
const reliableSeconds = 3;
/** Turns of one speaker with a smaller pause between them were cut by windows. */
const seamSeconds = 0.1;
/** What is left of a turn at a window's edge is dropped below this. */
const shortestSeconds = 0.1;

/**
 * Joins windows: speakers of two windows are matched by how they sound, in one walk over the windows
 * against the speakers known so far, so that the work grows with the recording's length. Pure.
 * @returns speakers counted from 0 in order of first speech, with their mean embeddings
 */
export function joinWindows(
  windows: readonly Window[],
  speakers: SpeakerCount,
): { turns: SpokenTurn[]; voices: WindowVoice[] } {
  const all = knownFrom(windows);
  // A sound too short for an embedding does not count as a speaker: its words go to the speaker beside it.
  const heard = all.filter(({ sum }) => sum !== null);
  const known = mergeKnown(heard.length > 0 ? heard : all, speakers);
  const speakerOf = new Map(
    known.flatMap((one, index) => one.keys.map((key): [string, number] => [key, index])),
  );
  const turns = seamless(
    windows.flatMap((window, at) => {
      const [from, to] = ownPart(window, windows[at - 1], windows[at + 1]);
      return window.turns.flatMap(([start, end, speaker]): SpokenTurn[] => {
        const index = speakerOf.get(keyOf(at, speaker));
        const own = [Math.max(start, from), Math.min(end, to)] as const;
        return index === undefined || own[1] - own[0] < shortestSeconds ? [] : [[...own, index]];
      });
    }),
  );
  const order = [...new Set(turns.map(([, , speaker]) => speaker))];
  return {
    turns: turns.map(([start, end, speaker]) => [start, end, order.indexOf(speaker)]),
    voices: order.map((index, speaker) => {
      const { sum = null, seconds = 0 } = known[index] ?? {};
      return { speaker, seconds, embedding: sum && unit(sum) };
    }),
  };
}

/** A speaker heard so far: which speakers of which windows they are, and the sum of their embeddings. */
type Known = { keys: string[]; sum: number[] | null; seconds: number };
const keyOf = (window: number, speaker: number): string => `${window}/${speaker}`;

function knownFrom(windows: readonly Window[]): Known[] {
  const known: Known[] = [];
  // Those of whom there is enough to go by come first: the others are compared with all of them.
  for (const [enough, min] of [
    [true, joinMin],
    [false, joinShortMin],
  ] as const) {
    for (const [at, { turns, voices }] of windows.entries()) {
      const there = new Set(turns.map(([, , speaker]) => speaker));
      const some = [...there]
        .map((speaker) => voices.find((voice) => voice.speaker === speaker) ?? silent(speaker))
        .filter((voice) => isReliable(voice) === enough);
      assign(some, at, known, min);
    }
  }
  return known;
}

const silent = (speaker: number): WindowVoice => ({ speaker, embedding: null, seconds: 0 });
export const isReliable = ({
  embedding,
  seconds,
}: Pick<WindowVoice, 'embedding' | 'seconds'>): boolean =>
  embedding !== null && seconds >= reliableSeconds;

/** How those sound of whom there is enough, as facts keep it. */
export const labelledVoices = (
  voices: readonly WindowVoice[],
  labelOf: (speaker: number) => string,
): { label: string; seconds: number; embedding: number[] }[] =>
  voices.flatMap(({ speaker, seconds, embedding }) =>
    embedding
      ? [{ label: labelOf(speaker), seconds: milliseconds(seconds), embedding: [...embedding] }]
      : [],
  );

/** The most similar pairs first; two speakers of a window are one only when they sound very much alike. */
function assign(voices: readonly WindowVoice[], at: number, known: Known[], min: number): void {
  const pairs = voices.flatMap((voice) =>
    known.map((one) => ({ voice, one, alike: similarity(voice.embedding, one.sum) })),
  );
  const placed = new Set<WindowVoice>();
  for (const { voice, one, alike } of pairs.toSorted((a, b) => b.alike - a.alike)) {
    if (placed.has(voice) || alike < min) continue;
    const isTaken = one.keys.some((key) => key.startsWith(`${at}/`));
    if (isTaken && alike < sameMin) continue;
    add(one, voice, at);
    placed.add(voice);
  }
  for (const voice of voices) {
    if (placed.has(voice)) continue;
    const one: Known = { keys: [], sum: null, seconds: 0 };
    add(one, voice, at);
    known.push(one);
  }
}

function add(one: Known, { speaker, embedding, seconds }: WindowVoice, at: number): void {
  one.keys.push(keyOf(at, speaker));
  one.seconds += seconds;
  const weight = Math.max(seconds, 0.1);
  const { sum } = one;
  if (embedding) one.sum = embedding.map((value, i) => (sum?.[i] ?? 0) + value * weight);
}

/** Joins the two most similar until there are no more than there should be, and none are alike. */
function mergeKnown(known: readonly Known[], { min, max }: SpeakerCount): Known[] {
  const left = [...known];
  while (left.length > (min ?? 1)) {
    let best: { alike: number; one: Known; other: Known } | undefined;
    for (const [at, one] of left.entries()) {
      for (const other of left.slice(at + 1)) {
        const alike = similarity(one.sum, other.sum);
        if (alike > (best?.alike ?? -Infinity)) best = { alike, one, other };
      }
    }
    if (!best || (best.alike < sameMin && left.length <= (max ?? Infinity))) break;
    const { one, other } = best;
    left.splice(left.indexOf(other), 1);
    left[left.indexOf(one)] = {
      keys: [...one.keys, ...other.keys],
      seconds: one.seconds + other.seconds,
      sum: one.sum?.map((value, i) => value + (other.sum?.[i] ?? 0)) ?? other.sum,
    };
  }
  return left;
}

/** Where windows overlap each has the half that is farther from its edge. */
function ownPart({ span }: Window, before: Window | undefined, after: Window | undefined): Stretch {
  return [
    before ? (before.span[1] + span[0]) / 2 : -Infinity,
    after ? (span[1] + after.span[0]) / 2 : Infinity,
  ];
}

/** In order of time; what lies together of one speaker is one turn. */
function seamless(turns: readonly SpokenTurn[]): SpokenTurn[] {
  const whole: SpokenTurn[] = [];
  const lastOf = new Map<number, number>();
  for (const turn of turns.toSorted((a, b) => a[0] - b[0])) {
    const [start, end, speaker] = turn;
    const index = lastOf.get(speaker);
    const last = index === undefined ? undefined : whole[index];
    if (index !== undefined && last && start - last[1] <= seamSeconds) {
      whole[index] = [last[0], Math.max(last[1], end), speaker];
    } else lastOf.set(speaker, whole.push(turn) - 1);
  }
  return whole;
}

/** Of length 1. */
export function unit(sum: readonly number[]): number[] {
  const length = Math.hypot(...sum) || 1;
  // Five digits are more than an embedding is good for, and half of the fact's size.
  return sum.map((value) => Math.round((value / length) * 1e5) / 1e5);
}
