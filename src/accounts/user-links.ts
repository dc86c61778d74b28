import { hash, randomBytes } from 'node:crypto';
import { wrong } from '../shared/in-words.ts';
import { ulid } from 'ulid';
import * as z from 'zod';
import {
  type UserLink,
  nameTaken,
  similarUser,
  unknownUser,
  userByName,
} from '../../projections/users.ts';
import {
  decideAcceptance,
  decideLink,
  decidePasswordByLink,
  decideWithdrawal,
  isLinkOver,
  linkOver,
  openLink,
} from '../../projections/user-links.ts';
import { AccountError, keyUsedDifferently } from './account-error.ts';
import type { Session, Peer } from './caller.ts';
import {
  type LoginDeps,
  assertMayTry,
  beginSession,
  passSecond,
  securityCategory,
  useSingleSignOn,
} from './login.ts';
import { mayChoosePassword } from './local-login.ts';
import { detail } from '../words/details.ts';
import { assertGoodPassword, assertOtherPassword, checkNewUser } from './password-rules.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { type UserKeys, forgetUser } from './users.ts';
import { type OnBehalf, accountError } from './user-stream.ts';

const dayMs = 24 * 3_600_000;

/** Counts attempts at links apart from those at any account: no name has a line break. */
const account = '\nlink';

const days = z.number().int().min(1).max(30).default(7).describe('how long it is valid');
/** What an administrator says of an invitation, over HTTP or on the host. */
export const wantedInvitation = z.strictObject({
  note: z
    .string()
    .max(200)
    .regex(/^[^\p{Cc}]*$/u, wrong('not-one-line'))
    .default('')
    .describe('for whom it is; only administrators see it'),
  is_admin: z.boolean().default(false),
  days,
});
export const wantedPasswordLink = z.strictObject({ days });

/**
 * A link as it is given out, once: it is found by the SHA-256 of its token. Of a command that can be repeated the token is
 * kept, sealed with the user's key, for the same answer.
 */
export type GivenLink = { id: string; token: string; expiresAt: Date };

/** What whoever opens a link may know of it. */
export type ShownLink = {
  purpose: UserLink['purpose'];
  /** Name of who made it; null: on the host, or gone since. */
  by: string | null;
  /** Of the user whose password it sets; null for an invitation. */
  username: string | null;
  /** Whether a password can be chosen; else an invitation is taken at the sign-on provider. */
  password: boolean;
  expiresAt: string;
};

type From = Omit<Peer, 'local'>;

/** `isRepeatable`: the command may be given again, and its answer is told again then. */
type RepeatableOnBehalf = OnBehalf & { isRepeatable?: boolean | undefined };

/** Invitations, and links by which users choose a new password. One use; all that is wrong with one has one answer. */
export interface UserLinks {
  /**
   * A command that was given before is answered with its link.
   * @throws {AccountError} `TOO_MANY_LINKS`, `ADMINISTRATOR_FIRST`; of a repetition `KEY_USED_DIFFERENTLY`, `LINK_OVER`: its link
   *   opens nothing any more, or was made before tokens were kept; {EventStoreError}
   */
  invite(
    wanted: { note: string; isAdmin: boolean; days: number },
    onBehalf: RepeatableOnBehalf,
  ): Promise<GivenLink>;
  /**
   * The link before for the same user is good no more.
   * @throws {AccountError} `UNKNOWN_USER`, `USE_SINGLE_SIGN_ON` (no password would let them in), and as `invite`
   */
  linkForPassword(username: string, days: number, onBehalf: RepeatableOnBehalf): Promise<GivenLink>;
  /** Those that are open, made last first. */
  listLinks(): UserLink[];
  /** False: there is none of that id. */
  withdrawLink(id: string, onBehalf: OnBehalf): Promise<boolean>;
  /** @throws {AccountError} `LINK_OVER`, `TOO_MANY_ATTEMPTS`; of a link for a password `USE_SINGLE_SIGN_ON` */
  showLink(token: string, from: From): Promise<ShownLink>;
  /**
   * Uses a link: creates the user, or sets the password, and logs in. What is refused uses nothing up.
   * @throws {AccountError} `LINK_OVER`, `TOO_MANY_ATTEMPTS`, `INVALID_USERNAME`, `INVALID_PASSWORD`, `USERNAME_TAKEN`,
   *   `BUSY`; with two-step login `CODE_REQUIRED`, `WRONG_CODE`; `USE_SINGLE_SIGN_ON`: passwords are switched off
   */
  useLink(
    request: {
      token: string;
      username?: string | undefined;
      password: string;
      code?: string | undefined;
    },
    from: From,
  ): Promise<Session>;
  /** Withdraws those that are over, so that nothing is left of whom they were for. */
  sweepLinks(): Promise<void>;
}

