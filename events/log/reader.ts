import type { LoggedFact, LoggedFactIn } from '../facts/catalogue.ts';
import { type LogDatabase, levelCode, unreadableNow } from './database.ts';
import type { Damage, RawRecord, StoredRecord } from '../event-log.ts';
import { type RecordPage, following } from './following.ts';
import { type DamageRegister, damagedError } from './damage.ts';
import { type FactDecoder, parseRecord, soundRecord } from './sealing.ts';
import {
  crcOf,
  isIntact,
  jsonOf,
  logKey,
  noPredecessor,
  predecessorCrcOf,
  streamKey,
} from './records.ts';
import type { EventStore } from '../store.ts';
import { type FindingSaid, finding } from '../../src/words/findings.ts';

/** Reads the log a page at a time; every record is checked, and in sequence its place as well. */
export type LogReader = {
  /**
   * Asks the database, again when it was closed meanwhile to be opened again.
   * @param place what is damaged when LevelDB says so
   * @throws {EventStoreError} `BUSY`, `DAMAGED`, `CLOSED`
   */
  ask<T>(place: Damage, question: () => Promise<T>): Promise<T>;
  /** Facts after one position up to another, which must all be there. */
  pages(afterPosition: number, upToPosition: number): AsyncGenerator<LoggedFact[], void, void>;
  /** The records of the first of these pages, still sealed, and what is wrong with the next. @throws as `ask` */
  recordPage(afterPosition: number, upToPosition: number): Promise<RecordPage>;
  /** Records of a stream after one version up to another, their content still sealed. */
  streamRecords(
    stream: string,
    afterVersion: number,
    upToVersion: number,
  ): AsyncGenerator<StoredRecord[], void, void>;
  /** Facts of a stream after one version up to another, which must all be there. */
  streamPages(
    stream: string,
    afterVersion: number,
    upToVersion: number,
  ): AsyncGenerator<LoggedFact[], void, void>;
};

/** What a page may hold: whichever comes first (one record more than the bytes is possible). */
export const pageFactsMax = 1_000;

export const pageBytesMax = 1024 * 1024;

export function logReader(options: {
  db: LogDatabase;
  decoder: FactDecoder;
  damage: DamageRegister;
  /** Resolves when the database is open. @throws {EventStoreError} `CLOSED`, `BUSY` */
  usable: () => Promise<void>;
}): LogReader {
  const { db, decoder, damage, usable } = options;

  const ask: LogReader['ask'] = (place, question) => askAgain(usable, damage, place, question);
  const streamRecords = streamRecordsOf(ask, db, damage);
  const textsAfter = (after: number, upToPosition: number): Promise<string[]> =>
    ask({ kind: 'record', position: after + 1, said: finding('record-unreadable') }, () =>
      readPage(db, after, upToPosition),
    );

  return {
    ask,

    async recordPage(afterPosition, upToPosition) {
      const texts = await textsAfter(afterPosition, upToPosition);
      const bytes = texts.reduce((sum, { length }) => sum + length, 0);
      const { records, damage: found } = checkPage(texts, afterPosition, undefined);
      return { records, bytes, ...(found && { error: damage.report(found) }) };
    },

    async *pages(afterPosition, upToPosition) {
      let position = afterPosition;
      let crc: string | undefined;
      const page = (after: number): Promise<string[]> => textsAfter(after, upToPosition);
      let next = position < upToPosition ? page(position) : undefined;
      while (next) {
        const texts = await next;
        const end = position + texts.length;
        // Read ahead while this page is checked and used; its failure is thrown in its turn.
        next = texts.length > 0 && end < upToPosition ? page(end) : undefined;
        next?.catch(() => {});
        const checked = checkPage(texts, position, crc);
        position = end;
        crc = checked.crc;
        const { facts, error } = await decoder.decode(checked.records);
        if (facts.length > 0) yield facts;
        if (error !== undefined) throw error;
        if (checked.damage) throw damage.report(checked.damage);
      }
    },

    streamRecords,

    async *streamPages(stream, afterVersion, upToVersion) {
      for await (const records of streamRecords(stream, afterVersion, upToVersion)) {
        const { facts, error } = await decoder.decode(records);
        if (facts.length > 0) yield facts;
        if (error !== undefined) throw error;
      }
    },
  };
}

