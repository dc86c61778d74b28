import type { Block } from '../../events/facts/transcript.ts';
import { StageError, ifCode } from '../shared/errors.ts';
import { failure } from '../words/failures.ts';
import { contentIn, isFormOf, comparedWords, numbersIn } from './content-words.ts';
import { type Completion, type LanguageModel, arrayOf, objectOf } from './model.ts';
import { languageName } from './sentences.ts';
import { type DraftLine, linesIn } from './draft-lines.ts';
import { withEvidence } from './summary-lines.ts';
import {
  type Piece,
  type SpeakerNames,
  dataRule,
  inert,
  numberedLines,
  packedParts,
  pieceTokens,
  talkOf,
  talkParts,
  textRoom,
  textTokensMin,
} from './talk.ts';

/** What is asked about: what was said, in its order. */
export type AskedTalk = {
  blocks: readonly Block[];
  names: SpeakerNames;
  language: string | null;
  /** Ids of blocks that are about the question by their meaning. */
  near?: ReadonlySet<string>;
};

export type QuestionAnswer = {
  /** Each with the block that it rests on. */
  lines: { text: string; block: string }[];
  /** How many blocks with words were read, and whether that is all of them. */
  read: number;
  isAll: boolean;
};

type Options = {
  /** null: what was said, for somebody who was away. */
  question: string | null;
  signal: AbortSignal;
};

const overheadTokens = 350;
const answerTokensMax = 1200;
const linesMax = 12;
/** What is about a question by its meaning counts as so many of its words. */
export const wordsOfMeaning = 2;
/** Parts of a long talk that are asked for what was said: the last ones. */
const partsMax = 6;

/**
 * Answers a question from what was said, or says what somebody missed. Each line rests on a block and goes through the
 * check of summaries; a line without evidence is left out. What does not fit into 60 % of the context: of a question the
 * blocks that have its words, with their neighbours; else part by part.
 * @throws {StageError} as the model does; `answer-empty` when it gives no lines twice
 */
export async function answerQuestion(
  talk: AskedTalk,
  model: LanguageModel,
  { question, signal }: Options,
): Promise<QuestionAnswer> {
  const all = talkOf(talk.blocks, talk.names);
  if (all.length === 0) return { lines: [], read: 0, isAll: true };
  const { parts, drafts } = await askParts(model, { talk, all, question, signal });
  const read = new Set(parts.flat().map(({ block }) => block)).size;
  const isAll = charactersOf(parts.flat()) >= charactersOf(all);
  return { lines: proved(drafts, talk), read, isAll };
}

/** Without spaces: those between the halves of a turn belong to neither. */
const charactersOf = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, { text }) => sum + text.replaceAll(/\s/gu, '').length, 0);

/** Asks about as much as fits; about less where the server finds that too large, which may have told its context by that. */
async function askParts(
  model: LanguageModel,
  { all, ...about }: { talk: AskedTalk; all: Piece[] } & Options,
): Promise<{ parts: Piece[][]; drafts: DraftLine[] }> {
  const { talk, question, signal } = about;
  let tokensMax = Infinity;
  for (;;) {
    const told = textRoom(await model.contextTokens(signal), overheadTokens);
    tokensMax = Math.max(textTokensMin, Math.min(told, Math.floor(tokensMax / 2)));
    const parts =
      question === null
        ? talkParts(all, tokensMax).slice(-partsMax)
        : [fitting(all, { question, talk, tokensMax })];
    try {
      const drafts: DraftLine[] = [];
      for (const pieces of parts) drafts.push(...(await askTwice(model, { ...about, pieces })));
      return { parts, drafts };
    } catch (error) {
      const isTooLarge = error instanceof StageError && error.code === 'prompt-truncated';
      if (!isTooLarge || tokensMax <= textTokensMin) throw error;
    }
  }
}

