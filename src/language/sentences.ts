import type { Block } from '../../events/transcript.ts';
import { knownLocale } from './language-name.ts';

export type Sentence = {
  text: string;
  /** Index of the block it is from. */
  block: number;
  speaker: string | null;
};

/** Engines without punctuation give sentences without end: longer ones are cut. */
const wordsMax = 40;
const pieceWords = 20;

/** The sentences of a talk, in order, by the rules of its language (`Intl.Segmenter`). */
export function sentencesOf(blocks: readonly Block[], language: string | null): Sentence[] {
  return blocks.flatMap(({ text, speaker }, block) =>
    textSentences(text, language).map((sentence) => ({ text: sentence, block, speaker })),
  );
}

/** The sentences of a text that hold a word at all. */
export function textSentences(text: string, language: string | null): string[] {
  const segmenter = new Intl.Segmenter(knownLocale(language), { granularity: 'sentence' });
  return Array.from(segmenter.segment(text.replaceAll(/\s+/gu, ' ')), ({ segment }) =>
    segment.trim(),
  )
    .flatMap(cut)
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

function cut(sentence: string): string[] {
  const words = sentence.split(' ');
  if (words.length <= wordsMax) return [sentence];
  const pieces = Math.ceil(words.length / pieceWords);
  const each = Math.ceil(words.length / pieces);
  return Array.from({ length: pieces }, (_, index) =>
    words.slice(index * each, (index + 1) * each).join(' '),
  );
}
