import { problemOf } from '../src/words/problems.ts';
import type { UserFact } from '../events/facts/catalogue.ts';
import { type Decision, refuse } from '../events/command-handler.ts';
import {
  type NewUser,
  type UserLink,
  type UserRefusal,
  type Users,
  nameTaken,
  passwordChanged,
  registered,
  similarUser,
  unknownUser,
} from './users.ts';

type LinkDecision = Decision<UserFact, UserRefusal>;

/** Links that may be open at the same time. */
const linksMax = 500;

/** Gives out a link. The one before for a new password of the same user is good no more. @param token kept, sealed */
export const decideLink =
  (link: Omit<UserLink, 'by' | 'at'>, token?: string) =>
  (users: Users): LinkDecision => {
    const { userId, purpose, sha256, isAdmin, expiresAt, note } = link;
    if (purpose === 'password' && !users.byId.has(userId)) return unknownUser;
    if (users.byId.size === 0) {
      return refuse('ADMINISTRATOR_FIRST', problemOf('administrator-first'));
    }
    if (users.links.size >= linksMax && !users.links.has(userId)) {
      return refuse('TOO_MANY_LINKS', problemOf('too-many-links'));
    }
    const data = { user_id: userId, sha256, expires_at: expiresAt };
    const kept = token === undefined ? {} : { token };
    return purpose === 'password'
      ? [{ type: 'user.password_link_made', data, ...(token && { content: kept }) }]
      : [
          {
            type: 'user.invited',
            data: { ...data, is_admin: isAdmin },
            content: { note, ...kept },
          },
        ];
  };

/** Nothing is open there: nothing to do. */
export const decideWithdrawal =
  (userId: string) =>
  (users: Users): LinkDecision => {
    const link = users.links.get(userId);
    if (!link) return [];
    const data = { user_id: userId };
    return link.purpose === 'invitation'
      ? [{ type: 'user.invitation_withdrawn', data }]
      : [{ type: 'user.password_link_withdrawn', data }];
  };

/** The one who has the link becomes a user. @param now RFC 3339 UTC */
export const decideAcceptance =
  (sha256: string, wanted: Omit<NewUser, 'id' | 'isAdmin'>, now: string) =>
  (users: Users): LinkDecision => {
    const link = openLink(users, sha256, now);
    if (link?.purpose !== 'invitation') return linkOver;
    const same = similarUser(users, wanted.username);
    if (same) return nameTaken(wanted.username, same.username);
    const { userId: id, isAdmin } = link;
    return [registered({ ...wanted, id, isAdmin })];
  };

/** The one who has the link chooses the password. @param now RFC 3339 UTC */
export const decidePasswordByLink =
  (sha256: string, passwordHash: string, now: string) =>
  (users: Users): LinkDecision => {
    const link = openLink(users, sha256, now);
    if (link?.purpose !== 'password') return linkOver;
    return [passwordChanged(link.userId, 'changed', passwordHash)];
  };

/** The link that a token opens, by its SHA-256; undefined: wrong, used, withdrawn, over, or of a disabled user. */
export function openLink(users: Users, sha256: string, now: string): UserLink | undefined {
  const link = [...users.links.values()].find((one) => one.sha256 === sha256);
  if (!link || isLinkOver(users, link, now)) return undefined;
  return users.byId.get(link.userId)?.disabled === true ? undefined : link;
}

/** Whether a link opens nothing any more: its time is over, or who made it is no administrator now. */
export function isLinkOver({ byId }: Users, { by, expiresAt }: UserLink, now: string): boolean {
  const maker = byId.get(by);
  const isGood = by === 'system' || (maker?.isAdmin === true && !maker.disabled);
  return !isGood || expiresAt <= now;
}

/** One sentence for all that a link can be, so that it tells nothing. */
export const linkOver = refuse('LINK_OVER', problemOf('link-over'));
