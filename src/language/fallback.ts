import type { Block } from '../../events/facts/transcript.ts';
import { type Sentence, knownLocale, sentencesOf, stopWords, textSentences } from './sentences.ts';
import type { SpeakerNames } from './talk.ts';

/** Sentences in a summary: a tenth of the talk, but some and not too many. */
const pointsMin = 3;
const pointsMax = 8;
const titleWordsMax = 8;
const abstractSentences = 2;
/** A point longer than this is cut: it is a recogniser's sentence, not a person's. */
const pointWordsMax = 40;

/**
 * The built-in summary, for when there is no language model: the sentences that say most of what
 * the others say, in their order, as bullet points in the speakers' own words. Empty for no words.
 * The same talk always gives the same summary.
 */
export function fallbackSummary(
  blocks: readonly Block[],
  { language, names }: { language: string | null; names: SpeakerNames },
): { text: string } {
  const sentences = sentencesOf(blocks, language);
  const count = Math.min(pointsMax, Math.max(pointsMin, Math.ceil(sentences.length / 10)));
  const points = best(sentences, count, language).map(({ text, speaker }) => {
    const name = speaker === null ? '' : `${names[speaker] ?? speaker}: `;
    return `- ${name}${firstWords(text, pointWordsMax)}`;
  });
  return { text: points.join('\n') };
}

/**
 * The built-in title and abstract: the sentence that says most, cut to at most eight words that
 * begin and end with a meaning, and the two that say most. Empty for no words.
 */
export function fallbackTitle(
  from: { summary: string; blocks: readonly Block[] },
  { language }: { language: string | null },
): { title: string; abstract: string } {
  const sentences = sentencesOf(from.blocks, language);
  const source = sentences.length > 0 ? sentences : summarySentences(from.summary, language);
  const top = best(source, abstractSentences, language);
  const [first] = best(source, 1, language);
  return {
    title: first ? titleFrom(first.text, language) : '',
    abstract: top.map(passage).join(' '),
  };
}

const ended = (sentence: string): string =>
  /[\p{L}\p{N}]$/u.test(sentence) ? `${sentence}.` : sentence;

const damping = 0.85;
const roundsMax = 60;
const settledAt = 1e-5;
/** Ranking is quadratic: longer texts are ranked in sections of so many sentences. */
const sectionMax = 120;

/**
 * The words of a text that mean something, in lower case, cut to their first letters to bring forms
 * together.
 */
export function contentWords(text: string, language: string | null): string[] {
  const stop = stopWords(language);
  const segmenter = new Intl.Segmenter(knownLocale(language), { granularity: 'word' });
  return Array.from(segmenter.segment(text.toLowerCase()))
    .filter(({ isWordLike, segment }) => isWordLike && !stop.has(segment) && segment.length > 1)
    .map(({ segment }) => segment.slice(0, 7));
}

/**
 * The sentences ranked highest, in the order of the talk. Each section of a long talk gets its
 * share.
 */
function best(sentences: Sentence[], count: number, language: string | null): Sentence[] {
  const scores = textRank(
    sentences.map(({ text }) => text),
    language,
  );
  // A remark of a word or two may recommend itself by repetition; it tells a reader nothing.
  const telling = (index: number) => (sentences[index]!.text.split(' ').length >= 4 ? 1 : 0);
  const seen = new Set<string>();
  return sentences
    .map((_, index) => index)
    .sort(
      (one, other) => telling(other) - telling(one) || scores[other]! - scores[one]! || one - other,
    )
    .filter((index) => {
      const text = sentences[index]!.text.toLowerCase();
      return seen.has(text) ? false : seen.add(text);
    })
    .slice(0, count)
    .sort((one, other) => one - other)
    .map((index) => sentences[index]!);
}

function summarySentences(summary: string, language: string | null): Sentence[] {
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
  const words = sentence.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word));
  const means = (word: string) => !stop.has(word.toLowerCase().replaceAll(/[^\p{L}\p{N}'’]/gu, ''));
  const first = words.findIndex(means);
  const from = words.slice(Math.max(0, first), Math.max(0, first) + titleWordsMax);
  const last = from.findLastIndex(means);
  const chosen = last > 0 ? from.slice(0, last + 1) : from;
  const title = chosen.join(' ').replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}?!%]+$/gu, '');
  return title.charAt(0).toLocaleUpperCase() + title.slice(1);
}

function firstWords(text: string, wordsMax: number): string {
  const words = text.split(' ');
  return words.length <= wordsMax ? text : `${words.slice(0, wordsMax).join(' ')} …`;
}

/** A sentence, or the piece of one that was cut: no full stop where the person had not come to one. */
function passage({ text, cut }: Sentence): string {
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
  const scores: number[] = [];
  for (let start = 0; start < sentences.length; start += sectionMax)
    scores.push(...rankSection(sentences.slice(start, start + sectionMax), language));
  return scores;
}

function rankSection(sentences: readonly string[], language: string | null): number[] {
  const words = sentences.map((sentence) => new Set(contentWords(sentence, language)));
  const weights = words.map((one, row) =>
    words.map((other, column) => (row === column ? 0 : similarity(one, other))),
  );
  const sums = weights.map((row) => row.reduce((sum, weight) => sum + weight, 0));
  let scores = sentences.map(() => 1);
  for (let round = 0; round < roundsMax; round += 1) {
    const next = scores.map((_, row) => {
      let recommended = 0;
      for (const [column, weight] of weights[row]!.entries())
        if (weight > 0) recommended += (weight / sums[column]!) * scores[column]!;
      return 1 - damping + damping * recommended;
    });
    const moved = Math.max(...next.map((score, index) => Math.abs(score - scores[index]!)));
    scores = next;
    if (moved < settledAt) break;
  }
  return scores;
}

function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size < 2 || other.size < 2) return 0;
  let shared = 0;
  for (const word of one) if (other.has(word)) shared += 1;
  return shared / (Math.log(one.size) + Math.log(other.size));
}
