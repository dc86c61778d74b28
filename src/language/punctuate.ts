import type { Block, Word } from '../../events/facts/transcript.ts';
import { StageError } from '../shared/errors.ts';
import type { LanguageModel } from './model.ts';
import { type Piece, halvesOf, joined, partsOf, pieceTokens, tokensOfAll } from './talk.ts';
import { instructionTokens, provenTexts, punctuationRequest } from './punctuation-request.ts';
import { AnswerTimedOut } from './server-errors.ts';
import { type SpokenWord, spokenWords } from './spoken-words.ts';

export type PunctuateOptions = {
  signal: AbortSignal;
  /** Fraction done, 0 to 1. */
  onProgress: (fraction: number) => void;
  /** ISO 639-1 code of the talk; null when nobody knows. */
  language: string | null;
};

export type Punctuated = {
  blocks: Block[];
  /**
   * Into how many parts the transcript was cut to be asked for; 0 when there was nothing to ask.
   */
  parts: number;
  /** Ids of blocks of which something stayed as it was, because no answer kept its words. */
  kept: string[];
};

/** Share of the context that prompt and answer may fill. */
const contextShare = 0.6;
/** An answer is about as long as its question, with punctuation and some reserve. */
const answerShare = 1.25;
const partTokensMin = 64;
/** How often parts may be made smaller because the server found them too large or was too slow. */
const halvingsMax = 6;
/** What a slow computer answers within the time limit. After one timeout parts are no larger. */
const slowTokensMax = 1200;

/**
 * Punctuates and capitalises blocks with a language model. Not a word is changed, whatever the
 * model answers: every answer is compared word by word, asked for once more in smaller parts where
 * it differs, and what differs again stays as it was. Ids, speakers, order and times stay.
 * @throws {StageError} when the model is away or refuses to work at all; AbortError.
 */
export async function punctuate(
  blocks: Block[],
  model: LanguageModel,
  options: PunctuateOptions,
): Promise<Punctuated> {
  const { signal, onProgress, language } = options;
  let waiting = piecesOf(blocks, language);
  if (waiting.length === 0) return { blocks, parts: 0, kept: [] };
  const total = tokensOfAll(waiting);
  let tokensMax = partTokens(await model.contextTokens(signal), language);
  const done: Settled[] = [];
  let parts = 0;
  for (let halvings = 0; waiting.length > 0;) {
    const [part, ...later] = partsOf(waiting, tokensMax);
    const answer = await ask(model, part!, options, false);
    if ((answer === 'too-slow' || answer === 'too-large') && halvings < halvingsMax) {
      halvings += 1;
      const half = Math.floor(Math.min(tokensMax, tokensOfAll(part!)) / 2);
      tokensMax = Math.max(partTokensMin, answer === 'too-slow' ? slowTokensMax : half);
      continue;
    }
    done.push(...(await secondChance(model, part!, answer, options)));
    parts += 1;
    waiting = later.flat();
    onProgress(1 - tokensOfAll(waiting) / total);
  }
  return { ...assembled(blocks, done, language), parts };
}

const partTokens = (context: number, language: string | null): number =>
  Math.max(
    partTokensMin,
    Math.floor((context * contextShare - instructionTokens(language)) / (1 + answerShare)),
  );

/**
 * Words with the case and the punctuation they have in a text of the same words; their times stay.
 * A word that holds no spoken word (a lone dash) stays as it is. Where words and text do not match,
 * because an engine's words are not its text, all stay as they are.
 */
export function punctuatedWords(words: Word[], text: string, language: string | null): Word[] {
  const spoken = spokenWords(text, language);
  const shown = displayed(text, spoken);
  let next = 0;
  const punctuated: Word[] = [];
  for (const word of words) {
    const parts = spokenWords(word.text, language);
    const first = next;
    for (const part of parts) {
      if (spoken[next]?.word !== part.word) return words;
      next += 1;
    }
    const own =
      parts.length === 0 ? word.text : text.slice(shown[first]!.start, shown[next - 1]!.end);
    punctuated.push({ ...word, text: own.replaceAll(/\s+/gu, ' ').trim() });
  }
  return next === spoken.length ? punctuated : words;
}

/** A piece with its punctuated text; null where the words stay as they were. */
type Settled = { piece: Piece; text: string | null };

