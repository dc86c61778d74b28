import { decodeTime } from 'ulid';
import * as z from 'zod';
import { recordingsByOwner } from '../../../projections/recording-counts.ts';
import { usernameKey } from '../../../projections/users.ts';
import { AccountError } from '../../accounts/account-error.ts';
import type { ListedSession } from '../../accounts/sessions.ts';
import type { PublicUser } from '../../accounts/users.ts';
import { callerOf } from '../middleware/authenticate.ts';
import { doneBefore, usedDifferently } from '../middleware/idempotency.ts';
import { commandOf } from '../written.ts';
import { jsonBody } from '../body.ts';
import { invalid, notFound } from '../problems.ts';
import type { AddRoutes } from '../services.ts';
import type { State } from '../state.ts';
import * as answers from '../openapi/other-answers.ts';
import type { Operation } from '../openapi/describe-operation.ts';

/** Users: administrators manage them, everybody their own password. */
export const userRoutes: AddRoutes = (router, services) => {
  const { accounts } = services;
  router.get('/users', async (ctx) => {
    const users = [...accounts.listUsers().map(shown), guest];
    const sessions = await accounts.sessions();
    const recordings = await recordingsByOwner(services.storage);
    const bytes = await services.space.byUser();
    ctx.body = {
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
  });

  router.post('/users', async (ctx) => {
    const { username, password, is_admin: isAdmin } = await jsonBody(ctx, newUser);
    // A key with which anything else was done before creates no user.
    if (!accounts.hasCreated(commandOf(ctx.state))) {
      await doneBefore(services, ctx.state, { types: [] });
    }
    const user = await accounts.createUser({ username, password, isAdmin }, behalf(ctx.state));
    if (usernameKey(user.username) !== usernameKey(username)) throw usedDifferently();
    ctx.body = shown(user);
    ctx.status = 201;
  });

  router.patch('/users/me', async (ctx) => {
    const { current_password: current, password } = await jsonBody(ctx, ownPassword);
    const { userId } = callerOf(ctx.state);
    await withCurrent(accounts.changePassword(userId, current, password));
    ctx.status = 204;
  });

  router.post('/users/me/confirm', async (ctx) => {
    const { current_password: current } = await jsonBody(ctx, confirmation);
    await withCurrent(accounts.confirm(callerOf(ctx.state), current));
    ctx.status = 204;
  });

  router.patch('/users/:name', async (ctx) => {
    const name = managed(ctx.params['name'] ?? '');
    const { is_admin: isAdmin, ...changes } = await jsonBody(ctx, userChanges);
    const behalfOf = behalf(ctx.state);
    ctx.body = shown(await accounts.changeUser(name, { isAdmin, ...changes }, behalfOf));
  });

  router.delete('/users/:name', async (ctx) => {
    await accounts.deleteUser(managed(ctx.params['name'] ?? ''), behalf(ctx.state));
    ctx.status = 204;
  });
};

const username = z.string().max(200);
const password = z.string().max(1024);
/** What a person types to log in; what a new one must be, the accounts say. */
export const credentials = { username, password };
const newUser = z.strictObject({ username, password, is_admin: z.boolean().default(false) });
const userChanges = z.strictObject({
  password: password.optional(),
  is_admin: z.boolean().optional(),
  disabled: z.boolean().optional().describe('cannot log in; sessions end, recordings go on'),
});
const ownPassword = z.strictObject({ current_password: password, password });
const confirmation = z.strictObject({ current_password: password });

/** When a user was last active, as far as a session that is still good tells. */
const lastSeen = (sessions: readonly ListedSession[], userId: string): string | null =>
  sessions
    .filter((one) => one.userId === userId)
    .map(({ lastSeenAt }) => lastSeenAt.toISOString())
    .toSorted()
    .at(-1) ?? null;

const shown = ({ userId, username, isAdmin, disabled }: PublicUser) => ({
  user_id: userId,
  username,
  is_admin: isAdmin,
  disabled,
  built_in: false,
});

/** Whom tray and hotkey record as: there from the start, without password. */
const guest = {
  user_id: 'guest',
  username: 'guest',
  is_admin: false,
  disabled: false,
  built_in: true,
};

const behalf = (state: State) => ({ by: callerOf(state).userId, command: commandOf(state) });

/** @throws {Problem} for a wrong password: not 401, which says that the token is not valid */
async function withCurrent(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof AccountError) || error.code !== 'WRONG_CREDENTIALS') throw error;
    throw invalid([{ path: 'current_password', message: 'is wrong' }]);
  }
}

const nothing = { 204: { description: 'Done.' } };

/** Users. */
export const userOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/users',
    id: 'listUsers',
    tag: 'Users',
    summary: 'All users',
    answers: {
      200: {
        description: 'All users.',
        json: z.object({ users: z.array(answers.listedUser), left: z.array(answers.leftByUser) }),
      },
    },
  },
  {
    method: 'post',
    path: '/users',
    id: 'createUser',
    tag: 'Users',
    summary: 'Creates a user, who has to change the password at the first login',
    description:
      'Better is an invitation (`POST /users/invitations`): then nobody else knows the password.',
    body: { kind: 'json', schema: newUser },
    answers: { 201: { description: 'Created.', json: answers.user } },
    problems: ['not-found', 'username-taken', 'administrator-first', 'built-in-user'],
    command: true,
  },
  {
    method: 'patch',
    path: '/users/me',
    id: 'changeOwnPassword',
    tag: 'Users',
    summary: 'Changes the caller’s password; other sessions of theirs end',
    body: { kind: 'json', schema: ownPassword },
    answers: nothing,
    problems: ['too-many-attempts'],
    command: true,
  },
  {
    method: 'post',
    path: '/users/me/confirm',
    id: 'confirmPassword',
    tag: 'Users',
    summary: 'Gives the caller’s password once more, which counts for five minutes',
    description:
      'What changes users, rights, API keys, or makes a backup asks for it: `confirmation-required`. A login counts, too.',
    body: { kind: 'json', schema: confirmation },
    answers: nothing,
    problems: ['too-many-attempts'],
  },
  {
    method: 'patch',
    path: '/users/{name}',
    id: 'changeUser',
    tag: 'Users',
    summary: 'Makes a user an administrator or not, disables or enables them, gives a new password',
    description:
      'All of it or nothing. A disabled user cannot log in; their sessions and WebSockets end at once, ' +
      'recordings and uploads in progress go on, and nothing of theirs is lost. A new password opens nothing until ' +
      'the user has changed it.',
    body: { kind: 'json', schema: userChanges, optional: true },
    answers: { 200: { description: 'Changed.', json: answers.user } },
    problems: ['not-found', 'last-administrator', 'own-account', 'built-in-user'],
    command: true,
  },
  {
    method: 'delete',
    path: '/users/{name}',
    id: 'deleteUser',
    tag: 'Users',
    summary: 'Deletes a user; the documents are put aside',
    answers: nothing,
    problems: ['not-found', 'last-administrator', 'built-in-user'],
    command: true,
  },
];

/** A name out of a path. @throws {AccountError} `BUILT_IN_USER`; 404 for `me`, which is not a name */
export function managed(name: string): string {
  const key = usernameKey(name);
  if (key === 'me') throw notFound('There is no user of that name.');
  if (key !== 'guest') return name;
  throw new AccountError('BUILT_IN_USER', 'The user guest is built in and stays as it is.');
}
