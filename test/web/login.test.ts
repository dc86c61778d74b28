import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import {
  checkLook,
  openPage,
  password,
  phone,
  startChromium,
  startWebService,
  untilHolds,
} from './browser.ts';

test('login: from any address and back to it, by the keyboard, in both languages; ended elsewhere', async (t) => {
  const service = await startWebService(t);
  const browser = await startChromium(t);
  const expected = /401|WebSocket/;

  await t.test('a stranger is asked to log in, and is told what was wrong', async (t) => {
    const page = await openPage(t, browser, { url: `${service.url}/account`, expected });
    await page.waitForURL(/\/login\?next=%2Faccount$/);
    await page.getByRole('heading', { level: 1, name: 'Log in' }).waitFor();
    await untilHolds(page, `document.activeElement.id === 'username'`);
    await checkLook(page, 'login');
    await page.keyboard.type('ada');
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Wrong user name or password.').waitFor();
    assert.equal(await page.evaluate('document.activeElement.id'), 'password');
    await checkLook(page, 'login-wrong');
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${service.url}/account`);
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    await page.goBack();
    assert.doesNotMatch(page.url(), /\/login/, 'the way back does not lead to the login');
  });

  await t.test('a session that was ended elsewhere leads to the login, and back', async (t) => {
    const session = await service.login();
    const page = await openPage(t, browser, { url: `${service.url}/account`, session, expected });
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    await apiOf(service.url, session.token).post('/logout');
    await page.waitForURL(/\/login\?next=%2Faccount&expired=1$/);
    await page.getByText('Your session has expired.').waitFor();
    await checkLook(page, 'login-expired');
  });

  await t.test('logging out in one tab is said in the other as what it was', async (t) => {
    const session = await service.login();
    const page = await openPage(t, browser, { url: `${service.url}/account`, session, expected });
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    const other = await page.context().newPage();
    await other.goto(service.url);
    await other.getByLabel('ada, account').click();
    await other.getByRole('button', { name: 'Log out', exact: true }).click();
    await page.getByText('You logged out in another tab.').waitFor();
    assert.equal(await page.getByText('Your session has expired.').count(), 0);
    await checkLook(page, 'login-left');
    // What was said of that login is not said of the next one.
    await page.getByLabel('User name').fill('ada');
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${service.url}/account`);
    // The other tab goes on, too.
    await other.waitForURL(`${service.url}/`);
    await other.close();
    await apiOf(
      service.url,
      await page.evaluate<string>(`JSON.parse(localStorage.getItem('mitschrift.session')).token`),
    ).post('/logout');
    await page.getByText('Your session has expired.').waitFor();
  });

  await t.test(
    'an address of another site is not followed, nor one that is none or no page',
    async (t) => {
      for (const next of ['//', '/nowhere']) {
        const url = `${service.url}/login?next=${encodeURIComponent(next)}`;
        const page = await openPage(t, browser, { url, expected });
        await page.getByLabel('User name').fill('ada');
        await page.getByLabel('Password').fill(password);
        await page.keyboard.press('Enter');
        await page.waitForURL(`${service.url}/`);
        await page.context().close();
      }
      const url = `${service.url}/login?next=${encodeURIComponent('//evil.example/')}`;
      const page = await openPage(t, browser, { url, expected });
      await page.getByLabel('User name').fill('ada');
      await page.getByLabel('Password').fill(password);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${service.url}/`);
    },
  );

  await t.test('in German, on a phone', async (t) => {
    const page = await openPage(t, browser, {
      url: service.url,
      locale: 'de-DE',
      expected,
      ...phone,
    });
    await page.getByRole('button', { name: 'Anmelden' }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.lang'), 'de');
    await checkLook(page, 'login-phone-de');
  });

  await t.test('a password that somebody else set is changed before anything opens', async (t) => {
    const { token } = await service.login();
    const cleo = { username: 'cleo', password: 'an administrator’s' };
    await apiOf(service.url, token).post('/users', cleo);
    const page = await openPage(t, browser, {
      url: `${service.url}/account`,
      expected: /40[13]|422|WebSocket/,
    });
    await page.getByLabel('User name').fill(cleo.username);
    await page.getByLabel('Password').fill(cleo.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Choose your own password' }).waitFor();
    await checkLook(page, 'login-choose-password');
    await page.goto(`${service.url}/speakers`);
    await page.getByLabel('Current password').fill(cleo.password);
    await page.getByLabel('New password').fill(cleo.password);
    await page.getByRole('button', { name: 'Save and continue' }).click();
    await page.getByText('The new password must differ from the current one.').waitFor();
    await page.getByLabel('New password').fill('four lanterns in a row');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${service.url}/speakers`);
    await page.getByLabel('cleo, account').waitFor();
  });

  await t.test('logging out ends the session', async (t) => {
    const session = await service.login();
    const page = await openPage(t, browser, { url: `${service.url}/account`, session, expected });
    await page.getByLabel('ada, account').click();
    await page.getByRole('button', { name: 'Log out', exact: true }).click();
    await page.waitForURL(/\/login/);
    await assert.rejects(apiOf(service.url, session.token).get('/status'), /401/);

    // Who comes next gets a page of their own, with nothing in it of the one before.
    await service.login('ben');
    await page.evaluate('globalThis.isOfAda = true');
    await page.getByLabel('User name').fill('ben');
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByLabel('ben, account').waitFor();
    await untilHolds(page, 'globalThis.isOfAda === undefined');
    await page.getByLabel('ben, account').click();
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
    await page.getByRole('button', { name: 'Log out', exact: true }).waitFor({ state: 'hidden' });
  });
});

test('the service restarts under a page: the page says so, connects again by itself, and misses nothing', async (t) => {
  const service = await startWebService(t);
  const browser = await startChromium(t);
  const session = await service.login();
  const page = await openPage(t, browser, {
    url: `${service.url}/account`,
    session,
    expected: /WebSocket|ERR_CONNECTION_REFUSED|Failed to load/,
  });
  await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
  // A part of the page is not answered: it is read when the service is back.
  await page.route('**/users/me/sessions', async (route) => await route.abort());
  // What was never connected is not said to have lost its connection.
  const connected = new Promise((done) => {
    page.on('websocket', (socket) => socket.once('framereceived', done));
  });
  await page.reload();
  await connected;
  await page.getByRole('alert').getByText('The server isn’t responding.').waitFor();
  await page.unroute('**/users/me/sessions');
  await service.end('SIGKILL');
  await page.locator('.strip').getByText('The server isn’t responding.').waitFor();
  await checkLook(page, 'away');
  const again = await startServiceProcess(service.dataDir, {
    MITSCHRIFT_PORT: new URL(service.url).port,
  });
  t.after(async () => await again.end('SIGTERM'));
  await page.getByText('The server isn’t responding.').first().waitFor({ state: 'detached' });
  await page.getByRole('status').getByText('Connected to the server again.').waitFor();
});

test('who becomes an administrator has the pages of one without logging in again', async (t) => {
  const service = await startWebService(t);
  const browser = await startChromium(t);
  const session = await service.login('ben');
  const page = await openPage(t, browser, { url: service.url, session, expected: /WebSocket/ });
  await page.getByLabel('ben, account').waitFor();
  const settings = page.getByRole('link', { name: 'Settings', exact: true });
  assert.equal(await settings.count(), 0);
  const { token } = await service.login();
  await apiOf(service.url, token).patch('/users/ben', { is_admin: true });
  await page.reload();
  await settings.waitFor();
});
