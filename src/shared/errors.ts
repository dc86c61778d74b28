/** Why a stage could not be done, in words for a person. Becomes `stage.failed`. */
export class StageError extends Error {
  override name = 'StageError';
  /** Stable slug such as `engine-away`, `model-missing`, `not-audio`. */
  readonly code: string;
  /** Whether a later try of the same may succeed. */
  readonly retriable: boolean;
  /** What a server asked us to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  constructor(
    code: string,
    message: string,
    options: { retriable: boolean; retryAfterMs?: number | undefined; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retriable = options.retriable;
    this.retryAfterMs = options.retryAfterMs;
  }
}
/** Whether an error is the operating system's, of one of these codes. */
export const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));
