import * as z from 'zod';
import type { UserLink } from '../../../projections/users.ts';
import { type GivenLink, wantedInvitation, wantedPasswordLink } from '../../accounts/user-links.ts';
import { linkTo } from '../../config/page-address.ts';
import { linkBase } from '../page-base.ts';
import { notFound } from '../problems.ts';
import { time } from '../openapi/activity-answers.ts';
import * as logins from '../openapi/login-answers.ts';
import { begunSignOn, redirectUri } from './sign-on.ts';
import { code } from './two-step.ts';
import { credentials, managed } from './users.ts';
import { toRead } from '../middleware/ready.ts';
import { routesOf } from '../route.ts';

const token = z.string().max(200).describe('what follows `=` in the fragment of the link');

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

const shared = { tag: 'Users', access: 'admin', needs: toRead } as const;
const route = routesOf({ ...shared, asksPassword: true });
const strangersRoute = routesOf({ tag: 'Server', access: 'public' });

/** Administrators give out links by which a colleague chooses name and password, or a new password. */
export const invitationRoutes = [
  routesOf(shared)('get', '/users/invitations', {
    id: 'listInvitations',
    summary: 'Invitations and links for a new password that are open, made last first',
    answers: {
      200: {
        description: 'Those neither used nor withdrawn nor over.',
        json: z.object({ invitations: z.array(openLink) }),
      },
    },
    run(_, { accounts }) {
      return {
        invitations: accounts.listLinks().map((link) => ({
          ...shown(link),
          username: accounts.nameOf(link.userId),
          by: accounts.nameOf(link.by),
        })),
      };
    },
  }),
  route('post', '/users/invitations', {
    id: 'invite',
    summary: 'Makes a link with which a colleague chooses user name and password',
    description:
      'It works once. It is found by the SHA-256 of its token; of a request with an `Idempotency-Key` the token is kept, ' +
      'sealed with the future user’s key, for the same answer to its repetition.',
    body: { json: wantedInvitation, optional: true },
    answers: { 201: { description: 'The link.', json: givenLink } },
    problems: ['too-many-links', 'link-over'],
    command: true,
    async run({ ctx, body: { note, is_admin: isAdmin, days }, onBehalf }, { accounts, settings }) {
      const { repeatable: isRepeatable } = ctx.state;
      const link = await accounts.invite({ note, isAdmin, days }, { ...onBehalf, isRepeatable });
      return linkAnswer(linkBase(ctx, { settings }), 'invitation', link);
    },
  }),
  route('delete', '/users/invitations/{invitation}', {
    id: 'withdrawInvitation',
    summary: 'Withdraws an invitation or a link for a new password',
    answers: { 204: { description: 'Done.' } },
    command: true,
    async run({ params, onBehalf }, { accounts }) {
      if (!(await accounts.withdrawLink(params.invitation, onBehalf))) throw notFound();
    },
  }),
  route('post', '/users/{name}/password-link', {
    id: 'linkForPassword',
    summary:
      'Makes a link with which a user chooses a new password; the one before is good no more',
    description: 'The present password works until the link is used. It works once.',
    body: { json: wantedPasswordLink, optional: true },
    answers: { 201: { description: 'The link.', json: givenLink } },
    problems: ['use-single-sign-on', 'too-many-links', 'link-over', 'built-in-user'],
    command: true,
    async run({ ctx, params, body: { days }, onBehalf }, { accounts, settings }) {
      const { repeatable: isRepeatable } = ctx.state;
      const how = { ...onBehalf, isRepeatable };
      const link = await accounts.linkForPassword(managed(params.name), days, how);
      return linkAnswer(linkBase(ctx, { settings }), 'password', link);
    },
  }),
  // What whoever has a link sends; no login is needed.
  strangersRoute('post', '/invitations/look', {
    id: 'lookAtInvitation',
    summary: 'What a link is for, without using it',
    body: { json: z.strictObject({ token }) },
    answers: {
      200: {
        description: 'It is open.',
        json: z.object({
          purpose: z.enum(['invitation', 'password']),
          by: z.string().nullable(),
          username: z.string().nullable(),
          password: z
            .boolean()
            .describe('whether one can be chosen; else `POST /invitations/sign-on`'),
          expires_at: time,
        }),
      },
    },
    problems: ['link-over', 'use-single-sign-on', 'too-many-attempts'],
    async run({ body, from }, { accounts }) {
      const { expiresAt, ...shownLink } = await accounts.showLink(body.token, from);
      return { ...shownLink, expires_at: expiresAt };
    },
  }),
  strangersRoute('post', '/invitations/sign-on', {
    id: 'beginInvitedSignOn',
    summary:
      'Begins to accept an invitation by a login at the sign-on provider, without a password',
    description:
      '`POST /login/oidc/finish` uses the invitation: who comes back becomes the user. Whoever is refused (`reason`) uses ' +
      'nothing up.',
    body: { json: z.strictObject({ token }) },
    answers: { 200: { description: 'Where to go.', json: begunSignOn } },
    problems: [
      'link-over',
      'no-single-sign-on',
      'provider-away',
      'https-required',
      'too-many-attempts',
    ],
    run: async ({ ctx, body, from }, { accounts }) =>
      await accounts.signOn.beginInvited(body.token, redirectUri(ctx), from),
  }),
  strangersRoute('post', '/invitations/accept', {
    id: 'acceptInvitation',
    summary: 'Uses a link: creates the user, or sets the password, and logs in',
    description:
      'One that is wrong, used, withdrawn or over has one answer. What is refused uses nothing up. Tries count for the ' +
      'address as those of `POST /login`.',
    body: {
      json: z.strictObject({
        token,
        username: credentials.username.optional().describe('with an invitation'),
        password: credentials.password,
        code: code.optional().describe('with two-step login, for a new password'),
      }),
    },
    answers: { 201: { description: 'Logged in.', json: logins.session } },
    problems: [
      'link-over',
      'username-taken',
      'use-single-sign-on',
      'code-required',
      'wrong-code',
      'too-many-attempts',
      'busy',
    ],
    command: true,
    run: async ({ body, from }, { accounts }) => await accounts.useLink(body, from),
  }),
];

function linkAnswer(base: string, purpose: UserLink['purpose'], given: GivenLink) {
  const { id, token, expiresAt } = given;
  const url = linkTo(base, '/login', `${purpose}=${token}`);
  return { id, url, expires_at: expiresAt.toISOString() };
}

const shown = ({ userId, purpose, note, isAdmin, at, expiresAt }: UserLink) => ({
  id: userId,
  purpose,
  note,
  is_admin: isAdmin,
  created_at: at,
  expires_at: expiresAt,
});
