import * as z from 'zod';
import { ulid } from 'ulid';
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing, writeDurably } from '../../src/shared/files.ts';
import { EventStoreError } from '../store.ts';
import type { LogDatabase } from './database.ts';
import { idKey } from './records.ts';
import { dataFailure } from '../../src/words/data-failures.ts';
import type { Sentence } from '../../src/words/params.ts';

/** Version of the data layout described in README.md. */
const logFormat = 1;

/** What the file beside the database says: that there is a log, which one, and in which layout. */
export type Marker = { format: number; log: string };

/**
 * The marker of a log, or undefined when there is no log yet. LevelDB creates an empty database,
 * and deletes what it finds, where `CURRENT` is missing; so this looks first and touches nothing.
 * @throws {EventStoreError} `DAMAGED` when a log was here and is not now; `NEWER_LOG`
 */
export async function readMarker(directory: string): Promise<Marker | undefined> {
  const text = await readFile(markerPath(directory), 'utf8').catch(ifMissing(undefined));
  const files = (await readdir(directory).catch(ifMissing(undefined))) ?? [];
  const hasCurrent = await stat(join(directory, 'CURRENT')).then(
    (found) => found.size > 0,
    () => false,
  );
  if (text === undefined) {
    // A crash while creating leaves neither logs nor tables without a CURRENT.
    if (hasCurrent || !files.some((file) => /\.(ldb|sst|log)$/.test(file))) return undefined;
    throw damaged(dataFailure('log-incomplete', { folder: directory }));
  }
  const marker = parseMarker(directory, text);
  if (marker.format > logFormat) {
    const { format } = marker;
    throw new EventStoreError('NEWER_LOG', dataFailure('log-newer', { format, known: logFormat }));
  }
  if (!hasCurrent) {
    throw damaged(dataFailure('log-gone', { file: markerPath(directory), folder: directory }));
  }
  return marker;
}

/** Makes it known, durably, that there is a log. Before its first fact. */
const writeMarker = (directory: string, marker: Marker): Promise<void> =>
  writeDurably(markerPath(directory), `${JSON.stringify(marker)}\n`);

/** The marker's file: beside the database, so that losing that directory does not lose both. */
export const markerPath = (directory: string): string => `${directory}.json`;

const markerSchema = z.object({ format: z.number().int().positive(), log: z.string().min(1) });

const damaged = (said: Sentence, cause?: unknown): EventStoreError =>
  new EventStoreError('DAMAGED', said, { cause });

/**
 * Compares the database's id with the marker's, and writes what is missing of a new log's.
 * @throws {EventStoreError} `DAMAGED` when the two do not belong together
 */
export async function identifyLog(
  directory: string,
  db: LogDatabase,
  marked: string | undefined,
): Promise<string> {
  const found = await db.get<string, string | undefined>(idKey, {});
  if (marked === undefined) {
    const id = found ?? ulid();
    if (found === undefined) await db.put(idKey, id, { sync: true });
    await writeMarker(directory, { format: logFormat, log: id });
    return id;
  }
  if (found === marked) return found;
  throw damaged(dataFailure('log-mismatch', { file: markerPath(directory), marked, found }));
}

function parseMarker(directory: string, text: string): Marker {
  try {
    return markerSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw damaged(dataFailure('log-marker-unreadable', { file: markerPath(directory) }), cause);
  }
}
