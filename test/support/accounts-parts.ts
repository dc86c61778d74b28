import type { EventStore } from '../../events/store.ts';
import type { AccountsParts } from '../../src/accounts/accounts.ts';
import { openUserStream } from '../../src/accounts/user-stream.ts';
import { noNotices } from '../../src/storage/notices.ts';
import { memoryKeys } from './memory-store.ts';

/**
 * What accounts are made of beside the rows, settings and files of a process: it has the log for itself, nothing works for
 * its users, and they have no files. What a test is about it puts in the place of these.
 */
export async function accountsParts(
  store: EventStore,
): Promise<Omit<AccountsParts, 'kept' | 'settings' | 'setupCodes'>> {
  return {
    stream: await openUserStream(store),
    notices: noNotices(),
    keys: memoryKeys(),
    endWork: async () => {},
    archiveSpace: async () => {},
    removeUploads: async () => {},
    clock: () => new Date(),
    log: { info: () => {}, warn: () => {} },
  };
}
