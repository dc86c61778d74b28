import type { DamageRegister } from './damage.ts';
import type { LogDatabase } from './database.ts';
import { parseRecord } from './fact-decoder.ts';
import { logEnd, logKey, positionOf } from './layout.ts';
import { crcOf, isIntact, noPredecessor } from './record-codec.ts';

/** The end of the log: the last position, its record's CRC, its fact's id. */
export type Head = { position: number; crc: string; id: string | undefined };
export const emptyHead: Head = { position: 0, crc: noPredecessor, id: undefined };

/** The last record. When it is damaged its place is known all the same, and nothing is appended. */
export async function loadHead(db: LogDatabase, report: ReportDamage): Promise<Head> {
  const last = db.iterator<Buffer, string>({
    gte: logKey(0),
    lt: logEnd,
    reverse: true,
    limit: 1,
    keyEncoding: 'buffer',
  });
  try {
    const entry = await last.next();
    if (!entry) return emptyHead;
    const position = positionOf(entry[0]);
    if (isIntact(entry[1])) {
      const { id } = parseRecord(entry[1]);
      return { position, crc: crcOf(entry[1]), id };
    }
    report({ kind: 'record', position, message: 'The record is not as it was written.' });
    return { ...emptyHead, position };
  } finally {
    await last.close();
  }
}

/** The head of a log that was opened, which must still hold everything that is known to have been acknowledged. */
export async function headAfter(
  db: LogDatabase,
  known: Pick<Head, 'position' | 'crc'>,
  report: ReportDamage,
): Promise<Head> {
  const head = await loadHead(db, report);
  if (known.position === 0) return head;
  if (head.position < known.position) {
    const message = `The log ends at position ${head.position}, but ${known.position} had been reached before.`;
    report({ kind: 'record', position: head.position + 1, message });
    return head;
  }
  const record = await db.get<Buffer, string | undefined>(logKey(known.position), {
    keyEncoding: 'buffer',
  });
  if (record === undefined || !isIntact(record) || crcOf(record) !== known.crc) {
    const message = 'A fact that had been acknowledged is gone, or another is in its place.';
    report({ kind: 'record', position: known.position, message });
  }
  return head;
}

type ReportDamage = DamageRegister['report'];
