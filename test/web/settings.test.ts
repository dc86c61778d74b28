import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { checkLook, openPage, password, phone, startChromium, startWebService } from './browser.ts';

test('settings changed and saved, two people in their accounts; the service away, and back', async (t) => {
  const service = await startWebService(t, { MITSCHRIFT_LLM_TIMEOUT: '60' });
  const browser = await startChromium(t);
  const session = await service.login();
  const page = await openPage(t, browser, {
    url: service.url,
    session,
    expected: /WebSocket|ERR_CONNECTION_REFUSED|ERR_FAILED|status of 4(09|22)/,
  });
  const press = async (name: string | RegExp) => await page.getByRole('button', { name }).click();

  const open = async (part: string) =>
    await page.locator('nav.side').getByRole('link', { name: part }).click();

  await t.test(
    'what is changed asks before it is lost, by a link, by Back, and for good',
    async () => {
      await page.getByRole('navigation').getByText('Settings').click();
      await open('Server and limits');
      const upload = page.getByLabel('Largest upload');
      await upload.fill('0');
      await page.getByText('At least 1.').waitFor();
      await upload.fill('2048');
      await page.getByText('1 change not saved yet').first().waitFor();
      await open('Language model');
      assert.equal(await page.getByLabel('Patience').isDisabled(), true);
      await page.getByText('from MITSCHRIFT_LLM_TIMEOUT').waitFor();
      await checkLook(page, 'settings-language');

      const asks = page.getByText('Leave without saving?');
      await page.getByRole('link', { name: 'Speakers' }).first().click();
      await asks.waitFor();
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Stay here');
      await page.keyboard.press('Escape');
      // Back through the groups that were open, then to the page before: twice, since the first time it stays.
      for (const place of ['?part=server', '']) {
        await page.goBack();
        await page.waitForURL(`${service.url}/settings${place}`);
      }
      await page.goBack();
      await asks.waitFor();
      await press('Stay here');
      assert.equal(new URL(page.url()).pathname, '/settings');
      await page.goBack();
      await asks.waitFor();
      await press('Leave without saving');
      await page.waitForURL(`${service.url}/`);
      await page.locator('#record').waitFor();

      // Where Back leaves the document, the browser itself asks.
      await page.goto(`${service.url}/settings?part=server`);
      await upload.fill('2048');
      await page.getByText('1 change not saved yet').first().waitFor();
      const asked = page.waitForEvent('dialog');
      await page.evaluate('history.back()');
      assert.equal((await asked).type(), 'beforeunload');
      await (await asked).dismiss();
      assert.equal(await upload.inputValue(), '2048');
    },
  );

  await t.test('all is saved or nothing, and what is wrong is said at its field', async (t) => {
    const config = async () => {
      const api = apiOf(service.url, session.token);
      return (await api.get<{ config: Record<string, Record<string, unknown>> }>('/config')).config;
    };
    await open('Speech to text');
    await page.locator('select#setting-stt-local_model').selectOption('espeak-en');
    await open('Notes and voices');
    const vault = page.getByLabel('Vault');
    for (const [path, fault] of [
      ['relative', 'must be an absolute path'],
      [join(service.dataDir, 'vault'), 'is not there: make the folder first, or name another'],
    ] as const) {
      await vault.fill(path);
      await press('Save');
      await page.getByText(fault).waitFor();
      assert.equal(await page.evaluate('document.activeElement.id'), 'setting-notes-vault');
    }
    await checkLook(page, 'settings-notes');
    assert.equal((await config())['limits']!['upload_mb'], 4096);
    await vault.fill(service.dataDir);
    await press('Save');
    await page.getByText('3 changes saved.').waitFor();
    const { limits, notes, stt } = await config();
    assert.deepEqual(
      [limits!['upload_mb'], notes!['vault'], stt!['local_model']],
      [2048, service.dataDir, 'espeak-en'],
    );
    await open('Models');
    await page
      .getByRole('listitem')
      .filter({ hasText: 'espeak' })
      .getByText('in use')
      .first()
      .waitFor();
    await checkLook(page, 'settings-models');
    await open('Health');
    await page.locator('.health').first().waitFor();
    await checkLook(page, 'settings-health');

    await open('Backup');
    await page.getByLabel('Folder for it').fill(join(await tempDir(t), 'backup'));
    await press('Back up now');
    await page.getByText(/^Backed up, /).waitFor();
    await page.getByText(/^\d+ facts are in it/).waitFor();
    await checkLook(page, 'settings-backup');
  });

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
