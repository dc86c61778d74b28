import type { EventStore } from '../../events/store.ts';
import { loadOnce } from '../shared/package.ts';
import { inTime } from '../shared/abort.ts';
import { codeOf, syscallOf } from '../shared/errors.ts';
import { patienceMs } from '../shared/folder-fault.ts';
import type { Log } from '../shared/log.ts';
import { NoVault, type Removed, removeLeavingFrom } from './vault.ts';
import { foldersWithCopies, rememberSetFolders } from './vault-folders.ts';
import { type CopyRecords, leavingCopies, openVaultLedger } from './vault-ledger.ts';

/*
 * Copies in vaults of notes that are erased. A vault may be away, for a minute or for a year, and nothing waits for it:
 * the places of the copies are noted, as hashes, and looked at until the vault is there.
 */

/** Copies of erased notes that are still there; paths below the vault. */
export type CopiesLeft = Pick<Removed, 'left' | 'away'>;

/** Removes copies of documents from the vaults of an owner. */
export type LeavingVaults = {
  /** Notes which copies are to be removed; to be awaited while names are known. Looks at no vault. */
  note(owner: string, paths: readonly string[]): Promise<void>;
  /** Removes what is noted. What could not be reached stays noted; of that only copies are named that were made. */
  remove(owner: string, paths: readonly string[]): Promise<CopiesLeft>;
  /** Removes all that is noted, as far as vaults are there. */
  removeNoted(): Promise<void>;
};

type Deps = CopyRecords & {
  /** Folders that are set now for copies of an owner's documents. */
  vaultsOf(owner: string): readonly string[];
  store: Pick<EventStore, 'read'>;
  log: Log;
};

/** Remembers and removes them; each attempt ends in time. */
export function leavingVaults({ log, ...records }: Deps): LeavingVaults {
  const noted = leavingCopies(records.kept);
  /** Attempts that nobody waits for any more: another of the same vault would only wait behind one. */
  const hanging = new Set<string>();
  const placesOf = placesIn(records);
  return {
    async note(owner, paths) {
      for (const { vault, paths: some } of await placesOf(owner, paths))
        await noted.add(owner, vault, some);
    },
    async remove(owner, paths) {
      const all: CopiesLeft = { left: [], away: [] };
      for (const { vault, paths: some } of await placesOf(owner, paths)) {
        const { left, away, fault } = await attempt(owner, vault, some);
        all.left.push(...left);
        if (away.length === 0) continue;
        tell(owner, fault);
        const { knows } = await openVaultLedger(records, owner, vault, away);
        all.away.push(...away.filter(knows));
      }
      return all;
    },
    async removeNoted() {
      const places = await noted.list();
      const vaults = new Map(places.map((one) => [`${one.user}/${one.vault}`, one]));
      for (const { user, vault } of vaults.values()) {
        const { left, fault } = await attempt(user, vault);
        // A vault that is away was told of when the note was erased.
        if (fault !== undefined && !(fault instanceof NoVault)) tell(user, fault);
        if (left.length > 0)
          log.warn(
            { user_id: user, count: left.length },
            'changed copies of erased or deleted notes stay in a notes folder',
          );
      }
    },
  };

  /** Nobody waits longer for a folder than it may take to answer; what goes on meanwhile may still remove them. */
  async function attempt(user: string, vault: string, paths?: readonly string[]): Promise<Removed> {
    const away = (fault: unknown): Removed => ({ left: [], away: [...(paths ?? [])], fault });
    const key = `${user}/${vault}`;
    if (hanging.has(key)) return away(new TookTooLong());
    const work = removeLeavingFrom(user, vault, records, paths).catch((error: unknown) => {
      if (error instanceof NoVault || syscallOf(error) !== undefined) return away(error);
      throw error;
    });
    return await inTime(patienceMs, work, () => {
      hanging.add(key);
      const end = (): void => void hanging.delete(key);
      work.then(end, end);
      return away(new TookTooLong());
    });
  }

  /** Without the error's own words: paths in them are made of titles. */
  function tell(user: string, fault: unknown): void {
    log.warn(
      { user_id: user, code: codeOf(fault) },
      'copies of erased or deleted notes could not be removed from a notes folder; trying again',
    );
  }
}

/** Where copies of an owner's documents may be, as `foldersWithCopies`; those of earlier releases among them. */
function placesIn({ vaultsOf, store, ...records }: Omit<Deps, 'log'>) {
  const remembered = loadOnce(() => rememberSetFolders(records.kept, store));
  return async (owner: string, paths: readonly string[]) => {
    await remembered();
    return await foldersWithCopies(records, owner, { present: vaultsOf(owner), paths });
  };
}

class TookTooLong extends Error {
  override name = 'TookTooLong';
  readonly code = 'TIMEOUT';
}
