import type { KeyRange } from './live-tables.ts';
import { entriesOf, type Block, type Entry } from './table-file.ts';

/**
 * Whether LevelDB meets keys out of order when it reads these data blocks one after the other, as it
 * does when it compacts. It asserts that there are none, and its assertions are compiled in (leveldb
 * 1.20, table/table_builder.cc, `Add`; db/dbformat.h, `ExtractUserKey`). It goes on behind an entry or a
 * block that cannot be read, and compacts nothing then.
 * @param range of the table: what is beyond it may be out of order with the table beside it
 */
export function outOfOrder(blocks: readonly Block[], range?: KeyRange): boolean {
  let last: Buffer | undefined;
  for (const { content } of blocks) {
    const entries: Entry[] = content ? entriesOf(content).entries : [];
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

/** Sequence and type, at the end of an internal key. */
const tagBytes = 8;

/** By the user's key, then the newest first. */
function compareKeys(one: Buffer, other: Buffer): number {
  const users = Buffer.compare(one.subarray(0, -tagBytes), other.subarray(0, -tagBytes));
  if (users !== 0) return users;
  const [a, b] = [one, other].map((key) => key.readBigUInt64LE(key.length - tagBytes));
  return a! > b! ? -1 : a! < b! ? 1 : 0;
}
