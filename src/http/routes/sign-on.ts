import type { Context } from 'koa';
import * as z from 'zod';
import { isLoopback } from '../../shared/network.ts';
import * as logins from '../openapi/login-answers.ts';
import { sayWhole } from '../../words/say.ts';
import { languageWanted } from '../readers-language.ts';
import { pageBase } from '../page-base.ts';
import { Problem } from '../problems.ts';
import { routesOf } from '../route.ts';
import { credentials, withCurrent } from './users.ts';

const flow = z.string().max(100).describe('what the beginning answered: only who began it has it');
const back = z.strictObject({
  flow,
  query: z.string().max(8000).describe('with which the provider sent the browser back'),
});
export const begunSignOn = z.object({
  url: z.string().describe('of the provider: where the browser goes'),
  flow: z.string().describe('for the end of it, within ten minutes, once'),
});
const triedSignOn = z.object({
  admitted: z.boolean(),
  detail: z.string().nullable().describe('why not, for a person'),
  code: z.string().nullable().describe('why not, for programs'),
  read: z
    .object({
      name: z.string().nullable(),
      name_claim: z.string(),
      groups: z.array(z.string()),
      groups_claim: z.string(),
    })
    .describe('what the provider says, and the claims that were read'),
  user: z
    .object({
      username: z.string(),
      how: z
        .enum(['known', 'matched', 'new'])
        .describe('linked already; would be linked, having the same name; would be created'),
      is_admin: z.boolean(),
      groups: z.array(z.string()).describe('of this server'),
    })
    .nullable()
    .describe('who they would be here'),
});
const current_password = credentials.password;

const strangersRoute = routesOf({ tag: 'Server', access: 'public' });
const ownRoute = routesOf({ tag: 'Users', needs: [] });

const trialRoute = routesOf({ tag: 'Configuration', access: 'admin', needs: [] });
const patch = z
  .record(z.string(), z.unknown())
  .optional()
  .describe('settings `oidc.*` over the stored ones, as in `PUT /config`');

