import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { tellTalks } from '../bench/library.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import {
  checkLook,
  dataWithAda,
  noteAnnouncements,
  openPage,
  password,
  saidIn,
  startChromium,
  untilHolds,
} from './browser.ts';

const busy = { type: '/problems/too-busy', title: 'The service is too busy.', status: 503 };
const refuse = async (route: Route) => await route.fulfill({ status: 503, json: busy });
/** Refuses what is changed there; it can be read. */
const refuseChanges = async (route: Route) =>
  route.request().method() === 'GET' ? await route.fallback() : await refuse(route);
const focused = (name: string): string =>
  `document.activeElement.getAttribute('aria-label') === '${name}'`;
const saysNo = async (page: Page, title: string) =>
  await page.locator('.says.bad').getByText(title).waitFor();

test('what the service refuses is shown as it is, and can be tried again', async (t) => {
  const { dataDir, session } = await dataWithAda(t);
  const [id] = await tellTalks(dataDir, 1, {
    nameOf: (number) => `Note ${number}`,
    startedAt: () => Date.now() - 3_600_000,
  });
  const service = await startServiceProcess(dataDir);
  t.after(async () => await service.end('SIGTERM'));
  const api = apiOf(service.url, session.token);
  const folder = (await api.post<{ id: string }>('/folders', { name: 'Choir' })).id;
  const lift = (await api.post<{ id: string }>('/tags', { name: 'lift', colour: 1 })).id;
  const proxy = await tcpProxy(t, service.url);
  const page = await openPage(t, await startChromium(t), {
    url: `${proxy.url}/notes/${id}`,
    session,
    expected: /status of 503|status of 404 .*\/(?:audio|peaks)\?|WebSocket|ERR_/,
  });
  const filedIn = async () =>
    await api.get<{ folder: string | null; tags: string[] }>(`/recordings/${id}`);
  const part = page.getByRole('group', { name: 'Folder and tags' });

  await t.test('a right that somebody was not given', async () => {
    // The login may be older than five minutes.
    await api.post('/users/me/confirm', { current_password: password });
    await api.put(`/recordings/${id}/access`, {
      group: (await api.post<{ id: string }>('/groups', { name: 'Choir' })).id,
    });
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('button', { name: 'Share…' }).click();
    const drawer = page.getByRole('dialog', { name: 'Share note' });
    const role = drawer.getByLabel('What Choir may do');
    await role.waitFor();
    await page.route('**/access', refuseChanges);
    await role.selectOption('correct');
    await drawer.getByText('The service is too busy.').waitFor();
    assert.equal(await role.inputValue(), 'read');
    const audio = drawer.getByLabel('Choir: with audio');
    await audio.click();
    await untilHolds(page, `document.querySelector('.may input').checked === false`);
    await page.unrouteAll({ behavior: 'wait' });
    await audio.check();
    await page.keyboard.press('Escape');
  });

  await t.test('a tag that was not put on a note; each of two quick changes counts', async () => {
    const box = page.getByRole('checkbox', { name: 'lift' });
    await page.route('**/recordings/bulk', refuse);
    await part.getByRole('button', { name: 'Add tag' }).click();
    await box.click();
    await saysNo(page, 'The note could not be changed.');
    assert.equal(await box.isChecked(), false);
    await page.unrouteAll({ behavior: 'wait' });

    let answer = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/recordings/bulk', async (route) => {
      await held;
      await route.continue();
    });
    const first = page.waitForRequest('**/recordings/bulk');
    await box.click();
    const asked = [await first];
    const second = page.waitForRequest('**/recordings/bulk');
    await box.click();
    answer();
    asked.push(await second);
    assert.deepEqual(
      asked.map((one) => (one.postDataJSON() as { changes: object[] }).changes),
      [[{ recording_id: id, add_tags: [lift] }], [{ recording_id: id, remove_tags: [lift] }]],
    );
    await page.unrouteAll({ behavior: 'wait' });
    await untilHolds(page, `document.querySelector('.check input').checked === false`);
    await page.keyboard.press('Escape');
  });

  await t.test('an undo, also where the page of the note was left', async () => {
    await part.getByRole('button', { name: /^Folder/ }).click();
    await page.getByRole('button', { name: /^Choir/ }).click();
    await part.getByRole('button', { name: 'Folder Choir' }).waitFor();
    await page.getByRole('navigation').getByText('Notes').first().click();
    await page.locator('article.note').first().waitFor();
    await page.route('**/recordings/bulk', refuse);
    const undo = async () => {
      await page.getByRole('button', { name: 'Recent changes' }).click();
      await page.getByRole('button', { name: 'Undo: Moved to Choir' }).click();
    };
    await undo();
    await page.getByText('Not undone: Moved to Choir. The service is too busy.').first().waitFor();
    await checkLook(page, 'undo-refused');
    assert.equal((await filedIn()).folder, folder);
    await page.unrouteAll({ behavior: 'wait' });
    await page.keyboard.press('Escape');
    await undo();
    await page.getByRole('button', { name: 'Recent changes' }).waitFor({ state: 'detached' });
    await page.locator('article.note').getByText('Choir').waitFor({ state: 'detached' });
    assert.equal((await filedIn()).folder, null);
  });

  await t.test(
    'templates and rules that could not be read, and are when it can be reached',
    async () => {
      for (const [name, title, shown] of [
        ['templates', 'The templates could not be loaded.', 'Built in'],
        ['rules', 'The rules could not be loaded.', 'No rules yet.'],
      ] as const) {
        await page.route(`**/${name}`, refuse);
        await page.goto(`${proxy.url}/organise?part=${name}`);
        await saysNo(page, title);
        await page.unrouteAll({ behavior: 'wait' });
        proxy.cut();
        await page.getByText(shown).waitFor();
        await page.getByText(title).waitFor({ state: 'detached' });
      }
    },
  );

  await t.test('the place of a rule, and whether it is on; two quick moves are two', async () => {
    for (const title of ['one', 'two', 'three'])
      await api.post('/rules', { when: { title }, then: { folder }, enabled: true });
    await page.addInitScript(noteAnnouncements);
    await page.goto(`${proxy.url}/organise?part=rules`);
    const down = (number: number) => page.getByRole('button', { name: `Move rule ${number} down` });
    await page.route('**/rules/*', refuseChanges);
    await down(1).press('Enter');
    await saysNo(page, 'The rule could not be saved.');
    await untilHolds(page, focused('Move rule 1 down'));
    const isOn = page.getByRole('switch', { name: 'Rule 1 is on' });
    await isOn.click();
    await untilHolds(page, `document.querySelector('[role=switch]').checked === true`);
    assert.deepEqual(
      (await saidIn(page)).filter((text) => /Rule \d/.test(text)),
      [],
    );
    await page.unrouteAll({ behavior: 'wait' });

    await down(1).waitFor();
    await page.evaluate(
      `for (const button of [1, 2].fill(document.querySelector('[aria-label="Move rule 1 down"]')))
        button.click()`,
    );
    await page.locator('.rules > li').nth(2).getByText('“one”').waitFor();
    await untilHolds(page, focused('Move rule 3 up'));
    assert.deepEqual((await saidIn(page)).at(-1), 'status: Rule 3');
  });
});
