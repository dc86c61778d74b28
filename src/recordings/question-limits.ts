import type { Block, SummaryLine } from '../../events/facts/transcript.ts';
import type { SummariseOptions } from '../language/summarise.ts';
import type { AskedTalk, QuestionAnswer } from '../language/answer-question.ts';

/** Questions at once, of all and of one user, and of one user in an hour; characters of one. */
export const questionLimits = {
  atOnceMax: 4,
  perUserMax: 1,
  perHourMax: 30,
  charactersMax: 1000,
} as const;

/** Why a question is not asked now. */
export class QuestionRefused extends Error {
  override name = 'QuestionRefused';
  readonly code: 'TOO_MANY_QUESTIONS' | 'QUESTIONS_BUSY' | 'NO_LANGUAGE_MODEL';
  /** Seconds until it can be asked again. */
  readonly wait: number;
  constructor(code: QuestionRefused['code'], wait = 0) {
    super(code);
    this.code = code;
    this.wait = wait;
  }
}

/** Answers questions about what was said, and tries templates on it. Nothing of them is kept. */
export interface Questions {
  /**
   * @throws {QuestionRefused} @throws {StageError} as the language model does
   * @param asked.question null: what somebody missed
   */
  ask(asked: {
    owner: string;
    talk: AskedTalk;
    question: string | null;
    signal: AbortSignal;
  }): Promise<QuestionAnswer>;
  /** A summary that is shown and not kept. It counts as a question, and waits as a stage does. @throws as `ask` */
  summarise(asked: {
    owner: string;
    blocks: readonly Block[];
    options: Omit<SummariseOptions, 'signal' | 'onProgress'>;
    signal: AbortSignal;
  }): Promise<readonly SummaryLine[]>;
}
