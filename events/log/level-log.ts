import type { Appender } from './appender.ts';
import type {
  EventLog,
  LogHealth,
  StoredRecord,
  VerifiedRecords,
  VerifyOptions,
} from '../event-log.ts';
import { type DamageRegister, damageRegister } from './damage.ts';
import {
  type LogDatabase,
  type WriteHook,
  levelCode,
  openDatabase,
  openFailure,
  reopening,
  whyReopening,
  unreadableNow,
} from './database.ts';
import { commitSignal } from '../../src/shared/listeners.ts';
import { type LogReader, reading, crcAt, logReader, rawRecords } from './reader.ts';
import { factDecoder, hasContent, sealFacts } from './sealing.ts';
import type { SealedFact } from './records.ts';
import type { LoggedFact } from '../facts/catalogue.ts';
import type { KeyStore } from '../key-store.ts';
import { type HeadFile, headAfter, openHeadFile } from './head-file.ts';
import { identifyLog, readMarker } from './marker.ts';
import { type Recovery, recoveringAppender } from './recovery.ts';
import { salvage } from './salvage.ts';
import { type EventStore, EventStoreError } from '../store.ts';
import { type StreamHeads, streamHeads, streamNames } from './streams.ts';
import { type Upcasters, checkFacts, upcasters as todaysUpcasters } from '../facts/validation.ts';
import { verifyLog } from './verify.ts';
import { inTime } from '../../src/shared/abort.ts';
import { finding } from '../../src/words/findings.ts';

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
  /** Called with what goes wrong outside of a call: failed writes, attempts to open again. */
  report?: (message: string, error?: unknown) => void;
  /** For tests: other shapes than this release's, and a hand between the database and its disk. */
  upcasters?: Upcasters;
  write?: WriteHook;
};

/** The log in LevelDB. */
export interface LevelLog extends EventLog {
  /** The database, for other data beside the log: under other prefixes than its own. */
  readonly db: LogDatabase;
}

/**
 * Opens the log, or makes it. Damage in records does not keep it from opening: then it can be read
 * around the damage and not be written.
 * @throws {EventStoreError} `LOCKED`, `DAMAGED`, `NEWER_LOG`, `BUSY`
 */
export async function openLog(options: LogOptions): Promise<LevelLog> {
  const marker = await readMarker(options.directory);
  const db = await openDatabase(options.directory, {
    createIfMissing: marker === undefined,
    hook: options.write,
  });
  const { report = () => {} } = options;
  let headFile: HeadFile | undefined;
  try {
    const id = await identifyLog(options.directory, db, marker?.log);
    headFile = await openHeadFile(options.directory, report);
    const keys = typeof options.keys === 'function' ? await options.keys() : options.keys;
    return await levelLog(db, id, headFile, { ...options, keys, report });
  } catch (error) {
    await headFile?.close();
    await db.close();
    throw levelCode(error)?.startsWith('LEVEL_') ? openFailure(options.directory, error) : error;
  }
}

/** Records checked at open when it is not known up to where they are sound. */
const tailChecked = 1_000;
/** How long a reader waits while the database is opened again. */
const reopenWaitMs = 30_000;

async function levelLog(
  db: LogDatabase,
  id: string,
  headFile: HeadFile,
  options: LogOptions & { keys: KeyStore } & Pick<Required<LogOptions>, 'report'>,
): Promise<LevelLog> {
  const { keys, report, clock = () => new Date(), upcasters = todaysUpcasters } = options;
  const damage = damageRegister();
  const committed = commitSignal();
  const decoder = factDecoder({ keys, upcasters, damage });
  const heads = streamHeads(db, damage);
  const closing = new AbortController();
  const verify = (wanted?: VerifyOptions): Promise<VerifiedRecords> =>
    verifyLog({ db, decoder, damage, upcasters, head: appender.head.position }, wanted);
  const { signal } = closing;
  const parts = { db, heads, clock, headFile, damage, committed, verify, closing: signal, report };
  const { appender, recovery } = recoveringAppender(parts);
  const access = accessTo({ db, damage, recovery, closing: signal });
  const { readable: usable, assertOpen, assertWritable } = access;
  const reader = logReader({ db, decoder, damage, usable });
  const durableVersion = (stream: string): Promise<number> =>
    reader.ask({ kind: 'index', stream, said: finding('index-unreadable') }, async () =>
      heads.durable(stream),
    );
  const hasContentOf = contentIn(reader, durableVersion);
  const head = () => appender.head.position;
  const recovering = () => recovery.running() !== undefined && db.waitsForRoom === undefined;

  appender.head = await headAfter(db, headFile.known, damage.report);
  await verify({ afterPosition: checkedBefore(head(), options) });
  return {
    id,
    keys,
    db,
    usable: access.usable,
    head: async () => head(),
    version: durableVersion,
    ...copying(db),
    health: () => healthOf(db, damage, keys, recovery),
    async verify(wanted) {
      await usable();
      return verify(wanted);
    },
    append: appending({ appender, heads, keys, upcasters, assertWritable, hasContentOf }),
    ...reading({
      facts: ({ stream, after, upTo }) =>
        stream === undefined ? reader.pages(after, upTo) : reader.streamPages(stream, after, upTo),
      recordPage: reader.recordPage,
      decoder,
      reached: () => (recovering() ? 0 : head()),
      head,
      versionUpTo: durableVersion,
      committed,
      ready: usable,
      assertOpen,
    }),
    async close() {
      if (closing.signal.aborted) return;
      closing.abort();
      await appender.drained();
      await recovery.running();
      committed.fire();
      await headFile.close();
      await db.close();
    },
  };
}