const streamRecordsOf = (
  ask: LogReader['ask'],
  db: LogDatabase,
  damage: DamageRegister,
): LogReader['streamRecords'] =>
  async function* streamRecords(stream, afterVersion, upToVersion) {
    let version = afterVersion;
    let size = pageFirst;
    while (version < upToVersion) {
      const wanted = Math.min(size, upToVersion - version);
      const place: Damage = { kind: 'index', stream, said: finding('stream-unreadable') };
      const found = await ask(place, () => readStreamPage(db, stream, version, wanted));
      const checked = checkStreamPage(found, stream, version, wanted);
      version += checked.records.length;
      const bytes = found.records.reduce((sum, record) => sum + (record?.length ?? 0), 0);
      size = bytes > pageBytesMax ? Math.ceil(size / 4) : Math.min(size * 2, pageFactsMax);
      yield checked.records;
      if (checked.damage) throw damage.report(checked.damage);
    }
  };

async function askAgain<T>(
  usable: () => Promise<void>,
  damage: DamageRegister,
  place: Damage,
  question: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    await usable();
    try {
      return await question();
    } catch (error) {
      const code = levelCode(error);
      if (code === 'LEVEL_CORRUPTION') throw damage.report(place, error);
      if (code === undefined || !notOpen.has(code) || attempt >= attemptsMax) {
        throw unreadableNow(error);
      }
    }
  }
}

/** Facts of a stream are looked up one by one: the first pages are small, in case they are large. */
const pageFirst = 32;

/** How often the database may be opened again during one question. */
const attemptsMax = 5;

const notOpen = new Set(['LEVEL_DATABASE_NOT_OPEN', 'LEVEL_ITERATOR_NOT_OPEN']);

/** A position in the index, as it was written. */
const isPosition = (text: string | undefined): boolean =>
  text !== undefined && /^[1-9]\d{0,15}$/.test(text);

/**
 * Records after a position up to another as they were written, a page at a time (up to a thousand
 * or about 1 MiB): for copies that must not differ. Each is checked, alone and in its place.
 * @throws {EventStoreError} `DAMAGED` at the first that is not sound or missing
 */
export async function* rawRecords(
  db: LogDatabase,
  afterPosition: number,
  upToPosition: number,
): AsyncGenerator<RawRecord[], void, void> {
  let position = afterPosition;
  let crc = await crcAt(db, afterPosition);
  while (position < upToPosition) {
    const texts = await readPage(db, position, upToPosition);
    const page: RawRecord[] = [];
    for (const text of texts) {
      position += 1;
      const fact = soundRecord(text);
      if (fact?.position !== position || predecessorCrcOf(text) !== crc) throw unsound(position);
      crc = crcOf(text);
      page.push({ fact, json: jsonOf(text) });
    }
    if (page.length === 0) throw unsound(position + 1);
    yield page;
  }
}

/** The CRC of the record at a position: two logs that agree on it agree on everything before it. */
export async function crcAt(db: LogDatabase, position: number): Promise<string> {
  if (position === 0) return noPredecessor;
  const text = await intactAt(db, position);
  if (text === undefined) throw unsound(position);
  return crcOf(text);
}

/** The record at a position; undefined where there is none that is as it was written. */
export async function intactAt(db: LogDatabase, position: number): Promise<string | undefined> {
  const text = await db.get<Buffer, string | undefined>(logKey(position), {
    keyEncoding: 'buffer',
  });
  return text !== undefined && isIntact(text) ? text : undefined;
}

/** Reads facts up to what is durable when it is asked; followers go on from there. */
export function reading(
  log: Parameters<typeof following>[0] & {
    /** Facts of the log, or of a stream, after a number up to another. */
    facts(range: { stream?: string; after: number; upTo: number }): AsyncIterable<LoggedFact[]>;
    /** Up to where a stream can be read: the version of its last durable fact, or more. */
    versionUpTo: (stream: string) => number | Promise<number>;
    /** Resolves when the log can be read. @throws {EventStoreError} `CLOSED`, `BUSY` */
    ready: () => void | Promise<void>;
  },
): Pick<EventStore, 'read' | 'readAll' | 'pages' | 'follow' | 'outlines' | 'opened'> {
  const { facts, versionUpTo, ready, head } = log;
  async function* pagesAfter(after: number, limit = Infinity) {
    await ready();
    yield* facts({ after, upTo: Math.min(await head(), after + limit) });
  }
  return {
    async *read<S extends string>(stream: S, { afterVersion: after = 0, limit = Infinity } = {}) {
      await ready();
      const upTo = Math.min(await versionUpTo(stream), after + limit);
      // Facts are checked when they are appended: each stream holds its own kind.
      for await (const page of facts({ stream, after, upTo })) yield* page as LoggedFactIn<S>[];
    },
    async *readAll({ afterPosition = 0, limit } = {}) {
      for await (const page of pagesAfter(afterPosition, limit)) yield* page;
    },
    pages: ({ afterPosition = 0 } = {}) => pagesAfter(afterPosition),
    ...following(log),
  };
}

