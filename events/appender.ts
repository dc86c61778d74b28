import { decodeTime } from 'ulid';
import type { LoggedFact } from './catalogue.ts';
import type { LogDatabase } from './database.ts';
import { factIds } from './fact-ids.ts';
import { asStored, envelopeOf, recordJson, type SealedFact } from './fact-json.ts';
import { emptyHead, type Head } from './log-head.ts';
import { crcOf, encodeRecord } from './record-codec.ts';
import { logKey, streamKey } from './layout.ts';
import { EventStoreError } from './store.ts';
import type { StreamHeads } from './stream-heads.ts';

/** What may wait for the disk at once; beyond it appends are refused with `BUSY`. */
export const queueFactsMax = 10_000;
export const queueBytesMax = 64 * 1024 * 1024;
/** What one write may hold; a single larger append is written alone. */
export const batchFactsMax = 2_000;
export const batchBytesMax = 8 * 1024 * 1024;

/**
 * The only writer of facts. What is offered while a write is under way goes to the disk with the
 * next one, as one batch with one sync (group commit), and is acknowledged together.
 *
 * On a disk that is slow to sync, all who were just acknowledged may offer again before the next
 * write begins: fewer syncs. On a quick one the work of offering takes as long as writing, so there
 * are two groups in turns: one is being written while the other offers.
 */
export class Appender {
  /** The last durable fact. */
  head: Head = emptyHead;
  readonly #db: LogDatabase;
  readonly #heads: StreamHeads;
  readonly #clock: () => Date;
  readonly #committed: () => void;
  readonly #failed: (error: unknown) => void;
  readonly #nextId = factIds();
  #lastId: string | undefined;
  #queue: Waiting[] = [];
  #queuedFacts = 0;
  #queuedBytes = 0;
  #writing: Promise<void> | undefined;
  /** The last write took not much longer than putting it together. */
  #quickDisk = false;

  constructor(options: {
    db: LogDatabase;
    heads: StreamHeads;
    clock: () => Date;
    /** Called after each batch that became durable. */
    committed: () => void;
    /** Called before the appends of a batch that failed are told. Nothing is written until a reopening. */
    failed: (error: unknown) => void;
  }) {
    this.#db = options.db;
    this.#heads = options.heads;
    this.#clock = options.clock;
    this.#committed = options.committed;
    this.#failed = options.failed;
  }

  /** @throws {EventStoreError} `BUSY` when the queue cannot take so many facts more */
  assertRoom(facts: number): void {
    if (this.#queuedFacts + facts > queueFactsMax) {
      throw new EventStoreError('BUSY', `${this.#queuedFacts} facts are waiting for the disk.`);
    }
  }

  /**
   * Takes facts whose expected version the caller has just compared with the queued head, in the
   * same turn of the event loop. Resolves when they are durable.
   */
  enqueue(stream: string, facts: SealedFact[], expectedVersion: number): Promise<LoggedFact[]> {
    const bytes = facts.reduce((sum, fact) => sum + sizeOf(fact), 0);
    this.assertRoom(facts.length);
    if (this.#queuedFacts > 0 && this.#queuedBytes + bytes > queueBytesMax) {
      throw new EventStoreError('BUSY', `${this.#queuedBytes} bytes are waiting for the disk.`);
    }
    this.#queuedFacts += facts.length;
    this.#queuedBytes += bytes;
    this.#heads.accept(stream, expectedVersion + facts.length);
    const stored = new Promise<LoggedFact[]>((resolve, reject) => {
      this.#queue.push({ stream, facts, expectedVersion, bytes, resolve, reject });
    });
    this.#writing ??= this.#writeAll();
    return stored;
  }

  /** Refuses what waits and was not written: its expected versions may rest on a failed write. */
  refuseWaiting(error: EventStoreError): void {
    const refused = this.#queue;
    this.#queue = [];
    for (const waiting of refused) {
      this.#release(waiting);
      waiting.reject(error);
    }
  }

