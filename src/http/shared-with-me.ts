import type { Grantee } from '../../events/facts/access.ts';
import { type SharedFolder, foldersShared } from '../../projections/access.ts';
import { entriesInFolders, entriesOfOrder } from '../../projections/library.ts';
import {
  type ReadEntries,
  entriesInAny,
  entriesThat,
  pageRowsMax,
} from '../../projections/list-page.ts';
import { type KeptLine, linesOf } from '../../projections/recording-row.ts';
import { entriesShared } from '../../projections/shared-lists.ts';
import type { Caller } from '../accounts/caller.ts';
import { limits } from './limits.ts';
import type { HttpServices } from './services.ts';
import { granteesOf, rightsOf } from './visible-recording.ts';

type Services = Pick<HttpServices, 'storage' | 'accounts' | 'settings'>;

/** Lists that are merged at most, for one user. */
const listsMax = 200;

/** Under which names things are shared with a user, and the folders that are: each once, whose owner is a user. */
export async function sharedWith(
  { storage, accounts, settings }: Services,
  userId: string,
): Promise<{ grantees: Grantee[]; folders: SharedFolder[] }> {
  if (!settings()['sharing.users']) return { grantees: [], folders: [] };
  await accounts.takeIn();
  const grantees = granteesOf(accounts, userId);
  const most = Math.max(0, listsMax - grantees.length);
  const given = (await foldersShared(storage, grantees, most)).filter(
    ({ owner }) => owner !== userId && accounts.isUser(owner),
  );
  const folders = new Map<string, SharedFolder>();
  for (const one of given) {
    const before = folders.get(one.folder);
    const isMore = before?.role === 'correct' || one.role === 'read';
    const role = before && isMore ? before.role : one.role;
    const audio = one.audio || (before?.audio ?? false);
    folders.set(one.folder, { ...one, role, audio });
  }
  return { grantees, folders: [...folders.values()] };
}

/** The folders that are shared with a user, by their names: these the user may know. */
export async function foldersWithMe(
  services: Services & Pick<HttpServices, 'order'>,
  userId: string,
) {
  const { folders } = await sharedWith(services, userId);
  const named = await Promise.all(
    folders.map(async ({ owner, folder: id, role, audio }) => {
      const there = (await services.order.of(owner)).folders.get(id);
      const by = services.accounts.nameOf(owner);
      return there ? [{ id, name: there.name, by, role, audio }] : [];
    }),
  );
  return named.flat().toSorted((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1));
}

/**
 * The entries of what others share with a user and has documents. What its lists name is looked at, so that nothing is
 * in it that the user may not read by now, and nothing of their own.
 * @param folder only what is in this shared folder
 */
export async function entriesWithMe(
  services: Services,
  caller: Pick<Caller, 'userId'>,
  {
    folder,
    fits = () => true,
  }: { folder?: string | undefined; fits?: (line: KeptLine) => boolean } = {},
): Promise<ReadEntries> {
  const { storage } = services;
  const { grantees, folders } = await sharedWith(services, caller.userId);
  const lists = [
    ...(folder === undefined ? grantees.map((to) => entriesShared(storage, to, 'saved')) : []),
    ...folders
      .filter((one) => folder === undefined || one.folder === folder)
      .map((one) => entriesInFolders(storage, one.owner, [one.folder])),
  ];
  const may = async (entries: string[]): Promise<string[]> => {
    const lines = await linesOf(storage, entries);
    const kept = await Promise.all(
      lines.map(async (line) =>
        (await isWithMe(services, caller, line)) && fits(line) ? line : undefined,
      ),
    );
    const ids = new Set(kept.flatMap((line) => line?.core.recordingId ?? []));
    return entries.filter((entry) => ids.has(entry.slice(entry.indexOf('/') + 1)));
  };
  return entriesThat(entriesInAny(lists), may, limits.lookedMax);
}

/** Recordings of others that run and that a user may follow, at most `limit`. */
export async function followable(
  services: Services,
  caller: Pick<Caller, 'userId'>,
  limit: number,
): Promise<KeptLine[]> {
  const { storage } = services;
  const { grantees, folders } = await sharedWith(services, caller.userId);
  const read = entriesInAny([
    ...grantees.map((to) => entriesShared(storage, to, 'running')),
    // Without documents yet; what failed or was kept without is among them.
    ...folders.flatMap(({ owner, folder }) =>
      entriesOfOrder(storage, owner, { id: folder, kind: 'folder' }).slice(1),
    ),
  ]);
  const entries = await read({ gte: '', lt: '~', reverse: true, limit: pageRowsMax });
  const found: KeptLine[] = [];
  for (const line of await linesOf(storage, entries)) {
    if (found.length >= limit) break;
    if (line.core.status === 'recording' && (await isWithMe(services, caller, line)))
      found.push(line);
  }
  return found;
}

const isWithMe = async (
  services: Services,
  { userId }: Pick<Caller, 'userId'>,
  { core }: KeptLine,
): Promise<boolean> =>
  core.owner !== userId && (await rightsOf(services, { userId, isAdmin: false }, core)) !== null;
