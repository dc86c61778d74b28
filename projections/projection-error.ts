import { EventStoreError } from '../events/store.ts';
import type { RetryOptions } from '../src/shared/retry.ts';

/** A projection has not applied a position within the time allowed. HTTP answers 503. */
export class ProjectionBehind extends Error {
  override name = 'ProjectionBehind';
  readonly code = 'PROJECTION_BEHIND';
  readonly projection: string;
  constructor(projection: string, message: string) {
    super(message);
    this.projection = projection;
  }
}

/** A projection has stopped and will not get on before a restart. HTTP answers 503. */
export class ProjectionStopped extends Error {
  override name = 'ProjectionStopped';
  readonly code = 'PROJECTION_STOPPED';
  readonly projection: string;
  constructor(projection: string, message: string) {
    super(message);
    this.projection = projection;
  }
}

/** Why a projection stands still: a stable code, and a sentence without anything from a fact's content. */
export type StopReason = { code: string; message: string };

/**
 * The reason behind an error that code of ours threw while it handled facts. Its message may quote
 * what somebody said (`JSON.parse` does), so only its name and the place it was thrown at are told.
 */
export function defectReason(error: unknown, doing: string): StopReason {
  if (!(error instanceof Error)) return { code: 'DEFECT', message: `${doing}: ${typeof error}` };
  const place = placeOf(error);
  return {
    code: 'DEFECT',
    message: `${doing}: ${error.name}${place === undefined ? '' : ` at ${place}`}`,
  };
}

/** The reason behind an error of the log, whose messages name records and quote nothing, or of the storage: only its code. */
export function outageReason(error: unknown, doing: string): StopReason {
  const code = codeOf(error);
  if (error instanceof EventStoreError) {
    return { code: error.code, message: `${doing}: ${error.message}` };
  }
  if (code !== undefined) return { code, message: `${doing}: ${code}` };
  return defectReason(error, doing);
}

/** Whether the same may well succeed a little later: a log that is busy or being opened again. */
export const isTransient = (error: unknown): boolean =>
  (error as { retriable?: unknown } | null)?.retriable === true ||
  transientCodes.has(codeOf(error) ?? '');

/**
 * How the log and the storage are waited for: for as long as it takes, because nothing is lost
 * meanwhile, the log has it all. Pauses in milliseconds.
 */
export const whileAway = (
  signal: AbortSignal,
  onRetry: (error: unknown) => void,
): RetryOptions => ({ pauses: { first: 50, max: 5000 }, isTransient, signal, onRetry });

/** abstract-level's codes while a database is closed and opened again, and LevelDB's when a disk refuses. */
const transientCodes: ReadonlySet<string> = new Set([
  'LEVEL_DATABASE_NOT_OPEN',
  'LEVEL_ITERATOR_NOT_OPEN',
  'LEVEL_BATCH_NOT_OPEN',
  'LEVEL_IO_ERROR',
]);

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? code : undefined;
}

/** `file:line:column` of the topmost stack frame, looked for behind the message, which may have lines. */
function placeOf(error: Error): string | undefined {
  const stack = error.stack ?? '';
  const start = stack.indexOf(error.message);
  const frames = start < 0 ? '' : stack.slice(start + error.message.length);
  return /^\s+at (?:.*[(/\\])?([\w.-]+:\d+:\d+)\)?$/m.exec(frames)?.[1];
}
