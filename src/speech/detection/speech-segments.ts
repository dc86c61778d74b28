import type { Stretch, Segment, Word } from '../../../events/facts/transcript.ts';
import { milliseconds } from '../../shared/time.ts';
import { type SpeechFile, speechRate } from '../../audio/wav.ts';
import { type Unit, partOfSegment, unitsOf } from '../../../projections/recording/join-turns.ts';
import { textHeard } from '../../../projections/recording/replaced.ts';

export type PlanLimits = {
  /** Length of the audio in seconds. */
  duration: number;
  /** Longest stretch an engine takes. */
  secondsMax: number;
  /** Where best to cut speech without a pause: a second between the two given, in seconds. */
  cutBetween: (from: number, to: number) => Promise<number>;
};

/** Silence kept before and after speech: detectors are late at soft beginnings and ends. */
export const paddingSeconds = 0.25;
/** Longer pauses are not sent to an engine: Whisper invents phrases in silence. */
export const pauseMax = 2;
/** Shorter spans are clicks. */
export const spanMin = 0.1;
/** Part of `secondsMax` in which a cut through speech is looked for, from its end. */
export const cutZone = 0.4;

/**
 * Which stretches are asked of an engine: sorted, apart or touching, none longer than `secondsMax`,
 * together holding all speech. Cuts lie in pauses; where a person talks on for longer than
 * `secondsMax`, at the quietest place near the end.
 * @param speech spans of speech in seconds, sorted, apart.
 */
export async function planStretches(
  speech: readonly Stretch[],
  { duration, secondsMax, cutBetween }: PlanLimits,
): Promise<Stretch[]> {
  const padded = pad(
    speech.filter(([start, end]) => end - start >= spanMin),
    duration,
  );
  const pieces: Stretch[] = [];
  for (const span of padded) pieces.push(...(await shorten(span, secondsMax, cutBetween)));
  const plan: Stretch[] = [];
  for (const [start, end] of pieces) {
    const open = plan.at(-1);
    if (open && start - open[1] <= pauseMax && end - open[0] <= secondsMax) open[1] = end;
    else plan.push([start, end]);
  }
  return plan.map(([start, end]): Stretch => [milliseconds(start), milliseconds(end)]);
}

/** Puts what was planned together, pauses included, as far as it is no longer than `secondsMax`. */
export function longerStretches(plan: readonly Stretch[], secondsMax: number): Stretch[] {
  const longer: Stretch[] = [];
  for (const [start, end] of plan) {
    const open = longer.at(-1);
    if (open && end - open[0] <= secondsMax) open[1] = end;
    else longer.push([start, end]);
  }
  return longer;
}

/** Window whose energy is compared, in seconds: a short pause between two words. */
const windowSeconds = 0.08;
const stepSeconds = 0.01;
/** More than that is not looked through. */
const rangeSecondsMax = 600;

/**
 * The middle of the quietest 80 ms between two times, in seconds; the later of equals, so that
 * pieces become long.
 */
export async function quietestPoint(audio: SpeechFile, from: number, to: number): Promise<number> {
  const begin = Math.max(from, to - rangeSecondsMax);
  return begin + quietestIn(await audio.read(begin, to));
}

/** The same of some samples, in seconds from the first. */
export function quietestIn(samples: Int16Array): number {
  const step = Math.round(stepSeconds * speechRate);
  const energies = new Float64Array(Math.floor(samples.length / step));
  for (let i = 0; i < energies.length; i += 1) {
    let sum = 0;
    for (const sample of samples.subarray(i * step, (i + 1) * step)) sum += sample * sample;
    energies[i] = sum;
  }
  const width = Math.round(windowSeconds / stepSeconds);
  let best = Infinity;
  let at = Math.floor(energies.length / 2);
  for (let i = 0; i + width <= energies.length; i += 1) {
    let sum = 0;
    for (const energy of energies.subarray(i, i + width)) sum += energy;
    if (sum <= best) {
      best = sum;
      at = i + width / 2;
    }
  }
  return at * stepSeconds;
}

