import { knownLocale } from './language-name.ts';
import { stopWords } from './stop-words.ts';

const damping = 0.85;
const roundsMax = 60;
const settledAt = 1e-5;
/** Ranking is quadratic: longer texts are ranked in sections of so many sentences. */
const sectionMax = 120;

/**
 * Ranks sentences by TextRank (Mihalcea & Tarau, "TextRank: Bringing Order into Texts", EMNLP
 * 2004): sentences that share words recommend each other, weighted by overlap over the logarithms
 * of their lengths. Deterministic; one score for each sentence, comparable inside of a section of
 * 120.
 */
export function textRank(sentences: readonly string[], language: string | null): number[] {
  const scores: number[] = [];
  for (let start = 0; start < sentences.length; start += sectionMax)
    scores.push(...rankSection(sentences.slice(start, start + sectionMax), language));
  return scores;
}

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
