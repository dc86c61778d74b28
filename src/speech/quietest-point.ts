import { type SpeechFile, speechRate } from '../audio/speech-file.ts';

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
  const samples = await audio.read(begin, to);
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
    for (let k = i; k < i + width; k += 1) sum += energies[k]!;
    if (sum <= best) {
      best = sum;
      at = i + width / 2;
    }
  }
  return begin + at * stepSeconds;
}