/** The log of one process, and what copies and checks of the whole of it are made with. */
const copying = (
  db: LogDatabase,
): Pick<EventLog, 'directory' | 'records' | 'checksum' | 'soundRecords' | 'streams'> => ({
  directory: db.location,
  records: ({ afterPosition, upToPosition }) => rawRecords(db, afterPosition, upToPosition),
  checksum: (position) => crcAt(db, position),
  soundRecords: () => soundRecords(db),
  streams: (after) => streamNames(db, after),
});

async function* soundRecords(db: LogDatabase): AsyncGenerator<StoredRecord[], void, void> {
  for await (const page of salvage(db)) yield page.flatMap(({ fact }) => fact ?? []);
}

/** Who may read and write now. `readable` does not wait while the disk is full: what there is can be read. */
function accessTo(log: {
  db: LogDatabase;
  damage: DamageRegister;
  recovery: Recovery;
  closing: AbortSignal;
}) {
  const { db, damage, recovery } = log;
  const assertOpen = (): void => {
    if (log.closing.aborted) throw new EventStoreError('CLOSED', 'The log is closed.');
  };
  const usable = async (): Promise<void> => {
    assertOpen();
    const recovering = recovery.running();
    if (recovering)
      await inTime(reopenWaitMs, recovering, () => {
        throw reopening(db);
      });
    assertOpen();
  };
  return {
    assertOpen,
    usable,
    async readable(): Promise<void> {
      if (db.waitsForRoom === undefined) await usable();
      else assertOpen();
    },
    assertWritable(): void {
      assertOpen();
      if (recovery.running()) throw reopening(db);
      damage.assertSound();
    },
  };
}

function healthOf(
  db: LogDatabase,
  damage: DamageRegister,
  keys: KeyStore,
  recovery: Recovery,
): LogHealth {
  const recovering = recovery.running() !== undefined;
  return {
    ...(recovering ? { reason: whyReopening(db) } : {}),
    state: recovering ? 'recovering' : damage.logDamaged ? 'damaged' : 'ok',
    damage: damage.listed(keys),
    more: damage.more,
  };
}

/** Whether a stream has content of a subject. */
const contentIn =
  (reader: Pick<LogReader, 'streamRecords'>, version: (stream: string) => Promise<number>) =>
  async (stream: string, subject: string): Promise<boolean> =>
    hasContent(reader.streamRecords(stream, 0, await version(stream)), subject, (one) => one);

/** Up to where records are not checked at open. */
function checkedBefore(
  head: number,
  { verifiedPosition, checkedAtOpenMax }: Pick<LogOptions, 'verifiedPosition' | 'checkedAtOpenMax'>,
): number {
  const most = checkedAtOpenMax ?? (verifiedPosition === undefined ? tailChecked : Infinity);
  return Math.max(verifiedPosition ?? 0, head - most);
}

/** Takes facts to where they have a place in the log: checks, encrypts, compares versions. */
function appending(deps: {
  appender: Appender;
  heads: StreamHeads;
  keys: KeyStore;
  upcasters: Upcasters;
  /** @throws {EventStoreError} `BUSY`, `DAMAGED`, `CLOSED` while nothing may be written */
  assertWritable: () => void;
  hasContentOf: (stream: string, subject: string) => Promise<boolean>;
}): EventStore['append'] {
  const { appender, heads, assertWritable } = deps;
  /** Facts that have a place in the queue, but are not in it yet. */
  let preparing = 0;
  const inOrder = orderOfOffers();

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
        await version.catch((error: unknown) => {
          // A log that was closed meanwhile says so.
          assertWritable();
          throw unreadableNow(error);
        });
        // Others may have appended while this waited, so it is asked again and used at once.
        assertWritable();
        version = heads.queued(place.stream);
      }
      assertWritable();
      preparing -= reserved;
      reserved = 0;
      return await enqueue(appender, place, sealed, version);
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
      const sealing = inOrder(place, sealFacts(checked, { ...deps, ...place }));
      const version = Array.isArray(sealing) ? heads.queued(stream) : undefined;
      if (Array.isArray(sealing) && typeof version === 'number') {
        return enqueue(appender, place, sealing, version);
      }
      return enqueueLater(place, sealing, version, checked.length);
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

/** While a stream's first append is being prepared, what is decided on it waits behind it. */
function orderOfOffers() {
  const beginnings = new Map<string, Promise<unknown>>();
  return <T extends unknown[]>(
    { stream, expectedVersion }: Place,
    sealing: T | Promise<T>,
  ): T | Promise<T> => {
    const first = beginnings.get(stream);
    if (first) return Promise.all([sealing, first]).then(([sealed]) => sealed);
    if (expectedVersion === 0 && !Array.isArray(sealing)) {
      const over = () => beginnings.delete(stream);
      beginnings.set(stream, sealing.then(over, over));
    }
    return sealing;
  };
}

function enqueue(
  appender: Appender,
  { stream, expectedVersion }: Place,
  facts: SealedFact[],
  version: number,
): Promise<LoggedFact[]> {
  if (version !== expectedVersion) throw conflict(stream, version, expectedVersion);
  return appender.enqueue(stream, facts, expectedVersion);
}

type Place = { stream: string; expectedVersion: number };

const conflict = (stream: string, version: number, expected: number): EventStoreError =>
  new EventStoreError(
    'VERSION_CONFLICT',
    `${stream} is at version ${version}, not ${expected}. Decide again on what is there now.`,
  );
