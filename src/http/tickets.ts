import { createHash, randomBytes } from 'node:crypto';
import type { Accounts } from '../accounts/accounts.ts';
import type { TicketRows } from '../storage/ticket-rows.ts';
import { limits } from './limits.ts';
import type { Caller } from '../accounts/caller.ts';

/**
 * What a browser's `<audio>` or a download link shows instead of the session's token: good for a few
 * minutes, for one recording's audio, peaks and export, and for nothing else.
 */
export type Tickets = {
  /**
   * A ticket for a recording that the caller may see: a new one, or with `renew` the same one for longer,
   * so that what plays by it plays on. One that has ended, or is another session's, is not prolonged.
   */
  issue(
    caller: Caller,
    recordingId: string,
    renew?: string,
  ): Promise<{ ticket: string; expiresAt: Date }>;
  /** Who a ticket speaks for, if it is good for this path; null otherwise. */
  redeem(ticket: string, path: string): Promise<Caller | null>;
};

/** Tickets end with the session they were given in. */
export function openTickets(accounts: Pick<Accounts, 'callerOf'>, rows: TicketRows): Tickets {
  return {
    async issue(caller, recordingId, renew) {
      const own = renew === undefined ? undefined : await rows.get(hashOf(renew));
      const isGood =
        own !== undefined &&
        own.recording_id === recordingId &&
        own.session_id === caller.sessionId;
      const ticket = isGood ? renew! : randomBytes(32).toString('base64url');
      const row = { session_id: caller.sessionId, recording_id: recordingId };
      const expiresAt = new Date(Date.now() + limits.ticketMs);
      await rows.put(hashOf(ticket), row, limits.ticketMs);
      return { ticket, expiresAt };
    },
    async redeem(ticket, path) {
      const found = await rows.get(hashOf(ticket));
      if (!found) return null;
      if (ticketPath(path) !== found.recording_id) return null;
      return await accounts.callerOf(found.session_id);
    },
  };
}

/** The recording whose audio, peaks or export a path is; undefined for every other path. */
export const ticketPath = (path: string): string | undefined =>
  /^\/recordings\/([0-9A-Z]{26})\/(?:audio|peaks|export)$/.exec(path)?.[1];

const hashOf = (ticket: string): string => createHash('sha256').update(ticket).digest('base64url');
