import { speechRate } from '../../src/audio/wav.ts';

/**
 * Audio in which every "word" is a burst whose frequency tells its number, so that a stand-in for a
 * recogniser can hear exactly which words it was sent, and when.
 */
export type ToneWord = { text: string; start: number; end: number };

const codes = 64;
const frequencyOf = (code: number) => 640 + 40 * code;
const soundMin = 600;

/** The text of word number `index`: they repeat after 64, neighbours always differ. */
export const toneText = (index: number): string => `w${String(index % codes).padStart(2, '0')}`;

/** A repeatable source of numbers from 0 to 1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** When the words of a talk of so many seconds are said: sentences, pauses, now and then a long one. */
export function toneTalk(seconds: number, random: () => number): ToneWord[] {
  const words: ToneWord[] = [];
  let at = 0.3 + random();
  for (;;) {
    const start = Math.round(at * 100) / 100;
    const end = Math.round((start + 0.2 + 0.3 * random()) * 100) / 100;
    if (end > seconds - 0.2) return words;
    words.push({ text: toneText(words.length), start, end });
    const kind = random();
    at =
      end + (kind < 0.85 ? 0.12 + 0.1 * random() : kind < 0.98 ? 0.4 + random() : 3 + 5 * random());
  }
}

/** The talk as 16 kHz samples from -1 to 1, a second at a time. */
export async function* toneAudio(
  words: readonly ToneWord[],
  seconds: number,
): AsyncGenerator<Float32Array> {
  let next = 0;
  for (let at = 0; at < seconds; at += 1) {
    const block = new Float32Array(Math.round(Math.min(1, seconds - at) * speechRate));
    while (next > 0 && words[next - 1]!.end > at) next -= 1;
    for (; next < words.length && words[next]!.start < at + 1; next += 1) {
      const { text, start, end } = words[next]!;
      const first = Math.round(start * speechRate);
      const offset = Math.round(at * speechRate);
      const last = Math.min(Math.round(end * speechRate), offset + block.length);
      const tone = (2 * Math.PI * frequencyOf(Number(text.slice(1)))) / speechRate;
      const voice = (2 * Math.PI * 125) / speechRate;
      for (let i = Math.max(first, offset); i < last; i += 1) {
        const t = i - first;
        block[i - offset] =
          0.2 * Math.sin(tone * t) + 0.1 * Math.sin(voice * t) + 0.08 * Math.sin(3 * voice * t);
      }
    }
    yield block;
  }
}

/** The words in a piece of such audio. A word cut in two is heard twice, as a real engine might. */
export function hearTones(pcm: Int16Array): ToneWord[] {
  const frame = speechRate / 100;
  const loud: boolean[] = [];
  for (let i = 0; i < pcm.length; i += frame) {
    let peak = 0;
    for (const sample of pcm.subarray(i, i + frame)) peak = Math.max(peak, Math.abs(sample));
    loud.push(peak > soundMin);
  }
  const words: ToneWord[] = [];
  for (let i = 0; i < loud.length; i += 1) {
    if (!loud[i]) continue;
    const from = i;
    while (i < loud.length && loud[i]) i += 1;
    const burst = pcm.subarray(from * frame, i * frame);
    words.push({
      text: `w${String(codeOf(burst)).padStart(2, '0')}`,
      start: from / 100,
      end: i / 100,
    });
  }
  return words;
}

/** The strongest of the possible frequencies (Goertzel's algorithm). */
function codeOf(burst: Int16Array): number {
  let best = -1;
  let code = 0;
  const part = burst.subarray(0, 3200);
  for (let candidate = 0; candidate < codes; candidate += 1) {
    const factor = 2 * Math.cos((2 * Math.PI * frequencyOf(candidate)) / speechRate);
    let a = 0;
    let b = 0;
    for (const sample of part) [a, b] = [sample + factor * a - b, a];
    const power = a * a + b * b - factor * a * b;
    if (power > best) [best, code] = [power, candidate];
  }
  return code;
}
