import * as z from 'zod';
import type { Context } from 'koa';
import { callerOf, notAuthenticated } from '../middleware/authenticate.ts';
import { clientAddress, peerOf } from '../peer.ts';
import { fromStrangers, jsonBody } from '../body.ts';
import type { AddRoutes } from '../services.ts';
import { notFound } from '../problems.ts';
import { visibleRecording } from '../visible-recording.ts';
import type { Operation } from '../openapi/describe-operation.ts';
import * as answers from '../openapi/other-answers.ts';

/** Logging in and out. */
export const sessionRoutes: AddRoutes = (router, { accounts, settings }) => {
  router.post('/login', async (ctx) => {
    const address = clientAddress(ctx.req, settings()['server.trusted_proxies']);
    const request = await jsonBody(ctx, loginSchema, fromStrangers);
    ctx.body = await accounts.login(request, { address, agent: ctx.get('User-Agent') });
  });
  router.post('/logout', async (ctx) => {
    callerOf(ctx.state);
    if (ctx.state.token === undefined) throw notAuthenticated();
    await accounts.logout(ctx.state.token);
    ctx.status = 204;
  });
};

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
    const { config: patch = {}, ...request } = await jsonBody(ctx, setupSchema, fromStrangers);
    const peer = await from(ctx);
    // Looked at before there is a user: with a faulty configuration nothing is set up.
    if ((await accounts.setupState(peer)).setup_required) await config.check(patch);
    const session = await accounts.setup(request, peer);
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
export const ownSessionRoutes: AddRoutes = (router, { accounts }) => {
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
      'longer. Where a user logged in before, neither others’ attempts nor a flood keep them out.',
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
