import { problemOf } from '../../words/problems.ts';
import { detail } from '../../words/details.ts';
import { decodeTime } from 'ulid';
import * as z from 'zod';
import { recordingsByOwner } from '../../../projections/recordings.ts';
import { usernameKey } from '../../../projections/username-forms.ts';
import { AccountError } from '../../accounts/account-error.ts';
import type { ListedSession } from '../../accounts/sessions.ts';
import type { PublicUser } from '../../accounts/users.ts';
import { doneBefore, usedDifferently } from '../middleware/idempotency.ts';
import { invalid, notFound } from '../problems.ts';
import * as answers from '../openapi/other-answers.ts';
import { toRead } from '../middleware/ready.ts';
import { routesOf } from '../route.ts';

const username = z.string().max(200);
const password = z.string().max(1024);
/** What a person types to log in; what a new one must be, the accounts say. */
export const credentials = { username, password };

const shared = { tag: 'Users', access: 'admin', needs: toRead } as const;
const route = routesOf({ ...shared, asksPassword: true });
const ownRoute = routesOf({ tag: 'Users', needs: [] });

const nothing = { 204: { description: 'Done.' } };

/** Everybody changes their own password, … */
export const userRoutes = [
  ownRoute('patch', '/users/me', {
    id: 'changeOwnPassword',
    summary: 'Changes the caller’s password; other sessions of theirs end',
    description: 'A session that is limited to this (`limited`: `password`) ends as well.',
    whileLimited: ['password', 'totp'],
    body: { json: z.strictObject({ current_password: password, password }) },
    answers: nothing,
    problems: ['no-password', 'too-many-attempts'],
    command: true,
    async run({ body, caller }, { accounts }) {
      await withCurrent(accounts.changePassword(caller, body.current_password, body.password));
    },
  }),
  ownRoute('post', '/users/me/confirm', {
    id: 'confirmPassword',
    summary: 'Gives the caller’s password once more, which counts for five minutes',
    description:
      'What changes users, rights, API keys, or makes a backup asks for it: `confirmation-required`. A login counts, too.',
    body: { json: z.strictObject({ current_password: password }) },
    answers: nothing,
    problems: ['no-password', 'too-many-attempts'],
    async run({ body, caller }, { accounts }) {
      await withCurrent(accounts.confirm(caller, body.current_password));
    },
  }),
  // … and administrators manage users.
  routesOf(shared)('get', '/users', {
    id: 'listUsers',
    summary: 'All users',
    answers: {
      200: {
        description: 'All users.',
        json: z.object({ users: z.array(answers.listedUser), left: z.array(answers.leftByUser) }),
      },
    },
    async run(_, { accounts, storage, space }) {
      const users = [...accounts.listUsers().map(shown), guest];
      const sessions = await accounts.sessions();
      const recordings = await recordingsByOwner(storage);
      const bytes = await space.byUser();
      return {
        users: users.map((user) => ({
          ...user,
          created_at: user.built_in ? null : new Date(decodeTime(user.user_id)).toISOString(),
          last_seen_at: lastSeen(sessions, user.user_id),
          recordings: recordings.get(user.user_id) ?? 0,
          bytes: bytes.get(user.user_id) ?? 0,
          vault: accounts.vaultOf(user.user_id),
        })),
        left: [...recordings]
          .filter(([owner, count]) => count > 0 && accounts.wasUser(owner))
          .map(([owner, count]) => ({
            user_id: owner,
            recordings: count,
            bytes: bytes.get(owner) ?? 0,
          })),
      };
    },
  }),
  route('post', '/users', {
    id: 'createUser',
    summary: 'Creates a user, who has to change the password at the first login',
    description:
      'Better is an invitation (`POST /users/invitations`): then nobody else knows the password.',
    body: { json: z.strictObject({ username, password, is_admin: z.boolean().default(false) }) },
    answers: { 201: { description: 'Created.', json: answers.user } },
    problems: ['not-found', 'username-taken', 'administrator-first', 'built-in-user'],
    command: true,
    async run({ ctx, body: { is_admin: isAdmin, ...given }, onBehalf }, services) {
      const { accounts } = services;
      // A key with which anything else was done before creates no user.
      if (!accounts.hasCreated(onBehalf.command)) {
        await doneBefore(services, ctx.state, { types: [] });
      }
      const user = await accounts.createUser({ ...given, isAdmin }, onBehalf);
      if (usernameKey(user.username) !== usernameKey(given.username)) throw usedDifferently();
      return shown(user);
    },
  }),
  route('patch', '/users/{name}', {
    id: 'changeUser',
    summary: 'Makes a user an administrator or not, disables or enables them, gives a new password',
    description:
      'All of it or nothing. A disabled user cannot log in; their sessions and WebSockets end at once, ' +
      'recordings go on, resumable uploads once the user is enabled again, and nothing of theirs is lost. A new password opens ' +
      'nothing until ' +
      'the user has changed it.',
    body: {
      json: z.strictObject({
        password: password.optional(),
        is_admin: z.boolean().optional(),
        disabled: z.boolean().optional().describe('cannot log in; sessions end, recordings go on'),
        totp: z.null().optional().describe('two-step login is switched off'),
      }),
      optional: true,
    },
    answers: { 200: { description: 'Changed.', json: answers.user } },
    problems: ['last-administrator', 'own-account', 'built-in-user'],
    command: true,
    async run({ params, body: { is_admin: isAdmin, ...changes }, onBehalf }, { accounts }) {
      const changed = { isAdmin, ...changes };
      return shown(await accounts.changeUser(managed(params.name), changed, onBehalf));
    },
  }),
  route('delete', '/users/{name}', {
    id: 'deleteUser',
    summary: 'Deletes a user; the documents are put aside',
    answers: nothing,
    problems: ['last-administrator', 'built-in-user'],
    command: true,
    async run({ params, onBehalf }, { accounts }) {
      await accounts.deleteUser(managed(params.name), onBehalf);
    },
  }),
];

