import type { Block } from '../../events/transcript.ts';
import { knownLocale } from './language-name.ts';

export type Sentence = {
  text: string;
  /** What a sentence without end was cut off from: it does not begin, or end, with this piece. */
  cut: { before: boolean; after: boolean };
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
    pieces(text, language).map((piece) => ({ ...piece, block, speaker })),
  );
}

/** The sentences of a text that hold a word at all. */
export const textSentences = (text: string, language: string | null): string[] =>
  pieces(text, language).map((piece) => piece.text);

function pieces(text: string, language: string | null): Pick<Sentence, 'text' | 'cut'>[] {
  const segmenter = new Intl.Segmenter(knownLocale(language), { granularity: 'sentence' });
  return Array.from(segmenter.segment(text.replaceAll(/\s+/gu, ' ')), ({ segment }) =>
    segment.trim(),
  )
    .flatMap(cut)
    .filter((piece) => /[\p{L}\p{N}]/u.test(piece.text));
}

function cut(sentence: string): Pick<Sentence, 'text' | 'cut'>[] {
  const words = sentence.split(' ');
  if (words.length <= wordsMax) return [{ text: sentence, cut: { before: false, after: false } }];
  const each = Math.ceil(words.length / Math.ceil(words.length / pieceWords));
  const count = Math.ceil(words.length / each);
  return Array.from({ length: count }, (_, index) => ({
    text: words.slice(index * each, (index + 1) * each).join(' '),
    cut: { before: index > 0, after: index < count - 1 },
  }));
}
