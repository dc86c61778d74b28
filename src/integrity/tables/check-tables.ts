import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { isLogKey, positionOf } from '../../../events/layout.ts';
import { EventStoreError } from '../../../events/store.ts';
import type { Finding } from '../findings.ts';
import { tablesIn, type KeyRange } from './live-tables.ts';
import { outOfOrder } from './order.ts';
import { entriesOf, readTable, type Block, type Table } from './table-file.ts';

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
    const file = await readFile(join(directory, name)).catch(vanished);
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
  const findings = tables.flatMap((table) => table.findings);
  const listed = findings.slice(0, listedMax).map(({ what }) => what);
  if (findings.length > listedMax) listed.push(`And ${findings.length - listedMax} more.`);
  return new EventStoreError(
    'DAMAGED',
    `The log in ${directory} is not opened, since the database ends the process over it. ` +
      `${listed.join(' ')} Nothing was changed. Restore the last backup into a new data directory ` +
      '(mitschrift restore), or salvage what can be read (mitschrift repair --out).',
  );
}

/** Findings named in an error. */
const listedMax = 5;

function findingsIn(name: string, table: Table): Finding[] {
  const found = (what: string): Finding => ({
    kind: 'table',
    severity: 'damage',
    path: `log/${name}`,
    what,
  });
  if (!table.indexed) return [found(`${name} has lost its index, by which its records are found.`)];
  return table.blocks
    .filter(({ sound }) => !sound)
    .map((block) => {
      const { offset, bytes, part } = block;
      const where = `${name}, bytes ${offset} to ${offset + bytes - 1}, is not as it was written`;
      const holds = part === 'data' ? contentsOf(table, block) : 'which keys it has not';
      return found(`${where}: it holds ${holds}.`);
    });
}

function endsProcess(table: Table, range: KeyRange | undefined): boolean {
  // Without its index it follows whatever bytes are in its place; what is no table it refuses.
  if (!table.indexed) return table.isTable;
  return outOfOrder(
    table.blocks.filter(({ part }) => part === 'data'),
    range,
  );
}

/** What a block holds, as far as those beside it tell. */
function contentsOf({ blocks }: Table, block: Block): string {
  const data = blocks.filter(({ part }) => part === 'data');
  const at = data.indexOf(block);
  const before = positionIn(data[at - 1], -1);
  const after = positionIn(data[at + 1], 0);
  if (before === undefined && after === undefined) return 'records, their index, or rows of views';
  const first = before === undefined ? 'records' : `records from position ${before + 1}`;
  return after === undefined ? `${first} on` : `${first} up to ${after - 1}`;
}

/** The position that a sound block's first (0) or last (-1) key stands for. */
function positionIn(block: Block | undefined, which: 0 | -1): number | undefined {
  if (!block?.sound || !block.content) return undefined;
  const key = entriesOf(block.content).entries.at(which)?.key.subarray(0, -8);
  return key && isLogKey(key) ? positionOf(key) : undefined;
}

function vanished(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
