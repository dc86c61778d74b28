import { textSegments, textWords, wordCount } from '../shared/segments.ts';
import type { Block, SummaryLine } from '../../events/facts/transcript.ts';
import { isCourtesy } from './content-words.ts';
import {
  type SpokenSentence,
  knownLocale,
  sentencesOf,
  stopWords,
  textSentences,
} from './sentences.ts';
import { textOfLines } from './talk.ts';

/** Sentences in a summary: a tenth of the talk, but some and not too many. */
const pointsMin = 3;
const pointsMax = 8;
const titleWordsMax = 8;
const titleCharactersMax = 120;
const abstractSentences = 2;
/** An extract with more of a talk's letters than this would only say the talk again. */
const shareMax = 0.6;
/** A point longer than this is cut: it is a recogniser's sentence, not a person's. */
const pointWordsMax = 40;

/**
 * The built-in summary, for when there is no language model: the sentences that say most of what
 * the others say, in their order, as bullet points in the speakers' own words. Empty for no words,
 * and, as `tooShort` says, for a talk so short that they would only say it again.
 * The same talk always gives the same summary.
 */
export function fallbackSummary(
  blocks: readonly Block[],
  { language }: { language: string | null },
): { text: string; lines: SummaryLine[]; tooShort: boolean } {
  const sentences = tellingOf(sentencesOf(blocks, language), language);
  const count = Math.min(pointsMax, Math.max(pointsMin, Math.ceil(sentences.length / 10)));
  const { first, inOrder } = best(sentences, count, language);
  const isTitle =
    first && inOrder.length === 1 && isSame(first.text, titleFrom(first.text, language));
  if (isTitle || isMostOf(inOrder, sentences)) return { text: '', lines: [], tooShort: true };
  const lines = inOrder.map(({ text, speaker, block }) => ({
    kind: 'point' as const,
    text: firstWords(text, pointWordsMax),
    speaker,
    person: null,
    due: null,
    block: blocks[block]?.id ?? null,
  }));
  return { text: textOfLines(lines), lines, tooShort: false };
}

/**
 * The built-in title and abstract: the sentence that says most, cut to at most eight words that
 * begin and end with a meaning, and the two that say most. Empty for no words; no abstract, as
 * `tooShort` says, where it would only say the talk, the title or the summary again.
 */
export function fallbackTitle(
  from: { summary: string; blocks: readonly Block[] },
  { language }: { language: string | null },
): { title: string; abstract: string; tooShort: boolean } {
  const sentences = tellingOf(sentencesOf(from.blocks, language), language);
  const source = sentences.length > 0 ? sentences : summarySentences(from.summary, language);
  const { first, inOrder } = best(source, abstractSentences, language);
  const title = first ? titleFrom(first.text, language) : '';
  const abstract = inOrder.map(passage).join(' ').replaceAll('… …', '…');
  const tooShort =
    isMostOf(inOrder, source) || isSame(abstract, title) || isSummary(inOrder, from.summary);
  return { title, abstract: tooShort ? '' : abstract, tooShort };
}

/** Without greetings and thanks, unless nothing else was said. */
function tellingOf(sentences: SpokenSentence[], language: string | null): SpokenSentence[] {
  const telling = sentences.filter(({ text }) => !isCourtesy(text, language));
  return telling.length > 0 ? telling : sentences;
}

/** Letters and digits alone, in lower case: what two texts are compared by. */
const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

const isSame = (one: string, other: string): boolean =>
  one !== '' && lettersOf(one) === lettersOf(other);

/** Whether a choice of sentences leaves out too little of a talk to be shorter than it. */
function isMostOf(chosen: readonly SpokenSentence[], all: readonly SpokenSentence[]): boolean {
  const letters = (sentences: readonly SpokenSentence[]) =>
    sentences.reduce((sum, { text }) => sum + lettersOf(text).length, 0);
  return chosen.length > 0 && letters(chosen) > shareMax * letters(all);
}

/** Whether the points of a summary are these sentences. */
function isSummary(sentences: readonly SpokenSentence[], summary: string): boolean {
  const points = summary.split('\n');
  return (
    points.length === sentences.length &&
    sentences.every(({ text }, at) => points[at]?.endsWith(firstWords(text, pointWordsMax)))
  );
}

const ended = (sentence: string): string =>
  /[\p{L}\p{N}]$/u.test(sentence) ? `${sentence}.` : sentence;

const damping = 0.85;
const roundsMax = 60;
const settledAt = 1e-5;
/** Ranking is quadratic: longer texts are ranked in sections of so many sentences. */
const sectionMax = 120;

/**
 * The sentences ranked highest, in the order of the talk, and the first of them all. Each section of a
 * long talk gets its share.
 */
