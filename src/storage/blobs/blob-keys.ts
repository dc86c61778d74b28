import { buffer } from 'node:stream/consumers';
import { type KeyPlace, type Keys, openKeys } from '../../../events/key-place.ts';
import { erasuresFile, erasuresIn } from '../../../events/log/file-keys.ts';
import { EventStoreError } from '../../../events/store.ts';
import { hasCode } from '../../shared/errors.ts';
import { type Blobs, BlobsError, callMs, within } from './blobs.ts';

/** How long a key is kept in memory, in milliseconds. */
const keptMs = 60_000;

const keysFolder = 'keys/';
const keyOf = (subject: string): string => `${keysFolder}${subject}`;
/** No subject has a dot in its name. One object an erasure: any node adds its own. */
const erasedFolder = 'keys/erased.list/';
const erasedOf = (subject: string): string => `${erasedFolder}${subject}`;
/** The list of a data directory that only one process had. */
const oldList = `keys/${erasuresFile}`;

/**
 * Keys in blobs, in the format of the files of one process (`file-keys.ts`); one is kept in memory for a minute at most.
 * @param options.now milliseconds, for tests
 * @throws {EventStoreError} (here and from each function) `BUSY` while the blobs are away
 */
export const openBlobKeys = (blobs: Blobs, options: { now?: () => number } = {}): Promise<Keys> =>
  openKeys(keysIn(blobs), { ...options, keptMs, guarded: asBusy });

/** Keys in blobs. @throws {BlobsError} */
export const keysIn = (blobs: Blobs): KeyPlace => ({
  read: (subject) => readAll(blobs, keyOf(subject)),
  make: (subject, key) => blobs.put(keyOf(subject), key, { ifAbsent: true }),
  destroy: (subject) => blobs.delete(keyOf(subject)),
  async *names() {
    for await (const { key } of blobs.list(keysFolder)) yield key.slice(keysFolder.length);
  },
  isListed: async (subject) => (await blobs.head(erasedOf(subject))) !== null,
  async list(subject) {
    const line = `${JSON.stringify({ subject, at: new Date().toISOString() })}\n`;
    await blobs.put(erasedOf(subject), Buffer.from(line), { ifAbsent: true });
  },
  async listed() {
    const found = new Map(
      (await readOldList(blobs)).found.map((erasure) => [erasure.subject, erasure]),
    );
    for await (const { key, modifiedAt } of blobs.list(erasedFolder)) {
      const subject = key.slice(erasedFolder.length);
      found.set(subject, { subject, at: modifiedAt.toISOString() });
    }
    return [...found.values()].toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  },
});

/**
 * The list of a data directory that only one process had, and the lines of it that cannot be read. A last line without a
 * line feed counts as the others.
 * @throws {BlobsError}
 */
export async function readOldList(blobs: Blobs) {
  const text = (await readAll(blobs, oldList))?.toString('utf8') ?? '';
  return erasuresIn(text === '' || text.endsWith('\n') ? text : `${text}\n`);
}

/** Its bytes too come in a bounded time: others wait for the same key. */
async function readAll(blobs: Blobs, key: string): Promise<Buffer | null> {
  return await within(callMs(), 'with the keys', async () => {
    const found = await blobs.get(key);
    return found && (await buffer(found.body));
  });
}

/** Without its keys the log can do nothing for the moment, as without its database. */
async function asBusy<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BlobsError) || !hasCode<BlobsError>(error, 'BLOBS_AWAY')) throw error;
    throw new EventStoreError('BUSY', error.message, { cause: error });
  }
}
