import { configStream, usersStream } from '../../events/facts/catalogue.ts';
import { houseId } from '../../events/facts/personal.ts';
import type { EventStore } from '../../events/store.ts';
import type { Kept, KeptKind } from '../storage/kept.ts';
import { type CopyRecords, hashedPlace, openVaultLedger } from './vault-ledger.ts';

/*
 * Which folders copies were made in. A vault is changed, unset, or its user deleted, and what is in it stays: an erasure
 * finds it there.
 */

/** Folders as they were set, by `<user>/<hash>`; of the house, those that were set before this was remembered. */
export const folderRows: KeptKind<string> = {
  name: 'vault-folders',
  keys: 'plain',
};

const keyOf = (user: string, vault: string): string => `${user}/${hashedPlace(vault, '')}`;

/** Remembers a folder before copies are made in it. */
export async function rememberFolder(kept: Kept, user: string, vault: string): Promise<void> {
  const rows = kept.of(folderRows);
  const key = keyOf(user, vault);
  if ((await rows.get(key)) === undefined)
    await rows.change([key], () => ({ keep: [vault], result: undefined }));
}

/**
 * The inode of the folder that copies were last made in, by the keys of `folderRows`. Not its device, which has another number
 * after a start, and at another node.
 */
const lastInodes: KeptKind<string> = {
  name: 'vault-inodes',
  keys: 'plain',
};

/** In which inode copies were last made; undefined where they were not, or the folder was chosen since. */
export const lastInode = (kept: Kept, user: string, vault: string): Promise<string | undefined> =>
  kept.of(lastInodes).get(keyOf(user, vault));

/** Remembers in which inode copies are made. */
export const rememberInode = (
  kept: Kept,
  user: string,
  vault: string,
  inode: string,
): Promise<void> =>
  kept
    .of(lastInodes)
    .change([keyOf(user, vault)], ([last]) =>
      last === inode ? { result: undefined } : { keep: [inode], result: undefined },
    );

/** For a folder that is chosen anew, whatever is there. */
export const forgetInode = (kept: Kept, user: string, vault: string): Promise<void> =>
  kept.of(lastInodes).delete([keyOf(user, vault)]);

/** Remembers the folders that the log names: copies may be in them that an earlier release made. */
export async function rememberSetFolders(
  kept: Kept,
  store: Pick<EventStore, 'read'>,
): Promise<void> {
  for await (const fact of store.read(usersStream))
    if (fact.type === 'user.vault_set' && fact.content?.folder)
      await rememberFolder(kept, fact.data.user_id, fact.content.folder);
  for await (const { type, data } of store.read(configStream))
    if (type === 'config.key_set' && data.key === 'notes.vault' && typeof data.value === 'string')
      await rememberFolder(kept, houseId, data.value);
}

/**
 * Whether a file of this content is one that was put at a place, or beside it, for another user of the folder.
 * @param where as for `openVaultLedger`
 */
export async function isAnothers(
  records: CopyRecords,
  user: string,
  { vault, root, path }: { vault: string; root: string; path: string },
  sha256: string,
): Promise<boolean> {
  const all = await records.kept.of(folderRows).list('');
  const users = new Set(all.map(({ key }) => key.slice(0, key.indexOf('/'))));
  users.delete(user);
  for (const other of users) {
    const theirs = await openVaultLedger(records, other, vault, [path], root);
    if (theirs.isOursBeside(path, sha256)) return true;
  }
  return false;
}

/**
 * Where copies of a user's documents may be: in the folders that are set now, and those of them that were made in others.
 * @param present folders that are set now
 */
export async function foldersWithCopies(
  records: CopyRecords,
  user: string,
  { present, paths }: { present: readonly string[]; paths: readonly string[] },
): Promise<{ vault: string; paths: readonly string[] }[]> {
  const found = [...new Set(present)].map((vault) => ({ vault, paths }));
  const rows = records.kept.of(folderRows);
  const all = [...(await rows.list(`${user}/`)), ...(await rows.list(`${houseId}/`))];
  for (const vault of new Set(all.map(({ value }) => value))) {
    if (present.includes(vault)) continue;
    const { knows } = await openVaultLedger(records, user, vault, paths);
    const known = paths.filter(knows);
    if (known.length > 0) found.push({ vault, paths: known });
  }
  return found;
}