/** The pieces that have most of a question's words, or its meaning, with those beside them, as many as fit. */
function fitting(
  all: readonly Piece[],
  { question, talk, tokensMax }: { question: string; talk: AskedTalk; tokensMax: number },
): Piece[] {
  // A turn that does not fit is cut.
  const pieces = packedParts(all, tokensMax).flat();
  const wanted = [...contentIn(question, null), ...numbersIn(question)];
  const isNear = ({ block }: Piece) => talk.near?.has(talk.blocks[block]?.id ?? '') === true;
  const scores = pieces.map(
    (piece) => scoreOf(piece.text, wanted) + (isNear(piece) ? wordsOfMeaning : 0),
  );
  const around = (at: number) => 2 * scores[at]! + (scores[at - 1] ?? 0) + (scores[at + 1] ?? 0);
  const kept = new Set<Piece>();
  let room = tokensMax;
  for (const [at, piece] of [...pieces.entries()].toSorted(([a], [b]) => around(b) - around(a))) {
    room -= pieceTokens(piece);
    if (room < 0 && kept.size > 0) break;
    kept.add(pieces[at]!);
  }
  return pieces.filter((piece) => kept.has(piece));
}

const scoreOf = (text: string, wanted: readonly string[]): number => {
  const words = comparedWords(text, null);
  return wanted.filter((word) => words.some((other) => isFormOf(word, other))).length;
};

/** Lines that rest on a block, each once: the check of summaries takes the link from those that do not. */
function proved(drafts: readonly DraftLine[], talk: AskedTalk): QuestionAnswer['lines'] {
  const bare = drafts.map((draft) => ({
    ...draft,
    kind: 'point' as const,
    person: null,
    due: null,
  }));
  // What says nothing is shown to no model: evidence beside it is not there.
  const said = new Set(talk.blocks.flatMap(({ id, text }) => (text === '' ? [] : id)));
  const lines = withEvidence(bare, talk.blocks, talk).flatMap(({ text, block }) =>
    block === null || !said.has(block) ? [] : [{ text, block }],
  );
  return lines.filter(({ text }, at) => lines.findIndex((other) => other.text === text) === at);
}

type Asked = { talk: AskedTalk; pieces: readonly Piece[]; signal: AbortSignal } & Pick<
  Options,
  'question'
>;

async function askTwice(model: LanguageModel, asked: Asked): Promise<DraftLine[]> {
  for (const again of [false, true]) {
    const completion = requestOf(asked, again);
    const answer = await model.complete(completion, asked.signal).catch(ifCode('', 'answer-empty'));
    const lines = linesIn(answer);
    if (lines !== undefined) return lines.slice(0, linesMax);
  }
  throw new StageError(failure('no-summary-answered', { fault: 'no-lines' }), { retriable: false });
}

function requestOf({ talk, pieces, question }: Asked, again: boolean): Completion {
  const tongue = `in ${languageName(talk.language)}`;
  const form = `{"lines": [{"turn": 12, "text": "…"}]}`;
  const missed = [
    'You tell somebody who was away what was said in a talk.',
    `Answer with JSON only: ${form}, at most ${linesMax} lines, in the order of the talk: what was decided, who does what until when, what stays open, and what else matters.`,
  ];
  const answers = [
    'You answer a question from the transcript of a talk.',
    `Answer with JSON only: ${form}, at most ${linesMax} lines. Say only what the transcript says. Where it does not answer the question, answer {"lines": []}.`,
  ];
  return {
    system: [
      ...(question === null ? missed : answers),
      `turn: the number before the line of the transcript that says it. text: a short sentence ${tongue}, in words of that line. Add nothing that was not said.`,
      dataRule('transcript'),
      ...(again ? ['An earlier answer was not of this form. Answer with the JSON only.'] : []),
    ].join('\n'),
    user: [
      `<transcript>\n${numberedLines(pieces)}\n</transcript>`,
      ...(question === null ? [] : [`<question>\n${inert(question)}\n</question>`]),
      `${question === null ? 'Say what was said' : 'Answer the question'} ${tongue}, as JSON.`,
    ].join('\n\n'),
    answerTokensMax,
    schema: { name: 'answer', schema: jsonSchema },
  };
}

const jsonSchema = objectOf({
  lines: arrayOf(objectOf({ turn: { type: ['integer', 'null'] }, text: { type: 'string' } })),
});
