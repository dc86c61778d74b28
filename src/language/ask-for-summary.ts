import { StageError } from '../shared/errors.ts';
import { plainAnswer } from './answers.ts';
import type { LanguageModel } from './model.ts';
import { spokenWords } from './spoken-words.ts';
import { type DraftLine, linesIn, notesIn } from './summary-lines.ts';
import {
  type AnswerForm,
  type SummaryStyle,
  type SummaryTask,
  summaryRequest,
} from './summary-requests.ts';
import { whyUnusable } from './unusable.ts';

/** What a model made of a talk or a part of it: lines, or, where it cannot give them, prose. */
export type SummaryDraft = { lines: DraftLine[] } | { prose: string };

export type Asking = {
  model: LanguageModel;
  signal: AbortSignal;
  style: SummaryStyle;
  /** Set once the model has shown that it cannot give lines: it is not asked for any more of them. */
  form: AnswerForm['form'];
};

/** What is asked about: with and without the numbers of its lines, and how short an answer can be. */
export type About = {
  numbered: string;
  plain: string;
  /** What an answer must not repeat; empty where it may. */
  read: string;
  wordsMin: number;
};

/**
 * A summary of a talk, of a part of it, or of notes: asked for once more when the answer cannot be one. A model that gives
 * no lines twice is asked for prose, unless its second answer is that already.
 * @throws {StageError} as the model does; `answer-empty` when both answers cannot be a summary
 */
export async function askForSummary(
  asking: Asking,
  task: SummaryTask,
  about: About,
): Promise<SummaryDraft> {
  let asked = await askTwice(asking, task, about);
  if ('why' in asked && asked.why === noLines) {
    asking.form = 'prose';
    asked = await askTwice(asking, task, about);
  }
  if ('why' in asked) throw noSummary(asked.why);
  if ('prose' in asked) asking.form = 'prose';
  return asked;
}

/** @param why the end of the sentence “its answer …” */
export const noSummary = (why: string): StageError =>
  new StageError('answer-empty', `The language model gave no summary: its answer ${why}.`, {
    retriable: false,
  });

/** A draft as notes to be merged. */
export const notesOfDraft = (draft: SummaryDraft): string =>
  'lines' in draft ? notesIn(draft.lines) : draft.prose;

const noLines = 'holds no lines';

/** A draft, or why the last answer is none. */
async function askTwice(
  { model, signal, style, form }: Asking,
  task: SummaryTask,
  { numbered, plain, read, wordsMin }: About,
): Promise<SummaryDraft | { why: string }> {
  let why = 'is empty';
  for (const again of [false, true]) {
    const data = form === 'lines' ? numbered : plain;
    const request = summaryRequest(task, data, style, { form, again });
    const answer = await answered(model.complete(request, signal));
    const draft = form === 'lines' ? linesOrProse(answer, again) : { prose: plainAnswer(answer) };
    const text = draft && textOf(draft);
    if (!text) {
      // Of one part there may be nothing to note.
      if (again && task === 'part' && draft && 'lines' in draft) return draft;
      why = draft ? 'is empty' : noLines;
      continue;
    }
    const source = { instructions: request.system, read, source: read, language: style.expected };
    const isShort = spokenWords(text, null).length < wordsMin;
    const unusable = isShort ? 'is too short' : whyUnusable(text, source);
    if (unusable === null) return draft;
    why = unusable;
  }
  return { why };
}

/** Of a model that gives no JSON twice, the second answer's prose. */
function linesOrProse(answer: string, again: boolean): SummaryDraft | undefined {
  const lines = linesIn(answer);
  if (lines) return { lines };
  const prose = plainAnswer(answer);
  if (prose === '') return { prose };
  return again && !/^[[{]|"\s*:/u.test(prose) ? { prose } : undefined;
}

const textOf = (draft: SummaryDraft): string =>
  'lines' in draft ? draft.lines.map(({ text }) => text).join('\n') : draft.prose;

/** The model's answer; empty where it gave none. */
async function answered(answer: Promise<string>): Promise<string> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof StageError && error.code === 'answer-empty') return '';
    throw error;
  }
}
