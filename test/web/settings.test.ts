import { test } from 'node:test';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { checkLook, openPage, password, phone, startChromium, startWebService } from './browser.ts';

test('two people under Settings and in their accounts; the service away, and back', async (t) => {
  const service = await startWebService(t);
  const browser = await startChromium(t);
  const page = await openPage(t, browser, {
    url: service.url,
    session: await service.login(),
    expected: /WebSocket|ERR_CONNECTION_REFUSED|ERR_FAILED|status of 4(09|22)|status of 503/,
  });
  const press = async (name: string | RegExp) => await page.getByRole('button', { name }).click();

  await t.test('people: a second one comes, sees no settings, and goes', async (t) => {
    await page.goto(`${service.url}/settings?part=people`);
    await page.getByLabel('Name', { exact: true }).fill('ben');
    await page.getByLabel('First password').fill('kurz');
    await press('Add');
    await page.getByText('A password has 8 to 1024 characters.').waitFor();
    await page.getByLabel('First password').fill(password);
    await press('Add');
    await page.getByText('ben can log in now.').waitFor();
    const ben = await apiOf(service.url).post<object>('/login', { username: 'ben', password });
    const theirs = await openPage(t, browser, {
      url: `${service.url}/settings`,
      session: ben,
      locale: 'de-DE',
      expected: /401|422|WebSocket/,
      ...phone,
    });
    await theirs.getByText('Einstellungen sind Sache der Verwaltung.').waitFor();
    await checkLook(theirs, 'settings-refused-phone-de');
    await theirs.getByRole('link', { name: 'Zum Konto' }).click();
    await theirs.getByText('hier', { exact: true }).waitFor();
    await checkLook(theirs, 'account-phone-de');
    await theirs.getByLabel('Bisheriges Passwort').fill('falsch');
    await theirs.getByLabel('Neues Passwort').fill('drei laternen am hafen');
    await theirs.getByRole('button', { name: 'Passwort ändern' }).click();
    await theirs.getByText('Das ist nicht das Passwort.').waitFor();
    await theirs.getByLabel('Bisheriges Passwort').fill(password);
    await theirs.getByRole('button', { name: 'Passwort ändern' }).click();
    await theirs.getByText('Das neue Passwort gilt.').waitFor();

    await checkLook(page, 'settings-people');
    await press('Remove…');
    await page.getByText('Remove ben?').waitFor();
    await press('Remove for good');
    await page.getByText('ben', { exact: true }).waitFor({ state: 'detached' });
    await theirs.waitForURL(/\/login/);
  });

  await t.test('the service away: the app still opens, says so, and comes back', async (t) => {
    await page.goto(`${service.url}/account`);
    await page.getByText('here', { exact: true }).waitFor();
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
    await service.end('SIGTERM');
    await page.goto(`${service.url}/speakers`);
    await page.getByRole('heading', { name: 'Mitschrift is not reachable.' }).waitFor();
    await checkLook(page, 'not-reachable');
    const port = new URL(service.url).port;
    const again = await startServiceProcess(service.dataDir, { MITSCHRIFT_PORT: port });
    t.after(async () => await again.end('SIGTERM'));
    await page.getByRole('heading', { level: 1, name: /Who|Speakers|voice/ }).waitFor();
  });
});
