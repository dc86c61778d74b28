import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  crcOf,
  encodeRecord,
  isIntact,
  jsonOf,
  logEnd,
  logKey,
  noPredecessor,
  positionOf,
  predecessorCrcOf,
} from './records.ts';
import type { DamageRegister } from './damage.ts';
import type { LogDatabase } from './database.ts';
import { intactAt } from './reader.ts';
import { parseRecord } from './sealing.ts';
import { ifMissing } from '../../src/shared/files.ts';
import { type FindingSaid, finding } from '../../src/words/findings.ts';

/**
 * Remembers beside LevelDB's files how far the log reaches. LevelDB drops what follows a flipped bit in
 * its newest file, or that whole file, without a word: at the end of the log no gap would show it.
 *
 * Written after a batch that became durable, at once or, of batches that follow each other quickly, every
 * few milliseconds; without a sync, and no caller waits for it. So after a crash it may lag behind
 * the log, and can never be ahead of it.
 */
export type HeadFile = {
  /** As far as the log had reached; `emptyHead` when that is not known. */
  readonly known: Pick<Head, 'position' | 'crc'>;
  /** The log reaches this far now. */
  note(head: Head): void;
  close(): Promise<void>;
};

/** Opens the head file of the log in `directory`: its file `head`, one record, readable by its owner only. */
export async function openHeadFile(
  directory: string,
  report: (message: string, error: unknown) => void,
): Promise<HeadFile> {
  const file = await open(headPath(directory), constants.O_RDWR | constants.O_CREAT, 0o600);
  const known = parse(await file.readFile('utf8'));
  let newest: Head | undefined;
  let writing: Promise<void> | undefined;
  /** Running since the last note: the next one is written when it ends. */
  let pause: NodeJS.Timeout | undefined;

  const writeNewest = async (): Promise<void> => {
    while (newest) {
      const { position, crc } = newest;
      newest = undefined;
      await file.write(`${encodeRecord(JSON.stringify({ position }), crc)}\n`, 0);
    }
  };
  const write = (): void => {
    writing ??= writeNewest()
      .catch((error: unknown) => report('end of the event log could not be saved', error))
      .finally(() => {
        writing = undefined;
      });
  };
  const pauseEnded = (): void => {
    pause = undefined;
    if (newest) begin();
  };
  const begin = (): void => {
    write();
    pause = setTimeout(pauseEnded, pauseMs);
  };
  return {
    known,
    note(head) {
      newest = head;
      if (!pause) begin();
    },
    async close() {
      clearTimeout(pause);
      await writing;
      write();
      await writing;
      await file.close();
    },
  };
}

/** Least time between the starts of two writes, so that writing the head does not slow down appends on a quick disk. */
const pauseMs = 5;

/** Among LevelDB's files, which it leaves alone: a copy of them, or one put back, has its own. */
const headPath = (directory: string): string => join(directory, 'head');

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
    report({ kind: 'record', position, said: finding('record-altered') });
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
    const said = tailMissing(head.position, known.position);
    report({ kind: 'record', position: head.position + 1, said });
    return head;
  }
  const record = await intactAt(db, known.position);
  if (record === undefined || crcOf(record) !== known.crc) {
    report({ kind: 'record', position: known.position, said: finding('saved-event-gone') });
  }
  return head;
}

/** Says how many facts the log lacks at its end. `last`: where it ends; `reached`: where it had ended. */
export const tailMissing = (last: number, reached: number): FindingSaid =>
  finding('tail-missing', { count: reached - last, last, reached });

/** As far as the log in `directory` had reached, by its head file; 0 when that is not known. */
export const positionReached = async (directory: string): Promise<number> =>
  parse(await readFile(headPath(directory), 'utf8').catch(ifMissing(''))).position;

/** A record cut off by a crash, or harmed, says nothing. */
function parse(text: string): HeadFile['known'] {
  const record = text.split('\n')[0] ?? '';
  if (!isIntact(record)) return emptyHead;
  const { position }: { position: number } = JSON.parse(jsonOf(record));
  return { position, crc: predecessorCrcOf(record) };
}

type ReportDamage = DamageRegister['report'];
