import * as z from 'zod';
import type { Context } from 'koa';
import { callerOf, notAuthenticated } from '../middleware/authenticate.ts';
import { clientAddress, peerOf } from '../peer.ts';
import { fromStrangers, jsonBody } from '../body.ts';
import type { AddRoutes } from '../services.ts';
import type { Accounts } from '../../accounts/accounts.ts';
import { Problem, notFound } from '../problems.ts';
import { visibleRecording } from '../visible-recording.ts';
import type { Operation } from '../openapi/describe-operation.ts';
import * as answers from '../openapi/other-answers.ts';

/** Logging in and out. */
export const sessionRoutes: AddRoutes = (router, { accounts, settings, log }) => {
  router.post('/login', async (ctx) => {
    const address = clientAddress(ctx.req, settings()['server.trusted_proxies']);
    const request = await strangersBody(ctx, loginSchema, accounts, address);
    ctx.body = await accounts.login(request, { address, agent: ctx.get('User-Agent') });
  });
  router.post('/logout', async (ctx) => {
    const { userId } = callerOf(ctx.state);
    if (ctx.state.token === undefined) throw notAuthenticated();
    await accounts.logout(ctx.state.token);
    const address = clientAddress(ctx.req, settings()['server.trusted_proxies']);
    log.info({ category: 'security', user_id: userId, address }, 'logged out');
    ctx.status = 204;
  });
};

/**
 * The body of who is not logged in. Reading and refusing one is work as well: a refused one counts as an attempt of
 * the address does.
 */
export async function strangersBody<Schema extends z.ZodType>(
  ctx: Context,
  schema: Schema,
  accounts: Pick<Accounts, 'bodyRefused'>,
  address: string,
): Promise<z.infer<Schema>> {
  try {
    return await jsonBody(ctx, schema, fromStrangers);
  } catch (error) {
    if (error instanceof Problem) await accounts.bodyRefused(address);
    throw error;
  }
}

const loginSchema = z.strictObject({
  username: z.string().max(200),
  password: z.string().max(1024),
});

/** First run: only the first administrator. */
export const setupRoutes: AddRoutes = (router, { accounts, config, settings }) => {
  const from = async (ctx: Context) => ({
    ...(await peerOf(ctx, settings()['server.trusted_proxies'])),
    agent: ctx.get('User-Agent'),
  });
  router.get('/setup/state', async (ctx) => {
    ctx.body = await accounts.setupState(await from(ctx));
  });
  router.post('/setup', async (ctx) => {
    const address = clientAddress(ctx.req, settings()['server.trusted_proxies']);
    const body = await strangersBody(ctx, setupSchema, accounts, address);
    const { config: patch = {}, ...request } = body;
    // Behind the body: whose connection it is has to be told now.
    const peer = await from(ctx);
    // Looked at before there is a user, and for nobody without the code: it tells which folders there are.
    const session = await accounts.setup(request, peer, () => config.check(patch));
    const caller = await accounts.authenticate(session.token);
    if (caller) await config.update(patch, { by: caller.userId });
    ctx.body = session;
    ctx.status = 201;
  });
};

const setupSchema = z.strictObject({
  username: z.string().max(200),
  password: z.string().max(1024),
  setup_code: z.string().max(200).optional(),
  config: z.record(z.string(), z.unknown()).optional(),
});

/** `POST /recordings/{id}/ticket`: for `<audio>` and download links, which can send no header. */
export const ticketRoutes: AddRoutes = (router, services) => {
  router.post('/recordings/:id/ticket', async (ctx) => {
    const caller = callerOf(ctx.state);
    const { recording_id } = await visibleRecording(services, caller, ctx.params['id']!);
    const { ticket: renew } = await jsonBody(ctx, ticketSchema);
    const { ticket, expiresAt } = await services.tickets.issue(caller, recording_id, renew);
    ctx.status = 201;
    ctx.body = { ticket, expires_at: expiresAt.toISOString() };
  });
};

/** Where the caller is logged in. */
export const ownSessionRoutes: AddRoutes = (router, { accounts, settings, log }) => {
  router.get('/users/me/sessions', async (ctx) => {
    const { userId, sessionId: current } = callerOf(ctx.state);
    const sessions = await accounts.sessions(userId);
    ctx.body = {
      sessions: sessions.map(({ sessionId, createdAt, lastSeenAt, expiresAt, agent }) => ({
        id: sessionId,
        created_at: createdAt.toISOString(),
        last_seen_at: lastSeenAt.toISOString(),
        expires_at: expiresAt.toISOString(),
        agent,
        current: sessionId === current,
      })),
    };
  });

  router.delete('/users/me/sessions/:session', async (ctx) => {
    const { userId } = callerOf(ctx.state);
    if (!(await accounts.endSession(userId, ctx.params['session']!))) throw notFound();
    const address = clientAddress(ctx.req, settings()['server.trusted_proxies']);
    log.info({ category: 'security', user_id: userId, address }, 'session ended by its user');
    ctx.status = 204;
  });
};

/** What to send for a ticket. */
export const ticketSchema = z.strictObject({
  ticket: z
    .string()
    .max(100)
    .optional()
    .describe('one of this session that has not ended: it is good for longer, and the same'),
});

const nothing = { 204: { description: 'Done.' } };

/** Setting up, logging in and out. */
export const sessionOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/setup/state',
    id: 'setupState',
    tag: 'Service',
    summary: 'Whether the first administrator is still to be created',
    answers: { 200: { description: 'Whether, and how.', json: answers.setupState } },
  },
  {
    method: 'post',
    path: '/setup',
    id: 'setUp',
    tag: 'Service',
    summary: 'Creates the first administrator, once',
    description:
      'Without `setup_code` only for a process of the service’s own user on its machine. The code is in ' +
      'the link of `mitschrift setup-link`, in the log of the service and in the file `setup-code` of ' +
      'its data directory.',
    body: {
      kind: 'json',
      schema: setupSchema.extend({ config: answers.configPatch.optional() }),
    },
    answers: { 201: { description: 'Created and logged in.', json: answers.session } },
    problems: ['setup-code-required', 'already-set-up', 'too-many-attempts', 'overridden'],
    command: true,
  },
  {
    method: 'post',
    path: '/login',
    id: 'login',
    tag: 'Service',
    summary: 'Gives a session token for a user name and a password',
    description:
      'An address (IPv4, IPv6 /64) may fail ten times a minute; one account from one address waits longer with each failure ' +
      'from the fourth on. Guessing from many addresses makes each attempt at the account, or out of their network, take up to ten seconds ' +
      'longer; only a network that guesses is refused. Where a user logged in before, neither others’ attempts nor a flood keep them out.',
    body: { kind: 'json', schema: loginSchema },
    answers: { 200: { description: 'Logged in.', json: answers.session } },
    problems: ['wrong-credentials', 'user-disabled', 'too-many-attempts', 'busy'],
  },
  {
    method: 'post',
    path: '/logout',
    id: 'logout',
    tag: 'Service',
    summary: 'Ends the session, and its WebSockets',
    answers: nothing,
  },
  {
    method: 'get',
    path: '/users/me/sessions',
    id: 'listSessions',
    tag: 'Users',
    summary: 'Where the caller is logged in',
    answers: {
      200: {
        description: 'The sessions that are good, newest first.',
        json: z.object({ sessions: z.array(answers.listedSession) }),
      },
    },
  },
  {
    method: 'delete',
    path: '/users/me/sessions/{session}',
    id: 'endSession',
    tag: 'Users',
    summary: 'Ends one of the caller’s sessions, and its WebSockets',
    answers: nothing,
    problems: ['not-found'],
  },
];
