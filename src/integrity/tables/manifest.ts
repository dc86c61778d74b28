import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../shared/files.ts';
import { maskedCrc32c, readVarint } from './table-file.ts';

/** The internal keys a table begins and ends with, as LevelDB noted them when it had written it. */
export type KeyRange = { smallest: Buffer; largest: Buffer };

/** Of the tables that count, by number; undefined when the manifest cannot be read. */
export async function rangesOf(directory: string): Promise<Map<number, KeyRange> | undefined> {
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
