import type { Word } from '../../events/transcript.ts';

/** A piece of a word as recognisers give it: a leading space (or SentencePiece's ▁) starts a word. */
export type Token = { text: string; start: number; end: number };

/**
 * Words with times from tokens: a new word at each leading space, and at each character of a script
 * that is written without spaces. Punctuation stays with the word before it.
 */
export function wordsFromTokens(tokens: readonly Token[]): Word[] {
  const words: Word[] = [];
  let open = false; // whether the last word may still grow
  for (const { text: raw, start, end } of tokens) {
    const text = raw.replaceAll('▁', ' ');
    const piece = text.trim();
    if (piece === '') {
      if (text !== '') open = false;
      continue;
    }
    const last = words.at(-1);
    const starts = /^\s/.test(text) || unspaced.test(piece);
    const ends = punctuation.test(piece);
    if (last && ((open && !starts) || ends)) {
      last.text += piece;
      last.end = Math.max(last.end, end);
    } else {
      words.push({ text: piece, start, end });
    }
    // Behind punctuation nothing changes: “don’t” may come as three tokens.
    if (!ends) open = !/\s$/.test(text) && !unspacedEnd.test(piece);
  }
  return words;
}

/**
 * Tokens of a sherpa-onnx result: it gives starts, durations only for some models, and no ends.
 * @param ends end of the audio in seconds, for the last token.
 */
export function tokensOf(
  result: { tokens?: string[]; timestamps?: number[]; durations?: number[] },
  ends: number,
): Token[] {
  const { tokens = [], timestamps = [], durations = [] } = result;
  // Without a time for each token there are no times at all.
  if (timestamps.length !== tokens.length) return [];
  return tokens.map((text, i) => {
    const start = timestamps[i]!;
    const next = timestamps[i + 1] ?? Math.min(ends, start + lastTokenSeconds);
    const end = durations[i] ? start + durations[i] : Math.min(next, start + tokenSecondsMax);
    return { text, start, end: Math.max(start, Math.min(end, ends)) };
  });
}

/** A token without a duration does not reach through the pause that may follow it. */
const tokenSecondsMax = 0.6;
const lastTokenSeconds = 0.3;

const unspacedScripts =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]';
const unspaced = new RegExp(`^${unspacedScripts}`, 'u');
const unspacedEnd = new RegExp(`${unspacedScripts}$`, 'u');
const punctuation = /^[\p{Po}\p{Pe}\p{Pf}]+$/u;
