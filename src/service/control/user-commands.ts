import { ulid } from 'ulid';
import * as z from 'zod';
import type { UserLink } from '../../../projections/users.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import { type GivenLink, wantedInvitation, wantedPasswordLink } from '../../accounts/user-links.ts';
import { linkTo } from '../../config/page-address.ts';
import type { ControlHandlers } from './socket.ts';

/** What `mitschrift users` asks of the accounts: over the control socket, or directly. */
export type UserCommands = {
  'users-list': (body?: unknown) => Promise<ListedUser[]>;
  'users-add': (body: unknown) => Promise<{ username: string }>;
  'users-invite': (body: unknown) => Promise<PrintedLink>;
  'users-password-link': (body: unknown) => Promise<PrintedLink>;
  'users-import': (body: unknown) => Promise<{ imported: number }>;
  'users-reset-password': (body: unknown) => Promise<{ username: string }>;
  'users-reset-totp': (body: unknown) => Promise<{ username: string }>;
  'users-disable': (body: unknown) => Promise<{ username: string }>;
  'users-remove': (body: unknown) => Promise<{ username: string }>;
};
/** A link as it is printed, once. */
export type PrintedLink = { url: string; expires_at: string };
export type ListedUser = {
  username: string;
  is_admin: boolean;
  disabled: boolean;
  built_in: boolean;
};

/** Users that one import holds at most; larger files come in several. */
export const importMax = 500;

/**
 * The handlers by name. Only the operating system's user of the service reaches them, so they
 * act as `system`.
 * @param pages where people open the pages, which links lead to
 * @throws {z.ZodError}, {AccountError} from each
 */
export function userCommands(
  accounts: Accounts,
  pages: () => string,
): UserCommands & ControlHandlers {
  const onBehalf = () => ({ by: 'system', command: `cli:${ulid()}` });
  const printed = (purpose: UserLink['purpose'], given: GivenLink): PrintedLink => ({
    url: linkTo(pages(), '/login', `${purpose}=${given.token}`),
    expires_at: given.expiresAt.toISOString(),
  });
  return {
    'users-list': async () => [
      ...accounts.listUsers().map(({ username, isAdmin, disabled }) => ({
        username,
        is_admin: isAdmin,
        disabled,
        built_in: false,
      })),
      { username: 'guest', is_admin: false, disabled: false, built_in: true },
    ],
    'users-add': async (body) => {
      const { username, password, is_admin: isAdmin } = newUser.parse(body);
      await accounts.createUser({ username, password, isAdmin }, onBehalf());
      return { username };
    },
    'users-invite': async (body) => {
      const wanted = wantedInvitation.parse(body);
      const { is_admin: isAdmin, ...rest } = wanted;
      return printed('invitation', await accounts.invite({ ...rest, isAdmin }, onBehalf()));
    },
    'users-password-link': async (body) => {
      const { username, days } = passwordLink.parse(body);
      return printed('password', await accounts.linkForPassword(username, days, onBehalf()));
    },
    'users-import': async (body) => {
      const users = imported.parse(body).users.map((user) => ({
        username: user.username,
        passwordHash: user.password_hash,
        isAdmin: user.is_admin,
      }));
      return { imported: (await accounts.importUsers(users, onBehalf())).length };
    },
    'users-reset-password': async (body) => {
      const { username, password } = credentials.parse(body);
      await accounts.changeUser(username, { password }, onBehalf());
      return { username };
    },
    'users-reset-totp': async (body) => {
      const { username } = named.parse(body);
      await accounts.changeUser(username, { totp: null }, onBehalf());
      return { username };
    },
    'users-disable': async (body) => {
      const { username, disabled } = disabling.parse(body);
      await accounts.changeUser(username, { disabled }, onBehalf());
      return { username };
    },
    'users-remove': async (body) => {
      const { username } = named.parse(body);
      await accounts.deleteUser(username, onBehalf());
      return { username };
    },
  };
}

/** A line of the file that `mitschrift users import` reads. */
export const importedUser = z.strictObject({
  username: z.string().max(200),
  password_hash: z.string().max(1000),
  is_admin: z.boolean().default(false),
});

const credentials = z.strictObject({
  username: z.string().max(200),
  password: z.string().max(4096),
});
const disabling = z.strictObject({ username: z.string().max(200), disabled: z.boolean() });
const named = z.strictObject({ username: z.string().max(200) });
const passwordLink = wantedPasswordLink.extend({ username: z.string().max(200) });
const newUser = credentials.extend({ is_admin: z.boolean() });
const imported = z.strictObject({ users: z.array(importedUser).max(importMax) });
