import { Appender } from './appender.ts';
import type { LoggedFact } from '../facts/catalogue.ts';
import { type Health, damageRegister, damagedError } from './damage.ts';
import {
  type LogDatabase,
  type WriteHook,
  levelCode,
  openDatabase,
  openFailure,
  reopenUntilUsable,
  reopening,
} from './database.ts';
import { factDecoder, sealFacts } from './sealing.ts';
import type { KeyStore } from '../key-store.ts';
import { type HeadWitness, headAfter, openHeadWitness } from './head-file.ts';
import { identifyLog, readMarker } from './marker.ts';
import { type LogReader, logReader } from './reader.ts';
import { type EventStore, EventStoreError } from '../store.ts';
import { type StreamHeads, streamHeads } from './streams.ts';
import { type Upcasters, checkFacts, upcasters as todaysUpcasters } from '../facts/validation.ts';
import { type Verified, type VerifyOptions, verifyLog } from './verify.ts';
import type { SealedFact } from './records.ts';

export type LogOptions = {
  /** Where the database lies; the marker is the file beside it with `.json` at the end. */
  directory: string;
  /** Opened only once no other process has the log: their files are only one process's to touch. */
  keys: KeyStore | (() => Promise<KeyStore>);
  clock?: () => Date;
  /** Records up to here were found sound before; the rest is checked at open. Default: the last thousand. */
  verifiedPosition?: number;
  /** At most so many records are checked at open, the last ones. Default: all after `verifiedPosition`. */
  checkedAtOpenMax?: number;
  /** Told what went wrong without a caller to tell: failed writes, attempts to open again. */
  report?: (message: string, error?: unknown) => void;
  /** For tests: other shapes than this release's, and a hand between the database and its disk. */
  upcasters?: Upcasters;
  write?: WriteHook;
};

/** The log in LevelDB. */
export interface EventLog extends EventStore {
  /** The log's own id, a ULID made with it. */
  readonly id: string;
  readonly keys: KeyStore;
  /** The database, for other data beside the log: in sublevels other than `log`, `streams`, `meta`. */
  readonly db: LogDatabase;
  health(): Health;
  /** Resolves when the database is open, also after it had to be opened anew. @throws `CLOSED`, `BUSY` */
  usable(): Promise<void>;
  /** As `readAll`, but in arrays of up to a thousand: twice as fast for folds. */
  pages(options?: { afterPosition?: number }): AsyncIterable<LoggedFact[]>;
  /** Checks records and index; what it finds is in `health()` afterwards. */
  verify(options?: VerifyOptions): Promise<Verified>;
}

/**
 * Opens the log, or makes it. Damage in records does not keep it from opening: then it can be read
 * around the damage and not be written.
 * @throws {EventStoreError} `LOCKED`, `DAMAGED`, `NEWER_LOG`, `BUSY`
 */
export async function openLog(options: LogOptions): Promise<EventLog> {
  const marker = await readMarker(options.directory);
  const db = await openDatabase(options.directory, {
    createIfMissing: marker === undefined,
    hook: options.write,
  });
  let witness: HeadWitness | undefined;
  try {
    const id = await identifyLog(options.directory, db, marker?.log);
    witness = await openHeadWitness(options.directory, options.report ?? (() => {}));
    const keys = typeof options.keys === 'function' ? await options.keys() : options.keys;
    return await levelLog(db, id, witness, { ...options, keys });
  } catch (error) {
    await witness?.close();
    await db.close();
    throw levelCode(error)?.startsWith('LEVEL_') ? openFailure(options.directory, error) : error;
  }
}

/** Records checked at open when nobody says up to where they are known to be sound. */
const tailChecked = 1_000;
/** How long a reader waits while the database is opened anew. */
const reopenWaitMs = 30_000;

const unlisted = { kind: 'record', message: 'There is damage.' } as const;

const conflict = (stream: string, version: number, expected: number): EventStoreError =>
  new EventStoreError(
    'VERSION_CONFLICT',
    `${stream} is at version ${version}, not ${expected}. Decide again on what is there now.`,
  );

export function commitSignal(): CommitSignal {
  let waiters = new Set<() => void>();
  return {
    wait(signal) {
      if (signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = (): void => {
          waiters.delete(wake);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        waiters.add(wake);
        signal?.addEventListener('abort', wake, { once: true });
      });
    },
    fire() {
      const woken = waiters;
      waiters = new Set();
      for (const wake of woken) wake();
    },
  };
}

