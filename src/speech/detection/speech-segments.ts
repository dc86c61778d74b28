import type { Stretch } from '../../../events/facts/transcript.ts';
import { type SpeechFile, speechRate } from '../../audio/wav.ts';

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

/** The log holds three decimals: 16 samples. */
export const milliseconds = (seconds: number) => Math.round(seconds * 1000) / 1000;

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
    for (let k = i * step; k < (i + 1) * step; k += 1) sum += samples[k]! * samples[k]!;
    energies[i] = sum;
  }
  const width = Math.round(windowSeconds / stepSeconds);
  let best = Infinity;
  let at = Math.floor(energies.length / 2);
  for (let i = 0; i + width <= energies.length; i += 1) {
    let sum = 0;
    for (let k = i; k < i + width; k += 1) sum += energies[k]!;
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
