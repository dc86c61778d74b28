import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiOf } from '../support/service-process.ts';
import { signOnProvider } from '../support/sign-on-provider.ts';
import {
  checkLook,
  openPage,
  password,
  startChromium,
  startWebService,
  untilHolds,
} from './browser.ts';

const narrow = { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true };

test('single sign-on: in by the button, refused, linked and unlinked, and passwords while it is away', async (t) => {
  const service = await startWebService(t);
  const provider = await signOnProvider(t);
  provider.register(`${service.url}/login`);
  const { token } = await service.login();
  const set = (oidc: object, auth: object = {}) =>
    apiOf(service.url, token).put('/config', { oidc, auth });
  await set({ ...provider.settings, user_group: 'staff' });
  const browser = await startChromium(t);
  const expected = /40[13]|409|503|WebSocket/;

  await t.test('the button leads to the provider, and back to where one was', async (t) => {
    provider.comes('s-1', { name: 'ben', groups: ['staff'] });
    const page = await openPage(t, browser, { url: `${service.url}/account`, expected });
    const button = page.getByRole('button', { name: 'Log in with Riverside' });
    await button.waitFor();
    await checkLook(page, 'sign-on');
    await button.click();
    await page.getByLabel('ben, account').waitFor();
    assert.equal(page.url(), `${service.url}/account`, 'no code in the address');
    await page.getByText('You have no password here. To unlink').waitFor();
    for (const name of ['Password', 'Two-step login']) {
      assert.equal(await page.getByRole('heading', { name, exact: true }).count(), 0, name);
    }
    await checkLook(page, 'sign-on-account');
  });

  await t.test('who is not in the group is told so, in German on the narrowest', async (t) => {
    provider.comes('s-2', { name: 'cleo', groups: [] });
    const url = `${service.url}/login`;
    const page = await openPage(t, browser, { url, locale: 'de-DE', expected, ...narrow });
    await page.getByRole('button', { name: 'Mit Riverside anmelden' }).click();
    await page.getByText('Nicht zugelassen').waitFor();
    assert.equal(page.url(), url);
    await checkLook(page, 'sign-on-refused-de');
  });

  await t.test('a user links an account there and unlinks it, with the password', async (t) => {
    provider.comes('s-3', { name: 'dana.berg', groups: ['staff'] });
    const session = await service.login('dana');
    const page = await openPage(t, browser, { url: `${service.url}/account`, session, expected });
    await page.getByRole('button', { name: 'Link Riverside account…' }).click();
    await untilHolds(page, `document.activeElement.type === 'password'`);
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await page.getByText('as dana.berg').waitFor();
    assert.equal(page.url(), `${service.url}/account`);
    await checkLook(page, 'sign-on-linked');
    await page.getByRole('button', { name: 'Unlink…' }).click();
    await untilHolds(page, `document.activeElement.type === 'password'`);
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await page.getByText('not linked').waitFor();
  });

  await t.test('a session that has ended leads to the provider and back by itself', async (t) => {
    provider.comes('s-1', { name: 'ben', groups: ['staff'] });
    const page = await openPage(t, browser, { url: `${service.url}/account`, expected });
    await page.getByRole('button', { name: 'Log in with Riverside' }).click();
    await page.getByLabel('ben, account').waitFor();
    const tokenOf = () =>
      page.evaluate<string>(
        `JSON.parse(localStorage.getItem('mitschrift.session') ?? '{}').token ?? ''`,
      );
    const first = await tokenOf();
    await apiOf(service.url, first).post('/logout');
    await untilHolds(
      page,
      `![null, '', ${JSON.stringify(first)}].includes(
        JSON.parse(localStorage.getItem('mitschrift.session') ?? 'null')?.token ?? null)`,
    );
    await page.getByLabel('ben, account').waitFor();
    assert.equal(page.url(), `${service.url}/account`);
    // Not twice within a minute; and who has left the group meanwhile is not let in.
    await apiOf(service.url, await tokenOf()).post('/logout');
    await page.getByText('Your session has expired.').waitFor();
    provider.comes('s-1', { name: 'ben', groups: [] });
    await page.getByRole('button', { name: 'Log in with Riverside' }).click();
    await page.getByText('Not admitted').waitFor();
  });

  await t.test(
    'passwords for administrators only stand behind one line, which opens',
    async (t) => {
      await set({}, { local_login: 'administrators' });
      const url = `${service.url}/login`;
      const page = await openPage(t, browser, { url, locale: 'de-DE', expected, ...narrow });
      await page.getByRole('button', { name: 'Mit Riverside anmelden' }).waitFor();
      assert.equal(await page.getByLabel('Passwort').count(), 0, 'folded');
      assert.equal(await page.locator('.btn.primary').count(), 1);
      await checkLook(page, 'sign-on-folded-de');
      await page.getByRole('button', { name: 'Mit Passwort anmelden' }).click();
      await untilHolds(page, `document.activeElement.id === 'username'`);
      assert.equal(await page.locator('.btn.primary').count(), 1, 'the provider’s alone');
      await checkLook(page, 'sign-on-unfolded-de');
      await page.keyboard.type('ada');
      await page.getByLabel('Passwort').fill(password);
      await page.keyboard.press('Enter');
      await page.getByLabel('ada, Konto').waitFor();
      await set({}, { local_login: 'all' });
    },
  );

  await t.test('who has no password proves it at the provider, and repeats it', async (t) => {
    provider.comes('s-4', { name: 'emil', groups: ['staff', 'admins'] });
    await set({ admin_group: 'admins' });
    const url = `${service.url}/settings?part=people`;
    const page = await openPage(t, browser, { url, expected });
    await page.getByRole('button', { name: 'Log in with Riverside' }).click();
    await page.getByRole('button', { name: 'Invite person…' }).click();
    await page.getByRole('button', { name: 'Create invitation' }).click();
    await page.getByRole('heading', { name: 'Log in again to continue' }).waitFor();
    await page.getByText('You have no password here, so').waitFor();
    await checkLook(page, 'sign-on-confirm');
    await page.getByRole('button', { name: 'Go to Riverside' }).click();
    await page.waitForURL(url);
    await page.getByRole('button', { name: 'Invite person…' }).click();
    await page.getByRole('button', { name: 'Create invitation' }).click();
    await page.getByText('Copy the invitation now').waitFor();
    await set({ admin_group: null });
  });

  await t.test(
    'an invited person continues with the provider, and needs no password',
    async (t) => {
      const api = apiOf(service.url, token);
      type Given = { url: string };
      const { url } = await api.post<Given>('/users/invitations', { note: 'Finn' });
      provider.comes('s-5', { name: 'finn', groups: ['staff'] });
      const page = await openPage(t, browser, { url, locale: 'de-DE', expected, ...narrow });
      await page.getByRole('button', { name: 'Weiter mit Riverside' }).waitFor();
      assert.equal(await page.locator('.btn.primary').count(), 1);
      await checkLook(page, 'sign-on-invited-de');
      await set({}, { local_login: 'none' });
      await page.reload();
      await page.getByText('Ihre Notizen gehören nur Ihnen.', { exact: false }).waitFor();
      await page.getByText('brauchen hier kein Passwort').waitFor();
      assert.equal(await page.getByLabel('Passwort').count(), 0, 'none can be chosen');
      await checkLook(page, 'sign-on-invited-only-de');
      await page.getByRole('button', { name: 'Weiter mit Riverside' }).click();
      await page.getByLabel('finn, Konto').waitFor();
      await set({}, { local_login: 'all' });
    },
  );

  await t.test(
    'a trial from the settings shows what would be read, in a tab of its own',
    async (t) => {
      const session = await service.login();
      const url = `${service.url}/settings?part=sign-on`;
      const page = await openPage(t, browser, {
        url,
        session,
        locale: 'de-DE',
        expected,
        ...narrow,
      });
      const press = async () => {
        const opened = page.context().waitForEvent('page');
        await page.getByRole('button', { name: 'Probeweise anmelden' }).click();
        return await opened;
      };
      provider.comes('s-6', { name: 'greta', groups: ['staff'] });
      const tab = await press();
      await page.getByText('Diese Person würde angemeldet.').waitFor();
      await page.getByText('greta (würde angelegt)').waitFor();
      // Where the browser does not close it, the tab says that it can be closed.
      if (!tab.isClosed()) await tab.close();
      await checkLook(page, 'sign-on-trial-de');
      provider.comes('s-7', { name: 'hugo', groups: [] });
      const other = await press();
      await page.getByText('Diese Person würde nicht zugelassen.').waitFor();
      if (!other.isClosed()) await other.close();
      await checkLook(page, 'sign-on-trial-refused-de');
      const { users } = await apiOf(service.url, token).get<{ users: { username: string }[] }>(
        '/users',
      );
      assert.ok(!users.some(({ username }) => ['greta', 'hugo'].includes(username)));
    },
  );

  await t.test(
    'People names who comes by the provider; a group gets a claim, in German',
    async (t) => {
      const session = await service.login();
      const api = apiOf(service.url, session.token);
      await api.post('/groups', { name: 'Lesekreis' });
      const url = `${service.url}/settings?part=groups`;
      const page = await openPage(t, browser, {
        url,
        session,
        locale: 'de-DE',
        expected,
        ...narrow,
      });
      await page.getByRole('button', { name: 'Lesekreis bearbeiten' }).click();
      await page.getByLabel('Gruppe bei Riverside (optional)').fill(' cn=staff,dc=riverside ');
      await checkLook(page, 'sign-on-claim-de');
      await page.keyboard.press('Enter');
      await page.getByText('folgt cn=staff,dc=riverside').waitFor();
      const { groups } = await api.get<{ groups: { claim: string | null }[] }>('/groups');
      assert.deepEqual(
        groups.map(({ claim }) => claim),
        ['cn=staff,dc=riverside'],
      );
      await page.getByRole('button', { name: 'Lesekreis bearbeiten' }).click();
      await page.getByLabel('Gruppe bei Riverside (optional)').fill('');
      await page.keyboard.press('Enter');
      await page.getByText('folgt cn=staff').waitFor({ state: 'detached' });
      await page.goto(`${service.url}/settings?part=people`);
      await page.getByRole('heading', { name: 'finn Single Sign-on' }).waitFor();
      await checkLook(page, 'sign-on-people-de');
    },
  );

  await t.test('a callback that this tab did not begin lets nobody in', async (t) => {
    const url = `${service.url}/login?code=planted&state=planted`;
    const page = await openPage(t, browser, { url, expected });
    await page.getByText('started in another browser').waitFor();
    assert.equal(page.url(), `${service.url}/login`);
  });

  await t.test('while the provider is away, the form for a password stays', async (t) => {
    await provider.close();
    // Another name of the client: nothing that was read of the provider is used on.
    await set({ client_id: 'another' });
    const page = await openPage(t, browser, { url: `${service.url}/login`, expected });
    await page.getByRole('button', { name: 'Log in with Riverside' }).click();
    await page.getByText('Sign-on provider not available').waitFor();
    await checkLook(page, 'sign-on-away');
    await page.getByLabel('User name').fill('ada');
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByLabel('ada, account').waitFor();
  });
});
