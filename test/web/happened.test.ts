import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { apiOf } from '../support/service-process.ts';
import {
  checkLook,
  openPage,
  phone,
  screenshot,
  startChromium,
  startWebService,
  untilHolds,
} from './browser.ts';

test('what happened is shown, narrowed and saved, by keys; on a phone in German', async (t) => {
  const service = await startWebService(t);
  const session = await service.login();
  await service.login('ben');
  const api = apiOf(service.url, session.token);
  for (let at = 0; at < 60; at += 1) await api.post('/groups', { name: `Group ${at}` });
  const browser = await startChromium(t);
  const page = await openPage(t, browser, { url: `${service.url}/settings?part=people`, session });
  await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'What happened', exact: true }).press('Enter');
  await untilHolds(page, "document.activeElement.textContent === 'What happened'");
  await page.getByText('Group created: group Group 59').waitFor();
  const rows = 'document.querySelectorAll("ul.rows > li").length';
  assert.equal(await page.evaluate(rows), 50);
  await page.getByRole('button', { name: 'Show more' }).press('Enter');
  await untilHolds(page, `${rows} > 60`);
  await page.getByLabel('Type').selectOption('users');
  await page.getByText('Account created: ben').waitFor();
  await untilHolds(page, `${rows} < 10`);
  await checkLook(page, 'settings-happened');
  const { url } = service;
  const body = JSON.stringify({ username: 'nobody', password: 'wrong password' });
  const headers = { 'Content-Type': 'application/json' };
  for (let tries = 0; tries < 2; tries += 1)
    assert.equal((await fetch(`${url}/login`, { method: 'POST', headers, body })).status, 401);
  await page.getByLabel('Type').selectOption('settings');
  await page.getByLabel('Type').selectOption('logins');
  await page.getByText(/^Logged in: ben/).waitFor();
  await page.getByText('Login failed: a name that doesn’t exist · 2 times').waitFor();
  await checkLook(page, 'settings-happened-logins');
  await page.getByLabel('Type').selectOption('users');
  await page.getByLabel('To', { exact: true }).fill('2001-01-01');
  await page.getByText('Nothing found.').waitFor();
  await page.getByLabel('To', { exact: true }).fill('');
  await page.getByText('Account created: ben').waitFor();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download as CSV' }).press('Enter');
  const saved = await saving;
  assert.equal(saved.suggestedFilename(), 'mitschrift-happened.csv');
  const lines = (await readFile(await saved.path(), 'utf8')).trim().split('\r\n');
  assert.ok(lines.length > 1 && lines.slice(1).every((line) => line.includes(',users,')));

  for (const width of [390, 320]) {
    const narrow = await openPage(t, browser, {
      url: `${service.url}/settings?part=happened`,
      session,
      ...phone,
      viewport: { width, height: 640 },
      locale: 'de-DE',
    });
    await narrow.getByText('Gruppe angelegt: Gruppe Group 59').waitFor();
    await narrow.emulateMedia({ colorScheme: 'dark' });
    await screenshot(narrow, `settings-happened-phone-${width}-dark`);
    const wide = await narrow.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    assert.ok(wide <= 0, `${wide} pixels wider than the screen`);
  }
});

test('everything one has is downloaded from the account', async (t) => {
  const service = await startWebService(t);
  const session = await service.login();
  const page = await openPage(t, await startChromium(t), {
    url: `${service.url}/account`,
    session,
  });
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download everything' }).press('Enter');
  const saved = await saving;
  assert.equal(saved.suggestedFilename(), 'mitschrift.zip');
  const bytes = await readFile(await saved.path());
  assert.equal(bytes.subarray(0, 2).toString(), 'PK');
  await checkLook(page, 'account-own-data');
});
