import { LRUCache } from 'lru-cache';
import {
  appendQueue,
  sizeOf,
  unknownOutcome,
  wokenFirst,
} from '../../../events/log/append-queue.ts';
import { type SealedFact, factIds } from '../../../events/log/records.ts';
import type { LoggedFact } from '../../../events/facts/catalogue.ts';
import { EventStoreError } from '../../../events/store.ts';
import {
  type AppendAnswer,
  type AppendBatch,
  type WaitingAppend,
  appendBatch,
  conflictAt,
} from './append-batch.ts';
import type { Postgres } from './connection.ts';
import { factsChannel } from './append-schema.ts';

/** Bytes of records in one append: the server takes 1 GB in one message. */
const appendBytesMax = 256 * 1024 * 1024;

/** Streams whose versions are remembered, so that what is late already is not sent. */
const versionsKept = 10_000;

/**
 * The only writer of facts of this process. One batch is in flight at a time. Appends made meanwhile go into the next
 * batch, in one transaction, and are acknowledged together.
 *
 * An append that was decided on another one of this process, whose outcome is not known yet, is stored only
 * if that one is: the database sees that versions agree, and not what stands behind them.
 */
export class GroupCommit {
  readonly #db: Postgres;
  readonly #clock: () => Date;
  readonly #committed: (last: LoggedFact) => void;
  readonly #growth: Growth;
  readonly #nextId = factIds();
  #queue: WaitingAppend[] = [];
  readonly #waiting = appendQueue('the database');
  /** The last append not settled yet that leads to a version of a stream. */
  readonly #leading = new Map<string, WaitingAppend>();
  /** Versions that streams had at least. */
  readonly #versions = new LRUCache<string, number>({ max: versionsKept });
  /** Appends that are not settled, and who waits until there are none. */
  #unsettled = 0;
  #drained: (() => void)[] = [];
  #sending: Promise<void> | undefined;

  /** @param committed called with the last fact of each batch */
  constructor(options: { db: Postgres; clock: () => Date; committed: (last: LoggedFact) => void }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#committed = options.committed;
    this.#growth = tellGrowth(options.db);
  }

  /**
   * Takes facts in the order of calls, also while their content is still being encrypted. Resolves when they
   * are durable.
   */
  append(
    place: { stream: string; expectedVersion: number; count: number },
    seal: () => SealedFact[] | Promise<SealedFact[]>,
  ): Promise<LoggedFact[]> {
    const { stream, expectedVersion, count } = place;
    this.#waiting.assertFacts(count);
    const sealing = seal();
    return new Promise<LoggedFact[]>((resolve, reject) => {
      const append: WaitingAppend = {
        stream,
        expectedVersion,
        count,
        at: this.#clock(),
        basis: this.#leading.get(leadingTo(stream, expectedVersion)),
        facts: undefined,
        bytes: 0,
        failure: undefined,
        isSettled: false,
        resolve,
        reject,
      };
      this.#leading.set(leadingTo(stream, expectedVersion + count), append);
      this.#queue.push(append);
      this.#waiting.add({ facts: count });
      this.#unsettled += 1;
      if (Array.isArray(sealing)) this.#ready(append, sealing);
      else {
        sealing.then(
          (facts) => this.#ready(append, facts),
          (error: unknown) => this.#drop(append, error),
        );
      }
    });
  }