/** A name out of a path. @throws {AccountError} `BUILT_IN_USER`; 404 for `me`, which is not a name */
export function managed(name: string): string {
  const key = usernameKey(name);
  if (key === 'me') throw notFound(detail('user-not-found'));
  if (key !== 'guest') return name;
  throw new AccountError('BUILT_IN_USER', problemOf('built-in-user', { name: 'guest' }));
}

/** When a user was last active, as far as a session that is still good tells. */
const lastSeen = (sessions: readonly ListedSession[], userId: string): string | null =>
  sessions
    .filter((one) => one.userId === userId)
    .map(({ lastSeenAt }) => lastSeenAt.toISOString())
    .toSorted()
    .at(-1) ?? null;

const shown = ({
  userId,
  username,
  isAdmin,
  disabled,
  hasTotp,
  hasPassword,
  hasIdentity,
}: PublicUser) => ({
  user_id: userId,
  username,
  is_admin: isAdmin,
  disabled,
  totp: hasTotp,
  password: hasPassword,
  single_sign_on: hasIdentity,
  built_in: false,
});

/** Whom tray and hotkey record as: there from the start, without password. */
const guest = {
  user_id: 'guest',
  username: 'guest',
  is_admin: false,
  disabled: false,
  totp: false,
  password: false,
  single_sign_on: false,
  built_in: true,
};

/** @throws {Problem} for a wrong password or code: not 401, which says that the token is not valid */
export async function withCurrent<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AccountError)) throw error;
    if (error.code === 'WRONG_CODE') {
      throw invalid([{ path: 'code', fault: detail('code-wrong') }]);
    }
    if (error.code !== 'WRONG_CREDENTIALS') throw error;
    throw invalid([{ path: 'current_password', fault: detail('current-password-wrong') }]);
  }
}