async function levelLog(
  db: LogDatabase,
  id: string,
  witness: HeadWitness,
  options: LogOptions & { keys: KeyStore },
): Promise<EventLog> {
  const { keys, clock = () => new Date(), upcasters = todaysUpcasters } = options;
  const { report = () => {} } = options;
  const damage = damageRegister();
  const committed = commitSignal();
  const decoder = factDecoder({ keys, upcasters, damage });
  const heads = streamHeads(db, damage);
  const closing = new AbortController();
  let recovering: Promise<void> | undefined;

  const verify = (wanted?: VerifyOptions): Promise<Verified> =>
    verifyLog({ db, decoder, damage, upcasters, head: appender.head.position }, wanted);

  /** After a failed write: nothing more to these files until LevelDB has read them again. */
  const recover = (cause: unknown): void => {
    if (recovering || closing.signal.aborted) return;
    report('A write to the log failed; it is opened again.', cause);
    appender.refuseWaiting(reopening(db));
    const known = appender.head;
    const check = async (): Promise<void> => {
      appender.head = await headAfter(db, known, damage.report);
      heads.reset();
      await verify({ afterPosition: Math.min(known.position, appender.head.position) });
      report(`The log is open again at position ${appender.head.position}.`);
    };
    recovering = reopenUntilUsable(db, closing.signal, check, report).finally(() => {
      recovering = undefined;
      committed.fire();
    });
  };
  const appender: Appender = new Appender({
    db,
    heads,
    clock,
    committed: () => {
      witness.tell(appender.head);
      committed.fire();
    },
    failed: recover,
  });
  db.onWriteFailure = recover;

  const usable = async (): Promise<void> => {
    assertOpen();
    if (recovering) await within(reopenWaitMs, recovering, () => reopening(db));
    assertOpen();
  };
  const readable = async (): Promise<void> => {
    if (db.waitsForRoom === undefined) await usable();
    else assertOpen();
  };
  const assertOpen = (): void => {
    if (closing.signal.aborted) throw new EventStoreError('CLOSED', 'The log is closed.');
  };
  const assertWritable = (): void => {
    assertOpen();
    if (recovering) throw reopening(db);
    if (!damage.logDamaged) return;
    throw damagedError(damage.list.find(({ kind }) => kind !== 'key') ?? unlisted);
  };
  const reader = logReader({ db, decoder, damage, usable: readable });
  const durableVersion = (stream: string): Promise<number> =>
    reader.ask({ kind: 'index', stream, message: 'Its index cannot be read.' }, async () =>
      heads.durable(stream),
    );
  const hasContentOf = async (stream: string, subject: string): Promise<boolean> => {
    const records = reader.streamRecords(stream, 0, await durableVersion(stream));
    for await (const page of records) {
      if (page.some((record) => record.subject === subject && record.content !== undefined))
        return true;
    }
    return false;
  };
  const append = appending({ appender, heads, keys, upcasters, assertWritable, hasContentOf });

  appender.head = await headAfter(db, witness.known, damage.report);
  const verified = options.verifiedPosition ?? 0;
  const checkedMax =
    options.checkedAtOpenMax ?? (options.verifiedPosition === undefined ? tailChecked : Infinity);
  await verify({ afterPosition: Math.max(verified, appender.head.position - checkedMax) });

  return {
    id,
    keys,
    db,
    usable,
    head: () => appender.head.position,
    version: durableVersion,
    health: () => ({
      ...(recovering ? { reason: reopening(db).message } : {}),
      state: recovering ? 'recovering' : damage.logDamaged ? 'damaged' : 'ok',
      damage: damage.list.filter(({ subject }) => subject === undefined || !keys.isErased(subject)),
      more: damage.more,
    }),
    async verify(wanted) {
      await readable();
      return verify(wanted);
    },

    append,
    ...reading({
      reader,
      head: () => appender.head.position,
      durableVersion,
      committed,
      usable: readable,
      assertOpen,
      recovering: () => recovering !== undefined && db.waitsForRoom === undefined,
    }),

    async close() {
      if (closing.signal.aborted) return;
      closing.abort();
      await appender.drained();
      await recovering;
      committed.fire();
      await witness.close();
      await db.close();
    },
  };
}

async function within(
  limitMs: number,
  awaited: Promise<void>,
  late: () => EventStoreError,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), limitMs);
  });
  try {
    await Promise.race([awaited, over]);
  } finally {
    clearTimeout(timer);
  }
}

