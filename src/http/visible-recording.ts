import { detail } from '../words/details.ts';
import type { RecordingRow } from '../../projections/recording-row.ts';
import { recordingById, wordlessRecordingById } from '../../projections/recordings.ts';
import { type Grantee, accessRoles } from '../../events/facts/access.ts';
import { folderGrants } from '../../projections/access.ts';
import { fieldFault } from '../words/field-faults.ts';
import { Problem, notFound } from './problems.ts';
import type { HttpServices } from './services.ts';
import type { Caller } from '../accounts/caller.ts';
import { isIn } from '../../machines/states.ts';
import { isReadable, openLinkIn } from './open-links.ts';

/** The built-in user of tray and hotkey, whose recordings administrators see and act upon. */
export const guest = 'guest';

/** Whether a caller may see what belongs to an owner, words included. */
export const sees = (caller: Pick<Caller, 'userId' | 'isAdmin'>, owner: string): boolean =>
  owner === caller.userId || (owner === guest && caller.isAdmin);

/**
 * As `sees`; and what a deleted user left has no owner: administrators list it, hand it over and erase it, without
 * a word of it. Who reads it again is the new owner.
 */
export const seesLeft = (
  { accounts }: Pick<HttpServices, 'accounts'>,
  caller: Pick<Caller, 'userId' | 'isAdmin'>,
  owner: string,
): boolean => sees(caller, owner) || (caller.isAdmin && accounts.wasUser(owner));

/** What somebody may do with a recording. Each role may do what those before it may; only the owner always hears it. */
export type Right = { role: 'link' | 'read' | 'correct' | 'owner'; audio: boolean };
/** What a request needs; `audio`: to read and to hear it. */
export type Needs = Right['role'] | 'audio';

/** Of whose it is, and of administrators with what a deleted user left. */
export const ownersRight: Right = { role: 'owner', audio: true };

export type RightsServices = Pick<HttpServices, 'storage' | 'accounts' | 'settings'>;
type Shared = Pick<RecordingRow, 'owner' | 'folder' | 'access'>;

/**
 * What a caller may do with a recording: the one place that says so. Its owner all; others the most that it gives to
 * them or to a group that they are in, by itself or by its folder; null: nothing. It counts as long as owner and caller
 * are users, and sharing is on.
 */
export async function rightsOf(
  { storage, accounts, settings }: RightsServices,
  caller: Pick<Caller, 'userId' | 'isAdmin'>,
  { owner, folder, access }: Shared,
): Promise<Right | null> {
  if (sees(caller, owner)) return ownersRight;
  if (!settings()['sharing.users'] || (access.length === 0 && folder === null)) return null;
  await accounts.takeIn();
  if (!accounts.isUser(owner) || !accounts.isActive(caller.userId)) return null;
  const own = granteesOf(accounts, caller.userId);
  const byFolder = folder === null ? [] : await folderGrants(storage, folder, own);
  const grants = [
    ...access.filter(({ to }) => own.includes(to)),
    ...byFolder.filter((one) => one.owner === owner),
  ];
  if (grants.length === 0) return null;
  const role = accessRoles.findLast((one) => grants.some((grant) => grant.role === one)) ?? 'read';
  return { role, audio: grants.some(({ audio }) => audio) };
}

/** Under which names something may be shared with a user: their own, and those of their groups. */
export const granteesOf = (
  accounts: Pick<HttpServices['accounts'], 'groupsOf'>,
  userId: string,
): Grantee[] => [`u-${userId}`, ...accounts.groupsOf(userId).map((group): Grantee => `g-${group}`)];

/** Whether a right is enough. */
export const isEnough = ({ role, audio }: Right, needs: Needs): boolean =>
  needs === 'audio' ? audio : rank.indexOf(role) >= rank.indexOf(needs);
const rank: readonly Right['role'][] = ['link', 'read', 'correct', 'owner'];

/** What others than its owner get of it says so. */
export type SeenRecording = { row: RecordingRow; right: Right };

/**
 * @param needs what the request needs: the owner, unless said otherwise, so that a route that forgot it refuses
 * @throws {Problem} 404, the same for a recording that is not there, one that was erased, and one of another user;
 *   403 `not-yours`: it is shared with the caller, but not for this
 */
