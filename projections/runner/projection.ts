import { codeOf } from '../../src/shared/errors.ts';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import type { RetryOptions } from '../../src/shared/retry.ts';
import { EventStoreError } from '../../events/store.ts';

/** A value in a projection: JSON only; `undefined` where there is none. */
export type Row = unknown;

/**
 * The rows one fact may look at and change. `get` answers for the keys the projection named in
 * `keys(fact)`; `set` and `delete` take any key of the projection.
 */
export interface Rows {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a projection knows the shape of its own rows
  get<T = Row>(key: string): T | undefined;
  set(key: string, row: Row): void;
  delete(key: string): void;
}

/** What is read from the log: a name, a version (another one: rebuilt from position 0), and a pure fold. */
export interface Projection {
  readonly name: string;
  readonly version: number;
  /** Types of the facts it looks at; all others pass it by unseen. Absent: it looks at every fact. */
  readonly interests?: ReadonlySet<LoggedFact['type']>;
  /** Keys of the rows that applying this fact has to see. Empty: the fact is of no interest or needs none. */
  keys(fact: LoggedFact): readonly string[];
  /** Pure: the same rows and fact always lead to the same rows. */
  apply(rows: Rows, fact: LoggedFact): void;
  /** How the row of a key is sealed on the disk; undefined: it holds nothing a person said or wrote. Absent: none is. */
  seal?(key: string): Seal | undefined;
}

/**
 * A row that is encrypted with a subject's key. Keys of rows are never sealed, so they hold no words.
 * A projection gets what is left of a row whose key is gone: its open fields.
 */
export interface Seal {
  readonly subject: string;
  /** Fields of the row (an object) that stay readable without the key. Absent: the row is sealed as a whole. */
  readonly open?: readonly string[];
}

/** Where the rows of projections are kept. A port: the LevelDB one shares the log's database. */
export interface ProjectionStorage {
  get<T = Row>(projection: string, key: string): Promise<T | undefined>;
  getMany<T = Row>(projection: string, keys: readonly string[]): Promise<(T | undefined)[]>;
  /** Rows with `gte <= key < lt` in the order of the keys' UTF-8 bytes (or backwards), at most `limit`. */
  range<T = Row>(
    projection: string,
    options: { gte: string; lt: string; reverse?: boolean; limit?: number },
  ): AsyncIterable<[key: string, row: T]>;
  checkpoint(projection: string): Promise<Checkpoint | undefined>;
  /** Rows and checkpoint in one atomic batch. A row `undefined` is deleted. */
  commit(
    projection: string,
    checkpoint: Checkpoint,
    changes: ReadonlyMap<string, Row>,
  ): Promise<void>;
  /** Deletes rows with `gte <= key < lt`; the checkpoint stays. */
  remove(projection: string, range: { gte: string; lt: string }): Promise<void>;
  /** Drops all rows and the checkpoint. */
  clear(projection: string): Promise<void>;
}

/** Up to which position of the log a projection of this version has been applied. */
export type Checkpoint = { version: number; position: number };

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

/** Another process writes the rows: what this one knows of them is not what is there. Nothing was written. */
export class RowsTaken extends Error {
  override name = 'RowsTaken';
  readonly code = 'ROWS_TAKEN';
  constructor(options?: { cause?: unknown }) {
    super('Another process has written the rows', options);
  }
}

/** Why a projection stands still: a stable code, and a sentence without anything from a fact's content. */
export type StopReason = { code: string; message: string };

/**
 * The reason behind an error that code of ours threw while it handled facts. Its message may quote
 * what people said (`JSON.parse` does), so only its name and the place it was thrown at are given.
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
  const code = plainCode(error);
  if (error instanceof EventStoreError) {
    return { code: error.code, message: `${doing}: ${error.message}` };
  }
  if (code !== undefined) return { code, message: `${doing}: ${code}` };
  return defectReason(error, doing);
}

/** Whether the same may well succeed a little later: a log that is busy or being opened again. */
export const isTransient = (error: unknown): boolean =>
  (error instanceof Error && 'retriable' in error && error.retriable === true) ||
  transientCodes.has(codeOf(error) ?? '');

/**
 * How the log and the storage are waited for: for as long as it takes, because nothing is lost
 * meanwhile, the log has it all. Pauses in milliseconds.
 */
export const whileAway = (
  signal: AbortSignal,
  onRetry: (error: unknown) => void,
): RetryOptions => ({ pauses: { first: 50, max: 1000 }, isTransient, signal, onRetry });

/** abstract-level's codes while a database is closed and opened again, and LevelDB's when a disk refuses. */
const transientCodes: ReadonlySet<string> = new Set([
  'LEVEL_DATABASE_NOT_OPEN',
  'LEVEL_ITERATOR_NOT_OPEN',
  'LEVEL_BATCH_NOT_OPEN',
  'LEVEL_IO_ERROR',
]);

/** A code that quotes nothing. */
function plainCode(error: unknown): string | undefined {
  const code = codeOf(error);
  return code !== undefined && /^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? code : undefined;
}

/** `file:line:column` of the topmost stack frame, looked for behind the message, which may have lines. */
function placeOf(error: Error): string | undefined {
  const stack = error.stack ?? '';
  const start = stack.indexOf(error.message);
  const frames = start < 0 ? '' : stack.slice(start + error.message.length);
  return /^[ \t]+at (?:.*[(/\\])?([\w.-]+:\d+:\d+)\)?$/m.exec(frames)?.[1];
}