/** Logging in at a provider that speaks OpenID Connect. */
export const signOnRoutes = [
  strangersRoute('get', '/login/oidc', {
    id: 'signOnOffer',
    summary: 'Whether there is single sign-on, and who may log in with a password',
    answers: {
      200: {
        description: 'What a login page shows.',
        json: z.object({
          title: z.string().nullable().describe('of the provider; null: there is none'),
          local_login: z.enum(['all', 'administrators', 'none']),
        }),
      },
    },
    run(_, { accounts }) {
      const { title, localLogin } = accounts.signOn.offer();
      return { title, local_login: localLogin };
    },
  }),
  strangersRoute('post', '/login/oidc', {
    id: 'beginSignOn',
    summary: 'Begins a login at the sign-on provider',
    description:
      'Authorization code with PKCE (S256), state and nonce. The provider sends the browser back to `/login` of the address ' +
      'that asks, which has to be https, except on this computer. An address begins 60 times a minute.',
    body: {
      json: z.strictObject({
        again: z
          .boolean()
          .default(false)
          .describe('the provider asks for the password, also of who is logged in there'),
      }),
      optional: true,
    },
    answers: { 200: { description: 'Where to go.', json: begunSignOn } },
    problems: ['no-single-sign-on', 'provider-away', 'https-required', 'too-many-attempts'],
    run: async ({ ctx, body: { again }, from }, { accounts }) =>
      await accounts.signOn.begin({ redirectUri: redirectUri(ctx), again }, from),
  }),
  strangersRoute('post', '/login/oidc/finish', {
    id: 'finishSignOn',
    summary: 'Gives a session token to who comes back from the sign-on provider',
    description:
      'Who it is, issuer and `sub` say, never a name. One who is not admitted (`reason`) leaves nothing behind. A flow ends ' +
      'once, after ten minutes at the latest.',
    body: { json: back },
    answers: { 200: { description: 'Logged in.', json: logins.session } },
    problems: [
      'flow-over',
      'link-over',
      'not-admitted',
      'user-disabled',
      'provider-away',
      'no-single-sign-on',
      'busy',
    ],
    command: true,
    run: async ({ body, from }, { accounts }) => await accounts.signOn.finish(body, from),
  }),
  // An administrator tries a login, before it is switched on for all.
  trialRoute('post', '/config/test/login', {
    id: 'beginTrialSignOn',
    summary: 'Begins a login at the sign-on provider by way of trial, with the given settings',
    description:
      'Nothing is stored. The state in `url`, and of what comes back, begins with `trial-`.',
    body: { json: z.strictObject({ oidc: patch }), optional: true },
    answers: { 200: { description: 'Where to go.', json: begunSignOn } },
    problems: ['no-single-sign-on', 'provider-away', 'https-required', 'overridden'],
    run: async ({ ctx, body, caller }, { accounts, config }) =>
      await accounts.signOn.beginTrial(caller.userId, redirectUri(ctx), config.withPatch(body)),
  }),
  trialRoute('post', '/config/test/login/finish', {
    id: 'finishTrialSignOn',
    summary: 'What was read of who comes back, and what a login of theirs would come to',
    description: 'Nobody is logged in, created, linked or changed.',
    body: { json: back.extend({ oidc: patch }) },
    answers: { 200: { description: 'What would happen.', json: triedSignOn } },
    problems: ['flow-over', 'not-admitted', 'provider-away', 'no-single-sign-on', 'overridden'],
    async run({ ctx, body: { oidc, ...brought }, caller }, { accounts, config }) {
      const wanted = config.withPatch({ oidc });
      const { refused, read, user } = await accounts.signOn.finishTrial(
        caller.userId,
        brought,
        wanted,
      );
      return {
        admitted: refused === null,
        detail: refused && sayWhole(refused, languageWanted(ctx)),
        code: refused?.code ?? null,
        read: {
          name: read.name,
          name_claim: wanted['oidc.username_claim'],
          groups: read.groups,
          groups_claim: wanted['oidc.groups_claim'],
        },
        user: user && {
          username: user.username,
          how: user.how,
          is_admin: user.isAdmin,
          groups: user.groups,
        },
      };
    },
  }),
  // Who the caller is at the sign-on provider.
  ownRoute('get', '/users/me/identity', {
    id: 'identity',
    summary: 'Whether the caller is linked with an account at the sign-on provider',
    answers: {
      200: {
        description: 'How it is.',
        json: z.object({
          linked: z.boolean(),
          name: z.string().nullable().describe('what the provider called the caller then'),
          has_password: z.boolean().describe('whether the caller has a password here'),
          password_login: z
            .boolean()
            .describe('whether that password lets the caller in: without it they cannot unlink'),
        }),
      },
    },
    run({ caller: { userId } }, { accounts: { signOn } }) {
      const identity = signOn.identityOf(userId);
      const password = signOn.passwordOf(userId);
      return {
        linked: identity !== null,
        name: identity?.name ?? null,
        has_password: password.has,
        password_login: password.opens,
      };
    },
  }),
  ownRoute('post', '/users/me/identity', {
    id: 'beginLink',
    summary: 'Begins to link the caller with an account at the sign-on provider',
    body: { json: z.strictObject({ current_password }) },
    answers: { 200: { description: 'Where to go.', json: begunSignOn } },
    problems: [
      'no-single-sign-on',
      'no-password',
      'provider-away',
      'https-required',
      'too-many-attempts',
      'busy',
    ],
    run: async ({ ctx, body, caller }, { accounts }) =>
      await withCurrent(
        accounts.signOn.beginLink(caller.userId, body.current_password, redirectUri(ctx)),
      ),
  }),
  ownRoute('post', '/users/me/identity/finish', {
    id: 'finishLink',
    summary: 'Links the caller, who comes back from the sign-on provider; the link before ends',
    body: { json: back },
    answers: { 204: { description: 'Linked.' } },
    problems: ['flow-over', 'not-admitted', 'provider-away', 'no-single-sign-on'],
    command: true,
    async run({ body, caller }, { accounts }) {
      await accounts.signOn.finishLink(caller.userId, body);
    },
  }),
  ownRoute('delete', '/users/me/identity', {
    id: 'unlinkIdentity',
    summary: 'Ends the link with the account at the sign-on provider',
    body: { json: z.strictObject({ current_password }) },
    answers: { 204: { description: 'Done.' } },
    problems: ['no-password', 'use-single-sign-on', 'too-many-attempts', 'busy'],
    command: true,
    async run({ body, caller }, { accounts }) {
      await withCurrent(accounts.signOn.unlink(caller.userId, body.current_password));
    },
  }),
];

/** Where the provider sends browsers back to, which has to be registered there. @throws {Problem} `https-required` */
export function redirectUri(ctx: Context): string {
  const address = new URL('/login', pageBase(ctx));
  if (address.protocol !== 'https:' && !isLoopback(address.hostname)) {
    address.protocol = 'https:';
    throw new Problem('https-required', { params: { address: address.href } });
  }
  return address.href;
}
