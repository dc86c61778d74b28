import { damagedError } from './damage.ts';
import type { LogDatabase } from './database.ts';
import { parseRecord, type StoredRecord } from './fact-decoder.ts';
import { logKey } from './layout.ts';
import { readPage } from './log-reader.ts';
import { crcOf, isIntact, jsonOf, noPredecessor, predecessorCrcOf } from './record-codec.ts';

/** A sound record as it lies in the log, its content still sealed. */
export type RawRecord = {
  fact: StoredRecord;
  /** The fact's JSON, byte for byte. */
  json: string;
  crc: string;
};

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
      const fact = isIntact(text) ? parseRecord(text) : undefined;
      if (fact?.position !== position || predecessorCrcOf(text) !== crc) throw unsound(position);
      crc = crcOf(text);
      page.push({ fact, json: jsonOf(text), crc });
    }
    if (page.length === 0) throw unsound(position + 1);
    yield page;
  }
}

/** The CRC of the record at a position: two logs that agree on it agree on everything before it. */
export async function crcAt(db: LogDatabase, position: number): Promise<string> {
  if (position === 0) return noPredecessor;
  const text = await db.get<Buffer, string | undefined>(logKey(position), {
    keyEncoding: 'buffer',
  });
  if (text === undefined || !isIntact(text)) throw unsound(position);
  return crcOf(text);
}

const unsound = (position: number): Error =>
  damagedError({ kind: 'record', position, message: 'The record is not as it was written.' });
