import { hash, randomBytes } from 'node:crypto';
import type { Accounts } from '../accounts/accounts.ts';
import type { Kept, KeptKind } from '../storage/kept.ts';
import { limits } from './limits.ts';
import { type Caller, linkCaller } from '../accounts/caller.ts';

/**
 * What a browser's `<audio>` or a download link shows instead of the session's token: good for a few
 * minutes, for one recording's audio, peaks and export, or for the download of all one's data, and for nothing else.
 */
export type Tickets = {
  /**
   * A ticket for a recording that the caller may see, or for `everything` of theirs: a new one, or with `renew` the same one for longer,
   * so that what plays by it plays on. One that has ended, or is another session's, is not prolonged.
   */
  issue(
    caller: Caller,
    recordingId: string,
    renew?: string,
  ): Promise<{ ticket: string; expiresAt: Date }>;
  /** The same for who has a link: it opens what the link does, and `GET /ws`, as long as the link is open. */
  issueForLink(link: LinkTicket, renew?: string): Promise<{ ticket: string; expiresAt: Date }>;
  /** Whether it is a ticket of that link, which has not ended. */
  isOfLink(ticket: string, sha256: string): Promise<boolean>;
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

/** A link that a ticket speaks for; `sha256` of its token. */
export type LinkTicket = { recordingId: string; link: string; sha256: string };

/** Apart from those of users: strangers fill their own places only. */
const linkTicketRows: KeptKind<LinkTicket & { endsAt: number }> = {
  name: 'link-tickets',
  endsAt: (row) => row.endsAt,
  volatileMax: 10_000,
  keys: 'plain',
};

/** How many tickets are kept of one session, and of one link. */
const perSessionMax = 100;
const perLinkMax = 250;

/**
 * Tickets end with the session they were given in.
 * @param isOpen whether a link is open now
 */
export function openTickets(
  accounts: Pick<Accounts, 'callerOf'>,
  kept: Kept,
  isOpen: (link: LinkTicket) => Promise<boolean>,
): Tickets {
  const rows = kept.of(ticketRows);
  const ofLinks = kept.of(linkTicketRows);
  return {
    async issueForLink(link, renew) {
      const group = groupOf(`link ${link.link}`);
      const present = renew === undefined ? undefined : await ofLinks.get(keyOf(renew));
      const ticket = renew !== undefined && present?.link === link.link ? renew : newTicket(group);
      const ends = await ofLinks.change([keyOf(ticket)], (_, now) => {
        const endsAt = now + limits.ticketMs;
        return { keep: [{ ...link, endsAt }], result: endsAt };
      });
      const all = await ofLinks.list(group);
      const oldest = all.toSorted((a, b) => b.value.endsAt - a.value.endsAt).slice(perLinkMax);
      await ofLinks.delete(oldest.map(({ key }) => key));
      return { ticket, expiresAt: new Date(ends) };
    },
    async isOfLink(ticket, sha256) {
      return (await ofLinks.get(keyOf(ticket)))?.sha256 === sha256;
    },
    async issue({ sessionId }, recordingId, renew) {
      const present = renew === undefined ? undefined : await rows.get(keyOf(renew));
      const isGood = present?.recording_id === recordingId && present.session_id === sessionId;
      const ticket = isGood && renew !== undefined ? renew : newTicket(groupOf(sessionId));
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
      if (!found) {
        const link = await ofLinks.get(keyOf(ticket));
        const isFor = link && (path === '/ws' || ticketPath(path) === link.recordingId);
        return isFor && (await isOpen(link)) ? linkCaller(link.recordingId, link.link) : null;
      }
      if (ticketPath(path) !== found.recording_id) return null;
      return await accounts.callerOf(found.session_id);
    },
  };
}

const newTicket = (group: string): string => group + randomBytes(32).toString('base64url');

/** What the tickets of one session begin with; it tells nothing of the session. */
const groupOf = (sessionId: string): string =>
  hash('sha256', `tickets of ${sessionId}`, 'base64url').slice(0, groupLength);
const groupLength = 22;

/** Of what is no ticket as well, which may hold what no database takes. */
const keyOf = (ticket: string): string =>
  `${ticket.slice(0, groupLength).replaceAll(/[^\w-]/g, '')}/${hash('sha256', ticket, 'base64url')}`;

/** Stands where the id of a recording would: the ticket is for the download of all one's data. */
export const everything = 'everything';

/** The recording whose audio, peaks or export a path is, or `everything`; undefined for every other path. */
export const ticketPath = (path: string): string | undefined =>
  path === '/users/me/export'
    ? everything
    : /^\/recordings\/([0-9A-Z]{26})\/(?:audio|peaks|export)$/.exec(path)?.[1];
