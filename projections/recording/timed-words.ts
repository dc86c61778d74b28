import type { Block, Word } from '../../events/facts/transcript.ts';
import { wordPatches } from '../../src/shared/word-patches.ts';

/** A text's words: what white space separates. */
export const splitWords = (text: string): string[] => text.match(/\S+/gu) ?? [];

/** The word without case and punctuation: what is the same word to a listener. */
export const spokenForm = (word: string): string => {
  const bare = word
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
  const spoken = words.flatMap((word) =>
    splitWords(word.text).map((one) => ({ ...word, text: one })),
  );
  const timed: (Word | undefined)[] = [];
  let at = 0;
  const patches = wordPatches(
    spoken.map((word) => word.text),
    tokens,
    soundsSame,
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
