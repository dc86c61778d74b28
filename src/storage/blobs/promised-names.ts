import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Blobs } from './blobs.ts';

/** Names of documents that recordings were promised in an owner's space, among all nodes. */
export interface PromisedNames {
  /** Whether the name is the recording's from now on: it was free, or its own before. Durable when it returns. @throws {BlobsError} */
  promise(owner: string, name: string, recordingId: string): Promise<boolean>;
  /** Frees a name if it is the recording's; twice is once. @throws {BlobsError} */
  release(owner: string, name: string, recordingId: string): Promise<void>;
}

/** Each in an object of its own, which has no words in its name. */
export function promisedNames(blobs: Blobs): PromisedNames {
  const keyOf = (owner: string, name: string): string =>
    `names/${owner}/${createHash('sha256').update(name).digest('hex')}`;
  const holderOf = async (key: string): Promise<string | null> => {
    const found = await blobs.get(key);
    return found && (await buffer(found.body)).toString('utf8');
  };
  return {
    async promise(owner, name, recordingId) {
      const key = keyOf(owner, name);
      const isFirst = await blobs.put(key, Buffer.from(recordingId), { ifAbsent: true });
      return isFirst || (await holderOf(key)) === recordingId;
    },
    async release(owner, name, recordingId) {
      const key = keyOf(owner, name);
      if ((await holderOf(key)) === recordingId) await blobs.delete(key);
    },
  };
}
