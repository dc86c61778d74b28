import type { Block } from '../../events/facts/transcript.ts';
import { StageError } from '../shared/errors.ts';
import type { Completion, LanguageModel } from './model.ts';
import {
  type Piece,
  type SpeakerNames,
  estimatedTokens,
  halvesOfPart,
  talkLines,
  talkOf,
  talkParts,
} from './talk.ts';
import { plainAnswer } from './answers.ts';
import { AnswerTimedOut } from './server-errors.ts';
import { spokenWords } from './spoken-words.ts';
import { languageOf } from './tongues.ts';
import { whyUnusable } from './unusable.ts';
import {
  type SummaryStyle,
  answerTokens,
  mergeRequest,
  notesRequest,
  overheadTokens,
  summaryRequest,
} from './summary-requests.ts';

export type SummariseOptions = {
  /** ISO 639-1 code of the talk, which the summary is written in; null when unknown. */
  language: string | null;
  names: SpeakerNames;
  signal: AbortSignal;
  /** Fraction done, 0 to 1. */
  onProgress: (fraction: number) => void;
};

const contextShare = 0.6;
const textTokensMin = 128;
/** What a slow computer reads within the time limit. After one timeout parts are no larger. */
const slowTokensMax = 3000;
/** How often a part that the server finds too large is halved, and notes are condensed. */
const depthMax = 6;

/**
 * Summarises a talk in two to five paragraphs or bullet points, in its own language. What fits into
 * 60 % of the context is asked for at once; more is noted part by part, in order, and the notes are
 * merged. `parts` is how many parts were read; no words give an empty text and no request.
 * @throws {StageError} when the model is away, refuses, or gives no summary twice (`answer-empty`).
 */
export async function summarise(
  blocks: Block[],
  model: LanguageModel,
  options: SummariseOptions,
): Promise<{ text: string; parts: number }> {
  const talk = talkOf(blocks, options.names);
  if (talk.length === 0) return { text: '', parts: 0 };
  const context = await model.contextTokens(options.signal);
  const asking: Asking = {
    model,
    options,
    style: {
      language: options.language,
      expected: options.language ?? languageOf(talkLines(talk).slice(0, 20_000)),
      answerTokensMax: answerTokens(context),
    },
  };
  let tokensMax = textTokens(context);
  const parts = talkParts(talk, tokensMax);
  if (parts.length === 1) {
    const text = await atOnce(asking, talk);
    if (text !== null) return { text, parts: 1 };
    const half = Math.ceil(estimatedTokens(talkLines(talk)) / 2);
    tokensMax = Math.max(textTokensMin, Math.min(half, slowTokensMax));
  }
  const smaller = parts.length === 1 ? talkParts(talk, tokensMax) : parts;
  const notes: string[] = [];
  for (const [index, part] of smaller.entries()) {
    notes.push(...(await notesOf(asking, part, 0)));
    options.onProgress((index + 1) / (smaller.length + 1));
  }
  return { text: await merged(asking, notes, tokensMax, 0), parts: notes.length };
}

type Asking = { model: LanguageModel; options: SummariseOptions; style: SummaryStyle };

const textTokens = (context: number): number =>
  Math.max(
    textTokensMin,
    Math.floor(context * contextShare - overheadTokens - answerTokens(context) / 2),
  );

async function atOnce(asking: Asking, talk: Piece[]): Promise<string | null> {
  const lines = talkLines(talk);
  const request = (again: boolean) => summaryRequest(lines, asking.style, again);
  try {
    return await unlessTooLarge(
      asked(asking, request, { read: lines, wordsMin: leastWords(lines) }),
    );
  } catch (error) {
    if (error instanceof AnswerTimedOut && estimatedTokens(lines) > slowTokensMax) return null;
    throw error;
  }
}

/** Notes of one part; of its halves, where the server finds it too large. In order. */
async function notesOf(asking: Asking, part: Piece[], depth: number): Promise<string[]> {
  const lines = talkLines(part);
  const request = (again: boolean) => notesRequest(lines, asking.style, again);
  const about = { read: lines, wordsMin: 1 };
  const halves = depth < depthMax ? halvesOfPart(part) : undefined;
  if (!halves) return [await asked(asking, request, about)];
  const notes = await unlessTooLarge(asked(asking, request, about));
  if (notes !== null) return [notes];
  return [
    ...(await notesOf(asking, halves[0], depth + 1)),
    ...(await notesOf(asking, halves[1], depth + 1)),
  ];
}

/** One summary from notes in order; where they do not fit, neighbours are condensed first. */
async function merged(
  asking: Asking,
  notes: string[],
  tokensMax: number,
  depth: number,
): Promise<string> {
  const request = (some: string[]) => (again: boolean) => mergeRequest(some, asking.style, again);
  const groups = depth < depthMax ? grouped(notes, tokensMax) : [notes];
  if (groups.length === 1) {
    const text = await unlessTooLarge(
      asked(asking, request(notes), { read: '', wordsMin: leastWords(notes.join(' ')) }),
    );
    if (text !== null) return text;
    if (depth >= depthMax || notes.length < 3)
      throw new StageError(
        'prompt-truncated',
        'The context of the language model is too small to merge the summaries of this recording.',
        { retriable: false },
      );
    return merged(asking, notes, Math.ceil(estimatedTokens(notes.join('\n')) / 2), depth + 1);
  }
  const condensed: string[] = [];
  for (const group of groups) {
    const lines = group.join('\n\n');
    const condense = (again: boolean) => notesRequest(lines, asking.style, again);
    condensed.push(
      group.length === 1 ? group[0]! : await asked(asking, condense, { read: '', wordsMin: 1 }),
    );
  }
  return merged(asking, condensed, tokensMax, depth + 1);
}

/** Neighbouring notes in groups of at most so many tokens, at least two each. */
function grouped(notes: string[], tokensMax: number): string[][] {
  const groups: string[][] = [];
  let room = 0;
  for (const note of notes) {
    const tokens = estimatedTokens(note) + 4;
    const last = groups.at(-1);
    if (last && (tokens <= room || last.length < 2)) last.push(note);
    else {
      groups.push([note]);
      room = tokensMax;
    }
    room -= tokens;
  }
  return groups;
}

/** Fewer words cannot summarise that much: a model that follows orders in the talk answers so. */
const leastWords = (read: string): number => (spokenWords(read, null).length > 150 ? 15 : 1);

/** What a request is about: the text itself, and how short an answer can be. */
type About = { read: string; source?: string; wordsMin: number };

/** An answer that can be a summary: asked for once more when it cannot. */
async function asked(
  { model, options, style }: Asking,
  request: (again: boolean) => Completion,
  { read, source = read, wordsMin }: About,
): Promise<string> {
  let why = 'is empty';
  for (const again of [false, true]) {
    const completion = request(again);
    let text: string;
    try {
      text = plainAnswer(await model.complete(completion, options.signal));
    } catch (error) {
      if (error instanceof StageError && error.code === 'answer-empty') continue;
      throw error;
    }
    const isShort = spokenWords(text, null).length < wordsMin;
    const about = { instructions: completion.system, read, source, language: style.expected };
    const unusable = isShort ? 'is too short' : whyUnusable(text, about);
    if (unusable === null) return text;
    why = unusable;
  }
  throw new StageError('answer-empty', `The language model gave no summary: its answer ${why}.`, {
    retriable: false,
  });
}

/** Null where prompt or answer were too large for the server. */
async function unlessTooLarge(answer: Promise<string>): Promise<string | null> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof StageError)) throw error;
    if (error.code !== 'prompt-truncated' && error.code !== 'answer-cut') throw error;
    return null;
  }
}