/** Takes facts from whoever offers them to where they have a place in the log: checks, encrypts, compares versions. */
function appending(deps: {
  appender: Appender;
  heads: StreamHeads;
  keys: KeyStore;
  upcasters: Upcasters;
  /** @throws {EventStoreError} `BUSY`, `DAMAGED`, `CLOSED` while nothing may be written */
  assertWritable: () => void;
  hasContentOf: (stream: string, subject: string) => Promise<boolean>;
}): EventStore['append'] {
  const { appender, heads, keys, upcasters, assertWritable, hasContentOf } = deps;
  /** Facts that have a place in the queue, but are not in it yet. */
  let preparing = 0;

  const enqueue = (
    { stream, expectedVersion }: Place,
    facts: SealedFact[],
    version: number,
  ): Promise<LoggedFact[]> => {
    if (version !== expectedVersion) throw conflict(stream, version, expectedVersion);
    return appender.enqueue(stream, facts, expectedVersion);
  };

  /** For facts that are still being encrypted, or whose stream's head is still to be read. */
  const enqueueLater = async (
    place: Place,
    sealing: SealedFact[] | Promise<SealedFact[]>,
    found: number | Promise<number> | undefined,
    facts: number,
  ): Promise<LoggedFact[]> => {
    let reserved = facts;
    preparing += reserved;
    try {
      const sealed = Array.isArray(sealing) ? sealing : await sealing;
      let version = found ?? heads.queued(place.stream);
      for (let looks = 0; typeof version !== 'number'; looks += 1) {
        if (looks > 10) throw new EventStoreError('BUSY', 'Too many streams are in use at once.');
        await version.catch(closedMeanwhile);
        // Others may have appended while this waited, so it is asked again and used at once.
        assertWritable();
        version = heads.queued(place.stream);
      }
      assertWritable();
      preparing -= reserved;
      reserved = 0;
      return await enqueue(place, sealed, version);
    } finally {
      preparing -= reserved;
    }
  };

  return (stream, facts, expectedVersion) => {
    // Most appends need nothing but their turn, and every promise more would be felt.
    try {
      assertWritable();
      const checked = checkFacts(stream, facts, expectedVersion);
      appender.assertRoom(preparing + checked.length);
      const place = { stream, expectedVersion };
      const sealing = sealFacts(checked, { ...place, keys, upcasters, hasContentOf });
      const version = Array.isArray(sealing) ? heads.queued(stream) : undefined;
      if (Array.isArray(sealing) && typeof version === 'number') {
        return enqueue(place, sealing, version);
      }
      return enqueueLater(place, sealing, version, checked.length);
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

type Place = { stream: string; expectedVersion: number };

/** The database was closed, to be opened anew, while it was asked: what was offered is not stored. */
function closedMeanwhile(error: unknown): void {
  if (error instanceof EventStoreError || levelCode(error) === undefined) throw error;
  throw new EventStoreError('BUSY', 'The log cannot be read now.', { cause: error });
}

/** Hands facts to whoever asks for them, up to what was durable when they asked; subscribers go on from there. */
function reading(deps: {
  reader: LogReader;
  /** Position of the last durable fact. */
  head: () => number;
  /** Version of a stream's last durable fact. */
  durableVersion: (stream: string) => Promise<number>;
  committed: CommitSignal;
  /** Resolves when the database is open. @throws {EventStoreError} `CLOSED`, `BUSY` */
  usable: () => Promise<void>;
  /** @throws {EventStoreError} `CLOSED` */
  assertOpen: () => void;
  /** Whether the database is being opened anew: subscribers wait until it is there again. */
  recovering: () => boolean;
}): Required<Pick<EventStore, 'read' | 'readAll' | 'pages' | 'subscribe'>> {
  const { reader, head, durableVersion, committed, usable, assertOpen, recovering } = deps;
  return {
    async *read(stream, { afterVersion = 0, limit = Infinity } = {}) {
      const upTo = Math.min(await durableVersion(stream), afterVersion + limit);
      for await (const page of reader.streamPages(stream, afterVersion, upTo)) yield* page;
    },
    async *readAll({ afterPosition = 0, limit = Infinity } = {}) {
      await usable();
      const upTo = Math.min(head(), afterPosition + limit);
      for await (const page of reader.pages(afterPosition, upTo)) {
        for (const fact of page) yield fact;
      }
    },
    async *pages({ afterPosition = 0 } = {}) {
      await usable();
      yield* reader.pages(afterPosition, head());
    },
    async *subscribe({ afterPosition, signal }) {
      let position = afterPosition;
      while (!signal.aborted) {
        assertOpen();
        const upTo = head();
        if (position >= upTo || recovering()) {
          await committed.wait(signal);
          continue;
        }
        for await (const page of reader.pages(position, upTo)) {
          for (const fact of page) {
            if (signal.aborted) return;
            position = fact.position;
            yield fact;
          }
        }
      }
    },
  };
} /** Wakes whoever waits for the log to change. A waiter costs one callback and no memory per fact. */
type CommitSignal = {
  /** Resolves at the next `fire`, or when `signal` aborts, whichever comes first. */
  wait(signal?: AbortSignal): Promise<void>;
  fire(): void;
};