/** Widens spans by the padding; where two would overlap they meet in the middle of their pause. */
function pad(speech: readonly Stretch[], duration: number): Stretch[] {
  return speech.map(([start, end], i): Stretch => {
    const before = speech[i - 1]?.[1];
    const after = speech[i + 1]?.[0];
    const earliest = before === undefined ? 0 : (before + start) / 2;
    const latest = after === undefined ? duration : (end + after) / 2;
    return [Math.max(earliest, start - paddingSeconds), Math.min(latest, end + paddingSeconds)];
  });
}

async function shorten(
  [start, end]: Stretch,
  secondsMax: number,
  cutBetween: PlanLimits['cutBetween'],
): Promise<Stretch[]> {
  const parts: Stretch[] = [];
  let from = start;
  while (end - from > secondsMax) {
    // Not so late that a mere splinter is left for the next one.
    const latest = Math.min(from + secondsMax, end - 1);
    const cut = await cutBetween(Math.max(from + secondsMax * (1 - cutZone), from), latest);
    parts.push([from, cut]);
    from = cut;
  }
  return [...parts, [from, end]];
}

/** How long before the end of a stretch, where speech goes on, the seam to the next one may lie … */
const tailSeconds = 2.5;
/** … and how long before the seam the next one begins to listen, so that it hears whole words. */
const leadSeconds = 1.5;
/** A stretch may be asked for with so many seconds more than it was planned with. */
export const overlapSeconds = tailSeconds + leadSeconds;

/** What was made of a planned stretch: from the seam with the one before to the seam with the next. */
export type HeardPart = { start: number; end: number; segments: Segment[] };

/** Where a stretch that is to be heard lies between others. */
type Place = {
  /** The stretch before, if this one begins where it was cut in speech; else null. */
  before: HeardPart | null;
  /** Whether the next stretch begins where this one ends: speech was cut. */
  goesOn: boolean;
  /** Of one that is heard again: where it ended at first, where the next one may have begun. */
  ended?: number | undefined;
};

/** What is asked of an engine for a planned stretch. */
export function askedStretch([start, end]: Stretch, before: HeardPart | null): Stretch {
  const isSeam = before !== null && before.end < start;
  return isSeam ? [Math.max(before.start, before.end - leadSeconds), end] : [start, end];
}

/**
 * What is kept of what an engine heard of `askedStretch`: each word of overlapping audio once. The seam is a
 * pause between two words by the times of the stretch that was heard first; without times it is the planned cut.
 * Where the times of both differ, the words that both heard tell where the second goes on. Pure.
 * @param segments sorted by time, in seconds of the recording
 */
export function keptPart(
  segments: readonly Segment[],
  [start, end]: Stretch,
  { before, goesOn, ended }: Place,
): HeardPart {
  const heard = segments.flatMap((segment) => {
    const units = unitsOf(segment);
    return units.map((unit): Placed => ({ unit, segment, of: units.length }));
  });
  const isSeam = before !== null && before.end < start;
  const from = isSeam ? before.end : start;
  const own = isSeam ? heard.slice(firstAfter(heard, from, before.segments)) : heard;
  const known = ended === undefined ? null : { count: countBefore(own, ended), seam: ended };
  const last = goesOn ? (known ?? lastBefore(own, [from, end])) : null;
  const to = last === null ? end : last.seam;
  const kept = last === null ? own : own.slice(0, last.count);
  return { start: from, end: to, segments: segmentsOf(kept, [from, to]) };
}

/** A word and the segment it is of, which has so many. */
type Placed = { unit: Unit; segment: Segment; of: number };

/** Pauses that differ by less count as equal, seconds: recognisers give no more exact times. */
const pauseStep = 0.05;
/** A word that ends closer to the end of what was heard may be the half of one, seconds. */
const tornSeconds = 0.3;

