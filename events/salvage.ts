import { levelCode, type LogDatabase } from './database.ts';
import { parseRecord, type StoredRecord } from './fact-decoder.ts';
import { logEnd, logKey, positionOf } from './layout.ts';
import { pageBytesMax, pageFactsMax } from './log-reader.ts';
import { isIntact, jsonOf } from './record-codec.ts';

/** What lies at a position: a record that is sound by itself, or what is left of one. */
export type Salvaged =
  | { position: number; fact: StoredRecord; json: string }
  | { position: number; fact: undefined; bytes: Buffer | undefined };

/**
 * Everything that lies in a log, by position, around whatever is damaged; positions without a record
 * are left out. Each record is checked alone only: beside a hole there is no predecessor to compare.
 */
export async function* salvage(db: LogDatabase): AsyncGenerator<Salvaged[], void, void> {
  let after = 0;
  for (;;) {
    const entries = await readEntries(db, after);
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

/** Undefined where LevelDB itself stumbles: then records are asked for one by one. */
async function readEntries(
  db: LogDatabase,
  after: number,
): Promise<[Buffer, Buffer][] | undefined> {
  const entries = db.iterator<Buffer, Buffer>({
    ...binary,
    gt: logKey(after),
    lt: logEnd,
    limit: pageFactsMax,
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

/** The last position there is a key for, as far as the database can tell. */
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
  const fact = isIntact(text) ? parseRecord(text) : undefined;
  if (fact?.position !== position) return { position, fact: undefined, bytes };
  return { position, fact, json: jsonOf(text) };
}