  /** Resolves when nothing waits any more. */
  async drained(): Promise<void> {
    if (this.#unsettled > 0) await new Promise<void>((resolve) => this.#drained.push(resolve));
    await this.#sending;
    await this.#growth.settled();
  }

  #ready(append: WaitingAppend, facts: SealedFact[]): void {
    if (append.isSettled) return;
    const bytes = sizeOf(facts);
    if (bytes > appendBytesMax) {
      const message = `${bytes} bytes in one append are more than ${appendBytesMax}`;
      this.#drop(append, new EventStoreError('INVALID_FACT', message));
      return;
    }
    try {
      this.#waiting.assertBytes(bytes);
    } catch (error) {
      this.#drop(append, error);
      return;
    }
    append.facts = facts;
    append.bytes = bytes;
    this.#waiting.add({ bytes });
    this.#sending ??= this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    try {
      // Those that the last batch woke may append again before the next one goes.
      await wokenFirst();
      for (let batch = this.#take(); batch.appends.length > 0; batch = this.#take()) {
        await this.#send(batch);
        await wokenFirst();
      }
    } finally {
      this.#sending = undefined;
    }
  }

  /** The next batch, out of what waits. What was overtaken is refused, what has to wait for others stays. */
  #take(): AppendBatch {
    const batch = appendBatch();
    const waiting: WaitingAppend[] = [];
    const held = new Set<string>();
    let isFull = false;
    const queued = this.#queue;
    this.#queue = [];
    for (const append of queued) {
      const { stream, facts } = append;
      const refusal = this.#refusalOf(append);
      isFull ||= facts !== undefined && batch.isFull(append);
      if (refusal !== undefined) this.#settle(append, { error: refusal });
      else if (isFull || !facts || held.has(stream) || !batch.take(append, this.#nextId)) {
        // What comes behind it in its stream may have been decided on it.
        held.add(stream);
        waiting.push(append);
      }
    }
    this.#queue = waiting.concat(this.#queue);
    return batch;
  }

  /** Why an append need not be sent. */
  #refusalOf(append: WaitingAppend): EventStoreError | undefined {
    const { stream, basis, expectedVersion } = append;
    const known = this.#versions.get(stream) ?? 0;
    if (known > expectedVersion) return conflictAt(append, known);
    const failure = basis?.failure;
    if (failure === undefined) return undefined;
    return failure instanceof EventStoreError && failure.code === 'VERSION_CONFLICT'
      ? new EventStoreError(
          'VERSION_CONFLICT',
          `${stream} does not contain the events that this decision was based on.`,
        )
      : new EventStoreError(
          'BUSY',
          `The events that this decision was based on are not stored in ${stream}.`,
        );
  }

  async #send(batch: AppendBatch): Promise<void> {
    const tells = this.#growth.isDue();
    const values = [this.#db.logId, tells, ...batch.values()];
    const question = { name: 'append', text: appendQuery, values };
    const answer = await this.#db
      .askApart<AppendAnswer>(question)
      .catch((error: unknown) => ({ error, outcome: 'nothing' as const }));
    if ('error' in answer) {
      const { error, outcome } = answer;
      const failure = outcome === 'nothing' ? error : unknownOutcome(streamShows, error);
      for (const append of batch.appends) this.#settle(append, { error: failure });
      return;
    }
    for (const [stream, version] of batch.versions(answer.rows))
      this.#versions.set(stream, version);
    let last: LoggedFact | undefined;
    for (const [index, outcome] of batch.outcomes(answer.rows).entries()) {
      const facts = Array.isArray(outcome) ? outcome : undefined;
      last = facts?.at(-1) ?? last;
      this.#settle(batch.appends[index]!, facts ? { facts } : { error: outcome });
    }
    if (!last) return;
    this.#growth.reached(last.position, tells);
    this.#committed(last);
  }

  /** Takes one out of the queue that nothing can come of. */
  #drop(append: WaitingAppend, error: unknown): void {
    if (append.isSettled) return;
    this.#queue = this.#queue.filter((other) => other !== append);
    this.#settle(append, { error });
    // Others may have waited for it.
    this.#sending ??= this.#sendAll();
  }

  #settle(append: WaitingAppend, outcome: { facts: LoggedFact[] } | { error: unknown }): void {
    const { stream, expectedVersion, count } = append;
    const leading = leadingTo(stream, expectedVersion + count);
    if (this.#leading.get(leading) === append) this.#leading.delete(leading);
    append.basis = undefined;
    append.isSettled = true;
    this.#waiting.remove({ facts: count, bytes: append.bytes });
    if ('facts' in outcome) {
      this.#versions.set(stream, expectedVersion + count);
      append.resolve(outcome.facts);
    } else {
      append.failure = outcome.error;
      append.reject(outcome.error);
    }
    this.#unsettled -= 1;
    if (this.#unsettled === 0) for (const wake of this.#drained.splice(0)) wake();
  }
}

const appendQuery =
  'select unit, at, begun from append_batch($1, $2, $3, $4::int[], $5, $6::int[], $7::int[], $8, $9, $10::int[])';

const leadingTo = (stream: string, version: number): string => `${stream} ${version}`;

const streamShows =
  'The database did not say what became of the facts; the stream shows whether they are stored.';

/** Tells other nodes how far the log has come by this one's appends. */
type Growth = {
  /** Whether the append that is sent now is to tell it itself. */
  isDue(): boolean;
  /** It has come up to here. @param isTold whether the append has told so */
  reached(position: number, isTold: boolean): void;
  /** Resolves when nothing is left to be told, or could not be. */
  settled(): Promise<void>;
};

/** A notice costs a third of an append, and each other node a moment: where appends come faster, not each has one. */
const everyMs = 1;

function tellGrowth({ channels }: Pick<Postgres, 'channels'>): Growth {
  let toldAt = -Infinity;
  let owed: { position: number; timer: NodeJS.Timeout } | undefined;
  let telling: Promise<void> = Promise.resolve();
  const tell = (): void => {
    if (owed === undefined) return;
    const { position, timer } = owed;
    clearTimeout(timer);
    owed = undefined;
    // A database that is away shows in `away`; the others ask every few seconds.
    telling = channels.tell(factsChannel, String(position)).catch(() => {});
  };
  return {
    isDue: () => performance.now() - toldAt >= everyMs,
    reached(position, isTold) {
      if (!isTold) {
        owed = { position, timer: owed?.timer ?? setTimeout(tell, everyMs) };
        return;
      }
      toldAt = performance.now();
      clearTimeout(owed?.timer);
      owed = undefined;
    },
    async settled() {
      tell();
      await telling;
    },
  };
}
