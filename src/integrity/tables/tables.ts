import { readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import {
  type TableBlock,
  type Entry,
  type Table,
  tableEntries,
  readTable,
  maskedCrc32c,
  readVarint,
} from './table-file.ts';
import { isIntact, isLogKey, logKey, positionOf } from '../../../events/log/records.ts';
import { EventStoreError } from '../../../events/store.ts';
import { ifMissing } from '../../shared/files.ts';
import type { Finding } from '../findings.ts';
import type { LogDatabase } from '../../../events/log/database.ts';
import { parseRecord } from '../../../events/log/sealing.ts';
import { dataFailure } from '../../words/data-failures.ts';
import { type FindingSaid, finding } from '../../words/findings.ts';
import type { Sentence } from '../../words/params.ts';

/** A table's file by its name in the database's directory. */
export type TableFile = {
  name: string;
  /** Undefined when the manifest cannot be read. */
  range: KeyRange | undefined;
};

/**
 * The tables of a database, by its manifest (leveldb/db/version_edit.cc), and those that lie beside
 * them: what a compaction had begun to write when the process ended, which does not count and need not
 * be whole. When the manifest cannot be read all may count; LevelDB does not open the database then.
 */
export async function tablesIn(
  directory: string,
): Promise<{ live: TableFile[]; others: TableFile[] }> {
  const names = (await readdir(directory).catch(ifMissing([])))
    .filter((name) => /^\d+\.(ldb|sst)$/.test(name))
    .toSorted();
  // Once more: a database that is just being opened again replaces its manifest.
  const ranges = (await rangesOf(directory)) ?? (await rangesOf(directory));
  const files = names.map((name) => ({ name, range: ranges?.get(Number.parseInt(name, 10)) }));
  const isLive = ({ range }: TableFile) => ranges === undefined || range !== undefined;
  return { live: files.filter(isLive), others: files.filter((file) => !isLive(file)) };
}

/** A table that is not as LevelDB wrote it. */
export type HarmedTable = {
  /** The file's name in the log's directory. */
  name: string;
  /**
   * LevelDB ends the process when it comes to it while it compacts. Else it reads on around what is
   * harmed, or says that it cannot.
   */
  endsProcess: boolean;
  findings: Finding[];
};

/**
 * Looks at every table of a closed or open database, by LevelDB's own checksums, which LevelDB does not
 * check. Reads files only, one at a time; a table that is compacted away meanwhile is left out.
 * @param pause awaited between two tables. @param signal ends it, by its reason, between two tables
 */
export async function harmedTables(
  directory: string,
  how: { pause?: () => Promise<unknown>; signal?: AbortSignal | undefined } = {},
): Promise<HarmedTable[]> {
  const { pause = () => turn(), signal } = how;
  const harmed: HarmedTable[] = [];
  for (const { name, range } of (await tablesIn(directory)).live) {
    const file = await readFile(join(directory, name)).catch(ifMissing(undefined));
    if (!file) continue;
    const table = readTable(file);
    const findings = findingsIn(name, table);
    if (findings.length > 0) {
      harmed.push({ name, endsProcess: endsProcess(table, range), findings });
    }
    await pause();
    signal?.throwIfAborted();
  }
  return harmed;
}

/**
 * To be called before LevelDB opens what it may die of.
 * @throws {EventStoreError} `DAMAGED`, naming the tables, what is in them, and what to do
 */
export async function assertTablesReadable(directory: string): Promise<void> {
  const fatal = (await harmedTables(directory)).filter((table) => table.endsProcess);
  if (fatal.length > 0) throw unreadableTables(directory, fatal);
}

/** The error for tables that must not be opened. */
export function unreadableTables(
  directory: string,
  tables: readonly HarmedTable[],
): EventStoreError {
  const found = tables.flatMap(({ name, findings }) =>
    findings.map(({ said }) => dataFailure('table-finding', { file: name, finding: said })),
  );
  const listed: Sentence[] = found.slice(0, listedMax);
  const more = found.length - listed.length;
  if (more > 0) listed.push(dataFailure('more-findings', { more }));
  return new EventStoreError(
    'DAMAGED',
    dataFailure('tables-end-process', { folder: directory, findings: listed }),
  );
}

/** Findings named in an error. */
const listedMax = 5;

/** Sequence and type, at the end of an internal key. */
const tagBytes = 8;

/** Records out of damaged tables: by the keys they are to have, sound ones apart from the others. */
export type Rescued = { tables: readonly Finding[]; sound: Entry[]; damaged: Entry[] };

/**
 * Takes damaged tables out of the copy of a database, so that LevelDB, which may end the process over
 * them, does not meet them; and what records can be found in them. A sound record says its position
 * itself, whatever has become of its key. What is not records is left behind.
 * Memory: the records of the damaged tables, some 2 MB each.
 */
export async function takeOutHarmedTables(directory: string): Promise<Rescued> {
  const rescued: { tables: Finding[]; sound: Entry[]; damaged: Entry[] } = {
    tables: [],
    sound: [],
    damaged: [],
  };
  const harmed = await harmedTables(directory);
  // The database is put together again without them: of all tables there are, also those that do not count.
  const beside = harmed.length > 0 ? (await tablesIn(directory)).others : [];
  for (const { name } of beside) await rm(join(directory, name));
  for (const { name, findings } of harmed) {
    rescued.tables.push(...findings);
    const { blocks, indexed } = readTable(await readFile(join(directory, name)));
    for (const { part, content } of blocks) {
      if (part !== 'data' || !content) continue;
      for (const { key, value } of tableEntries(content).entries) {
        const text = value.toString();
        const userKey = key.subarray(0, -8);
        if (isIntact(text)) rescued.sound.push({ key: logKey(parseRecord(text).position), value });
        else if (indexed && isLogKey(userKey)) rescued.damaged.push({ key: userKey, value });
      }
    }
    await rm(join(directory, name));
  }
  return rescued;
}

/** Puts what was found into the database that was opened without the tables; what it has, it keeps. */
export async function putBack(db: LogDatabase, { sound, damaged }: Rescued): Promise<void> {
  for (const { key, value } of [...sound, ...damaged]) {
    const there = await db.get<Buffer, Buffer | undefined>(key, binary);
    if (there === undefined) await db.put<Buffer, Buffer>(key, value, binary);
  }
}

const binary = { keyEncoding: 'buffer', valueEncoding: 'buffer' } as const;

function findingsIn(name: string, table: Table): Finding[] {
  const found = (said: FindingSaid): Finding => ({
    kind: 'table',
    severity: 'damage',
    path: `log/${name}`,
    said,
  });
  if (!table.indexed) return [found(finding('table-index-lost'))];
  return table.blocks
    .filter(({ sound }) => !sound)
    .map((block) => {
      const { offset, bytes, part } = block;
      const holds = part === 'data' ? contentsOf(table, block) : finding('holds-keys');
      return found(finding('table-altered', { from: offset, to: offset + bytes - 1, holds }));
    });
}

function endsProcess(table: Table, range: KeyRange | undefined): boolean {
  // Without its index it follows whatever bytes are in its place; it refuses anything but a table.
  if (!table.indexed) return table.isTable;
  return outOfOrder(
    table.blocks.filter(({ part }) => part === 'data'),
    range,
  );
}

/** What a block holds, as far as those beside it say. */
function contentsOf({ blocks }: Table, block: TableBlock): FindingSaid {
  const data = blocks.filter(({ part }) => part === 'data');
  const at = data.indexOf(block);
  const before = positionIn(data[at - 1], -1);
  const after = positionIn(data[at + 1], 0);
  if (before !== undefined && after !== undefined)
    return finding('holds-events', { first: before + 1, last: after - 1 });
  if (before !== undefined) return finding('holds-events-from', { first: before + 1 });
  if (after !== undefined) return finding('holds-events-up-to', { last: after - 1 });
  return finding('holds-rows');
}

/** The position that a sound block's first (0) or last (-1) key stands for. */
function positionIn(block: TableBlock | undefined, which: 0 | -1): number | undefined {
  const content = block?.sound ? block.content : undefined;
  const key = content && tableEntries(content).entries.at(which)?.key.subarray(0, -8);
  return key && isLogKey(key) ? positionOf(key) : undefined;
}

/**
 * Whether LevelDB meets keys out of order when it reads these data blocks one after the other, as it
 * does when it compacts. It asserts that there are none, and its assertions are compiled in (leveldb
 * 1.20, table/table_builder.cc, `Add`; db/dbformat.h, `ExtractUserKey`). It goes on behind an entry or a
 * block that cannot be read, and compacts nothing then.
 * @param range of the table: what is beyond it may be out of order with the table beside it
 */
function outOfOrder(blocks: readonly TableBlock[], range?: KeyRange): boolean {
  let last: Buffer | undefined;
  for (const { content } of blocks) {
    const entries: Entry[] = content ? tableEntries(content).entries : [];
    for (const { key } of entries) {
      if (key.length < tagBytes) return true;
      if (last && compareKeys(last, key) >= 0) return true;
      if (range && (compareKeys(key, range.smallest) < 0 || compareKeys(range.largest, key) < 0)) {
        return true;
      }
      last = key;
    }
  }
  return false;
}

const tagOf = (key: Buffer): bigint => key.readBigUInt64LE(key.length - tagBytes);

/** By the user's key, then the newest first. */
function compareKeys(one: Buffer, other: Buffer): number {
  const users = Buffer.compare(one.subarray(0, -tagBytes), other.subarray(0, -tagBytes));
  if (users !== 0) return users;
  const [a, b] = [tagOf(one), tagOf(other)];
  return a > b ? -1 : a < b ? 1 : 0;
}

/** The internal keys a table begins and ends with, as LevelDB noted them when it had written it. */
type KeyRange = { smallest: Buffer; largest: Buffer };

/** Of the tables that count, by number; undefined when the manifest cannot be read. */
async function rangesOf(directory: string): Promise<Map<number, KeyRange> | undefined> {
  const read = (name: string) => readFile(join(directory, name)).catch(ifMissing(undefined));
  const name = (await read('CURRENT'))?.toString().trimEnd();
  const manifest = name !== undefined && /^MANIFEST-\d+$/.test(name) ? await read(name) : undefined;
  const edits = manifest && recordsOf(manifest);
  const tables = new Map<number, KeyRange>();
  return edits?.every((edit) => applyEdit(edit, tables)) ? tables : undefined;
}

/** Undefined when one is harmed; one that is cut off at the end never counted (leveldb/doc/log_format.md). */
function recordsOf(file: Buffer): Buffer[] | undefined {
  const records: Buffer[] = [];
  let parts: Buffer[] = [];
  for (let at = 0; at + headerBytes <= file.length;) {
    const left = blockBytes - (at % blockBytes);
    if (left < headerBytes) {
      at += left;
      continue;
    }
    const length = file.readUInt16LE(at + 4);
    const type = file.readUInt8(at + 6);
    const end = at + headerBytes + length;
    if (type === 0 || end > file.length) return records;
    if (file.readUInt32LE(at) !== maskedCrc32c(file.subarray(at + 6, end))) return undefined;
    if (type === full || type === first) parts = [];
    parts.push(file.subarray(at + headerBytes, end));
    if (type === full || type === last) records.push(Buffer.concat(parts));
    at = end;
  }
  return records;
}

/** Answers false when it is not as we know it. */
function applyEdit(edit: Buffer, tables: Map<number, KeyRange>): boolean {
  let at = 0;
  const number = (): number => {
    const read = readVarint(edit, at);
    at = read?.end ?? Infinity;
    return read?.value ?? 0;
  };
  const bytes = (): Buffer => {
    const length = number();
    at += length;
    return edit.subarray(at - length, at);
  };
  while (at < edit.length) {
    switch (number()) {
      case tag.comparator:
        bytes();
        break;
      case tag.logNumber:
      case tag.nextFile:
      case tag.lastSequence:
      case tag.previousLog:
        number();
        break;
      case tag.compactPointer:
        number();
        bytes();
        break;
      case tag.deletedFile:
        number();
        tables.delete(number());
        break;
      case tag.newFile: {
        // Level, number, length, smallest and largest key.
        number();
        const table = number();
        number();
        tables.set(table, { smallest: bytes(), largest: bytes() });
        break;
      }
      default:
        return false;
    }
  }
  return at === edit.length;
}

const blockBytes = 32_768;
const headerBytes = 7;
/** Types of fragments; between first and last there are others. */
const [full, first, last] = [1, 2, 4];

const tag = {
  comparator: 1,
  logNumber: 2,
  nextFile: 3,
  lastSequence: 4,
  compactPointer: 5,
  deletedFile: 6,
  newFile: 7,
  previousLog: 9,
};
