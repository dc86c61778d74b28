import type { RecordingRow } from '../../projections/recording-row.ts';
import { recordingById } from '../../projections/recordings.ts';
import { notFound } from './problems.ts';
import type { Caller, HttpServices } from './services.ts';
import { isIn } from '../../machines/states.ts';

/** The built-in user of tray and hotkey, whose recordings administrators see and act upon. */
export const guest = 'guest';

/** Whether a caller may see what belongs to an owner, words included. */
export const sees = (caller: Pick<Caller, 'userId' | 'isAdmin'>, owner: string): boolean =>
  owner === caller.userId || (owner === guest && caller.isAdmin);

/**
 * As `sees`; and what a deleted user left has no owner: administrators see it, hand it over and
 * erase it, as they do with what `guest` records.
 */
export const seesLeft = (
  { accounts }: Pick<HttpServices, 'accounts'>,
  caller: Pick<Caller, 'userId' | 'isAdmin'>,
  owner: string,
): boolean => sees(caller, owner) || (caller.isAdmin && accounts.wasUser(owner));

/** @throws {Problem} 404, the same for a recording that is not there, one that was erased, and one of another user. */
export async function visibleRecording(
  services: Pick<HttpServices, 'storage' | 'accounts'>,
  caller: Caller,
  recordingId: string,
): Promise<RecordingRow> {
  const row = await present(services, recordingId);
  if (!row || !seesLeft(services, caller, row.owner)) throw notFound();
  return row;
}

/** The same, where administrators see what becomes of everybody's recordings, without a word of them. */
export async function recordingInView(
  services: Pick<HttpServices, 'storage' | 'accounts'>,
  caller: Caller,
  recordingId: string,
): Promise<RecordingRow> {
  const row = await present(services, recordingId);
  if (!row || !(caller.isAdmin || seesLeft(services, caller, row.owner))) throw notFound();
  return row;
}

async function present(
  { storage }: Pick<HttpServices, 'storage'>,
  recordingId: string,
): Promise<RecordingRow | undefined> {
  if (!ulidPattern.test(recordingId)) return undefined;
  const row = await recordingById(storage, recordingId);
  return row && !isIn(row.state, 'idle.erased') ? row : undefined;
}

export const ulidPattern = /^[0-9A-HJKMNP-TV-Z]{26}$/;
