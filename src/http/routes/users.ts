import * as z from 'zod';
import { usernameKey } from '../../../projections/users.ts';
import { AccountError } from '../../accounts/account-error.ts';
import type { PublicUser } from '../../accounts/users.ts';
import { callerOf } from '../authenticate.ts';
import { commandOf } from '../commands.ts';
import { jsonBody } from '../json-body.ts';
import { invalid, notFound } from '../problems.ts';
import type { State } from '../state.ts';
import type { AddRoutes } from './add-routes.ts';

/** Users: administrators manage them, everybody their own password. */
export const userRoutes: AddRoutes = (router, { accounts }) => {
  router.get('/users', (ctx) => {
    ctx.body = { users: [...accounts.listUsers().map(shown), guest] };
  });

  router.post('/users', async (ctx) => {
    const { username, password, is_admin: isAdmin } = await jsonBody(ctx, newUser);
    ctx.body = shown(await accounts.createUser({ username, password, isAdmin }, behalf(ctx.state)));
    ctx.status = 201;
  });

  router.patch('/users/me', async (ctx) => {
    const { current_password: current, password } = await jsonBody(ctx, ownPassword);
    try {
      await accounts.changePassword(callerOf(ctx.state).userId, current, password);
    } catch (error) {
      // Not 401, which says that the token is no good.
      if (!(error instanceof AccountError) || error.code !== 'WRONG_CREDENTIALS') throw error;
      throw invalid([{ path: 'current_password', message: 'is wrong' }]);
    }
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
export const newUser = z.strictObject({ username, password, is_admin: z.boolean().default(false) });
export const userChanges = z.strictObject({
  password: password.optional(),
  is_admin: z.boolean().optional(),
  disabled: z.boolean().optional().describe('cannot log in; sessions end, recordings go on'),
});
export const ownPassword = z.strictObject({ current_password: password, password });

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

/** A name out of a path. @throws {AccountError} `BUILT_IN_USER`; 404 for `me`, which is no name */
function managed(name: string): string {
  const key = usernameKey(name);
  if (key === 'me') throw notFound('There is no user of that name.');
  if (key !== 'guest') return name;
  throw new AccountError('BUILT_IN_USER', 'The user guest is built in and stays as it is.');
}
