import { says } from './sentences.ts';

/** What Health finds about the people who use Mitschrift, and about the provider at which they sign on. */
export const checksOfPeople = {
  'two-step-optional': says('Two-step login is not required.'),
  'two-step-ok': says('All administrators use two-step login.'),
  'two-step-missing': says(
    { count: 'integer', names: 'list' },
    {
      detail: {
        one: '{count} administrator has not set up the required two-step login: {names}.',
        other: '{count} administrators have not set up the required two-step login: {names}.',
      },
      todo: 'They are asked for it after the password. Until then, the password alone protects the account.',
    },
  ),
  'groups-ok': says(
    { count: 'integer' },
    {
      detail: {
        one: '{count} group, with members.',
        other: '{count} groups, each with members.',
      },
    },
  ),
  'groups-claim-unseen': says(
    { count: 'integer', names: 'list' },
    {
      detail: {
        one: '{count} group follows a group at the sign-on provider that nobody had at a login: {names}.',
        other:
          '{count} groups follow groups at the sign-on provider that nobody had at a login: {names}.',
      },
      todo: 'Compare the names under Settings › Groups with what a trial login shows (Settings › Login).',
    },
  ),
  'groups-empty': says(
    { count: 'integer', names: 'list' },
    {
      detail: {
        one: '{count} group has no members: {names}. What is shared with it is shown to nobody.',
        other:
          '{count} groups have no members: {names}. What is shared with them is shown to nobody.',
      },
      todo: 'Add members under Settings › Groups, or delete the group.',
    },
  ),
  'retention-ok': says('Nothing waits for an answer before it is deleted.'),
  'retention-waits': says(
    { count: 'integer' },
    {
      detail: {
        one: 'The notes of {count} user are kept longer than planned: deleting so many needs a yes.',
        other:
          'The notes of {count} users are kept longer than planned: deleting so many needs a yes.',
      },
      todo: 'Ask them to answer on their home page. For guest and deleted users, an administrator answers: POST /retention/confirm?owner=….',
    },
  ),
  'provider-none': says('There is no single sign-on: no provider is set.'),
  'provider-no-client': says({
    detail: 'The client ID is missing.',
    todo: 'Register Mitschrift at the provider and enter the client ID it gives (`oidc.client_id`).',
  }),
  'provider-ready': says({ provider: 'place' }, '{provider} is ready.'),
  'provider-unreachable': says(
    { provider: 'place', cause: 'text?' },
    {
      detail: '{provider} can’t be reached[ ({cause})].',
      todo: 'Check the address (`oidc.issuer`) and whether the provider is running.',
    },
  ),
  'provider-not-oidc': says(
    { address: 'place' },
    {
      detail: 'No OpenID Connect provider describes itself at {address}.',
      todo: 'Enter the issuer, as the provider names it (`oidc.issuer`).',
    },
  ),
  'provider-other-issuer': says(
    { issuer: 'place' },
    {
      detail: 'The address answers, but names itself differently: {issuer}',
      todo: 'Enter exactly this address (`oidc.issuer`).',
    },
  ),
  'provider-reachable': says('The provider responds.'),
  'provider-code-ok': says('It offers login by authorization code.'),
  'provider-code-missing': says({
    detail: 'It doesn’t offer login by authorization code.',
    todo: 'Allow it for this client at the provider.',
  }),
  'provider-s256-ok': says('It offers secure login (PKCE with S256).'),
  'provider-s256-missing': says({
    detail: 'It doesn’t say that it offers secure login (PKCE with S256).',
    todo: 'Allow it at the provider, or use a provider that does.',
  }),
  'provider-scopes-ok': says({ scopes: 'list' }, 'It offers the scopes {scopes}.'),
  'provider-scopes-missing': says(
    { scopes: 'list' },
    {
      detail: 'It doesn’t offer the scopes {scopes}.',
      todo: 'Change the scopes (`oidc.scopes`), or allow them at the provider.',
    },
  ),
};
