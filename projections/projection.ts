import type { LoggedFact } from '../events/facts/catalogue.ts';

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

/** A view of the log: a name, a version (another one: rebuilt from position 0), and a pure fold. */
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
  getMany(projection: string, keys: readonly string[]): Promise<Row[]>;
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