type Parts = LoginDeps & { keys: UserKeys; clock: () => Date };

export function userLinks(parts: Parts): UserLinks {
  const { stream, keys, clock, log } = parts;
  const { users } = stream;
  const now = () => clock().toISOString();
  const report = (what: string, userId: string, more: object): void =>
    log.info({ category: securityCategory, user_id: userId, ...more }, what);

  const give = async (
    link: Omit<UserLink, 'sha256' | 'expiresAt' | 'by' | 'at'>,
    days: number,
    { isRepeatable, ...onBehalf }: RepeatableOnBehalf,
  ): Promise<GivenLink> => {
    const token = randomBytes(32).toString('base64url');
    const expiresAt = new Date(clock().getTime() + days * dayMs);
    const made = { ...link, sha256: sha256Of(token), expiresAt: expiresAt.toISOString() };
    const decide = decideLink(made, isRepeatable ? token : undefined);
    const [fact] = await stream.change(onBehalf, decide);
    if (fact === undefined || !('sha256' in fact.data) || fact.data.sha256 !== made.sha256)
      return await givenBefore(fact?.version, { ...link, days }, parts);
    report(`${link.purpose} link made`, link.userId, { by: onBehalf.by });
    return { id: link.userId, token, expiresAt };
  };

  const withdraw = async (id: string, onBehalf: OnBehalf): Promise<boolean> => {
    const [fact] = await stream.change(onBehalf, decideWithdrawal(id));
    if (!fact) return false;
    if (fact.type === 'user.invitation_withdrawn') await forgetUser(keys, id);
    report('link withdrawn', id, { by: onBehalf.by });
    return true;
  };

  return {
    invite: ({ note, isAdmin, days }, onBehalf) =>
      give({ userId: ulid(), purpose: 'invitation', isAdmin, note }, days, onBehalf),
    async linkForPassword(username, days, onBehalf) {
      await stream.takeIn();
      const userId = linkedTo(username, onBehalf, parts);
      const link = { userId, purpose: 'password', isAdmin: false, note: '' } as const;
      return await give(link, days, onBehalf);
    },
    listLinks: () =>
      [...users.links.values()].filter((link) => !isLinkOver(users, link, now())).toReversed(),
    withdrawLink: withdraw,
    showLink: (token, from) => showLink(token, from, parts),
    async useLink({ token, username, password, code }, from) {
      const link = await findLink(token, from, parts);
      if (!opensByPassword(link, parts)) throw useSingleSignOn();
      const { purpose, sha256, userId } = link;
      await (purpose === 'invitation'
        ? accept({ sha256, userId }, { username: username ?? '', password }, parts)
        : choosePassword({ sha256, userId }, { password, code, address: from.address }, parts));
      const user = users.byId.get(userId);
      if (!user) throw accountError(linkOver);
      await parts.limits.succeeded(user.id, from.address);
      report(`${purpose} link used`, userId, { address: from.address });
      return await beginSession(user, parts, { agent: from.agent });
    },
    async sweepLinks() {
      const over = [...users.links.values()].filter((link) => isLinkOver(users, link, now()));
      for (const { userId } of over) await withdraw(userId, { by: 'system' });
    },
  };
}

