import type { Block, Stretch, SummaryLine } from '../../events/facts/transcript.ts';
import { StageError, ifCode } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';
import {
  type About,
  type Asking,
  type Noted,
  type SummaryDraft,
  askForSummary,
  noSummary,
  notesOfDraft,
  answerRoom,
  linesOfRoom,
  overheadTokens,
} from './ask-for-summary.ts';
import { comparedWords } from './content-words.ts';
import { type DraftLine, countToKeep } from './draft-lines.ts';
import { withEvidence } from './summary-lines.ts';
import { type Pattern, inSections, ofKinds, patternTokens } from './summary-pattern.ts';
import { AnswerTimedOut, type LanguageModel } from './model.ts';
import { spokenWords } from './spoken-words.ts';
import {
  type Piece,
  type SpeakerNames,
  estimatedTokens,
  halvesOfPart,
  inert,
  numberedLines,
  talkLines,
  talkOf,
  talkParts,
  termCharactersMax,
  termsWithin,
  textOfLines,
  textRoom,
  textTokensMin,
} from './talk.ts';
import { isTranslated, languageOf } from './unusable.ts';

export type SummariseOptions = {
  /** ISO 639-1 code of the language the summary is written in; null: the talk's own. */
  language: string | null;
  /** Of the talk's own, null when unknown; absent: the same. */
  spoken?: string | null;
  names: SpeakerNames;
  /** Names and terms in the spelling that they are to have, the most useful first. */
  terms?: readonly string[];
  /** Lines that people wrote: they stay, and are not to be said again. */
  given?: readonly string[];
  /** What people noted while they listened: it is important to them. */
  noted?: readonly (Noted & { at: number })[];
  length?: 'shorter' | 'longer' | undefined;
  /** What a template wants of it. */
  pattern?: Pattern | undefined;
  signal: AbortSignal;
  /** Fraction done, 0 to 1. */
  onProgress: (fraction: number) => void;
};

export type Summary = {
  text: string;
  /** What the text says, line by line; none where the model gave prose. */
  lines: SummaryLine[];
  /** How many parts the talk was read in. */
  parts: number;
  /** Of which parts the model noted nothing, in seconds; absent: of none. */
  unnoted?: Stretch[];
};

/** What a slow computer reads within the time limit. After one timeout parts are no larger. */
const slowTokensMax = 3000;
/** How often a part that the server finds too large is halved, and notes are condensed. */
const depthMax = 6;

/**
 * Summarises a talk, in its own language or another: decisions, tasks, open questions and points, each with the block it rests on,
 * checked against the talk (`withEvidence`); or in prose, where the model gives no JSON. What fits into 60 % of the
 * context is asked for at once; more is noted part by part, in order, and the notes are merged. No words give an empty
 * text and no request.
 * @throws {StageError} when the model is away, refuses, or gives no summary twice (`answer-empty`).
 */
export async function summarise(
  blocks: Block[],
  model: LanguageModel,
  options: SummariseOptions,
): Promise<Summary> {
  const talk = talkOf(blocks, options.names);
  if (talk.length === 0) return { text: '', lines: [], parts: 0 };
  const context = await model.contextTokens(options.signal);
  const { language, spoken: told = language } = options;
  const spoken = told ?? languageOf(talkLines(talk).slice(0, 20_000));
  const asking: Asking = {
    model,
    signal: options.signal,
    form: 'lines',
    style: {
      language,
      expected: language ?? spoken,
      spoken,
      isSolo: blocks.every(({ speaker }) => speaker === null),
      ...answerRoom(context),
      terms: termsWithin(options.terms ?? []),
      people: Object.values(options.names).map(inert),
      given: termsWithin(options.given ?? []),
      length: options.length ?? null,
      pattern: options.pattern ?? null,
    },
    noted: notesBeside(talk, blocks, options.noted ?? [], context),
  };
  const tokensMax = textTokens(context, asking);
  const { draft, read } = await draftOf(asking, talk, tokensMax, options.onProgress);
  const unnoted = read
    .filter(({ note }) => note === '')
    .map(({ part }): Stretch => [blocks[part[0]!.block]!.start, blocks[part.at(-1)!.block]!.end]);
  const how = { parts: read.length, ...(unnoted.length > 0 ? { unnoted } : {}) };
  if ('prose' in draft) return { text: draft.prose, lines: [], ...how };
  const { pattern } = options;
  const fresh = withoutGiven(draft.lines, options.given ?? []);
  const asked = pattern ? ofKinds(fresh, pattern) : fresh;
  const checked = withEvidence(asked, blocks, { ...options, spoken });
  const lines = pattern ? inSections(checked, provable(pattern, language, spoken)) : checked;
  if (lines.length === 0) throw noSummary('empty');
  return { text: textOfLines(lines), lines, ...how };
}

