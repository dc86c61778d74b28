import type { NameQuote } from '../../events/facts/results.ts';
import type { Block } from '../../events/facts/transcript.ts';
import { StageError } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';
import {
  namesInAnswer,
  type AnsweredName,
  type SpokenTalk,
  evidenceFor,
  spokenTalk,
} from './identify-answer.ts';
import { AnswerTimedOut, type LanguageModel, type Completion, arrayOf, objectOf } from './model.ts';
import {
  type Piece,
  dataRule,
  estimatedTokens,
  halvesOfPart,
  talkLines,
  talkOf,
  talkParts,
  textRoom,
  inert,
  termsWithin,
} from './talk.ts';

type IdentifyOptions = {
  /** ISO 639-1 code of the talk; null when unknown. */
  language: string | null;
  /** Names of people who may be among those who speak. */
  people: readonly string[];
  /** Names and terms in the spelling that they are to have, the most useful first. */
  terms?: readonly string[];
  signal: AbortSignal;
  /** Fraction done, 0 to 1. */
  onProgress: (fraction: number) => void;
};

/** A name, and what was said that it rests on. */
type FoundName = { name: string; confidence: number; quotes: NameQuote[] };

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
  const terms = termsWithin(options.terms ?? []);
  const asking: Asking = { model, people, terms, signal: options.signal, answerTokensMax };
  const empty = identifyRequest('', asking, true);
  const overhead = estimatedTokens(empty.system + empty.user) + answerTokensMax / 2;
  const tokensMax = textRoom(context, overhead);
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
  terms: readonly string[];
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
  asking: Asking,
  lines: string,
  again: boolean,
): Promise<AnsweredName[] | StageError> {
  try {
    const request = identifyRequest(lines, asking, again);
    return namesInAnswer(await asking.model.complete(request, asking.signal)) ?? noList();
  } catch (error) {
    const isAboutPart = error instanceof StageError && partCodes.has(error.code);
    const isSlow = error instanceof AnswerTimedOut && estimatedTokens(lines) > slowTokensMax;
    if (isAboutPart || isSlow) return error;
    throw error;
  }
}

const noList = () =>
  new StageError(failure('no-names-answered'), {
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

const jsonSchema = objectOf({
  names: arrayOf(
    objectOf({
      name: { type: 'string' },
      how: { type: 'string', enum: ['said_by_self', 'addressed'] },
      quote: { type: 'string' },
      confidence: { type: 'number' },
    }),
  ),
});

/** Asks for the names of those who speak in a part of a talk. */
const identifyRequest = (
  lines: string,
  { people, terms, answerTokensMax }: Pick<Asking, 'people' | 'terms' | 'answerTokensMax'>,
  again: boolean,
): Completion => ({
  system: [
    'You find out the names of the people who speak in transcripts of meetings. The transcript does not say who speaks when.',
    'Answer with JSON only: {"names": [{"name": "…", "how": "said_by_self", "quote": "…", "confidence": 0.9}]}.',
    'One entry for each name and each quote, at most three quotes a name. "quote" is a short passage, copied word for word from the transcript, in which the name is said. "how" is "said_by_self" where people say who they are themselves, and "addressed" where another greets, thanks, asks, introduces or hands over to them by name. "confidence" is from 0 to 1.',
    'Leave out people who are only talked about. Never invent a name; a role, a company or "Speaker 1" is no name. Where no name is said, answer {"names": []}.',
    ...(people.length === 0
      ? []
      : [
          `These people may be among them: ${people.map(inert).join('; ')}. Where one of them is meant, write the name as it is here; leave out those without a quote.`,
        ]),
    ...(terms.length === 0
      ? []
      : [
          `Names and terms that may have been said, in their right spelling: ${terms.join('; ')}. Not all of them are people.`,
        ]),
    dataRule('transcript'),
    ...(again ? ['An earlier answer was not of this form. Only the JSON.'] : []),
  ].join('\n'),
  user: `<transcript>\n${lines}\n</transcript>\n\nAnswer with the JSON of the names.`,
  answerTokensMax,
  schema: { name: 'identified', schema: jsonSchema },
});
