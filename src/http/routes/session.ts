import * as z from 'zod';
import { notAuthenticated } from '../middleware/authenticate.ts';
import { notFound } from '../problems.ts';
import { visibleRecording } from '../visible-recording.ts';
import * as logins from '../openapi/login-answers.ts';
import * as answers from '../openapi/other-answers.ts';
import { code } from './two-step.ts';
import { credentials } from './users.ts';
import { isLocal } from '../peer.ts';
import { routesOf } from '../route.ts';

const setupSchema = z.strictObject({
  username: z.string().max(200),
  password: z.string().max(1024),
  setup_code: z.string().max(200).optional(),
  config: z.record(z.string(), z.unknown()).optional(),
});

const route = routesOf({ tag: 'Server', access: 'public' });
const ownRoute = routesOf({ tag: 'Users', needs: [] });

const nothing = { 204: { description: 'Done.' } };

/** The first login, and sessions. */
export const sessionRoutes = [
  // First run: only the first administrator.
  route('get', '/setup/state', {
    id: 'setupState',
    summary: 'Whether the first administrator is still to be created',
    answers: { 200: { description: 'Whether, and how.', json: logins.setupState } },
    run: async ({ ctx, from }, { accounts }) =>
      await accounts.setupState({ ...from, local: await isLocal(ctx.req) }),
  }),
  route('post', '/setup', {
    id: 'setUp',
    summary: 'Creates the first administrator, once',
    description:
      'Without `setup_code` only for a process of the user who runs the server, on its computer. The code is in ' +
      'the link of `mitschrift setup-link`, in the server’s log and in the file `setup-code` of ' +
      'its data directory.',
    body: {
      json: setupSchema,
      shown: setupSchema.extend({ config: answers.configPatch.optional() }),
    },
    answers: { 201: { description: 'Created and logged in.', json: logins.session } },
    problems: ['setup-code-required', 'already-set-up', 'too-many-attempts', 'overridden'],
    command: true,
    async run({ ctx, body: { config: patch = {}, ...request }, from }, { accounts, config }) {
      // Behind the body: whose connection it is has to be told now.
      const peer = { ...from, local: await isLocal(ctx.req) };
      // Looked at before there is a user, and for nobody without the code: it tells which folders there are.
      const session = await accounts.setup(request, peer, () => config.check(patch));
      const caller = await accounts.authenticate(session.token);
      if (caller) await config.update(patch, { by: caller.userId });
      return session;
    },
  }),
  // Logging in and out.
  route('post', '/login', {
    id: 'login',
    summary: 'Gives a session token for a user name and a password',
    description:
      'An address (IPv4, IPv6 /64) may fail ten times a minute; one account from one address waits longer with each failure ' +
      'from the fourth on. Guessing from many addresses makes each attempt at the account, or out of their network, take up to ten seconds ' +
      'longer; only a network that guesses is refused. With two-step login, the right password without `code` is answered with `code-required`. Where a user logged in before, neither others’ attempts nor a flood keep them out.',
    makesRoom: true,
    body: { json: z.strictObject({ ...credentials, code: code.optional() }) },
    answers: { 200: { description: 'Logged in.', json: logins.session } },
    problems: [
      'wrong-credentials',
      'use-single-sign-on',
      'code-required',
      'wrong-code',
      'user-disabled',
      'too-many-attempts',
      'busy',
    ],
    run: async ({ body, from }, { accounts }) => await accounts.login(body, from),
  }),
  route('post', '/login/code', {
    id: 'loginByCode',
    summary: 'Gives a session token for a one-time code, which its user made in a browser',
    description:
      'For programs of people who have no password here. Wrong codes count as failed logins of the address.',
    body: { json: z.strictObject({ code: z.string().max(100) }) },
    answers: { 200: { description: 'Logged in.', json: logins.session } },
    problems: ['wrong-code', 'too-many-attempts'],
    run: async ({ body, from }, { accounts }) => await accounts.loginByCode(body.code, from),
  }),
  route('post', '/logout', {
    id: 'logout',
    summary: 'Ends the session, and its WebSockets',
    access: 'user',
    needs: [],
    whileLimited: ['password', 'totp'],
    answers: nothing,
    async run({ ctx, caller, from: { address } }, { accounts, log }) {
      if (ctx.state.token === undefined) throw notAuthenticated();
      await accounts.logout(ctx.state.token);
      log.info({ category: 'security', user_id: caller.userId, address }, 'user logged out');
    },
  }),
  // Where the caller is logged in.
  ownRoute('get', '/users/me/sessions', {
    id: 'listSessions',
    summary: 'Where the caller is logged in',
    answers: {
      200: {
        description: 'The sessions that are good, newest first.',
        json: z.object({ sessions: z.array(answers.listedSession) }),
      },
    },
    async run({ caller }, { accounts }) {
      const sessions = await accounts.sessions(caller.userId);
      return {
        sessions: sessions.map(({ sessionId, createdAt, lastSeenAt, expiresAt, agent }) => ({
          id: sessionId,
          created_at: createdAt.toISOString(),
          last_seen_at: lastSeenAt.toISOString(),
          expires_at: expiresAt.toISOString(),
          agent,
          current: sessionId === caller.sessionId,
        })),
      };
    },
  }),
  routesOf({ tag: 'Users', needs: [], asksPassword: true })('post', '/users/me/login-codes', {
    id: 'makeLoginCode',
    summary: 'Makes a one-time code with which a program logs in as the caller',
    description:
      'For `mitschrift login --with-code`, within ten minutes. The session ends as the caller’s own would.',
    answers: {
      201: {
        description: 'The code.',
        json: z.object({ code: z.string().describe('shown only here'), expires_at: z.string() }),
      },
    },
    async run({ caller }, { accounts }) {
      const { code: made, expiresAt } = await accounts.makeLoginCode(caller);
      return { code: made, expires_at: expiresAt.toISOString() };
    },
  }),
  ownRoute('delete', '/users/me/sessions/{session}', {
    id: 'endSession',
    summary: 'Ends one of the caller’s sessions, and its WebSockets',
    answers: nothing,
    async run({ params, caller: { userId }, from: { address } }, { accounts, log }) {
      if (!(await accounts.endSession(userId, params.session))) throw notFound();
      log.info({ category: 'security', user_id: userId, address }, 'session ended by its user');
    },
  }),
];

/** For `<audio>` and download links, which can send no header. */
export const ticketRoutes = [
  routesOf({ tag: 'Recordings' })('post', '/recordings/{id}/ticket', {
    id: 'ticket',
    summary: 'Opens audio, peaks and export of a recording to what cannot send a token',
    body: {
      json: z.strictObject({
        ticket: z
          .string()
          .max(100)
          .optional()
          .describe('one of this session that has not ended: it is good for longer, and the same'),
      }),
      optional: true,
    },
    answers: {
      201: {
        description: 'Goes as `?ticket=` there, and nowhere else.',
        json: z.object({ ticket: z.string(), expires_at: z.string() }),
      },
    },
    async run({ params, body: { ticket: renew }, caller }, services) {
      const { recordingId } = await visibleRecording(services, caller, params.id, 'read');
      const { ticket, expiresAt } = await services.tickets.issue(caller, recordingId, renew);
      return { ticket, expires_at: expiresAt.toISOString() };
    },
  }),
];