/** Of another language nothing can be proved by its words: what a template wants proved stays without a link. */
const provable = (pattern: Pattern, language: string | null, spoken: string | null): Pattern =>
  isTranslated(language, spoken) ? { ...pattern, provedOnly: false } : pattern;

/** Lines without those that people wrote, which stay anyway; as they are where there are no others. */
function withoutGiven(lines: DraftLine[], given: readonly string[]): DraftLine[] {
  const wordsOf = (text: string) => comparedWords(text, null).join(' ');
  const there = new Set(given.map(wordsOf));
  const fresh = lines.filter(({ text }) => !there.has(wordsOf(text)));
  return fresh.length > 0 ? fresh : lines;
}

async function draftOf(
  asking: Asking,
  talk: Piece[],
  textTokensMax: number,
  onProgress: (fraction: number) => void,
): Promise<{ draft: SummaryDraft; read: NotedPart[] }> {
  let tokensMax = textTokensMax;
  let answering = asking;
  const parts = talkParts(talk, tokensMax);
  if (parts.length === 1) {
    const draft = await atOnce(asking, talk);
    if (draft !== null) return { draft, read: [{ part: talk, note: notesOfDraft(draft) }] };
    const half = Math.ceil(estimatedTokens(talkLines(talk)) / 2);
    // A refusal may have told the context.
    const context = await asking.model.contextTokens(asking.signal);
    const told = textTokens(context, asking);
    const style = { ...asking.style, ...answerRoom(context) };
    answering = { ...asking, style };
    const smaller = told < tokensMax ? told : Math.min(half, slowTokensMax);
    tokensMax = Math.max(textTokensMin, Math.min(half, smaller));
  }
  const smaller = parts.length === 1 ? talkParts(talk, tokensMax) : parts;
  const read: NotedPart[] = [];
  for (const [index, part] of smaller.entries()) {
    read.push(...(await notesOf(answering, part, 0)));
    onProgress((index + 1) / (smaller.length + 1));
  }
  // Of a part there may be nothing to note.
  const notes = read.map(({ note }) => note).filter((note) => note !== '');
  return { draft: await merged(answering, notes, tokensMax), read };
}

/** A part of a talk, and what the model noted of it. */
type NotedPart = { part: Piece[]; note: string };

/** What notes may take of a context: a tenth. */
const notesShare = 0.1;

/** Side notes of a part by when they were written; the first ones, where not all fit beside it. */
function notesBeside(
  talk: readonly Piece[],
  blocks: readonly Block[],
  noted: readonly (Noted & { at: number })[],
  context: number,
): Asking['noted'] {
  const tokensMax = Math.max(termCharactersMax / 3, context * notesShare);
  const placed = noted.map(({ note, text, at }) => {
    const before = talk.findLast(({ block }) => blocks[block]!.start <= at) ?? talk[0]!;
    return { note, text: inert(text), block: before.block };
  });
  return (part = talk) => {
    const [from, to] = [part[0]!.block, part.at(-1)!.block];
    let tokens = 0;
    return placed.filter(
      ({ text, block }) =>
        block >= from && block <= to && (tokens += estimatedTokens(text) + 4) <= tokensMax,
    );
  };
}

const textTokens = (context: number, { style: { pattern } }: Asking): number => {
  const overhead = overheadTokens + patternTokens(pattern);
  return textRoom(context, overhead + answerRoom(context).answerTokensMax / 2);
};

async function atOnce(asking: Asking, talk: Piece[]): Promise<SummaryDraft | null> {
  const about = aboutTalk(talk, asking);
  const wordsMin = leastWords(about.plain);
  const ask = askForSummary(asking, 'whole', { ...about, wordsMin });
  return await ask.catch(ifTooSlow(asking, about)).catch(ifTooLarge);
}

const aboutTalk = (talk: Piece[], { noted }: Asking): About => {
  const plain = talkLines(talk);
  const numbered = numberedLines(talk);
  return { numbered, plain, read: plain, wordsMin: 1, noted: noted(talk), kept: 0 };
};

const aboutNotes = (notes: readonly string[], wordsMin: number, noted: About['noted']): About => {
  const all = notes.join('\n\n');
  return { numbered: all, plain: all, read: '', wordsMin, noted, kept: countToKeep(all) };
};

