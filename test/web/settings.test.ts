import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { checkLook, openPage, password, phone, startChromium, startWebService } from './browser.ts';

/** Files that a backup takes longer to copy than a person to press a button. */
const filesMuch = 1500;

test('settings changed and saved, two people in their accounts; the service away, and back', async (t) => {
  const service = await startWebService(t, { MITSCHRIFT_LLM_TIMEOUT: '60' });
  const browser = await startChromium(t);
  const session = await service.login();
  const page = await openPage(t, browser, {
    url: service.url,
    session,
    expected: /WebSocket|ERR_CONNECTION_REFUSED|ERR_FAILED|status of 4(03|09|22)/,
    serviceWorkers: 'allow',
  });
  const press = async (name: string | RegExp) => await page.getByRole('button', { name }).click();

  const open = async (part: string) =>
    await page.locator('nav.side').getByRole('link', { name: part }).click();

  await t.test(
    'what is changed asks before it is lost, by a link, by Back, and for good',
    async () => {
      await page.getByRole('navigation').getByText('Settings').click();
      await open('Server and limits');
      const upload = page.getByLabel('Maximum upload size');
      await upload.fill('0');
      await page.getByText('At least 1. The previous value').waitFor();
      await upload.fill('2048');
      await page.getByText('1 unsaved change').first().waitFor();
      await open('Language model');
      assert.equal(await page.getByLabel('Time limit').isDisabled(), true);
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
      await page.getByRole('heading', { level: 1, name: 'Notes' }).waitFor();

      // Where Back leaves the document, the browser itself asks.
      await page.goto(`${service.url}/settings?part=server`);
      await upload.fill('2048');
      await page.getByText('1 unsaved change').first().waitFor();
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
    await open('Speech recognition');
    await page.locator('select#setting-stt-local_model').selectOption('espeak-en');
    await open('Notes and voices');
    const folder = await tempDir(t);
    const vault = page.getByLabel('Shared notes folder (vault)');
    for (const [path, fault] of [
      ['relative', 'must be a full path, starting with /'],
      [join(folder, 'vault'), 'doesn’t exist: create the folder first, or choose another one'],
      [service.dataDir, 'must not be in Mitschrift’s own data folder'],
    ] as const) {
      await vault.fill(path);
      await press('Save');
      await page.getByText(fault).waitFor();
      await page.locator('#setting-notes-vault:focus').waitFor();
    }
    await checkLook(page, 'settings-notes');
    assert.equal((await config())['limits']!['upload_mb'], 4096);
    await vault.fill(folder);
    await press('Save');
    await page.getByText('3 changes saved.').waitFor();
    const { limits, notes, stt } = await config();
    assert.deepEqual(
      [limits!['upload_mb'], notes!['vault'], stt!['local_model']],
      [2048, folder, 'espeak-en'],
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
    await page.getByLabel('Backup folder').fill(join(await tempDir(t), 'backup'));
    await press('Back up now');
    await page.getByText(/^Backup completed: /).waitFor();
    await page.getByText(/^The backup contains \d+ files? \(\d+ MB\)/).waitFor();
    await checkLook(page, 'settings-backup');

    // Enough to copy that there is time to change one's mind.
    const much = join(service.dataDir, 'quarantine', 'much');
    await mkdir(much, { recursive: true });
    for (let n = 0; n < filesMuch; n += 1) await writeFile(join(much, `${n}`), 'x');
    await press('Back up now');
    await press('Cancel backup');
    await page.getByText('The backup was cancelled.').waitFor();
    await page.getByRole('button', { name: 'Cancel backup' }).waitFor({ state: 'detached' });
    await rm(much, { recursive: true });
  });

  await t.test('a notes folder of one’s own is chosen in the account, and given up', async () => {
    await page.goto(`${service.url}/account`);
    const folder = page.getByLabel('Folder on the Mitschrift server');
    await folder.fill('/nowhere/at/all');
    await press('Save');
    await page
      .getByText('This folder doesn’t exist: create the folder first, or choose another one.')
      .waitFor();
    const vault = await tempDir(t);
    await folder.fill(vault);
    await press('Save');
    await page.getByText('Notes folder saved. Your notes are being copied.').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Stop copying' }).waitFor();
    assert.equal(await folder.inputValue(), vault);
    await checkLook(page, 'account');
    await press('Stop copying');
    await page.getByText('Copying stopped.').waitFor();
  });

  await t.test('people: a second one is invited, sees no settings, and goes', async (t) => {
    await page.goto(`${service.url}/settings?part=people`);
    // As if the page had stood open for a while: the password is asked for, and then it is done.
    let asked = 0;
    await page.route('**/users/invitations', async (route) => {
      if (route.request().method() !== 'POST' || (asked += 1) > 1) return await route.continue();
      const problem = { type: '/problems/confirmation-required', title: 'Once more', status: 403 };
      await route.fulfill({ status: 403, json: problem, contentType: 'application/problem+json' });
    });
    await press('Invite person…');
    await page.getByLabel('For whom (only administrators see it)').fill('Ben, library');
    // With the first other person comes the question who may record this room.
    await page
      .getByLabel('Who may record with the server’s microphones?')
      .selectOption('administrators');
    await checkLook(page, 'settings-invite');
    await press('Create invitation');
    await page.getByRole('heading', { name: 'Enter your password to continue' }).waitFor();
    await checkLook(page, 'confirm-password');
    await page.getByLabel('Password', { exact: true }).fill('not hers');
    await press('Continue');
    await page
      .getByText('This is not your current password. Check upper and lower case.')
      .waitFor();
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Copy the invitation now' }).waitFor();
    assert.match(String(await page.evaluate('document.activeElement.textContent')), /^Copy the/);
    const link = (await page.locator('.once output').textContent())!;
    await checkLook(page, 'settings-invited');
    await press('Done');
    await page.getByRole('heading', { name: 'Ben, library' }).waitFor();

    // Ben opens it, on a phone.
    const door = await openPage(t, browser, {
      url: link,
      locale: 'de-DE',
      expected: /40[149]|422|WebSocket/,
      ...phone,
    });
    await door.getByText('ada lädt Sie zu Mitschrift ein').waitFor();
    await checkLook(door, 'login-invitation-phone-de');
    await door.getByLabel('Benutzername').fill('ben');
    await door.getByLabel('Passwort').fill('passwort');
    await door.getByRole('button', { name: 'Konto erstellen' }).click();
    await door.getByText('Dieses Passwort gehört zu den häufigsten.').waitFor();
    await door.getByLabel('Passwort').fill(password);
    await door.keyboard.press('Enter');
    await door.waitForURL(`${service.url}/`);
    await door.goto('about:blank');
    await door.goto(link);
    await door.getByText('Diese Einladung ist nicht mehr gültig.').waitFor();
    await checkLook(door, 'login-invitation-over-phone-de');
    await door.context().close();

    const ben = await apiOf(service.url).post<object>('/login', { username: 'ben', password });
    const theirs = await openPage(t, browser, {
      url: `${service.url}/settings`,
      session: ben,
      locale: 'de-DE',
      expected: /401|422|WebSocket/,
      ...phone,
    });
    await theirs.getByText('Nur Administratoren können Einstellungen ändern.').waitFor();
    await checkLook(theirs, 'settings-refused-phone-de');
    await theirs.getByRole('link', { name: 'Zu meinem Konto' }).click();
    await theirs.getByText('hier', { exact: true }).waitFor();
    await checkLook(theirs, 'account-phone-de');
    await theirs.getByLabel('Aktuelles Passwort').fill('falsch');
    await theirs.getByLabel('Neues Passwort').fill('drei laternen am hafen');
    await theirs.getByRole('button', { name: 'Passwort ändern' }).click();
    await theirs
      .getByText('Das ist nicht Ihr aktuelles Passwort. Achten Sie auf Groß- und Kleinschreibung.')
      .waitFor();
    await theirs.getByLabel('Aktuelles Passwort').fill(password);
    await theirs.getByRole('button', { name: 'Passwort ändern' }).click();
    await theirs.getByText('Passwort geändert.').waitFor();
    // Only all others are logged out.
    await theirs.reload();
    await theirs.getByText('hier', { exact: true }).waitFor();

    await page.reload();
    const row = page.getByRole('listitem').filter({ hasText: 'ben' });
    await row.getByRole('button', { name: 'Link for a new password…' }).click();
    await page.getByRole('heading', { name: 'Copy the link now' }).waitFor();
    await press('Notes folder…');
    const theirFolder = await tempDir(t);
    await page.getByRole('textbox', { name: 'Notes folder' }).fill(theirFolder);
    await press('Save');
    await page.getByText('Notes folder of ben saved.').waitFor();
    const { config } = await apiOf(service.url, session.token).get<{
      config: { audio: { recorders: string } };
    }>('/config');
    assert.equal(config.audio.recorders, 'administrators');
    await checkLook(page, 'settings-people');
    await press('Done');
    await press(/^Withdraw…/);
    await page.getByRole('button', { name: 'Withdraw', exact: true }).click();
    await page.getByText('link for a new password', { exact: true }).waitFor({ state: 'detached' });
    await press('Remove…');
    await page.getByText('Remove ben?').waitFor();
    await press('Remove permanently');
    await page.getByText('ben', { exact: true }).waitFor({ state: 'detached' });
    await theirs.waitForURL(/\/login/);
  });

  await t.test('the service away: the app still opens, says so, and comes back', async (t) => {
    await page.goto(`${service.url}/account`);
    await page.getByText('here', { exact: true }).waitFor();
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
    await service.end('SIGTERM');
    await page.goto(`${service.url}/speakers`);
    await page.getByRole('heading', { name: 'Mitschrift can’t be reached.' }).waitFor();
    await checkLook(page, 'not-reachable');
    const port = new URL(service.url).port;
    const again = await startServiceProcess(service.dataDir, { MITSCHRIFT_PORT: port });
    t.after(async () => await again.end('SIGTERM'));
    await page.getByRole('heading', { level: 1, name: /Who|Speakers|voice/ }).waitFor();
  });
});
