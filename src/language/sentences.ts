import { deu, eng } from 'stopword';
import type { Block } from '../../events/facts/transcript.ts';

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

/** Words that speech is full of and the lists, made for writing, lack. */
const spoken = {
  de: 'äh ähm hm ja nee nö halt eben mal so also genau okay ok quasi sozusagen irgendwie einfach eigentlich glaube denke sage sagen gesagt mehr haben habe hat gibt wäre würde machen mache macht',
  en: "uh um er hm yeah yes no okay ok so well like just really kind sort actually basically think know mean going gonna get got thing things right would could should have has had it's that's i'm we're don't there's let's",
};

const lists = {
  de: new Set([...deu, ...spoken.de.split(' ')]),
  en: new Set([...eng, ...spoken.en.split(' ')]),
};

/**
 * The words that say nothing by themselves, in lower case: of the language, or of both when it is
 * neither.
 */
export function stopWords(language: string | null): ReadonlySet<string> {
  const code = language?.slice(0, 2).toLowerCase();
  return code === 'de' || code === 'en' ? lists[code] : either;
}

const either = new Set([...lists.de, ...lists.en]);

/**
 * `de` → `German`; for prompts, which are in English. Without a code: the transcript's own
 * language.
 */
export function languageName(code: string | null): string {
  const locale = knownLocale(code);
  const name = locale && new Intl.DisplayNames(['en'], { type: 'language' }).of(locale);
  return name || 'the language of the transcript';
}

/** A language code that `Intl` takes; undefined for none and for nonsense. */
export function knownLocale(code: string | null): string | undefined {
  if (!code || code === 'auto') return undefined;
  try {
    return Intl.getCanonicalLocales(code)[0];
  } catch {
    return undefined;
  }
}

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