/** Notes of one part; of its halves, where the server finds it too large or is too slow for it. In order. */
async function notesOf(asking: Asking, part: Piece[], depth: number): Promise<NotedPart[]> {
  const smaller = asking.isSlow ? talkParts(part, slowTokensMax) : [part];
  if (smaller.length > 1) return await notesOfAll(asking, smaller, depth);
  const about = aboutTalk(part, asking);
  const ask = askForSummary(asking, 'part', about);
  const halves = depth < depthMax ? halvesOfPart(part) : undefined;
  if (!halves) return [{ part, note: notesOfDraft(await ask) }];
  const draft = await ask.catch(ifTooSlow(asking, about)).catch(ifTooLarge);
  if (draft !== null) return [{ part, note: notesOfDraft(draft) }];
  return await notesOfAll(asking, halves, depth + 1);
}

async function notesOfAll(asking: Asking, parts: Piece[][], depth: number): Promise<NotedPart[]> {
  const read: NotedPart[] = [];
  for (const part of parts) read.push(...(await notesOf(asking, part, depth)));
  return read;
}

/** One summary from notes in order: of their halves, where no answer has room for all that has to be kept. */
async function merged(asking: Asking, notes: string[], tokensMax: number): Promise<SummaryDraft> {
  const { roomMax, length } = asking.style;
  const kept = length === 'shorter' ? 0 : countToKeep(notes.join('\n'));
  if (kept <= linesOfRoom({ roomMax }) || notes.length < 2)
    return await mergedAtOnce(asking, notes, tokensMax, 0);
  const [first, second] = inHalves(notes);
  return joined(await merged(asking, first, tokensMax), await merged(asking, second, tokensMax));
}

/** Two drafts in order; prose where one of them is prose. */
const joined = (first: SummaryDraft, second: SummaryDraft): SummaryDraft =>
  'lines' in first && 'lines' in second
    ? { lines: [...first.lines, ...second.lines] }
    : { prose: [first, second].map(proseOf).join('\n\n') };

const proseOf = (draft: SummaryDraft): string =>
  'lines' in draft ? textOfLines(draft.lines) : draft.prose;

/** The same of notes that have to be kept in one answer; where they do not fit, neighbours are condensed first. */
async function mergedAtOnce(
  asking: Asking,
  notes: string[],
  tokensMax: number,
  depth: number,
): Promise<SummaryDraft> {
  if (notes.length === 0) throw noSummary('empty');
  const groups = depth < depthMax ? grouped(notes, tokensMax) : [notes];
  if (groups.length <= 1) {
    const about = aboutNotes(notes, leastWords(notes.join(' ')), asking.noted());
    const ask = askForSummary(asking, 'merge', about);
    const draft = await ask.catch(ifTooSlow(asking, about)).catch(ifTooLarge);
    if (draft !== null) return draft;
    if (depth >= depthMax || notes.length < 3)
      throw new StageError(failure('context-too-small-to-merge'), { retriable: false });
    return mergedAtOnce(asking, notes, Math.ceil(estimatedTokens(notes.join('\n')) / 2), depth + 1);
  }
  const shorter: string[] = [];
  for (const group of groups) shorter.push(...(await condensed(asking, group)));
  return mergedAtOnce(asking, shorter, tokensMax, depth + 1);
}

/** Neighbouring notes as fewer ones; those of its halves, where prompt or answer were too large. */
async function condensed(asking: Asking, group: string[]): Promise<string[]> {
  if (group.length === 1) return group;
  const about = aboutNotes(group, 1, asking.noted());
  const ask = askForSummary(asking, 'part', about);
  const draft = await ask.catch(ifTooSlow(asking, about)).catch(ifTooLarge);
  if (draft === null) {
    const [first, second] = inHalves(group);
    return [...(await condensed(asking, first)), ...(await condensed(asking, second))];
  }
  const note = notesOfDraft(draft);
  // What was noted is not nothing: it stays as it is.
  return [note === '' ? group.join('\n') : note];
}

function inHalves(notes: string[]): [string[], string[]] {
  const half = Math.ceil(notes.length / 2);
  return [notes.slice(0, half), notes.slice(half)];
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

/** Null where so much took the server too long: no part is as large from then on. */
const ifTooSlow =
  (asking: Asking, { plain }: About) =>
  (error: unknown): null => {
    if (!(error instanceof AnswerTimedOut) || estimatedTokens(plain) <= slowTokensMax) throw error;
    asking.isSlow = true;
    return null;
  };

/** Null where prompt or answer were too large for the server. */
const ifTooLarge = ifCode(null, 'prompt-truncated', 'answer-cut');