/** The link of a command that was given before, as it was told. @throws {AccountError} as `invite` */
async function givenBefore(
  version: number | undefined,
  wanted: Pick<UserLink, 'userId' | 'purpose' | 'isAdmin' | 'note'> & { days: number },
  { stream, clock }: Pick<Parts, 'stream' | 'clock'>,
): Promise<GivenLink> {
  const fact = version === undefined ? undefined : await stream.factAt(version);
  const isInvitation = wanted.purpose === 'invitation';
  if (fact?.type !== (isInvitation ? 'user.invited' : 'user.password_link_made'))
    throw keyUsedDifferently();
  const { user_id: id, sha256, expires_at: end } = fact.data;
  // It is withdrawn, or was made before tokens were kept.
  const token = fact.content?.token;
  if (token === undefined) throw accountError(linkOver);
  const isSame =
    Math.round((Date.parse(end) - Date.parse(fact.at)) / dayMs) === wanted.days &&
    (fact.type === 'user.invited'
      ? fact.data.is_admin === wanted.isAdmin && fact.content?.note === wanted.note
      : id === wanted.userId);
  if (!isSame) throw keyUsedDifferently();
  if (!openLink(stream.users, sha256, clock().toISOString())) throw accountError(linkOver);
  return { id, token, expiresAt: new Date(end) };
}

const sha256Of = (token: string): string => hash('sha256', token, 'hex');

async function showLink(token: string, from: From, parts: Parts): Promise<ShownLink> {
  const { users } = parts.stream;
  const link = await findLink(token, from, parts);
  const { purpose, by, userId, expiresAt } = link;
  const password = opensByPassword(link, parts);
  if (purpose === 'password' && !password) throw useSingleSignOn();
  const username = users.byId.get(userId)?.username ?? null;
  return { purpose, by: users.byId.get(by)?.username ?? null, username, password, expiresAt };
}

/** Whose password a link is to set. @throws {AccountError} `UNKNOWN_USER`, `USE_SINGLE_SIGN_ON` */
function linkedTo(username: string, by: OnBehalf, { stream, localLogin }: Parts): string {
  const user = userByName(stream.users, username);
  if (user === undefined) throw accountError(unknownUser);
  if (!mayChoosePassword(by, user, localLogin()))
    throw new AccountError('USE_SINGLE_SIGN_ON', detail('password-link-useless'));
  return user.id;
}

const opensByPassword = (link: UserLink, { stream, localLogin }: Parts): boolean =>
  mayChoosePassword(link, stream.users.byId.get(link.userId) ?? link, localLogin());

/**
 * The link that is open. Takes an attempt down, which such a link takes back.
 * @throws {AccountError} `LINK_OVER`, `TOO_MANY_ATTEMPTS`
 */
export async function findLink(
  token: string,
  { address }: From,
  parts: Pick<Parts, 'stream' | 'limits' | 'clock' | 'log'>,
): Promise<UserLink> {
  const { stream, limits, clock, log } = parts;
  await assertMayTry(parts, account, address);
  await stream.takeIn();
  const link = openLink(stream.users, sha256Of(token), clock().toISOString());
  if (!link) {
    log.warn({ category: securityCategory, address }, 'invitation or password link refused');
    throw accountError(linkOver);
  }
  await limits.takeBack(account, address);
  return link;
}

type FoundLink = Pick<UserLink, 'sha256' | 'userId'>;

async function accept(
  { sha256, userId }: FoundLink,
  { username, password }: { username: string; password: string },
  { stream, scheme, clock }: Parts,
): Promise<void> {
  const name = await checkNewUser(username, password);
  const same = similarUser(stream.users, name);
  if (same) throw accountError(nameTaken(name, same.username));
  const passwordHash = await hashPassword(password, scheme());
  const wanted = { username: name, passwordHash };
  const decide = decideAcceptance(sha256, wanted, clock().toISOString());
  await stream.change({ by: userId }, decide);
}

async function choosePassword(
  { sha256, userId }: FoundLink,
  { password, code, address }: { password: string; code: string | undefined; address: string },
  parts: Parts,
): Promise<void> {
  const { stream, book, scheme, clock } = parts;
  const user = stream.users.byId.get(userId);
  if (!user) throw accountError(linkOver);
  await assertGoodPassword(password, user.username);
  const { passwordHash: present } = user;
  if (present !== null) {
    assertOtherPassword((await verifyPassword(present, password, scheme())).ok);
  }
  if (user.totp) {
    await assertMayTry(parts, userId, address);
    await passSecond(parts, { user, code, address, isKnown: true });
  }
  const passwordHash = await hashPassword(password, scheme());
  const decide = decidePasswordByLink(sha256, passwordHash, clock().toISOString());
  await stream.change({ by: userId }, decide);
  await book.endAllOf(userId);
}
