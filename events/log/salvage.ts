import { type LogDatabase, levelCode, openDatabase } from './database.ts';
import type { StoredRecord } from '../event-log.ts';
import { parseRecord, soundRecord } from './sealing.ts';
import {
  crcOf,
  encodeRecord,
  idKey,
  jsonOf,
  logEnd,
  logKey,
  positionOf,
  streamKey,
  streamsRange,
} from './records.ts';
import { readEntries } from './reader.ts';
import { damageRegister } from './damage.ts';
import { type Head, loadHead } from './head-file.ts';
import { identifyLog, readMarker } from './marker.ts';
import { EventStoreError } from '../store.ts';
import { streamHeads } from './streams.ts';

/** What lies at a position: a record that is sound by itself, or what is left of one. */
export type Salvaged =
  | { position: number; fact: StoredRecord; json: string }
  | { position: number; fact: undefined; bytes: Buffer | undefined };

/**
 * Everything that lies in a log, by position, around whatever is damaged; positions without a record
 * are left out. Each record is checked alone: beside a hole there is no predecessor to compare.
 */
export async function* salvage(db: LogDatabase): AsyncGenerator<Salvaged[], void, void> {
  let after = 0;
  for (;;) {
    const entries = await readEntries<Buffer>(db, after, logEnd, 'buffer');
    if (entries === undefined) {
      const position = after + 1;
      after = position;
      const alone = await readAlone(db, position);
      if (alone === 'unreadable') yield [{ position, fact: undefined, bytes: undefined }];
      else if (alone !== undefined) yield [judged(position, alone)];
      else if (position > (await lastPosition(db))) return;
      continue;
    }
    if (entries.length === 0) return;
    yield entries.map(([key, value]) => judged(positionOf(key), value));
    after = positionOf(entries.at(-1)![0]);
  }
}

const binary = { keyEncoding: 'buffer', valueEncoding: 'buffer' } as const;

/** A log that is written record by record, with the ids, places and times its facts already have. */
export type LogCopy = {
  readonly id: string;
  readonly db: LogDatabase;
  head(): Head;
  /**
   * Appends facts' JSON, byte for byte; durable on return, all or none.
   * @throws {EventStoreError} `INVALID_FACT` when one does not follow its predecessor in log and stream
   */
  append(jsons: readonly string[]): Promise<void>;
  /** The version of a stream's last fact; 0 when there is none. */
  version(stream: string): Promise<number>;
  close(): Promise<void>;
};

/**
 * Opens a log to copy records into, or makes it with the id given.
 * @throws {EventStoreError} `LOCKED`; `DAMAGED`, also when another log is there
 */
export async function openLogCopy(directory: string, id: string): Promise<LogCopy> {
  const marker = await readMarker(directory);
  if (marker && marker.log !== id) {
    throw new EventStoreError(
      'DAMAGED',
      `${directory} contains a different event log (${marker.log}).`,
    );
  }
  const db = await openDatabase(directory, {
    createIfMissing: marker === undefined,
    hook: undefined,
  });
  try {
    const found = await db.get<string, string | undefined>(idKey, {});
    // A new one may already have its own id; one with records keeps it.
    const isNew =
      marker === undefined && (await db.keys({ ...streamsRange, limit: 1 }).all()).length === 0;
    if (isNew && found !== id) await db.put(idKey, id, { sync: true });
    const known = await identifyLog(directory, db, marker?.log);
    if (known !== id)
      throw new EventStoreError('DAMAGED', `${directory} contains event log ${known}.`);
    return await copyInto(db, id);
  } catch (error) {
    await db.close();
    throw error;
  }
}

const outOfPlace = (
  fact: { position: number; stream: string; version: number },
  position: number,
  version: number,
): EventStoreError =>
  new EventStoreError(
    'INVALID_FACT',
    `The fact at position ${fact.position}, version ${fact.version} of ${fact.stream}, does not follow: ` +
      `position ${position} and version ${version} are next.`,
  );

async function readAlone(
  db: LogDatabase,
  position: number,
): Promise<Buffer | 'unreadable' | undefined> {
  try {
    return await db.get<Buffer, Buffer | undefined>(logKey(position), binary);
  } catch (error) {
    if (levelCode(error) !== 'LEVEL_CORRUPTION') throw error;
    return 'unreadable';
  }
}

/** The last position there is a key for, as far as the database knows. */
async function lastPosition(db: LogDatabase): Promise<number> {
  try {
    const [key] = await db
      .keys<Buffer>({ keyEncoding: 'buffer', lt: logEnd, gt: logKey(0), reverse: true, limit: 1 })
      .all();
    return key === undefined ? 0 : positionOf(key);
  } catch (error) {
    if (levelCode(error) !== 'LEVEL_CORRUPTION') throw error;
    return 0;
  }
}

function judged(position: number, bytes: Buffer): Salvaged {
  const text = bytes.toString();
  const fact = soundRecord(text);
  if (fact?.position !== position) return { position, fact: undefined, bytes };
  return { position, fact, json: jsonOf(text) };
}

async function copyInto(db: LogDatabase, id: string): Promise<LogCopy> {
  const damage = damageRegister();
  const heads = streamHeads(db, damage);
  let head = await loadHead(db, (found) => {
    throw damage.report(found);
  });
  return {
    id,
    db,
    head: () => head,
    version: async (stream) => await heads.durable(stream),
    async append(jsons) {
      const batch = db.batch();
      const versions = new Map<string, number>();
      let { position, crc, id: last } = head;
      try {
        for (const json of jsons) {
          const record = encodeRecord(json, crc);
          const fact = parseRecord(record);
          const before = versions.get(fact.stream) ?? (await heads.durable(fact.stream));
          if (fact.position !== position + 1 || fact.version !== before + 1) {
            throw outOfPlace(fact, position + 1, before + 1);
          }
          batch.put<Buffer, string>(logKey(fact.position), record, { keyEncoding: 'buffer' });
          batch.put(streamKey(fact.stream, fact.version), String(fact.position));
          versions.set(fact.stream, fact.version);
          position = fact.position;
          crc = crcOf(record);
          last = fact.id;
        }
        await batch.write({ sync: true });
      } finally {
        await batch.close();
      }
      head = { position, crc, id: last };
      for (const [stream, version] of versions) heads.settle(stream, version);
    },
    close: () => db.close(),
  };
}
