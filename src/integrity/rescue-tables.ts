import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogDatabase } from '../../events/database.ts';
import { parseRecord } from '../../events/fact-decoder.ts';
import { isLogKey, logKey } from '../../events/layout.ts';
import { isIntact } from '../../events/record-codec.ts';
import { harmedTables } from './tables/check-tables.ts';
import { tablesIn } from './tables/live-tables.ts';
import { entriesOf, readTable, type Entry } from './tables/table-file.ts';

/** Records out of damaged tables: by the keys they are to have, sound ones apart from the others. */
export type Rescued = { tables: readonly string[]; sound: Entry[]; damaged: Entry[] };

/**
 * Takes damaged tables out of the copy of a database, so that LevelDB, which may end the process over
 * them, does not meet them; and what records can be found in them. A sound record says its position
 * itself, whatever has become of its key. What is not records is left behind.
 * Memory: the records of the damaged tables, some 2 MB each.
 */
export async function takeOutHarmedTables(directory: string): Promise<Rescued> {
  const rescued = { tables: [] as string[], sound: [] as Entry[], damaged: [] as Entry[] };
  const harmed = await harmedTables(directory);
  // The database is put together anew without them: of all tables there are, also those that do not count.
  const beside = harmed.length > 0 ? (await tablesIn(directory)).others : [];
  for (const { name } of beside) await rm(join(directory, name));
  for (const { name, findings } of harmed) {
    rescued.tables.push(...findings.map(({ what }) => what));
    const { blocks, indexed } = readTable(await readFile(join(directory, name)));
    for (const { part, content } of blocks) {
      if (part !== 'data' || !content) continue;
      for (const { key, value } of entriesOf(content).entries) {
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
