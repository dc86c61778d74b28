import type { LogDatabase } from './database.ts';
import type { Damage, StoredRecord, VerifiedRecords, VerifyOptions } from '../event-log.ts';
import { type DamageRegister, missingRecords } from './damage.ts';
import { type FactDecoder, parseRecord, soundRecord } from './sealing.ts';
import {
  crcOf,
  logKey,
  noPredecessor,
  placeOf,
  positionOf,
  predecessorCrcOf,
  streamKey,
  streamsRange,
} from './records.ts';
import { tailMissing } from './head-file.ts';
import { intactAt, readEntries } from './reader.ts';
import { type Upcasters, assertKnown } from '../facts/validation.ts';
import { finding } from '../../src/words/findings.ts';

/**
 * Checks records alone and in sequence, and that the index of streams agrees; goes on behind damage
 * and reports all of it to the register. Changes nothing.
 * @throws {EventStoreError} `NEWER_LOG`
 */
export async function verifyLog(
  parts: {
    db: LogDatabase;
    decoder: FactDecoder;
    damage: DamageRegister;
    upcasters: Upcasters;
    /** Position of the last durable record. */
    head: number;
  },
  options: VerifyOptions = {},
): Promise<VerifiedRecords> {
  const { db, head } = parts;
  const { after, upTo, result, report } = beginVerify(parts, options);
  if (after > head) {
    report({ kind: 'record', position: head + 1, said: tailMissing(head, after) });
  }
  const lost = new Set<string>();
  let crc = after === 0 ? noPredecessor : undefined;
  while (result.position < upTo && !options.signal?.aborted) {
    const page = await readEntries<string>(db, result.position, logKey(upTo + 1), 'utf8');
    if (!page) {
      // LevelDB does not say how far the damage goes, so nothing behind it can be judged.
      const said = finding('records-unreadable');
      report({ kind: 'record', position: result.position + 1, said });
      break;
    }
    const checked = checkEntries(page, result.position, crc, report);
    crc = checked.crc;
    for (const { type, schema } of checked.records) assertKnown(type, schema ?? 1, parts.upcasters);
    await checkIndexed(db, checked.records, report);
    if (options.contents) result.damages += await lostKeys(parts.decoder, checked.records, lost);
    result.records += page.length;
    result.position = checked.position;
    if (page.length === 0) {
      report(missingRecords(result.position + 1, upTo));
      result.position = upTo;
    }
    options.onProgress?.(result.position);
  }
  const whole = after === 0 && upTo === head && result.position === upTo;
  if (whole && !options.signal?.aborted) await checkIndex(db, head, result.records, report);
  return result;
}

/** The range to look at, and the result so far, which `report` counts damages into. */
export function beginVerify(
  { head, damage }: { head: number; damage: DamageRegister },
  options: VerifyOptions,
): { after: number; upTo: number; result: VerifiedRecords; report: Report } {
  const after = options.afterPosition ?? 0;
  const result: VerifiedRecords = { position: after, records: 0, damages: 0 };
  return {
    after,
    upTo: Math.min(options.upToPosition ?? head, head),
    result,
    report(found) {
      result.damages += 1;
      damage.report(found);
    },
  };
}

type Report = (damage: Damage) => void;
type Entry = [key: Buffer, record: string];

function checkEntries(
  entries: Entry[],
  after: number,
  predecessor: string | undefined,
  report: Report,
): { records: StoredRecord[]; position: number; crc: string | undefined } {
  const records: StoredRecord[] = [];
  let position = after;
  let crc = predecessor;
  for (const [key, text] of entries) {
    const found = positionOf(key);
    if (found !== position + 1) {
      report(missingRecords(position + 1, found - 1));
      crc = undefined;
    }
    position = found;
    const record = soundRecord(text);
    if (record?.position !== position) {
      report({ kind: 'record', position, said: finding('record-altered') });
      crc = undefined;
      continue;
    }
    if (crc !== undefined && predecessorCrcOf(text) !== crc) {
      report({
        kind: 'record',
        position,
        said: finding('record-out-of-order'),
      });
    }
    crc = crcOf(text);
    records.push(record);
  }
  return { records, position, crc };
}

/** Each record must be found by its stream and version. */
async function checkIndexed(
  db: LogDatabase,
  records: StoredRecord[],
  report: Report,
): Promise<void> {
  const indexed = await db.getMany(
    records.map((record) => streamKey(record.stream, record.version)),
  );
  for (const [index, { position, stream, version }] of records.entries()) {
    if (indexed[index] === String(position)) continue;
    report({ kind: 'index', position, stream, version, said: finding('index-lacks') });
  }
}

/** How many subjects more have content that cannot be read. The decoder reports them to the register. */
export async function lostKeys(
  decoder: FactDecoder,
  records: StoredRecord[],
  lost: Set<string>,
): Promise<number> {
  const before = lost.size;
  const { facts, error } = await decoder.decode(records);
  if (error !== undefined) throw error;
  for (const { unreadable, subject } of facts) if (unreadable) lost.add(subject ?? '');
  return lost.size - before;
}

/**
 * Each entry of the index must belong to a record: versions without gaps, as many as records. Facts that
 * were appended since the records were read are looked up one by one.
 */
async function checkIndex(
  db: LogDatabase,
  head: number,
  records: number,
  report: Report,
): Promise<void> {
  let count = 0;
  let last = { stream: '', version: 0 };
  for await (const [key, position] of db.iterator(streamsRange)) {
    const place = placeOf(key);
    const expected = place?.stream === last.stream ? last.version + 1 : 1;
    const isNew = place !== undefined && (await isAppendedSince(db, head, Number(position), place));
    if (!isNew) count += 1;
    if (place?.version !== expected || !(isNew || Number(position) <= head)) {
      const where = place ?? { stream: last.stream };
      report({ kind: 'index', ...where, said: finding('index-extra') });
    }
    last = place ?? last;
  }
  if (count === records) return;
  report({ kind: 'index', said: finding('index-count', { entries: count, records }) });
}

async function isAppendedSince(
  db: LogDatabase,
  head: number,
  position: number,
  { stream, version }: { stream: string; version: number },
): Promise<boolean> {
  if (!Number.isSafeInteger(position) || position <= head) return false;
  const text = await intactAt(db, position);
  const record = text === undefined ? undefined : parseRecord(text);
  return record?.stream === stream && record.version === version;
}
