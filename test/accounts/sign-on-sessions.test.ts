import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { signOnProvider } from '../support/sign-on-provider.ts';
import { accountsOfAnna, afar, anna } from './open-accounts.ts';

const redirectUri = 'http://localhost/login';
const hour = 3600;

/** Anna's accounts and a provider that they know, where Ben is. */
async function accountsWithProvider(t: TestContext) {
  const provider = await signOnProvider(t);
  provider.register(redirectUri);
  const parts = await accountsOfAnna(t);
  const { accounts, settings } = parts;
  settings['oidc.issuer'] = provider.settings.issuer;
  settings['oidc.client_id'] = provider.settings.client_id;
  settings['oidc.client_secret'] = provider.settings.client_secret;
  provider.comes('s-1', { name: 'ben', groups: ['staff'] });
  const enter = async () => {
    const { url, flow } = await accounts.signOn.begin({ redirectUri, again: false }, afar);
    return await accounts.signOn.finish({ flow, query: await provider.visit(url) }, afar);
  };
  return { ...parts, provider, enter };
}

test('a session begun at the provider ends after its hours, however much it is used; then the provider says who comes', async (t) => {
  const { accounts, settings, provider, enter, pass } = await accountsWithProvider(t);
  settings['oidc.user_group'] = 'staff';
  const { token, expires_at } = await enter();
  const own = await accounts.login(anna, afar);
  assert.equal(Date.parse(expires_at) - Date.UTC(2026, 10, 21), 12 * hour * 1000);
  pass(11 * hour);
  const caller = await accounts.authenticate(token);
  assert.equal(caller?.expiresAt.toISOString(), expires_at, 'use does not prolong it');
  // Ben left the group meanwhile.
  provider.comes('s-1', { name: 'ben', groups: [] });
  pass(hour);
  assert.equal(await accounts.authenticate(token), null);
  assert.deepEqual(await accounts.sessions(caller.userId), []);
  await assert.rejects(enter(), { code: 'NOT_ADMITTED' });
  assert.ok(await accounts.authenticate(own.token), 'a session begun with a password goes on');
});

test('fewer hours hold for sessions that are open, and unused ones end as all do', async (t) => {
  const { accounts, settings, enter, pass } = await accountsWithProvider(t);
  const { token } = await enter();
  pass(3 * hour);
  settings['oidc.session_hours'] = 2;
  assert.equal(await accounts.authenticate(token), null);
  settings['oidc.session_hours'] = 2160;
  settings['auth.session_hours'] = 1;
  const unused = await enter();
  pass(hour);
  assert.equal(await accounts.authenticate(unused.token), null);
});
