import * as z from 'zod';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createReadStream } from 'node:fs';
import { openContent } from '../../events/log/sealing.ts';
import { syncDirectory } from '../shared/files.ts';
import type { EventLog, RawRecord } from '../../events/event-log.ts';
import type { KeyStore } from '../../events/key-store.ts';

/** What `mitschrift export-log` answers. */
export type ExportedLog = { file: string; facts: number; decrypted: boolean };

/**
 * Writes the log up to now as JSON lines (`log-lines.ts`). The file appears when it is complete and
 * durable, readable by its owner only; one of that name is replaced. Keys are not in it.
 * @param decrypt open content instead of leaving it sealed; what was erased stays sealed for ever.
 * @throws {EventStoreError} `DAMAGED`; {KeyError} when content to be opened has no usable key
 */
export async function exportLog(
  { store, keys }: { store: EventLog; keys: KeyStore },
  file: string,
  { decrypt }: { decrypt: boolean },
  signal?: AbortSignal,
): Promise<ExportedLog> {
  const temporary = `${file}.tmp`;
  const position = await store.head();
  const handle = await open(temporary, 'w', 0o600);
  try {
    try {
      const header: LogHeader = { mitschrift_log: 1, log: store.id, position, decrypted: decrypt };
      await writeLines(handle, [JSON.stringify(header)]);
      for await (const page of store.records({ afterPosition: 0, upToPosition: position })) {
        signal?.throwIfAborted();
        const lines: string[] = [];
        for (const record of page) {
          lines.push(decrypt ? await decrypted(record, keys) : record.json);
        }
        await writeLines(handle, lines);
      }
      // Last, so that what was erased while this ran is on the list and not a key that is missing.
      const erasures = await keys.erasures();
      await writeLines(
        handle,
        erasures.map(({ subject, at }) => JSON.stringify({ erasure: { subject, at } })),
      );
      await handle.sync();
    } finally {
      await handle.close();
    }
    signal?.throwIfAborted();
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(dirname(file));
  return { file, facts: position, decrypted: decrypt };
}

/*
 * An exported log: JSON lines, UTF-8, each ended by a line feed. The first is the header, then one
 * line a fact by position: the record's own JSON, byte for byte, or with `content` opened when the
 * header says `decrypted`; then one line an erasure. Nothing in it depends on when it was exported.
 */

export const headerSchema = z.strictObject({
  /** Version of this format. */
  mitschrift_log: z.literal(1),
  /** The log's id. */
  log: z.string().min(1),
  /** Position of the last fact. */
  position: z.number().int().nonnegative(),
  decrypted: z.boolean(),
});
export type LogHeader = z.infer<typeof headerSchema>;

/** A subject whose key was destroyed on purpose: its content cannot be read any more. */
export const erasureLineSchema = z.strictObject({
  erasure: z.strictObject({ subject: z.string(), at: z.string() }),
});

/** Bytes of one line: more than any fact can take. */
export const lineBytesMax = 256 * 1024 * 1024;

/**
 * The lines of a file without their line feeds. Not `readline`: that also ends lines at U+2028, which
 * may stand in what people said.
 * @throws {Error} for a line over `lineBytesMax`, or a last line without its line feed: a torn file
 */
export async function* fileLines(path: string): AsyncGenerator<string, void, void> {
  const parts: Buffer[] = [];
  let length = 0;
  let line = 0;
  const chunks: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 1024 * 1024 });
  for await (const read of chunks) {
    let chunk = read;
    for (;;) {
      const end = chunk.indexOf(0x0a);
      const part = end === -1 ? chunk : chunk.subarray(0, end);
      length += part.length;
      if (length > lineBytesMax) throw new Error(`Line ${line + 1} of ${path} is too long.`);
      parts.push(part);
      if (end === -1) break;
      line += 1;
      yield Buffer.concat(parts).toString();
      parts.length = 0;
      length = 0;
      chunk = chunk.subarray(end + 1);
    }
  }
  if (length > 0) throw new Error(`${path} ends in the middle of line ${line + 1}.`);
}

async function writeLines(handle: FileHandle, lines: readonly string[]): Promise<void> {
  if (lines.length > 0) await handle.writeFile(`${lines.join('\n')}\n`);
}

/** The record with its content opened; as it is where there is none, or its subject was erased. */
async function decrypted({ fact, json }: RawRecord, keys: KeyStore): Promise<string> {
  if (fact.content === undefined) return json;
  const key = await keys.find(fact.subject ?? '');
  if (key === 'erased') return json;
  const content: unknown = await openContent(key, fact, fact.content);
  return JSON.stringify({ ...fact, content });
}