type Answer = (string | null)[] | 'too-large' | 'too-slow';

function piecesOf(blocks: Block[], language: string | null): Piece[] {
  return blocks.flatMap(({ text, speaker, words }, block) => {
    if (spokenWords(text, language).length === 0) return [];
    const runs = text.trim().split(/\s+/u).length;
    const aligned = runs === words.length ? words : [];
    return [{ block, speaker, text: text.trim(), words: aligned, glue: '' as const }];
  });
}

/** One request. Errors that are about this part only become an answer; all others are thrown. */
async function ask(
  model: LanguageModel,
  pieces: Piece[],
  { signal, language }: PunctuateOptions,
  again: boolean,
): Promise<Answer> {
  try {
    const answer = await model.complete(punctuationRequest(pieces, language, again), signal);
    return provenTexts(answer, pieces, language);
  } catch (error) {
    if (!(error instanceof StageError)) throw error;
    // Large requests are worth one timeout: in small ones a slow computer comes to an end.
    const large = tokensOfAll(pieces) > slowTokensMax;
    if (error instanceof AnswerTimedOut && large && !again) return 'too-slow';
    if (error.code === 'prompt-truncated' || error.code === 'answer-cut') return 'too-large';
    if (error.code === 'answer-empty' || error.code === 'content-filter')
      return pieces.map(() => null);
    throw error;
  }
}

/** Asks once more, in parts half as large, for the pieces an answer did not prove. */
async function secondChance(
  model: LanguageModel,
  part: Piece[],
  answer: Answer,
  options: PunctuateOptions,
): Promise<Settled[]> {
  const texts = typeof answer === 'string' ? part.map(() => null) : answer;
  const failing = part.filter((_, index) => texts[index] === null);
  const again =
    failing.length === 1 && part.length === 1 ? (halvesOf(part[0]!) ?? failing) : failing;
  const largest = again.reduce((most, piece) => Math.max(most, pieceTokens(piece)), 0);
  const tokensMax = Math.max(largest, Math.ceil(tokensOfAll(part) / 2));
  const settled: Settled[] = [];
  for (const smaller of again.length > 0 ? partsOf(again, tokensMax) : []) {
    const second = await ask(model, smaller, options, true);
    smaller.forEach((piece, index) =>
      settled.push({ piece, text: typeof second === 'string' ? null : second[index]! }),
    );
  }
  return part.flatMap((piece, index) => {
    const text = texts[index] ?? null;
    if (text !== null) return [{ piece, text }];
    // A part of one piece was asked for in halves: both are that piece.
    return settled.filter((one) => one.piece === piece || part.length === 1);
  });
}

function assembled(
  blocks: Block[],
  done: Settled[],
  language: string | null,
): Pick<Punctuated, 'blocks' | 'kept'> {
  const byBlock = new Map<number, Settled[]>();
  for (const settled of done) {
    const { block } = settled.piece;
    byBlock.set(block, [...(byBlock.get(block) ?? []), settled]);
  }
  const kept = blocks.filter((_, index) => byBlock.get(index)?.some(({ text }) => text === null));
  return {
    kept: kept.map(({ id }) => id),
    blocks: blocks.map((block, index) => {
      const settled = byBlock.get(index);
      if (!settled || settled.every(({ text }) => text === null)) return block;
      const text = joined(
        settled.map(({ piece, text }) => ({ ...piece, text: text ?? piece.text })),
      );
      return { ...block, text, words: punctuatedWords(block.words, text, language) };
    }),
  };
}

/** How far each spoken word reaches with its punctuation, so that all of the text is somebody's. */
function displayed(text: string, spoken: SpokenWord[]): { start: number; end: number }[] {
  const borders = spoken.map(({ end }, index) => {
    const next = spoken[index + 1]?.start ?? text.length;
    const gap = text.slice(end, next);
    // What stands right before the next word opens it: „ ( «. All else closes this one.
    const opening = index + 1 === spoken.length ? '' : (/\s(\S*)$/u.exec(gap)?.[1] ?? '');
    return next - opening.length;
  });
  return spoken.map((_, index) => ({
    start: index === 0 ? 0 : borders[index - 1]!,
    end: borders[index]!,
  }));
}