export async function seenRecording(
  services: RightsServices,
  caller: Caller,
  recordingId: string,
  needs: Needs = 'owner',
): Promise<SeenRecording> {
  const row = await present(services.storage, recordingId);
  const right =
    row &&
    (caller.link ? rightByLink(services, caller.link, row) : await rightsOf(services, caller, row));
  if (!row || !right) throw notFound(detail('recording-not-found'));
  if (!isEnough(right, needs)) throw notYours(services, row.owner);
  return { row, right };
}

/** What a link opens of a recording: of its own alone, while it is open. */
function rightByLink(
  services: RightsServices,
  { recordingId, link }: NonNullable<Caller['link']>,
  row: RecordingRow,
): Right | null {
  if (row.recordingId !== recordingId) return null;
  const found = openLinkIn(services, row, link);
  return found && isReadable(row, found) ? { role: 'link', audio: found.audio } : null;
}

/** As `seenRecording`. */
export const visibleRecording = async (
  services: RightsServices,
  caller: Caller,
  recordingId: string,
  needs: Needs = 'owner',
): Promise<RecordingRow> => (await seenRecording(services, caller, recordingId, needs)).row;

/** What a caller may do with a recording, named by its id; null also where it is not there, or erased. */
export async function rightsIn(
  services: RightsServices,
  caller: Caller,
  recordingId: string,
): Promise<Right | null> {
  const row = await present(services.storage, recordingId);
  return row ? await rightsOf(services, caller, row) : null;
}

/**
 * Whether a caller may be told again what a command of theirs led to, which has no words: whoever may read it, and, also of
 * an erased one, whose it is.
 */
export async function isStillTold(
  services: RightsServices,
  caller: Caller,
  recordingId: string,
): Promise<boolean> {
  const row = await recordingById(services.storage, recordingId);
  if (!row || seesLeft(services, caller, row.owner)) return true;
  return (await rightsIn(services, caller, recordingId)) !== null;
}

/** 403; @param fields of a body that only the owner may give */
export function notYours(
  { accounts }: Pick<HttpServices, 'accounts'>,
  owner: string,
  fields: readonly string[] = [],
): Problem<'not-yours'> {
  const name = ownerName(accounts, owner) ?? owner;
  return new Problem('not-yours', {
    params: { owner: name },
    members: { owner: name },
    errors: fields.map((path) => ({ path, fault: fieldFault('only-by-owner') })),
  });
}

/** What an owner is called; null: they are no user any more. */
export const ownerName = (
  accounts: Pick<HttpServices['accounts'], 'nameOf'>,
  owner: string,
): string | null => (owner === guest ? guest : accounts.nameOf(owner));

/** The same and what a deleted user left: that without words, for administrators. */
export async function visibleOrLeft(
  services: RightsServices,
  caller: Caller,
  recordingId: string,
  needs: Needs = 'owner',
): Promise<RecordingRow> {
  const row = await present(services.storage, recordingId);
  if (!row || sees(caller, row.owner) || !seesLeft(services, caller, row.owner))
    return await visibleRecording(services, caller, recordingId, needs);
  const wordless = await wordlessRecordingById(services.storage, recordingId);
  if (!wordless) throw notFound(detail('recording-not-found'));
  return wordless;
}

/** The same, where administrators see what becomes of everybody's recordings, without a word of them. */
export async function recordingInView(
  services: RightsServices,
  caller: Caller,
  recordingId: string,
): Promise<RecordingRow> {
  const row = await present(services.storage, recordingId);
  if (row && caller.isAdmin) return row;
  return await visibleRecording(services, caller, recordingId);
}

async function present(
  storage: HttpServices['storage'],
  recordingId: string,
): Promise<RecordingRow | undefined> {
  if (!ulidPattern.test(recordingId)) return undefined;
  const row = await recordingById(storage, recordingId);
  return row && !isIn(row.state, 'idle.erased') ? row : undefined;
}

export const ulidPattern = /^[0-9A-HJKMNP-TV-Z]{26}$/;
