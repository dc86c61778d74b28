import { detail } from '../words/details.ts';
import type { RecordingRow } from '../../projections/recording-row.ts';
import { recordingById, wordlessRecordingById } from '../../projections/recordings.ts';
import { notFound } from './problems.ts';
import type { HttpServices } from './services.ts';
import type { Caller } from '../accounts/caller.ts';
import { isIn } from '../../machines/states.ts';

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

/** @throws {Problem} 404, the same for a recording that is not there, one that was erased, and one of another user. */
export async function visibleRecording(
  { storage }: Pick<HttpServices, 'storage'>,
  caller: Caller,
  recordingId: string,
): Promise<RecordingRow> {
  const row = await present(storage, recordingId);
  if (!row || !sees(caller, row.owner)) throw notFound(detail('recording-not-found'));
  return row;
}

/** The same and what a deleted user left: that without words, for administrators. */
export async function visibleOrLeft(
  services: Pick<HttpServices, 'storage' | 'accounts'>,
  caller: Caller,
  recordingId: string,
): Promise<RecordingRow> {
  const row = await present(services.storage, recordingId);
  if (!row || !seesLeft(services, caller, row.owner)) throw notFound(detail('recording-not-found'));
  if (sees(caller, row.owner)) return row;
  const wordless = await wordlessRecordingById(services.storage, recordingId);
  if (!wordless) throw notFound(detail('recording-not-found'));
  return wordless;
}

/** The same, where administrators see what becomes of everybody's recordings, without a word of them. */
export async function recordingInView(
  { storage }: Pick<HttpServices, 'storage'>,
  caller: Caller,
  recordingId: string,
): Promise<RecordingRow> {
  const row = await present(storage, recordingId);
  if (!row || !(caller.isAdmin || sees(caller, row.owner)))
    throw notFound(detail('recording-not-found'));
  return row;
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
