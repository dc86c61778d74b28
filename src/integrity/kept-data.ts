import * as z from 'zod';
import { readFile } from 'node:fs/promises';
import { copyRows, leavingRows } from '../documents/vault-ledger.ts';
import { folderRows } from '../documents/vault-folders.ts';
import { ifMissing, writeDurably } from '../shared/files.ts';
import { lookRows } from '../storage/access-log.ts';
import { countRows } from '../storage/daily-counts.ts';
import type { Kept, KeptKind } from '../storage/kept.ts';
import { choreRows } from '../storage/pending-jobs.ts';

/**
 * Kinds of rows beside the log that are data: what is still to be done, which copies in notes folders are ours, what
 * administrators and owners look up. The others belong to people who are logged in, or to the servers they log in at.
 */
const kinds: readonly KeptKind<unknown>[] = [
  choreRows,
  leavingRows,
  folderRows,
  copyRows,
  countRows,
  lookRows,
];
/** Their keys begin with the id of a recording. */
const ofRecordings: readonly string[] = [choreRows.name, lookRows.name];

const rowSchema = z.object({ kind: z.string(), key: z.string(), value: z.unknown() });
export type KeptRow = z.infer<typeof rowSchema>;

/** The recording that a row is about; undefined: it is about none. */
export const recordingOfRow = ({ kind, key }: KeptRow): string | undefined =>
  ofRecordings.includes(kind) ? key.split('/')[0] : undefined;

/** @param onFault what is taken for a kind that cannot be read; it may throw */
export async function keptData(
  kept: Kept,
  onFault: (error: unknown) => [] = (error) => {
    throw error;
  },
): Promise<KeptRow[]> {
  const rows: KeptRow[] = [];
  for (const kind of kinds)
    for (const row of await kept.of(kind).list('').catch(onFault))
      rows.push({ kind: kind.name, ...row });
  return rows;
}

/** Puts them in the place of those with the same keys; of kinds that a later release has, none. */
export async function putKeptData(kept: Kept, rows: readonly KeptRow[]): Promise<void> {
  for (const kind of kinds) {
    const mine = rows.filter((row) => row.kind === kind.name);
    for (let first = 0; first < mine.length; first += atOnce) {
      const some = mine.slice(first, first + atOnce);
      const keys = some.map(({ key }) => key);
      await kept.of(kind).change(keys, () => ({
        keep: some.map(({ value }) => value),
        result: undefined,
      }));
    }
  }
}

const atOnce = 500;

/** Writes them to a file, a line each. */
export const writeKeptData = (path: string, rows: readonly KeptRow[]): Promise<void> =>
  writeDurably(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

/** What such a file has; none where there is no file. */
export async function readKeptData(path: string): Promise<KeptRow[]> {
  const text = await readFile(path, 'utf8').catch(ifMissing(''));
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => rowSchema.parse(JSON.parse(line)));
}
