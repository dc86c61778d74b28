import type { Sentence } from '../words/params.ts';
import { inEnglish } from '../words/say.ts';
import { type StageErrorCode, failureClasses } from './failure-classes.ts';
import type { constants } from 'node:os';

/** A failure that has a class. */
export type StageFailure = Sentence & { code: keyof typeof failureClasses };

/** Why a stage could not be done. Becomes `stage.failed`. */
export class StageError extends Error {
  override name = 'StageError';
  readonly code: StageErrorCode;
  /** What people are told, each in their language. `message` is all of it in English, for the log and the command line. */
  readonly sentence: StageFailure;
  /** Whether a later try of the same may succeed. */
  readonly retriable: boolean;
  /** What a server asked us to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** @param options.as another class than the sentence's usual one */
  constructor(
    sentence: StageFailure,
    options: {
      retriable: boolean;
      retryAfterMs?: number | undefined;
      cause?: unknown;
      as?: StageErrorCode;
    },
  ) {
    super(inEnglish(sentence), { cause: options.cause });
    this.sentence = sentence;
    this.code = options.as ?? failureClasses[sentence.code];
    this.retriable = options.retriable;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** An error that people are told of, each in their language; `message` is all of it in English, for the log and the command line. */
export abstract class SaidError<Code extends string> extends Error {
  readonly code: Code;
  readonly said: Sentence;
  constructor(code: Code, said: Sentence, options?: ErrorOptions) {
    super(inEnglish(said), options);
    this.code = code;
    this.said = said;
  }
}

/** The code of an error, as Node, LevelDB and our own errors have it; undefined without one. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;

/** The system call that failed; undefined of any other error. */
export const syscallOf = (error: unknown): string | undefined =>
  error instanceof Error && 'syscall' in error && typeof error.syscall === 'string'
    ? error.syscall
    : undefined;

/** What an error says; of anything else that was thrown, its text. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** An error of the system, of LevelDB, or of PostgreSQL (SQLSTATE). */
export type SystemError = Error & {
  code:
    | keyof typeof constants.errno
    | 'EHOSTDOWN'
    | 'LEVEL_DATABASE_NOT_OPEN'
    | 'LEVEL_ITERATOR_NOT_OPEN'
    | '53300'
    | '57P03';
};

/** Whether an error has one of these codes. Errors of another folder are named: `hasCode<ProjectionBehind>(…)`. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the errors whose codes may be asked for
export const hasCode = <Known extends { code: string } = StageError | SystemError>(
  error: unknown,
  ...codes: readonly NoInfer<Known['code']>[]
): boolean => codes.some((code) => code === codeOf(error));

/** For `catch`: a default for errors with one of these codes; any other is thrown on. */
export const ifCode =
  <T>(fallback: T, ...codes: readonly (StageError | SystemError)['code'][]) =>
  (error: unknown): T => {
    if (hasCode(error, ...codes)) return fallback;
    throw error;
  };

/** What the environment says is wrong: a line for each variable, without values. */
export class SettingsError extends Error {
  override name = 'SettingsError';
  constructor(wrong: string[]) {
    super(`These settings are wrong:\n${wrong.map((line) => `  ${line}`).join('\n')}`);
  }
}
