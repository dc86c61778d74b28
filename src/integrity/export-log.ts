import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openContent } from '../../events/content-cipher.ts';
import { syncDirectory } from '../../events/durable-file.ts';
import type { Log as EventLog } from '../../events/level-log.ts';
import type { KeyStore } from '../../events/keys.ts';
import { rawRecords, type RawRecord } from '../../events/raw-records.ts';
import type { LogHeader } from './log-lines.ts';

/** What `mitschrift export-log` answers. */
export type Exported = { file: string; facts: number; decrypted: boolean };

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
): Promise<Exported> {
  const temporary = `${file}.tmp`;
  const position = store.head();
  const handle = await open(temporary, 'w', 0o600);
  try {
    try {
      const header: LogHeader = { mitschrift_log: 1, log: store.id, position, decrypted: decrypt };
      await writeLines(handle, [JSON.stringify(header)]);
      for await (const page of rawRecords(store.db, 0, position)) {
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
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(dirname(file));
  return { file, facts: position, decrypted: decrypt };
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
