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
  const set = (oidc: object) => apiOf(service.url, token).put('/config', { oidc });
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
    await page.getByText('You have no password here.').waitFor();
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
