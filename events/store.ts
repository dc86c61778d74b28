import type { FactOutline, LoggedFact, LoggedFactIn, OfferedFact } from './facts/catalogue.ts';
import type { Sentence } from '../src/words/params.ts';
import { messageFor, sentenceFor } from '../src/words/say.ts';

/** Where facts are kept. Five verbs and what they need; `test/events/store-contract.ts` says what each must hold to. */
export interface EventStore {
  /**
   * Appends facts to a stream, all or none, and returns when they are durable.
   * `expectedVersion` is the stream's version the facts were decided on (0: no stream yet).
   * @throws {EventStoreError} `VERSION_CONFLICT` (nothing written), `INVALID_FACT` (nothing written),
   *   `OUTCOME_UNKNOWN` (look at the stream's head and the commands there), `BUSY`, `DISK_FULL`,
   *   `DAMAGED`, `UNREADABLE` (the subject's key is lost), `CLOSED`.
   */
  append(
    stream: string,
    facts: readonly OfferedFact[],
    expectedVersion: number,
  ): Promise<LoggedFact[]>;
  /** Facts of one stream in order. A stream holds facts of its own kind only. */
  read<S extends string>(
    stream: S,
    options?: { afterVersion?: number; limit?: number },
  ): AsyncIterable<LoggedFactIn<S>>;
  /** Facts of all streams by position. */
  readAll(options?: { afterPosition?: number; limit?: number }): AsyncIterable<LoggedFact>;
  /** As `readAll`, but in arrays of up to a thousand: twice as fast for folds. */
  pages(options?: { afterPosition?: number }): AsyncIterable<LoggedFact[]>;
  /**
   * All facts after a position, then the new ones as they become durable, until `signal` aborts: as many at a time as are
   * read at once, and never none. What the log holds is read once for all who follow it; no key is asked for. A follower
   * that falls behind delays nobody, and catches up by itself; nothing is queued for it.
   */
  follow(options: {
    afterPosition: number;
    signal: AbortSignal;
  }): AsyncIterable<readonly FactOutline[]>;
  /** As `readAll`, several at a time and as `follow` gives them: what was read last is not read again. */
  outlines(options: {
    afterPosition: number;
    limit: number;
  }): AsyncIterable<readonly FactOutline[]>;
  /** Facts that `follow` or `outlines` gave, with what a person said in them. @throws {EventStoreError} `BUSY` */
  opened(facts: readonly FactOutline[]): Promise<readonly LoggedFact[]>;
  /** Position of the last durable fact, asked now: others may append too; 0 when there is none. Reads no content. */
  head(): Promise<number>;
  /** Version of a stream's last durable fact; 0 when there is none. Reads no content. */
  version(stream: string): Promise<number>;
  close(): Promise<void>;
}

export type EventStoreErrorCode =
  | 'VERSION_CONFLICT'
  /** The command has begun another stream before; nothing was written. Only where several processes append. */
  | 'COMMAND_TAKEN'
  | 'INVALID_FACT'
  | 'OUTCOME_UNKNOWN'
  | 'BUSY'
  | 'DISK_FULL'
  | 'DAMAGED'
  | 'UNREADABLE'
  | 'LOCKED'
  | 'NEWER_LOG'
  | 'CLOSED';

/** What can go wrong with the log. `retriable` says whether offering the same again may help. */
export class EventStoreError extends Error {
  override name = 'EventStoreError';
  readonly code: EventStoreErrorCode;
  readonly retriable: boolean;
  /** With `DISK_FULL`: bytes that are free. */
  readonly freeBytes: number | undefined;
  /** With `DAMAGED`, of records that are known: position of the last of them, behind which reading goes on. */
  readonly lastPosition: number | undefined;
  /** What who runs the server is told, in their language; undefined of what only programs meet. `message`: in English. */
  readonly sentence: Sentence | undefined;
  constructor(
    code: EventStoreErrorCode,
    said: string | Sentence,
    options?: {
      cause?: unknown;
      freeBytes?: number | undefined;
      lastPosition?: number | undefined;
    },
  ) {
    super(messageFor(said), options);
    this.sentence = sentenceFor(said);
    this.code = code;
    this.retriable = code === 'OUTCOME_UNKNOWN' || code === 'BUSY' || code === 'DISK_FULL';
    this.freeBytes = options?.freeBytes;
    this.lastPosition = options?.lastPosition;
  }
}

/** What people are told of an error; undefined of what only programs meet. */
export const sentenceOf = (error: unknown): Sentence | undefined =>
  error instanceof EventStoreError ? error.sentence : undefined;