const unsound = (position: number): Error =>
  damagedError({ kind: 'record', position, said: finding('record-altered') });

/** The records after a position, as they lie there. The iterator is gone when this returns. */
async function readPage(
  db: LogDatabase,
  afterPosition: number,
  upToPosition: number,
): Promise<string[]> {
  const values = db.values<Buffer, string>({
    gt: logKey(afterPosition),
    lte: logKey(upToPosition),
    limit: pageFactsMax,
    keyEncoding: 'buffer',
    highWaterMarkBytes: pageBytesMax,
  });
  try {
    return await values.nextv(pageFactsMax);
  } finally {
    await values.close();
  }
}

/**
 * Keys and records after a position and before a key, a page, as they lie there; undefined where LevelDB itself
 * stumbles. The iterator is gone when this returns.
 */
export async function readEntries<V extends string | Buffer>(
  db: LogDatabase,
  after: number,
  before: Buffer,
  valueEncoding: V extends string ? 'utf8' : 'buffer',
): Promise<[key: Buffer, record: V][] | undefined> {
  const entries = db.iterator<Buffer, V>({
    gt: logKey(after),
    lt: before,
    limit: pageFactsMax,
    keyEncoding: 'buffer',
    valueEncoding,
    highWaterMarkBytes: pageBytesMax,
  });
  try {
    return await entries.nextv(pageFactsMax);
  } catch (error) {
    if (levelCode(error) !== 'LEVEL_CORRUPTION') throw error;
    return undefined;
  } finally {
    await entries.close();
  }
}

type Checked = { records: StoredRecord[]; crc?: string | undefined; damage?: Damage };

/** The sound records of a page that follow a position without a gap, and what ends them. */
function checkPage(page: string[], afterPosition: number, crc: string | undefined): Checked {
  const records: StoredRecord[] = [];
  let predecessor = crc;
  let position = afterPosition;
  const bad = (code: 'record-altered' | 'record-missing' | 'record-out-of-order'): Checked => ({
    records,
    damage: { kind: 'record', position, said: finding(code) },
  });
  for (const text of page) {
    position += 1;
    if (!isIntact(text)) return bad('record-altered');
    const record = parseRecord(text);
    if (record.position !== position) return bad('record-missing');
    if (predecessor !== undefined && predecessorCrcOf(text) !== predecessor) {
      return bad('record-out-of-order');
    }
    predecessor = crcOf(text);
    records.push(record);
  }
  if (records.length > 0) return { records, crc: predecessor };
  position += 1;
  return bad('record-missing');
}

type StreamPage = { positions: (string | undefined)[]; records: (string | undefined)[] };

async function readStreamPage(
  db: LogDatabase,
  stream: string,
  afterVersion: number,
  wanted: number,
): Promise<StreamPage> {
  const indexed = db.iterator({
    gte: streamKey(stream, afterVersion + 1),
    lte: streamKey(stream, afterVersion + wanted),
    limit: wanted,
    // All of them at once: `wanted` bounds what they take.
    highWaterMarkBytes: pageBytesMax,
  });
  let entries: [string, string][];
  try {
    entries = await indexed.nextv(wanted);
  } finally {
    await indexed.close();
  }
  const byKey = new Map(entries);
  const positions = Array.from({ length: wanted }, (_, index) =>
    byKey.get(streamKey(stream, afterVersion + 1 + index)),
  );
  const keys = positions.map((position) => logKey(isPosition(position) ? Number(position) : 0));
  const records = await db.getMany<Buffer, string>(keys, { keyEncoding: 'buffer' });
  return { positions, records };
}

function checkStreamPage(
  { positions, records: texts }: StreamPage,
  stream: string,
  afterVersion: number,
  wanted: number,
): Checked {
  const records: StoredRecord[] = [];
  for (let index = 0; index < wanted; index += 1) {
    const version = afterVersion + 1 + index;
    const position = Number(positions[index]);
    const bad = (kind: Damage['kind'], said: FindingSaid): Checked => ({
      records,
      damage: {
        kind,
        stream,
        version,
        ...(isPosition(positions[index]) ? { position } : {}),
        said,
      },
    });
    if (!isPosition(positions[index])) return bad('index', finding('index-lacks'));
    const text = texts[index];
    if (text === undefined) return bad('record', finding('record-missing'));
    if (!isIntact(text)) return bad('record', finding('record-altered'));
    const record = parseRecord(text);
    if (record.stream !== stream || record.version !== version || record.position !== position) {
      return bad('index', finding('index-other'));
    }
    records.push(record);
  }
  return { records };
}
