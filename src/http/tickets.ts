import { hash, randomBytes } from 'node:crypto';
import type { Accounts } from '../accounts/accounts.ts';
import type { Kept, KeptKind } from '../storage/kept.ts';
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

/** What a ticket is for. By `keyOf` it: what leaks gives no ticket away. None has to survive a restart. */
const ticketRows: KeptKind<{ session_id: string; recording_id: string; ends_at: number }> = {
  name: 'tickets',
  endsAt: (row) => row.ends_at,
  volatileMax: 10_000,
  keys: 'plain',
};

/** How many tickets are kept of one session. */
const perSessionMax = 100;

/** Tickets end with the session they were given in. */
export function openTickets(accounts: Pick<Accounts, 'callerOf'>, kept: Kept): Tickets {
  const rows = kept.of(ticketRows);
  return {
    async issue({ sessionId }, recordingId, renew) {
      const present = renew === undefined ? undefined : await rows.get(keyOf(renew));
      const isGood = present?.recording_id === recordingId && present.session_id === sessionId;
      const ticket =
        isGood && renew !== undefined
          ? renew
          : groupOf(sessionId) + randomBytes(32).toString('base64url');
      const row = { session_id: sessionId, recording_id: recordingId };
      const ends = await rows.change([keyOf(ticket)], (_, now) => {
        const ends_at = now + limits.ticketMs;
        return { keep: [{ ...row, ends_at }], result: ends_at };
      });
      const own = await rows.list(groupOf(sessionId));
      const oldest = own.toSorted((a, b) => b.value.ends_at - a.value.ends_at).slice(perSessionMax);
      await rows.delete(oldest.map(({ key }) => key));
      return { ticket, expiresAt: new Date(ends) };
    },
    async redeem(ticket, path) {
      const found = await rows.get(keyOf(ticket));
      if (!found) return null;
      if (ticketPath(path) !== found.recording_id) return null;
      return await accounts.callerOf(found.session_id);
    },
  };
}

/** What the tickets of one session begin with; it tells nothing of the session. */
const groupOf = (sessionId: string): string =>
  hash('sha256', `tickets of ${sessionId}`, 'base64url').slice(0, groupLength);
const groupLength = 22;

const keyOf = (ticket: string): string =>
  `${ticket.slice(0, groupLength)}/${hash('sha256', ticket, 'base64url')}`;

/** The recording whose audio, peaks or export a path is; undefined for every other path. */
export const ticketPath = (path: string): string | undefined =>
  /^\/recordings\/([0-9A-Z]{26})\/(?:audio|peaks|export)$/.exec(path)?.[1];