/** How many words come before a time. */
function countBefore(heard: readonly Placed[], time: number): number {
  const next = heard.findIndex(({ unit }) => (unit.start + unit.end) / 2 >= time);
  return next === -1 ? heard.length : next;
}

/** After how many words, and when. */
type Seam = { count: number; seam: number };

/** After how many words a seam lies, and when; null: nowhere. The longest pause, else about the middle. */
function lastBefore(heard: readonly Placed[], [start, end]: Stretch): Seam | null {
  let best: (Seam & { pause: number; off: number }) | null = null;
  for (let count = heard.length - 1; count > 0; count -= 1) {
    const [one, other] = [heard[count - 1]!.unit, heard[count]!.unit];
    if (other.start < end - tailSeconds) break;
    if (!isTimed(one) || !isTimed(other) || one.end > end - tornSeconds) continue;
    const pause = Math.round((other.start - one.end) / pauseStep);
    const seam = milliseconds(Math.max(other.start - pauseStep, Math.min(one.end, other.start)));
    const off = Math.abs(end - tailSeconds / 2 - seam);
    const isBetter =
      best === null || pause > best.pause || (pause === best.pause && off < best.off);
    if (isBetter && seam > start && seam < end) best = { count, seam, pause, off };
  }
  return best;
}

/** Whether the recogniser gave the times of this very word. */
const isTimed = ({ text, words: [word, ...more] }: Unit): boolean =>
  word !== undefined && more.length === 0 && lettersOf(text) === lettersOf(word.text);

/** Words whose times may be wrong by so much are compared by what they say, seconds. */
const reachSeconds = 0.6;
/** Words that are compared. */
const comparedMax = 3;
/** A word further from where the times say weighs that much of a word that agrees. */
const perWord = 0.6;

/** The first word behind a seam: by time, and by which words the stretch before it ends with. */
function firstAfter(heard: readonly Placed[], seam: number, before: readonly Segment[]): number {
  const expected = countBefore(heard, seam);
  const tail = lastWords(before);
  let best = expected;
  let most = -Infinity;
  for (let at = 0; at <= heard.length; at += 1) {
    const edge = heard[at]?.unit.start ?? heard.at(-1)?.unit.end ?? seam;
    if (at !== expected && Math.abs(edge - seam) > reachSeconds) continue;
    const agreed = agreedBefore(heard, at, tail) - perWord * Math.abs(at - expected);
    if (agreed > most) [best, most] = [at, agreed];
  }
  return best;
}

/** How many words before a place are the last ones of the stretch before it. */
function agreedBefore(heard: readonly Placed[], at: number, tail: readonly string[]): number {
  let agreed = 0;
  while (agreed < tail.length) {
    const word = heard[at - 1 - agreed];
    if (!word || lettersOf(word.unit.text) !== tail.at(-1 - agreed)) break;
    agreed += 1;
  }
  return agreed;
}

const lastWords = (segments: readonly Segment[]): string[] =>
  segments
    .slice(-comparedMax)
    .map((segment) => (segment.replaced ? { ...segment, text: textHeard(segment) } : segment))
    .flatMap(unitsOf)
    .slice(-comparedMax)
    .map(({ text }) => lettersOf(text));

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Segments as they were where all of their words are kept, none reaching over a seam. */
function segmentsOf(kept: readonly Placed[], [start, end]: Stretch): Segment[] {
  const within = <T extends Word | Segment>(span: T): T => {
    const from = Math.min(Math.max(span.start, start), end);
    return { ...span, start: from, end: Math.max(from, Math.min(span.end, end)) };
  };
  const groups: [Placed, ...Placed[]][] = [];
  for (const placed of kept) {
    const last = groups.at(-1);
    if (last?.[0].segment === placed.segment) last.push(placed);
    else groups.push([placed]);
  }
  return groups.map((group) => {
    const [{ segment, of }] = group;
    const part =
      group.length === of
        ? segment
        : partOfSegment(
            segment,
            group.map(({ unit }) => unit),
          );
    return { ...within(part), words: part.words.map(within) };
  });
}
