import type { Block, Word } from '../../events/facts/transcript.ts';
import { unspacedScripts } from '../../src/shared/segments.ts';
import { streamSafe } from '../../src/shared/stream-safe.ts';
import { wordPatches } from '../../src/shared/word-patches.ts';

const unspaced = `${unspacedScripts}ー`;
const beginsUnspaced = new RegExp(`^[${unspaced}]`, 'u');
const isUnspaced = new RegExp(`[${unspaced}]`, 'u');
/**
 * A word with what stands before the next one: what white space separates; of unspaced scripts a letter, with the marks
 * after it, since recognisers agree about letters only.
 */
const piece = new RegExp(
  String.raw`[${unspaced}]\p{M}*[^\s\p{L}\p{N}]*\s*|[^\s${unspaced}]+\s*`,
  'gu',
);

/** A text's words, each with the blank after it, if there is one: joined they are the text. */
export const textPieces = (text: string): string[] =>
  (text.match(piece) ?? []).map((one) => {
    const word = one.trimEnd();
    return word === one ? word : `${word} `;
  });

/** A text's words. */
export const splitWords = (text: string): string[] => textPieces(text).map((one) => one.trim());

/** Whether there has to be a blank between two words that have none. */
export const areApart = (one: string, next: string): boolean =>
  !one.endsWith(' ') && !isUnspaced.test(one) && !beginsUnspaced.test(next);

/** Words one after the other, with blanks between them where there are some, or have to be. */
export const joinedPieces = (pieces: readonly string[]): string =>
  pieces
    .map((one, at) => {
      const next = pieces[at + 1];
      return next !== undefined && areApart(one, next) ? `${one} ` : one;
    })
    .join('')
    .trim();

/** The word without case and punctuation: what is the same word to a listener. */
export const spokenForm = (word: string): string => {
  const bare = streamSafe(word)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]/gu, '');
  return bare === '' ? word : bare;
};

export const soundsSame = (a: string, b: string): boolean => spokenForm(a) === spokenForm(b);

/**
 * Each word of a text with when it was said. Words that the recogniser timed keep their times; those
 * a person wrote share the time between their neighbours, by their length.
 */
export function timedWords(
  text: string,
  { words, start, end }: Pick<Block, 'words' | 'start' | 'end'>,
): Word[] {
  const tokens = splitWords(text);
  const spoken = words.flatMap((word) => {
    const [text = '', ...more] = splitWords(word.text);
    if (more.length > 0) return spread([text, ...more], word.start, word.end);
    return text === '' ? [] : [{ ...word, text }];
  });
  const timed: (Word | undefined)[] = [];
  let at = 0;
  const patches = wordPatches(
    spoken.map((word) => spokenForm(word.text)),
    tokens.map(spokenForm),
  );
  for (const { from, to, inserted } of patches) {
    for (; at < from; at += 1) timed.push(spoken[at]);
    for (let index = 0; index < inserted.length; index += 1) timed.push(undefined);
    at = to;
  }
  for (; at < spoken.length; at += 1) timed.push(spoken[at]);
  return filled(tokens, timed, start, Math.max(start, end));
}

/** The words of a corrected block; none when the recogniser gave no times. */
export const retimed = (text: string, block: Block): Word[] =>
  block.words.length === 0 ? [] : timedWords(text, block);

function filled(
  tokens: readonly string[],
  timed: readonly (Word | undefined)[],
  start: number,
  end: number,
): Word[] {
  const result: Word[] = [];
  for (let index = 0; index < tokens.length;) {
    const [text, known] = [tokens[index], timed[index]];
    if (known && text !== undefined) {
      result.push({ text, start: known.start, end: known.end });
      index += 1;
      continue;
    }
    let next = index;
    while (next < tokens.length && !timed[next]) next += 1;
    const from = result.at(-1)?.end ?? start;
    const to = Math.max(from, timed[next]?.start ?? end);
    result.push(...spread(tokens.slice(index, next), from, to));
    index = next;
  }
  return result;
}

/** Words sharing a span by their length. */
export function spread(words: readonly string[], start: number, end: number): Word[] {
  const letters = words.reduce((sum, word) => sum + word.length, 0);
  let said = 0;
  return words.map((text) => {
    const from = start + ((end - start) * said) / letters;
    said += text.length;
    return { text, start: from, end: start + ((end - start) * said) / letters };
  });
}
