import type { constants } from 'node:os';

/** Why something cannot be done, as a stable slug: in the log (`stage.failed`), in `error.code` and in `warning` frames. */
export type StageErrorCode =
  // Sound servers, devices and captures
  | 'already-recording'
  | 'audio-server-refused'
  | 'audio-server-silent'
  | 'capture-not-started'
  | 'combined-in-use'
  | 'combined-with-itself'
  | 'device-gone'
  | 'device-taken'
  | 'not-a-recorder'
  | 'device-unavailable'
  | 'devices-unavailable'
  | 'no-audio-server'
  | 'no-device'
  | 'not-a-monitor'
  | 'not-recording'
  | 'nothing-captured'
  | 'nothing-combined'
  | 'program-replaced'
  | 'rate-differs'
  | 'recorded-elsewhere'
  | 'recording-paused'
  | 'socket-unsafe'
  | 'source-gone'
  // Audio files
  | 'audio-damaged'
  | 'audio-empty'
  | 'audio-encrypted'
  | 'audio-missing'
  | 'audio-too-long'
  | 'decoder-stalled'
  | 'ffmpeg-failed'
  | 'ffmpeg-missing'
  | 'flac-differs'
  | 'no-audio-track'
  | 'not-16-bit'
  | 'not-audio'
  | 'unsupported-media'
  // Speech
  | 'engine-answer'
  | 'engine-away'
  | 'engine-busy'
  | 'engine-crashed'
  | 'engine-failed'
  | 'engine-refused'
  | 'engine-stalled'
  | 'language-unknown'
  | 'model-corrupt'
  | 'model-missing'
  | 'no-engine'
  | 'speech-file-damaged'
  // Language models
  | 'answer-cut'
  | 'answer-empty'
  | 'content-filter'
  | 'model-away'
  | 'model-refused'
  | 'no-language-model'
  | 'prompt-truncated'
  // Documents
  | 'disk-full'
  | 'name-in-use'
  | 'not-text'
  | 'not-writable'
  // Configured servers, the service itself
  | 'server-refused'
  | 'took-the-service-down';

/** Why a stage could not be done, in words for a person. Becomes `stage.failed`. */
export class StageError extends Error {
  override name = 'StageError';
  readonly code: StageErrorCode;
  /** Whether a later try of the same may succeed. */
  readonly retriable: boolean;
  /** What a server asked us to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  constructor(
    code: StageErrorCode,
    message: string,
    options: { retriable: boolean; retryAfterMs?: number | undefined; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retriable = options.retriable;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The code of an error, as Node, LevelDB and our own errors have it; undefined without one. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
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
  <T>(fallback: T, ...codes: readonly SystemError['code'][]) =>
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
