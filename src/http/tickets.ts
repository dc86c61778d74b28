import { createHash, randomBytes } from 'node:crypto';
import type { Accounts } from '../accounts/accounts.ts';
import { limits } from './limits.ts';
import type { Caller } from './services.ts';

/**
 * What a browser's `<audio>` or a download link shows instead of the session's token: good for a few
 * minutes, for one recording's audio, peaks and export, and for nothing else. Kept in memory only.
 */
export type Tickets = {
  /**
   * A ticket for a recording that the caller may see: a new one, or with `renew` the same one for longer,
   * so that what plays by it plays on. One that has ended, or is another session's, is not prolonged.
   */
  issue(caller: Caller, recordingId: string, renew?: string): { ticket: string; expiresAt: Date };
  /** Who a ticket speaks for, if it is good for this path; null otherwise. */
  redeem(ticket: string, path: string): Caller | null;
};

/** Tickets end with the session they were given in. `now` is in milliseconds. */
export function openTickets(
  accounts: Pick<Accounts, 'onSessionEnded'>,
  now: () => number = Date.now,
): Tickets {
  // By hash, as sessions are: memory that leaks does not give a ticket away, and neither does timing.
  const known = new Map<string, { caller: Caller; recordingId: string; expiresAt: number }>();
  accounts.onSessionEnded((sessionId) => {
    for (const [hash, { caller }] of known) if (caller.sessionId === sessionId) known.delete(hash);
  });

  return {
    issue(caller, recordingId, renew) {
      const own = renew === undefined ? undefined : known.get(hashOf(renew));
      const isGood =
        own !== undefined &&
        own.expiresAt > now() &&
        own.recordingId === recordingId &&
        own.caller.sessionId === caller.sessionId;
      const ticket = isGood ? renew! : randomBytes(32).toString('base64url');
      const expiresAt = now() + limits.ticketMs;
      known.delete(hashOf(ticket));
      known.set(hashOf(ticket), { caller, recordingId, expiresAt });
      // A Map keeps the order of insertion, which is that of expiry.
      for (const [hash, oldest] of known) {
        if (oldest.expiresAt > now() && known.size <= limits.ticketsMax) break;
        known.delete(hash);
      }
      return { ticket, expiresAt: new Date(expiresAt) };
    },
    redeem(ticket, path) {
      const found = known.get(hashOf(ticket));
      if (!found || found.expiresAt <= now()) return null;
      return ticketPath(path) === found.recordingId ? found.caller : null;
    },
  };
}

/** The recording whose audio, peaks or export a path is; undefined for every other path. */
export const ticketPath = (path: string): string | undefined =>
  /^\/recordings\/([0-9A-Z]{26})\/(?:audio|peaks|export)$/.exec(path)?.[1];

const hashOf = (ticket: string): string => createHash('sha256').update(ticket).digest('base64url');
