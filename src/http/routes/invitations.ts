import * as z from 'zod';
import type { Context } from 'koa';
import type { UserLink } from '../../../projections/users.ts';
import { type GivenLink, wantedInvitation, wantedPasswordLink } from '../../accounts/user-links.ts';
import { linkTo } from '../../config/page-address.ts';
import { callerOf } from '../middleware/authenticate.ts';
import { jsonBody } from '../body.ts';
import { isEncrypted } from '../encryption.ts';
import { clientAddress } from '../peer.ts';
import { notFound } from '../problems.ts';
import type { AddRoutes } from '../services.ts';
import type { State } from '../state.ts';
import { commandOf } from '../written.ts';
import { time } from '../openapi/activity-answers.ts';
import type { Operation } from '../openapi/describe-operation.ts';
import * as answers from '../openapi/other-answers.ts';
import { strangersBody } from './session.ts';
import { credentials, managed } from './users.ts';

/** Administrators give out links by which a colleague chooses name and password, or a new password. */
export const invitationRoutes: AddRoutes = (router, { accounts }) => {
  const behalf = (state: State) => ({ by: callerOf(state).userId, command: commandOf(state) });
  const nameOf = (userId: string): string | null =>
    accounts.listUsers().find((user) => user.userId === userId)?.username ?? null;

  router.get('/users/invitations', (ctx) => {
    ctx.body = {
      invitations: accounts.listLinks().map((link) => ({
        ...shown(link),
        username: nameOf(link.userId),
        by: nameOf(link.by),
      })),
    };
  });

  router.post('/users/invitations', async (ctx) => {
    const { note, is_admin: isAdmin, days } = await jsonBody(ctx, wantedInvitation);
    const link = await accounts.invite({ note, isAdmin, days }, behalf(ctx.state));
    answerLink(ctx, 'invitation', link);
  });

  router.delete('/users/invitations/:invitation', async (ctx) => {
    const id = ctx.params['invitation']!;
    if (!(await accounts.withdrawLink(id, behalf(ctx.state)))) throw notFound();
    ctx.status = 204;
  });

  router.post('/users/:name/password-link', async (ctx) => {
    const { days } = await jsonBody(ctx, wantedPasswordLink);
    const name = managed(ctx.params['name'] ?? '');
    const link = await accounts.linkForPassword(name, days, behalf(ctx.state));
    answerLink(ctx, 'password', link);
  });
};

/** What whoever has a link sends; no login is needed. */
export const acceptRoutes: AddRoutes = (router, { accounts, settings }) => {
  const from = (ctx: Context) => ({
    address: clientAddress(ctx.req, settings()['server.trusted_proxies']),
    agent: ctx.get('User-Agent'),
  });

  router.post('/invitations/look', async (ctx) => {
    const caller = from(ctx);
    const { token } = await strangersBody(ctx, look, accounts, caller.address);
    const { purpose, by, username, expiresAt } = await accounts.showLink(token, caller);
    ctx.body = { purpose, by, username, expires_at: expiresAt };
  });

  router.post('/invitations/accept', async (ctx) => {
    const caller = from(ctx);
    const request = await strangersBody(ctx, acceptance, accounts, caller.address);
    ctx.body = await accounts.useLink(request, caller);
    ctx.status = 201;
  });
};

function answerLink(ctx: Context, purpose: UserLink['purpose'], given: GivenLink): void {
  const { id, token, expiresAt } = given;
  const asked = ctx.get('Origin');
  const scheme = isEncrypted(ctx.req.socket) ? 'https' : 'http';
  const base = asked.startsWith('http') ? asked : `${scheme}://${ctx.host}`;
  const url = linkTo(base, '/login', `${purpose}=${token}`);
  ctx.body = { id, url, expires_at: expiresAt.toISOString() };
  ctx.status = 201;
}

const shown = ({ userId, purpose, note, isAdmin, at, expiresAt }: UserLink) => ({
  id: userId,
  purpose,
  note,
  is_admin: isAdmin,
  created_at: at,
  expires_at: expiresAt,
});

const token = z.string().max(200).describe('what follows `=` in the fragment of the link');
const look = z.strictObject({ token });
const acceptance = z.strictObject({
  token,
  username: credentials.username.optional().describe('with an invitation'),
  password: credentials.password,
});

const givenLink = z.object({
  id: z.string().describe('for `DELETE /users/invitations/{invitation}`'),
  url: z.string().describe('shown only here; works once'),
  expires_at: time,
});
const openLink = z.object({
  id: z.string(),
  purpose: z.enum(['invitation', 'password']),
  username: z.string().nullable().describe('whose password it sets; null: an invitation'),
  note: z.string(),
  is_admin: z.boolean().describe('whether who accepts it becomes an administrator'),
  by: z.string().nullable().describe('who made it; null: on the host, or gone since'),
  created_at: time,
  expires_at: time,
});

/** Invitations. */
export const invitationOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/users/invitations',
    id: 'listInvitations',
    tag: 'Users',
    summary: 'Invitations and links for a new password that are open, made last first',
    answers: {
      200: {
        description: 'Those neither used nor withdrawn nor over.',
        json: z.object({ invitations: z.array(openLink) }),
      },
    },
  },
  {
    method: 'post',
    path: '/users/invitations',
    id: 'invite',
    tag: 'Users',
    summary: 'Makes a link with which a colleague chooses user name and password',
    description:
      'It works once. Only the SHA-256 of its token is kept, so it is never shown again.',
    body: { kind: 'json', schema: wantedInvitation, optional: true },
    answers: { 201: { description: 'The link.', json: givenLink } },
    problems: ['too-many-links', 'link-over'],
    command: true,
  },
  {
    method: 'delete',
    path: '/users/invitations/{invitation}',
    id: 'withdrawInvitation',
    tag: 'Users',
    summary: 'Withdraws an invitation or a link for a new password',
    answers: { 204: { description: 'Done.' } },
    problems: ['not-found'],
    command: true,
  },
  {
    method: 'post',
    path: '/users/{name}/password-link',
    id: 'linkForPassword',
    tag: 'Users',
    summary:
      'Makes a link with which a user chooses a new password; the one before is good no more',
    description: 'The present password works until the link is used. It works once.',
    body: { kind: 'json', schema: wantedPasswordLink, optional: true },
    answers: { 201: { description: 'The link.', json: givenLink } },
    problems: ['not-found', 'too-many-links', 'link-over', 'built-in-user'],
    command: true,
  },
  {
    method: 'post',
    path: '/invitations/look',
    id: 'lookAtInvitation',
    tag: 'Service',
    summary: 'What a link is for, without using it',
    body: { kind: 'json', schema: look },
    answers: {
      200: {
        description: 'It is open.',
        json: z.object({
          purpose: z.enum(['invitation', 'password']),
          by: z.string().nullable(),
          username: z.string().nullable(),
          expires_at: time,
        }),
      },
    },
    problems: ['link-over', 'too-many-attempts'],
  },
  {
    method: 'post',
    path: '/invitations/accept',
    id: 'acceptInvitation',
    tag: 'Service',
    summary: 'Uses a link: creates the user, or sets the password, and logs in',
    description:
      'One that is wrong, used, withdrawn or over has one answer. What is refused uses nothing up. Tries count for the ' +
      'address as those of `POST /login`.',
    body: { kind: 'json', schema: acceptance },
    answers: { 201: { description: 'Logged in.', json: answers.session } },
    problems: ['link-over', 'username-taken', 'too-many-attempts', 'busy'],
    command: true,
  },
];
