import type { FactOutline, LoggedFact } from '../../../events/facts/catalogue.ts';
import { filesAfter, noFiles } from '../../../events/facts/files.ts';
import { recordingOf, recordingStream } from '../../../events/facts/recording.ts';
import { accessOf } from '../../../projections/recording/access.ts';
import { orderOf } from '../../../projections/recording/order.ts';
import { granteesOfFolder } from '../../../projections/access.ts';
import { linesOf } from '../../../projections/recording-row.ts';
import type { Caller } from '../../accounts/caller.ts';
import type { HttpServices } from '../services.ts';
import { sharedWith } from '../shared-with-me.ts';
import { type Needs, granteesOf, isEnough, rightsOf, sees } from '../visible-recording.ts';

/** Users who hear of a recording that is somebody else's. */
export type Hearers = ReadonlySet<string>;

type Services = Pick<HttpServices, 'storage' | 'accounts' | 'settings'>;
type Listening = Iterable<{ readonly caller: Pick<Caller, 'userId' | 'isAdmin'> }>;

/** Those among the listeners who may read somebody else's recording now, or hear it: what the rows say, which are as far as the feed. */
export async function hearersOf(
  services: Services,
  listeners: Listening,
  { recordingId, id: owner }: { recordingId: string; id: string },
  needs: Needs = 'read',
): Promise<Hearers> {
  const asked = othersThan(owner, listeners);
  // Most are heard of by their owner alone.
  const [line] = asked.size === 0 ? [] : await linesOf(services.storage, [`/${recordingId}`]);
  return line ? await amongThem(services, asked, line.core, needs) : new Set();
}

/**
 * Those who could read a recording until this fact took it from them, so that their open pages learn that it is gone;
 * told by the facts before it, because the rows are further.
 */
export async function formerHearers(
  services: Services & Pick<HttpServices, 'store'>,
  listeners: Listening,
  fact: FactOutline,
  still: Hearers,
): Promise<Hearers> {
  const recordingId = recordingOf(fact.stream);
  const isTaken = taking.has(fact.type) || fact.to === 'idle.erased';
  if (recordingId === undefined || !isTaken) return new Set();
  const here = [...listeners];
  if (here.length === 0) return new Set();
  const facts: LoggedFact[] = [];
  let files = noFiles;
  for await (const before of services.store.read(recordingStream(recordingId))) {
    if (before.version >= fact.version) break;
    files = filesAfter(files, before);
    if (telling.has(before.type)) facts.push(before);
  }
  const { owner } = files;
  if (!owner) return new Set();
  const read = { facts: facts as Parameters<typeof accessOf>[0]['facts'] };
  const then = { owner, access: accessOf(read), folder: orderOf(read).folder };
  const could = new Set(await amongThem(services, othersThan(null, here), then, 'read'));
  const present = fact.type === 'recording.handed_over' ? fact.data.owner : owner;
  for (const { caller } of here)
    if (sees(caller, owner) && !sees(caller, present)) could.add(caller.userId);
  return new Set([...could].filter((userId) => !still.has(userId)));
}

/** What ends a right by its fact alone; besides whatever erases. */
const taking: ReadonlySet<string> = new Set<FactOutline['type']>([
  'access.withdrawn',
  'recording.handed_over',
]);
/** What says who may read it. */
const telling: ReadonlySet<string> = new Set<FactOutline['type']>([
  'access.granted',
  'access.withdrawn',
  'recording.filed',
  'recording.handed_over',
]);

/** Ids of the users who listen; without those who see what this owner has. */
const othersThan = (owner: string | null, listeners: Listening): Set<string> =>
  new Set(
    [...listeners].flatMap(({ caller }) =>
      owner !== null && sees(caller, owner) ? [] : caller.userId,
    ),
  );

async function amongThem(
  services: Services,
  asked: ReadonlySet<string>,
  row: Parameters<typeof rightsOf>[2],
  needs: Needs,
): Promise<Hearers> {
  const hearers = new Set<string>();
  const { storage, accounts } = services;
  const ofFolder = row.folder === null ? [] : await granteesOfFolder(storage, row.folder);
  const grantees = new Set([...row.access.map(({ to }) => to), ...ofFolder]);
  if (grantees.size === 0) return hearers;
  await accounts.takeIn();
  for (const userId of asked) {
    const caller = { userId, isAdmin: false };
    // Of the hundreds who listen few are shared with, and only of these are rows read.
    if (sees(caller, row.owner) || !granteesOf(accounts, userId).some((to) => grantees.has(to)))
      continue;
    const right = await rightsOf(services, caller, row);
    if (right && isEnough(right, needs)) hearers.add(userId);
  }
  return hearers;
}

/**
 * Users who are to know that something was shared with them, or is no more: their status names what they can follow, and
 * their open pages look again.
 */
export async function concernedBy(
  services: Services,
  listeners: Listening,
  fact: FactOutline,
): Promise<readonly string[]> {
  const { accounts } = services;
  switch (fact.type) {
    case 'recording.filed':
      return await inFoldersOf(services, listeners, fact);
    case 'config.key_set':
    case 'config.key_reset':
      return fact.data.key === 'sharing.users' ? [...othersThan(null, listeners)] : [];
    case 'access.granted':
    case 'access.withdrawn':
    case 'folder.shared':
    case 'folder.unshared': {
      const { to } = fact.data;
      return to.startsWith('u-')
        ? [to.slice(2)]
        : [...(accounts.findGroup(to.slice(2))?.members ?? [])];
    }
    case 'group.member_added':
    case 'group.member_removed':
      return [fact.data.user_id];
    // Whom it concerned is no longer known.
    case 'group.deleted':
    case 'folder.deleted':
    case 'user.deleted':
      return [...othersThan(null, listeners)];
    default:
      return [];
  }
}

/** Those with whom the owner of what was filed shares a folder: it may have come from there, or come there. */
async function inFoldersOf(
  services: Services,
  listeners: Listening,
  { stream }: FactOutline,
): Promise<string[]> {
  const [line] = await linesOf(services.storage, [`/${recordingOf(stream)}`]);
  const found: string[] = [];
  if (!line) return found;
  for (const userId of othersThan(line.core.owner, listeners)) {
    const { folders } = await sharedWith(services, userId);
    if (folders.some(({ owner }) => owner === line.core.owner)) found.push(userId);
  }
  return found;
}
