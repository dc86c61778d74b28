import * as z from 'zod';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sealContent } from '../../events/log/sealing.ts';
import { exists, privateDirectory, syncDirectory } from '../shared/files.ts';
import { openErasureList, openFileKeys } from '../../events/log/file-keys.ts';
import type { KeyStore } from '../../events/key-store.ts';
import { type LogCopy, openLogCopy } from '../../events/log/salvage.ts';
import { markerPath } from '../../events/log/marker.ts';
import { assertKnown, isName, upcasters } from '../../events/facts/validation.ts';
import type { DataFolder } from '../shared/data-directory.ts';
import { type LogHeader, erasureLineSchema, headerSchema, fileLines } from './export-log.ts';

/** What `mitschrift import-log` answers. */
export type Imported = { facts: number; erasures: number; decrypted: boolean };

/** Facts and characters written at once: whichever comes first. */
const batchMax = { facts: 1_000, characters: 4 * 1024 * 1024 };

/**
 * Makes a log of an exported file in a data directory that has none, fact by fact as they were. A
 * decrypted export is sealed again with new keys; one that is still sealed needs the keys of the log
 * it came from in `keys/`. The log is there when all of it is durable, or not at all.
 * @throws {Error} naming the line that is wrong; when there is a log already; when all of its keys are missing
 */
export async function importLog(data: DataFolder, file: string): Promise<Imported> {
  if ((await exists(data.log)) || (await exists(markerPath(data.log)))) {
    throw new Error(`${data.root} already has an event log. Choose an empty data directory.`);
  }
  await privateDirectory(data.root);
  const building = join(data.root, 'log.importing');
  await discard(building);
  try {
    const imported = await build(data, file, building);
    // The marker last: without it a log that is there is taken for one that is being made.
    await rename(building, data.log);
    await rename(markerPath(building), markerPath(data.log));
    await syncDirectory(data.root);
    return imported;
  } catch (error) {
    await discard(building);
    throw error;
  }
}

async function build(data: DataFolder, file: string, directory: string): Promise<Imported> {
  const lines = fileLines(file);
  const first = await lines.next();
  const header = headerOf(file, first.done === true ? '' : first.value);
  const copy = await openLogCopy(directory, header.log);
  const keys = await openFileKeys(data.keys);
  const erasures: { subject: string; at: string }[] = [];
  const needed = new Set<string>();
  try {
    const batch: string[] = [];
    let characters = 0;
    let line = 1;
    const flush = async () => {
      await copy.append(batch.splice(0));
      characters = 0;
    };
    for await (const text of lines) {
      line += 1;
      const value = parsed(file, line, text);
      const erasure = erasureLineSchema.safeParse(value);
      if (erasure.success) {
        erasures.push(erasure.data.erasure);
        continue;
      }
      const json = await sealed(file, line, text, value, { keys, needed });
      batch.push(json);
      characters += json.length;
      if (batch.length >= batchMax.facts || characters >= batchMax.characters) await flush();
    }
    if (batch.length > 0) await flush();
    assertComplete(file, header, copy);
    for (const { subject } of erasures) needed.delete(subject);
    await assertAnyKey(file, data.keys, needed);
  } finally {
    await copy.close();
  }
  await takeOver(data, erasures);
  return { facts: header.position, erasures: erasures.length, decrypted: header.decrypted };
}

function headerOf(file: string, text: string): LogHeader {
  const header = headerSchema.safeParse(parsed(file, 1, text));
  if (!header.success) throw new Error(`${file} is not an event log exported by this version.`);
  return header.data;
}

const recordSchema = z.looseObject({
  id: z.string(),
  position: z.number().int().positive(),
  stream: z.string().refine(isName),
  version: z.number().int().positive(),
  type: z.string(),
  schema: z.number().int().optional(),
  subject: z.string().refine(isName).optional(),
  data: z.unknown(),
  content: z.unknown().optional(),
});

/** The record's JSON: as it stands in the line, or with its opened content sealed again. Adds whose key opens it to `needed`. */
async function sealed(
  file: string,
  line: number,
  text: string,
  value: unknown,
  { keys, needed }: { keys: KeyStore; needed: Set<string> },
): Promise<string> {
  const record = recordSchema.safeParse(value);
  if (!record.success) throw new Error(`Line ${line} of ${file} is not an event.`);
  const { type, schema = 1, stream, version, subject, content } = record.data;
  assertKnown(type, schema, upcasters);
  if (typeof content === 'string' && subject !== undefined) needed.add(subject);
  if (content === undefined || typeof content === 'string') return text;
  if (subject === undefined)
    throw new Error(`Line ${line} of ${file} has content without a subject.`);
  const key = await keys.obtain(subject);
  const closed = await sealContent(key, { stream, version }, JSON.stringify(content));
  // The members' order is the record's own: `value`, not what the schema made of it.
  return JSON.stringify({ ...(value as object), content: closed });
}

function assertComplete(file: string, header: LogHeader, copy: LogCopy): void {
  const { position } = copy.head();
  if (position === header.position) return;
  throw new Error(`${file} has ${position} events instead of ${header.position}.`);
}

/** Single keys may be lost for good, which `verify` lists; without any of them nothing could be read. */
async function assertAnyKey(
  file: string,
  directory: string,
  needed: ReadonlySet<string>,
): Promise<void> {
  for (const subject of needed) if (await exists(join(directory, subject))) return;
  if (needed.size === 0) return;
  throw new Error(
    `The keys for ${file} are missing. Copy the folder keys of the original data directory to ${directory}, ` +
      'or export again with --decrypt.',
  );
}

/** Adds erasures to the data directory's list, with their times; opening the keys applies them. */
async function takeOver(
  data: Pick<DataFolder, 'keys'>,
  erasures: readonly { subject: string; at: string }[],
): Promise<void> {
  const list = await openErasureList(join(data.keys, 'erased.jsonl'));
  for (const { subject, at } of erasures) if (!list.has(subject)) await list.add(subject, at);
  await openFileKeys(data.keys);
}

function parsed(file: string, line: number, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`Line ${line} of ${file} is not JSON.`, { cause });
  }
}

async function discard(building: string): Promise<void> {
  await rm(building, { recursive: true, force: true });
  await rm(markerPath(building), { force: true });
  await syncDirectory(dirname(building));
}
