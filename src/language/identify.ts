import type { NameQuote } from '../../events/facts/results.ts';
import type { Block } from '../../events/facts/transcript.ts';
import { StageError } from '../shared/errors.ts';
import { namesInAnswer, type AnsweredName } from './identify-answer.ts';
import { type SpokenTalk, evidenceFor, spokenTalk } from './identify-evidence.ts';
import { identifyRequest } from './identify-request.ts';
import { AnswerTimedOut, type LanguageModel } from './model.ts';
import { type Piece, estimatedTokens, halvesOfPart, talkLines, talkOf, talkParts } from './talk.ts';

export type IdentifyOptions = {
  /** ISO 639-1 code of the talk; null when unknown. */
  language: string | null;
  /** Names of people who may be among those who speak. */
  people: readonly string[];
  signal: AbortSignal;
  /** Fraction done, 0 to 1. */
  onProgress: (fraction: number) => void;
};

/** A name, and what was said that it rests on. */
export type FoundName = { name: string; confidence: number; quotes: NameQuote[] };

const contextShare = 0.6;
const textTokensMin = 128;
const answerTokens = { min: 200, max: 1200, share: 0.25 };
/** What a slow computer reads within the time limit. After one timeout parts are no larger. */
const slowTokensMax = 3000;
/** How often a part is halved that the server finds too large; one it comes to no end with may be a loop. */
const depthMax = { prompt: 6, answer: 1 };
/** Of a talk; more names are a model that lists words. */
const namesMax = 60;
const quotesMax = 5;
/** Of more people than that the first are offered. */
const peopleMax = 60;
/** How sure a model can be of a name that is not in its quote. */
const unnamedMax = 0.3;

/**
 * Asks who speaks in a talk, part by part. A name stays only with a quote that was said, word for word; the quote is
 * kept as it was heard. No words give no names and no request.
 * @throws {StageError} when the model is away, refuses, or answers no part with a list (`answer-empty`).
 */
export async function identify(
  blocks: Block[],
  model: LanguageModel,
  options: IdentifyOptions,
): Promise<FoundName[]> {
  const talk = talkOf(blocks, {});
  if (talk.length === 0) return [];
  const people = options.people.slice(0, peopleMax);
  const context = await model.contextTokens(options.signal);
  const { min, max, share } = answerTokens;
  const answerTokensMax = Math.max(min, Math.min(max, Math.floor(context * share)));
  const asking: Asking = { model, people, signal: options.signal, answerTokensMax };
  const empty = identifyRequest('', people, answerTokensMax, true);
  const overhead = estimatedTokens(empty.system + empty.user) + answerTokensMax / 2;
  const tokensMax = Math.max(textTokensMin, Math.floor(context * contextShare - overhead));
  const parts = talkParts(talk, tokensMax);
  const answered: AnsweredName[] = [];
  let failure: StageError | undefined;
  let read = 0;
  for (const [index, part] of parts.entries()) {
    const names = await namesOf(asking, part, 0);
    if (names instanceof StageError) failure = names;
    else {
      answered.push(...names);
      read += 1;
    }
    options.onProgress((index + 1) / parts.length);
  }
  // One part that cannot be read leaves the names of the others.
  if (failure && read === 0) throw failure;
  return withEvidence(answered, spokenTalk(blocks, options.language));
}

type Asking = {
  model: LanguageModel;
  people: readonly string[];
  signal: AbortSignal;
  answerTokensMax: number;
};

/** The names in a part, or in its halves where it is too large for the server; or why there is no list of them. */
async function namesOf(
  asking: Asking,
  part: Piece[],
  depth: number,
): Promise<AnsweredName[] | StageError> {
  const lines = talkLines(part);
  let names = await asked(asking, lines, false);
  if (names instanceof StageError && names.code === 'answer-empty')
    names = await asked(asking, lines, true);
  if (!(names instanceof StageError)) return names;
  const halves = depth < halvingsOf(names) ? halvesOfPart(part) : undefined;
  if (!halves) return names;
  const first = await namesOf(asking, halves[0], depth + 1);
  const second = await namesOf(asking, halves[1], depth + 1);
  if (first instanceof StageError) return second;
  return second instanceof StageError ? first : [...first, ...second];
}

/** @throws {StageError} what is about the model, and not about this part */
async function asked(
  { model, people, signal, answerTokensMax }: Asking,
  lines: string,
  again: boolean,
): Promise<AnsweredName[] | StageError> {
  try {
    const request = identifyRequest(lines, people, answerTokensMax, again);
    return namesInAnswer(await model.complete(request, signal)) ?? noList();
  } catch (error) {
    const isAboutPart = error instanceof StageError && partCodes.has(error.code);
    const isSlow = error instanceof AnswerTimedOut && estimatedTokens(lines) > slowTokensMax;
    if (isAboutPart || isSlow) return error;
    throw error;
  }
}

const noList = () =>
  new StageError('answer-empty', 'The language model answered with no list of names.', {
    retriable: false,
  });

const partCodes: ReadonlySet<string> = new Set([
  'answer-empty',
  'content-filter',
  'prompt-truncated',
  'answer-cut',
]);

function halvingsOf(failure: StageError): number {
  const isTooLarge = failure instanceof AnswerTimedOut || failure.code === 'prompt-truncated';
  if (isTooLarge) return depthMax.prompt;
  return failure.code === 'answer-cut' ? depthMax.answer : 0;
}

/** One entry a name, those with the most behind them first. */
function withEvidence(answered: readonly AnsweredName[], talk: SpokenTalk): FoundName[] {
  const found = new Map<string, FoundName>();
  for (const { name, confidence, quotes } of answered) {
    for (const { text, how } of quotes) {
      const evidence = evidenceFor(text, name, talk);
      if (!evidence) continue;
      const { isNamed, ...place } = evidence;
      const key = name.toLowerCase();
      const one = found.get(key) ?? { name, confidence: 0, quotes: [] };
      found.set(key, one);
      one.confidence = Math.max(
        one.confidence,
        isNamed ? confidence : Math.min(unnamedMax, confidence),
      );
      const isThere = one.quotes.some(({ start }) => start === place.start);
      if (!isThere && one.quotes.length < quotesMax) one.quotes.push({ ...place, how });
    }
  }
  return [...found.values()].toSorted((a, b) => b.confidence - a.confidence).slice(0, namesMax);
}
