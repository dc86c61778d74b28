import { Appender } from './appender.ts';
import { appending } from './appending.ts';
import type { LoggedFact } from './catalogue.ts';
import { commitSignal } from './commit-signal.ts';
import { damageRegister, damagedError, type Health } from './damage.ts';
import {
  levelCode,
  openDatabase,
  openFailure,
  type LogDatabase,
  type WriteHook,
} from './database.ts';
import { factDecoder } from './fact-decoder.ts';
import type { KeyStore } from './keys.ts';
import { openHeadWitness, type HeadWitness } from './head-witness.ts';
import { headAfter } from './log-head.ts';
import { identify } from './log-identity.ts';
import { logReader } from './log-reader.ts';
import { readMarker } from './marker.ts';
import { reading } from './reading.ts';
import { reopenUntilUsable } from './reopening.ts';
import { EventStoreError, type EventStore } from './store.ts';
import { streamHeads } from './stream-heads.ts';
import { upcasters as todaysUpcasters, type Upcasters } from './upcast.ts';
import { verifyLog, type Verified, type VerifyOptions } from './verify.ts';

export type LogOptions = {
  /** Where the database lies; the marker is the file beside it with `.json` at the end. */
  directory: string;
  keys: KeyStore;
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
export interface Log extends EventStore {
  /** The log's own id, a ULID made with it. */
  readonly id: string;
  /** The database, for other data beside the log: in sublevels other than `log`, `streams`, `meta`. */
  readonly db: LogDatabase;
  /** Position of the last durable fact; 0 when there is none. */
  head(): number;
  /** Version of a stream's last durable fact; 0 when there is none. */
  version(stream: string): Promise<number>;
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
export async function openLog(options: LogOptions): Promise<Log> {
  const marker = await readMarker(options.directory);
  const db = await openDatabase(options.directory, {
    createIfMissing: marker === undefined,
    hook: options.write,
  });
  let witness: HeadWitness | undefined;
  try {
    const id = await identify(options.directory, db, marker?.log);
    witness = await openHeadWitness(options.directory, options.report ?? (() => {}));
    return await levelLog(db, id, witness, options);
  } catch (error) {
    await witness?.close();
    await db.close();
    const foreign = !(error instanceof EventStoreError) && levelCode(error) !== undefined;
    throw foreign ? openFailure(options.directory, error) : error;
  }
}

/** Records checked at open when nobody says up to where they are known to be sound. */
const tailChecked = 1_000;
/** How long a reader waits while the database is opened anew. */
const reopenWaitMs = 30_000;

async function levelLog(
  db: LogDatabase,
  id: string,
  witness: HeadWitness,
  options: LogOptions,
): Promise<Log> {
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
    appender.refuseWaiting(reopening());
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
    if (recovering) await within(reopenWaitMs, recovering);
    assertOpen();
  };
  const assertOpen = (): void => {
    if (closing.signal.aborted) throw new EventStoreError('CLOSED', 'The log is closed.');
  };
  const assertWritable = (): void => {
    assertOpen();
    if (recovering) throw reopening();
    if (!damage.logDamaged) return;
    throw damagedError(damage.list.find(({ kind }) => kind !== 'key') ?? unlisted);
  };
  const reader = logReader({ db, decoder, damage, usable });
  const durableVersion = (stream: string): Promise<number> =>
    reader.ask({ kind: 'index', stream, message: 'Its index cannot be read.' }, async () =>
      heads.durable(stream),
    );
  const append = appending({ appender, heads, keys, upcasters, assertWritable });

  appender.head = await headAfter(db, witness.known, damage.report);
  const verified = options.verifiedPosition ?? 0;
  const checkedMax =
    options.checkedAtOpenMax ?? (options.verifiedPosition === undefined ? tailChecked : Infinity);
  await verify({ afterPosition: Math.max(verified, appender.head.position - checkedMax) });

  return {
    id,
    db,
    usable,
    head: () => appender.head.position,
    version: durableVersion,
    health: () => ({
      state: recovering ? 'recovering' : damage.logDamaged ? 'damaged' : 'ok',
      damage: damage.list,
      more: damage.more,
    }),
    async verify(wanted) {
      await usable();
      return verify(wanted);
    },

    append,
    ...reading({
      reader,
      head: () => appender.head.position,
      durableVersion,
      committed,
      usable,
      assertOpen,
      recovering: () => recovering !== undefined,
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

const reopening = (): EventStoreError =>
  new EventStoreError('BUSY', 'The log is being opened again after a failed write.');

const unlisted = { kind: 'record', message: 'There is damage.' } as const;

async function within(limitMs: number, awaited: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(reopening()), limitMs);
  });
  try {
    await Promise.race([awaited, late]);
  } finally {
    clearTimeout(timer);
  }
}
