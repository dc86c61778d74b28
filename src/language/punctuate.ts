import type { Block } from '../../events/facts/transcript.ts';
import { StageError } from '../shared/errors.ts';
import { AnswerTimedOut, type LanguageModel } from './model.ts';
import { isShouted } from './proof.ts';
import { instructionTokens, provenTexts, punctuationRequest } from './punctuation-request.ts';
import { type SettledPiece, jointText, upToLastSentence } from './seams.ts';
import { spokenWords } from './spoken-words.ts';
import { type Piece, firstPart, halvesOf, packedParts, pieceTokens, tokensOfAll } from './talk.ts';
import { punctuatedWords } from './punctuated-words.ts';

export type PunctuateOptions = {
  signal: AbortSignal;
  /** Fraction done, 0 to 1. */
  onProgress: (fraction: number) => void;
  /** ISO 639-1 code of the talk; null when unknown. */
  language: string | null;
  /** More blocks are to come: a part that reaches to the end of these may become longer, and is left. */
  goesOn?: boolean;
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
  const { signal, onProgress, language, goesOn = false } = options;
  let waiting = piecesOf(blocks, language);
  if (waiting.length === 0) return { blocks, parts: 0, kept: [] };
  const shouted = isShouted(waiting.map(({ text }) => text).join('\n'));
  const asking: Asking = { model, talk: { language, shouted }, signal };
  const total = tokensOfAll(waiting);
  let tokensMax = partTokens(await model.contextTokens(signal), language);
  const done: SettledPiece[] = [];
  let parts = 0;
  for (let halvings = 0; waiting.length > 0;) {
    const { part, rest } = firstPart(waiting, tokensMax);
    if (goesOn && rest.length === 0) break;
    const answer = await ask(asking, part, false);
    if ((answer === 'too-slow' || answer === 'too-large') && halvings < halvingsMax) {
      halvings += 1;
      const half = Math.floor(Math.min(tokensMax, tokensOfAll(part)) / 2);
      tokensMax = Math.max(partTokensMin, answer === 'too-slow' ? slowTokensMax : half);
      continue;
    }
    const settled = await secondChance(asking, part, answer);
    const next = upToLastSentence(settled, rest, language);
    done.push(...next.settled);
    waiting = next.rest;
    parts += 1;
    onProgress(1 - tokensOfAll(waiting) / total);
  }
  return { ...assembled(blocks, done, language), parts };
}

type Asking = {
  model: LanguageModel;
  talk: { language: string | null; shouted: boolean };
  signal: AbortSignal;
};

const partTokens = (context: number, language: string | null): number =>
  Math.max(
    partTokensMin,
    Math.floor((context * contextShare - instructionTokens(language)) / (1 + answerShare)),
  );

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
  { model, talk, signal }: Asking,
  pieces: Piece[],
  again: boolean,
): Promise<Answer> {
  try {
    const request = punctuationRequest(pieces, talk.language, again);
    return provenTexts(await model.complete(request, signal), pieces, talk);
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
  asking: Asking,
  part: Piece[],
  answer: Answer,
): Promise<SettledPiece[]> {
  const texts = typeof answer === 'string' ? part.map(() => null) : answer;
  const failing = part.filter((_, index) => texts[index] === null);
  const again =
    failing.length === 1 && part.length === 1 ? (halvesOf(part[0]!) ?? failing) : failing;
  const largest = again.reduce((most, piece) => Math.max(most, pieceTokens(piece)), 0);
  const tokensMax = Math.max(largest, Math.ceil(tokensOfAll(part) / 2));
  const settled: SettledPiece[] = [];
  for (const smaller of again.length > 0 ? packedParts(again, tokensMax) : []) {
    const second = await ask(asking, smaller, true);
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
  done: SettledPiece[],
  language: string | null,
): Pick<Punctuated, 'blocks' | 'kept'> {
  const byBlock = new Map<number, SettledPiece[]>();
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
      const text = jointText(settled, language);
      return { ...block, text, words: punctuatedWords(block.words, text, language) };
    }),
  };
}