  /** Resolves when nothing waits any more. */
  async drained(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    try {
      // Whoever was woken by the last write gets to offer before the next one is put together.
      await nextTurn();
      let batch = this.#takeBatch(this.#quickDisk ? Math.ceil(this.#queuedFacts / 2) : Infinity);
      while (batch.length > 0) {
        await this.#writeBatch(batch);
        if (!this.#quickDisk || this.#queue.length === 0) await nextTurn();
        batch = this.#takeBatch();
      }
    } finally {
      this.#writing = undefined;
    }
  }

  #takeBatch(wanted = Infinity): Waiting[] {
    let facts = 0;
    let bytes = 0;
    let count = 0;
    for (const waiting of this.#queue) {
      if (facts >= wanted) break;
      facts += waiting.facts.length;
      bytes += waiting.bytes;
      if (count > 0 && (facts > batchFactsMax || bytes > batchBytesMax)) break;
      count += 1;
    }
    return this.#queue.splice(0, count);
  }

  async #writeBatch(batch: Waiting[]): Promise<void> {
    const results: LoggedFact[][] = [];
    try {
      this.head = await this.#write(batch, results);
    } catch (error) {
      this.#failed(error);
      for (const waiting of batch) {
        this.#release(waiting);
        waiting.reject(isRefusal(error) ? error : unknownOutcome(error));
      }
      return;
    }
    for (const [index, waiting] of batch.entries()) {
      this.#release(waiting);
      this.#heads.settle(waiting.stream, waiting.expectedVersion + waiting.facts.length);
      waiting.resolve(results[index] ?? []);
    }
    this.#committed();
  }

  async #write(batch: Waiting[], results: LoggedFact[][]): Promise<Head> {
    const operations = this.#db.batch();
    const begun = performance.now();
    const now = this.#clock();
    const at = now.toISOString();
    const { head } = this;
    // Ids of another process may be as young as this millisecond; ours must follow them.
    const foreign = head.id !== undefined && head.id !== this.#lastId;
    const time = Math.max(now.getTime(), foreign ? decodeTime(head.id as string) + 1 : 0);
    let { position, crc, id } = head;
    try {
      for (const { stream, facts, expectedVersion } of batch) {
        let version = expectedVersion;
        const stored: LoggedFact[] = [];
        for (const fact of facts) {
          position += 1;
          version += 1;
          id = this.#nextId(time);
          const envelope = envelopeOf(fact, { id, position, stream, version, at });
          const record = encodeRecord(recordJson(envelope, fact), crc);
          crc = crcOf(record);
          operations.put<Buffer, string>(logKey(position), record, binaryKey);
          operations.put(streamKey(stream, version), String(position));
          stored.push(asStored(envelope, fact));
        }
        results.push(stored);
      }
    } catch (error) {
      await operations.close();
      throw error;
    }
    this.#lastId = id;
    const encoded = performance.now();
    await operations.write({ sync: true });
    this.#quickDisk =
      results.length >= quickAppends &&
      performance.now() - encoded < quickWrite * (encoded - begun);
    return { position, crc, id };
  }

  #release(waiting: Waiting): void {
    this.#queuedFacts -= waiting.facts.length;
    this.#queuedBytes -= waiting.bytes;
  }
}

/** A write that takes less than so many times the putting together is quick. */
const quickWrite = 3;
/** Of fewer appends than these the times say nothing, and a sync costs more than they do. */
const quickAppends = 16;

type Waiting = {
  stream: string;
  facts: SealedFact[];
  expectedVersion: number;
  bytes: number;
  resolve(facts: LoggedFact[]): void;
  reject(error: unknown): void;
};

const binaryKey = { keyEncoding: 'buffer' } as const;
/** An estimate of what a record's envelope takes; with it, of what a waiting fact keeps in memory. */
const envelopeBytes = 400;

const sizeOf = (fact: SealedFact): number =>
  envelopeBytes +
  fact.dataJson.length +
  (fact.contentJson?.length ?? 0) +
  (fact.sealed?.length ?? 0);

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The database turned the batch away before anything was written. */
const isRefusal = (error: unknown): boolean =>
  error instanceof EventStoreError && error.code === 'BUSY';

const unknownOutcome = (cause: unknown): EventStoreError =>
  new EventStoreError(
    'OUTCOME_UNKNOWN',
    'Writing failed; whether the facts are stored shows when the log is open again.',
    { cause },
  );
