import { says } from './sentences.ts';

/** What Health and a trial find about a sign-on provider. */
export const checksOfSignOn = {
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