function best(
  sentences: SpokenSentence[],
  count: number,
  language: string | null,
): { first: SpokenSentence | undefined; inOrder: SpokenSentence[] } {
  const scores = textRank(
    sentences.map(({ text }) => text),
    language,
  );
  // A remark of a word or two may recommend itself by repetition; it tells a reader nothing.
  const telling = ({ text }: SpokenSentence) => (wordCount(text) >= 4 ? 1 : 0);
  // Nor does one that begins in the middle of what was said.
  const begun = ({ cut }: SpokenSentence) => (cut.before ? 0 : 1);
  const seen = new Set<string>();
  const ranked = sentences
    .map((sentence, index) => ({ sentence, index, score: scores[index] ?? 0 }))
    .sort(
      (one, other) =>
        telling(other.sentence) - telling(one.sentence) ||
        begun(other.sentence) - begun(one.sentence) ||
        other.score - one.score,
    )
    .filter(({ sentence }) => {
      const text = sentence.text.toLowerCase();
      return seen.has(text) ? false : seen.add(text);
    })
    .slice(0, count);
  const inOrder = ranked.toSorted((one, other) => one.index - other.index);
  return { first: ranked[0]?.sentence, inOrder: inOrder.map(({ sentence }) => sentence) };
}

function summarySentences(summary: string, language: string | null): SpokenSentence[] {
  return textSentences(summary.replaceAll(/^[-*]\s+/gmu, ''), language).map((text) => ({
    text,
    cut: { before: false, after: false },
    block: 0,
    speaker: null,
  }));
}

/** Up to eight words from the first to the last that mean something. */
function titleFrom(sentence: string, language: string | null): string {
  const stop = stopWords(language);
  const words = textWords(sentence).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const means = (word: string) => !stop.has(word.toLowerCase().replaceAll(/[^\p{L}\p{N}'’]/gu, ''));
  const first = words.findIndex(means);
  const from = words.slice(Math.max(0, first), Math.max(0, first) + titleWordsMax);
  const last = from.findLastIndex(means);
  const chosen = last > 0 ? from.slice(0, last + 1) : from;
  const title = Array.from(chosen.join(''))
    .slice(0, titleCharactersMax)
    .join('')
    .replaceAll(/^[^\p{L}\p{N}]+|(?<![^\p{L}\p{N}?!%])[^\p{L}\p{N}?!%]+$/gu, '');
  return title.charAt(0).toLocaleUpperCase() + title.slice(1);
}

function firstWords(text: string, wordsMax: number): string {
  const words = textWords(text);
  return words.length <= wordsMax ? text : `${words.slice(0, wordsMax).join('').trimEnd()} …`;
}

/** A sentence, or the piece of one that was cut: no full stop where the person had not come to one. */
function passage({ text, cut }: SpokenSentence): string {
  const begun = cut.before ? `… ${text}` : text;
  if (cut.after) return `${begun} …`;
  return ended(firstWords(begun, pointWordsMax));
}

/**
 * Ranks sentences by TextRank (Mihalcea & Tarau, "TextRank: Bringing Order into Texts", EMNLP
 * 2004): sentences that share words recommend each other, weighted by overlap over the logarithms
 * of their lengths. Deterministic; one score for each sentence, comparable inside of a section of
 * 120.
 */
function textRank(sentences: readonly string[], language: string | null): number[] {
  const words = contentWords(sentences, language);
  const scores: number[] = [];
  for (let start = 0; start < sentences.length; start += sectionMax)
    scores.push(...rankSection(words.slice(start, start + sectionMax)));
  return scores;
}

/**
 * The words of each text that mean something, in lower case, cut to their first letters to bring forms
 * together.
 */
function contentWords(texts: readonly string[], language: string | null): Set<string>[] {
  const stop = stopWords(language);
  // Costs more to make than to use on a sentence.
  const segmenter = new Intl.Segmenter(knownLocale(language), { granularity: 'word' });
  return texts.map((text) => {
    const words = new Set<string>();
    for (const { isWordLike, segment } of textSegments(segmenter, text.toLowerCase())) {
      if (isWordLike && segment.length > 1 && !stop.has(segment)) words.add(segment.slice(0, 7));
    }
    return words;
  });
}

function rankSection(words: readonly ReadonlySet<string>[]): number[] {
  const shares = sharesOf(words);
  let scores = words.map(() => 1);
  for (let round = 0; round < roundsMax; round += 1) {
    const next = shares.map((row) => {
      const recommended = row.reduce((sum, share, at) => sum + share * (scores[at] ?? 0), 0);
      return 1 - damping + damping * recommended;
    });
    const moved = Math.max(...next.map((score, index) => Math.abs(score - (scores[index] ?? 0))));
    scores = next;
    if (moved < settledAt) break;
  }
  return scores;
}

/** What part of a sentence's recommendations (the column) goes to another (the row). */
function sharesOf(words: readonly ReadonlySet<string>[]): Float64Array[] {
  const count = words.length;
  const weights = new Float64Array(count * count);
  for (const [row, mine] of words.entries()) {
    for (const [column, its] of words.slice(0, row).entries()) {
      const weight = similarity(mine, its);
      weights[row * count + column] = weight;
      weights[column * count + row] = weight;
    }
  }
  const rows = words.map((_, row) => weights.subarray(row * count, (row + 1) * count));
  const sums = rows.map((row) => row.reduce((sum, weight) => sum + weight, 0));
  return rows.map((row) => row.map((weight, at) => (weight > 0 ? weight / (sums[at] ?? 1) : 0)));
}

function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size < 2 || other.size < 2) return 0;
  let shared = 0;
  for (const word of one) if (other.has(word)) shared += 1;
  return shared / (Math.log(one.size) + Math.log(other.size));
}
