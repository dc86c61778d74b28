import { textSegments, textWords } from '../shared/segments.ts';
import { isDotOfWord } from '../shared/sentence-ends.ts';
import * as lists from 'stopword';
import type { Block, Word } from '../../events/facts/transcript.ts';

export type SpokenSentence = {
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

/** What a person pauses where something begins, in seconds. */
const pauseSeconds = 0.5;
/** Pieces between pauses have no fewer words. */
const pieceWordsMin = 6;

/** The sentences of a talk, in order, by the rules of its language. */
export function sentencesOf(blocks: readonly Block[], language: string | null): SpokenSentence[] {
  return blocks.flatMap(({ text, speaker, words }, block) =>
    pieces(text, language, words).map((piece) => ({ ...piece, block, speaker })),
  );
}

/** The sentences of a text that hold a word at all; those without end in pieces. */
export const textSentences = (text: string, language: string | null): string[] =>
  pieces(text, language).map((piece) => piece.text);

/** Words that speech is full of and the lists, made for writing, lack. */
const spoken: Readonly<Record<string, string>> = {
  de: 'äh ähm hm ja nee nö halt eben mal so also genau okay ok quasi sozusagen irgendwie einfach eigentlich glaube denke sage sagen gesagt mehr haben habe hat gibt wäre würde machen mache macht',
  en: "uh um er hm yeah yes no okay ok so well like just really kind sort actually basically think know mean going gonna get got thing things right would could should have has had it's that's i'm we're don't there's let's",
};

/** The lists of `stopword` by ISO 639-1 code; the package names them by ISO 639-3. */
const written = new Map<string, readonly string[]>();
for (const [name, list] of Object.entries(lists)) {
  const code = knownLocale(name.slice(0, 3));
  if (code && Array.isArray(list) && !written.has(code)) written.set(code, list);
}
written.set('no', lists.nob);
const made = new Map<string, ReadonlySet<string>>();

/**
 * The words that say nothing by themselves, in lower case: of the language, or those of German and English where it is
 * not known.
 */
export function stopWords(language: string | null): ReadonlySet<string> {
  const code = knownLocale(language)?.split('-')[0];
  const codes = code && written.has(code) ? [code] : ['de', 'en'];
  const key = codes.join();
  const known = made.get(key);
  if (known) return known;
  const words = new Set(
    codes.flatMap((one) => [...written.get(one)!, ...(spoken[one]?.split(' ') ?? [])]),
  );
  made.set(key, words);
  return words;
}

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

type CutPiece = Pick<SpokenSentence, 'text' | 'cut'>;

/** The sentences of a text that hold a word at all, however long they are. */
export const wholeSentences = (text: string, language: string | null): string[] =>
  segmentsOf(text, language).filter(isSaid);

const isSaid = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

function segmentsOf(text: string, language: string | null): string[] {
  const segmenter = new Intl.Segmenter(knownLocale(language), { granularity: 'sentence' });
  const sentences: string[] = [];
  for (const { segment } of textSegments(segmenter, text.replaceAll(/\s+/gu, ' ').trim())) {
    const last = sentences.at(-1);
    if (last !== undefined && isDotOfWord(last, segment, language))
      sentences[sentences.length - 1] = `${last} ${segment.trim()}`;
    else sentences.push(segment.trim());
  }
  return sentences;
}

/** @param timed the words of the text with their times, which tell where the pauses are */
function pieces(
  text: string,
  language: string | null,
  timed: readonly Pick<Word, 'start' | 'end'>[] = [],
): CutPiece[] {
  const sentences = segmentsOf(text, language);
  const lengths = sentences.map((sentence) => textWords(sentence).length);
  const aligned = lengths.reduce((sum, length) => sum + length, 0) === timed.length;
  let at = 0;
  return sentences
    .flatMap((sentence, index) => {
      const from = at;
      at += lengths[index]!;
      return cut(sentence, aligned ? timed.slice(from, at) : []);
    })
    .filter((piece) => isSaid(piece.text));
}

/** A sentence without end in pieces: at its pauses, else after so many words. */
function cut(sentence: string, timed: readonly Pick<Word, 'start' | 'end'>[]): CutPiece[] {
  const words = textWords(sentence);
  if (words.length <= wordsMax) return [{ text: sentence, cut: { before: false, after: false } }];
  const found: CutPiece[] = [];
  let before = false;
  for (let from = 0; from < words.length;) {
    const { end, pause } = pieceEnd(words.length, from, timed);
    const after = !pause && end < words.length;
    found.push({ text: words.slice(from, end).join('').trimEnd(), cut: { before, after } });
    before = after;
    from = end;
  }
  return found;
}

/** Where a piece that begins at a word ends: at the first pause, else where it is long enough. */
function pieceEnd(
  count: number,
  from: number,
  timed: readonly Pick<Word, 'start' | 'end'>[],
): { end: number; pause: boolean } {
  const last = Math.min(count, from + wordsMax);
  for (let end = from + pieceWordsMin; end < last; end += 1) {
    const [word, next] = [timed[end - 1], timed[end]];
    if (word && next && next.start - word.end >= pauseSeconds) return { end, pause: true };
  }
  const rest = count - from;
  return { end: rest <= wordsMax ? count : from + pieceWords, pause: false };
}
