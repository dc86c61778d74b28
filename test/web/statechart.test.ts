import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { speak } from '../support/espeak.ts';
import { apiOf, uploadForm } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import {
  checkLook,
  nothingMoved,
  openPage,
  phone,
  startChromium,
  startWebService,
} from './browser.ts';

test('the statechart shows where a recording is, how it got there, and what can happen next', async (t) => {
  const service = await startWebService(t);
  const browser = await startChromium(t);
  const session = await service.login();
  const folder = await tempDir(t);
  await speak('one two three', join(folder, 'talk.wav'));
  const page = await openPage(t, browser, {
    url: `${service.url}/debug`,
    session,
    expected: /status of 503/,
  });
  await page.getByRole('heading', { name: 'No recent activity' }).waitFor();
  await checkLook(page, 'statechart-empty');

  const form = uploadForm(await readFile(join(folder, 'talk.wav')), { title: 'Secret budget' });
  const { recording_id: id } = await apiOf(service.url, session.token).post<{
    recording_id: string;
  }>('/recordings', form);
  const link = page.locator(`main a[href*="${id}"]`);
  await link.waitFor();

  await t.test('as it happens, then one recording with its log', async () => {
    await page
      .locator('main li', { has: page.locator(`a[href*="${id}"]`) })
      .getByText('idle.saved')
      .waitFor();
    await link.click();
    const chart = page.getByRole('group', {
      name: 'State diagram. Current state: Note saved (idle.saved).',
    });
    await chart.waitFor();
    await page.locator('.node.lit', { hasText: 'saved' }).waitFor();
    assert.ok((await page.locator('.node.been').count()) > 4, 'where it was is marked');
    const named = await page.locator('text.q').allTextContents();
    assert.ok(
      named.some((text) => text.startsWith('documents.saved')),
      `a way is called as what went it: ${named.join(', ')}`,
    );
    await page.getByRole('link', { name: 'This recording' }).click();
    await page.getByText('Version 1 is current.').waitFor();
    await page
      .getByRole('region', { name: 'Possible next events' })
      .getByText('reprocessing.requested')
      .waitFor();
    await checkLook(page, 'statechart');
  });

  await t.test('any earlier place, by the keyboard', async () => {
    const facts = page.locator('.fact');
    await page.locator('h1').focus();
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('group', { name: /Saving the note/ }).waitFor();
    await page.getByText('None yet.').waitFor();
    assert.ok((await facts.count()) > 3);
    await page.getByLabel('Position in the log').locator('input').fill('1');
    await page.getByRole('group', { name: /Transcribing/ }).waitFor();
    await page.locator('h1').focus();
    await page.keyboard.press('End');
    await page.getByRole('group', { name: /Note saved/ }).waitFor();
  });

  await t.test('what moved before cannot be read, and then it can', async () => {
    const refused = {
      type: '/problems/log-unavailable',
      title: 'The log cannot be reached',
      status: 503,
    };
    await page.route(/\/events\?/, (route) => route.fulfill({ status: 503, json: refused }));
    await page.goto(`${service.url}/debug`);
    await page.getByText('Earlier activity could not be loaded.').waitFor();
    await page.getByText('The log cannot be reached').waitFor();
    await page.unroute(/\/events\?/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await link.waitFor();
    await page.goto(`${service.url}/debug`);
    await page.getByRole('group', { name: 'State diagram. Current state: none yet.' }).waitFor();
    await link.waitFor();
    await nothingMoved(page);
    // By its title, with the id that commands take beneath.
    assert.equal(await link.innerText(), 'Secret budget');
    await page.locator('main li', { hasText: 'Secret budget' }).getByText(id).waitFor();
    await link.click();
    await page.getByRole('link', { name: 'This recording' }).click();
    await page.getByText('Version 1 is current.').waitFor();
  });

  await t.test('who follows a shared note here has not opened it', async (t) => {
    const reader = await service.login('cleo');
    const api = apiOf(service.url, session.token);
    await api.put(`/recordings/${id}/access`, { user: 'cleo' });
    const theirs = await openPage(t, browser, { url: `${service.url}/debug`, session: reader });
    await theirs.getByRole('heading', { name: 'No recent activity' }).waitFor();
    const asked: string[] = [];
    theirs.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await api.patch(`/recordings/${id}`, { title: 'Secret budget, again' });
    const listed = theirs.locator(`main a[href*="${id}"]`);
    await listed.waitFor();
    assert.equal(await listed.innerText(), id);
    assert.ok(!asked.includes(`/recordings/${id}`));
    assert.deepEqual((await api.get<{ seen: object[] }>(`/recordings/${id}/access`)).seen, []);
  });

  await t.test('a trace holds no word, and opens without a login', async (t) => {
    await page.getByLabel('Log file', { exact: true }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export without content' }).click(),
    ]);
    const path = join(folder, 'trace.json');
    await download.saveAs(path);
    const trace = JSON.stringify(
      (JSON.parse(await readFile(path, 'utf8')) as { facts: object }).facts,
    );
    for (const word of ['budget', 'Secret', 'three', 'ada', id, 'talk']) {
      assert.ok(!trace.toLowerCase().includes(word.toLowerCase()), word);
    }
    const stranger = await openPage(t, browser, { url: `${service.url}/debug` });
    await stranger.getByText('not sent anywhere').waitFor();
    await checkLook(stranger, 'statechart-stranger');
    await stranger.locator('input[type=file]').setInputFiles(path);
    await stranger
      .getByRole('group', { name: 'State diagram. Current state: Note saved (idle.saved).' })
      .waitFor();
    await stranger.locator('input[type=file]').setInputFiles({
      name: 'no.json',
      mimeType: 'application/json',
      buffer: Buffer.from('{}'),
    });
    await stranger.getByText('This is not a log file from Mitschrift.').waitFor();
  });

  await t.test(
    'on a phone it is a list; an administrator sees another’s without a word',
    async (t) => {
      const ben = await service.login('ben');
      await speak('four five', join(folder, 'bens.wav'));
      const bens = await apiOf(service.url, ben.token).post<{ recording_id: string }>(
        '/recordings',
        uploadForm(await readFile(join(folder, 'bens.wav')), { title: 'Bens secret' }),
      );
      const url = `${service.url}/debug?recording=${bens.recording_id}`;
      const small = await openPage(t, browser, { url, session, expected: /404/, ...phone });
      await small.getByText('documents.saved').waitFor();
      assert.ok(await small.getByRole('navigation', { name: 'States as a list' }).isVisible());
      assert.ok(!(await small.locator('.flow').isVisible()));
      assert.doesNotMatch(await small.locator('body').innerText(), /Bens secret/);
      await checkLook(small, 'statechart-phone');

      // It goes on as it happens, which the administrator's own frames do not say.
      await fetch(`${service.url}/recordings/${bens.recording_id}`, {
        method: 'PATCH',
        headers: { Authorization: `Bearer ${ben.token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ title: 'Bens other secret' }),
      });
      await small.getByRole('button', { name: 'title.changed' }).waitFor();
    },
  );
});
