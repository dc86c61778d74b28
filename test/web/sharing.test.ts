import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { tellTalks } from '../bench/library.ts';
import { eventually } from '../support/eventually.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import {
  accessibilityFaults,
  checkLook,
  openPage,
  phone,
  record,
  screenshot,
  startChromium,
  startWebService,
  untilHolds,
} from './browser.ts';

const german320 = { ...phone, viewport: { width: 320, height: 640 }, locale: 'de-DE' };

/** `ada` has notes, `ben` none. */
async function twoPeople(t: TestContext, noteCount: number) {
  const first = await startWebService(t);
  const session = await first.login();
  const ben = await first.login('ben');
  await first.end('SIGTERM');
  const ids = await tellTalks(first.dataDir, noteCount, {
    nameOf: (number) => `Note ${number}`,
    startedAt: (number) => Date.now() - (number + 1) * 3_600_000,
  });
  const service = await startServiceProcess(first.dataDir);
  t.after(async () => await service.end('SIGTERM'));
  const browser = await startChromium(t, [
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
  ]);
  const opened = async (who: typeof session, path: string, more: object = {}) => {
    const page = await openPage(t, browser, {
      url: `${service.url}${path}`,
      session: who,
      expected: /status of 40[349]/,
      ...more,
    });
    return page;
  };
  return { ada: session, ben, ids, opened, api: apiOf(service.url, session.token) };
}

async function isNoWider(page: Page): Promise<void> {
  const wide = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  assert.ok(wide <= 0, `${wide} pixels wider than the screen`);
}

test('another person’s note shows whose it is, and only what its reader may do', async (t) => {
  const { ben, ids, opened, api } = await twoPeople(t, 2);
  const [read, corrected] = ids;
  await api.put(`/recordings/${read}/access`, { user: 'ben' });
  await api.put(`/recordings/${corrected}/access`, { user: 'ben', role: 'correct', audio: true });
  const more = (page: Page) => page.getByRole('button', { name: 'More' });
  const inMenu = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).and(page.locator(':visible'));

  const reader = await opened(ben, `/notes/${read}`);
  await reader.getByText('ada’s note').waitFor();
  await reader.getByText('You may read this note, without audio.').waitFor();
  await reader.locator('.turn').first().waitFor();
  await reader.locator('#of-how').waitFor();
  for (const gone of [
    'h1 button',
    '.filing',
    '.turn .tools button',
    'button.at',
    '.line [role=button]',
    '.line input',
    '#sidenote',
    '.player',
    '.add',
    '.rewrite',
  ])
    assert.equal(await reader.locator(gone).count(), 0, gone);
  assert.equal(await reader.getByRole('button', { name: 'Change names' }).count(), 0);
  await checkLook(reader, 'shared-read');
  await more(reader).click();
  await inMenu(reader, 'Print…').waitFor();
  for (const name of [
    'Versions',
    'Type and date…',
    'Delete…',
    'Process again…',
    'Continue recording',
  ])
    assert.equal(await inMenu(reader, name).count(), 0, name);
  await checkLook(reader, 'shared-read-menu');

  const corrector = await opened(ben, `/notes/${corrected}`);
  await corrector.getByText('You may edit this note, with audio.').waitFor();
  await corrector.locator('.player').waitFor();
  await corrector.locator('.turn .tools button').first().waitFor();
  assert.equal(await corrector.locator('.filing, #sidenote, .rewrite').count(), 0);
  await corrector.getByRole('button', { name: 'Note 1 title' }).click();
  await corrector.getByLabel('Title', { exact: true }).fill('Read by Ben');
  await corrector.keyboard.press('Enter');
  await corrector.getByRole('heading', { name: 'Read by Ben' }).waitFor();
  await more(corrector).click();
  await inMenu(corrector, 'Versions').click();
  await corrector.getByRole('dialog').getByText('current').waitFor();
  assert.equal(await corrector.getByRole('button', { name: 'Restore' }).count(), 0);
  await corrector.keyboard.press('Escape');

  const narrow = await opened(ben, `/notes/${corrected}`, german320);
  await narrow.getByText('Notiz von ada').waitFor();
  await narrow.emulateMedia({ colorScheme: 'dark' });
  await isNoWider(narrow);
  await screenshot(narrow, 'shared-correct-phone-320-dark');

  // What may not be heard has no button that plays it among what is found.
  const finds = await opened(ben, '/search?q=note');
  const group = (id: string | undefined) => finds.locator(`.hitgroup[data-row="${id}"]`);
  await group(read).locator('a.cite').first().waitFor();
  assert.equal(await group(read).locator('button.cite').count(), 0);
  await group(corrected).locator('button.cite').first().waitFor();
  await checkLook(finds, 'shared-found');

  await api.delete(`/recordings/${read}/access/${(await grantsOf(api, read!))[0]}`);
  await reader.reload();
  await reader.getByText('Note not found.').waitFor();
});

const grantsOf = async (api: ReturnType<typeof apiOf>, id: string) =>
  (await api.get<{ grants: { to: string }[] }>(`/recordings/${id}/access`)).grants.map(
    ({ to }) => to,
  );

test('a note and a folder are shared by name, changed and taken back; on a phone in German', async (t) => {
  const { ada, ids, opened, api } = await twoPeople(t, 1);
  const [id] = ids;
  await api.post('/groups', { name: 'Reading room' });
  // Called as a person: it is chosen by what it is besides.
  await api.post('/groups', { name: 'Ben' });
  const folder = (await api.post<{ id: string }>('/folders', { name: 'Library board' })).id;
  type Grants = {
    grants: { name: string; role: string; audio: boolean; by_folder?: boolean }[];
  };
  const given = async (path: string) =>
    (await api.get<Grants>(`${path}/access`)).grants.map(({ name, role, audio }) => [
      name,
      role,
      audio,
    ]);
  const page = await opened(ada, `/notes/${id}`);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Share…' }).press('Enter');
  const drawer = page.getByRole('dialog', { name: 'Share note' });
  await drawer.getByText('Only you can open this note.').waitFor();
  await untilHolds(page, "document.activeElement.textContent === 'Share note'");
  await drawer.getByText('Deleting the note doesn’t reach copies.').waitFor();
  await drawer.getByLabel('Name of a person or group').fill('nobody');
  await page.keyboard.press('Enter');
  await untilHolds(page, "document.activeElement.getAttribute('aria-invalid') === 'true'");
  await drawer.getByLabel('Name of a person or group').fill('Ben');
  await page.keyboard.press('Enter');
  await drawer.getByText('ben', { exact: true }).waitFor();
  await drawer.getByLabel('Name of a person or group').fill('reading ROOM');
  await drawer.getByLabel('What this person may do').selectOption('correct');
  await drawer.getByLabel('with audio', { exact: true }).check();
  await drawer.getByRole('button', { name: 'Share', exact: true }).press('Enter');
  await drawer.getByText('Reading room', { exact: true }).waitFor();
  await drawer.getByLabel('Name of a person or group').fill('Ben (group)');
  await page.keyboard.press('Enter');
  const withdraw = drawer.getByRole('button', { name: 'Remove access: Ben', exact: true });
  await withdraw.press('Enter');
  await page.getByText('Ben no longer has access', { exact: true }).first().waitFor();
  await checkLook(page, 'share-note');
  assert.deepEqual(await given(`/recordings/${id}`), [
    ['ben', 'read', false],
    ['Reading room', 'correct', true],
  ]);
  await drawer.getByLabel('ben: with audio').check();
  await drawer.getByLabel('What ben may do').selectOption('correct');
  await eventually('both changed', async () =>
    (await given(`/recordings/${id}`)).some(([name, role, audio]) => {
      return name === 'ben' && role === 'correct' && audio === true;
    }),
  );
  await drawer.getByRole('button', { name: 'Remove access: ben' }).press('Enter');
  await page.getByText('ben no longer has access').first().waitFor();
  await untilHolds(
    page,
    "document.activeElement.getAttribute('aria-label') === 'Remove access: Reading room'",
  );
  assert.deepEqual(await given(`/recordings/${id}`), [['Reading room', 'correct', true]]);
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await page.locator('.turn').first().waitFor();
  await untilHolds(page, "document.activeElement.getAttribute('aria-label') === 'More'");

  // Who loses it with its owner is named before it is deleted.
  await api.put(`/recordings/${id}/access`, { user: 'ben' });
  await api.post(`/recordings/${id}/links`, { name: 'Board' });
  await page.reload();
  await page.getByText('shared with 2, 1 link').waitFor();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  const question = page.getByRole('dialog');
  await question.getByText(/^The recording is also deleted for: .+\.$/u).waitFor();
  const named = await question.getByText('is also deleted for').innerText();
  for (const name of ['ben', 'Reading room']) assert.ok(named.includes(name), named);
  await question.getByText('The link to the recording stops working.').waitFor();
  await checkLook(page, 'share-delete');
  await question.getByRole('button', { name: 'Cancel' }).click();
  assert.equal((await given(`/recordings/${id}`)).length, 2, 'nothing is deleted');

  const narrow = await opened(ada, '/organise', german320);
  await narrow.getByRole('button', { name: 'Teilen… Library board' }).tap();
  const box = narrow.getByRole('dialog', { name: 'Ordner „Library board“ teilen' });
  await box.getByLabel('Person oder Gruppe').fill('ben');
  await box.getByRole('button', { name: 'Teilen', exact: true }).tap();
  await box.getByText('ben', { exact: true }).waitFor();
  await narrow.emulateMedia({ colorScheme: 'dark' });
  await isNoWider(narrow);
  await screenshot(narrow, 'share-folder-phone-320-dark');
  assert.deepEqual(await accessibilityFaults(narrow), []);
  assert.deepEqual(await given(`/folders/${folder}`), [['ben', 'read', false]]);
  await box.getByRole('button', { name: 'Schließen' }).tap();
  await narrow.getByText('mit 1 geteilt').waitFor();
  await isNoWider(narrow);
  await screenshot(narrow, 'share-organise-phone-320-dark');

  // Who moves a note there is told that others read it, and so is who deletes the folder.
  await page.reload();
  await page.getByText('shared with 2, 1 link').waitFor();
  const board = page.getByRole('button', { name: /^Library board ?, shared/u });
  // The key opens nothing as long as the folders are not read.
  await eventually('the folders are shown', async () => {
    if (!(await board.isVisible())) await page.keyboard.press('f');
    return await board.isVisible();
  });
  await board.press('Enter');
  await page.getByText('Others can read the note there.').first().waitFor();
  await page.getByText('shared with 2, folder shared with 1, 1 link').waitFor();
  await checkLook(page, 'share-folder-in-head');
  const organise = await opened(ada, '/organise');
  await organise.getByRole('button', { name: 'Edit Library board' }).click();
  await organise.getByRole('button', { name: 'Delete folder…' }).click();
  await organise.getByText('lose this access to its notes').waitFor();
  await organise.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
});

test('what others share is a list of its own, with their names; what they record is followed', async (t) => {
  const { ada, ben, ids, opened, api } = await twoPeople(t, 3);
  const [one, two] = ids;
  const home = await opened(ben, '/');
  await home.getByText('No notes yet').waitFor();
  assert.equal(await home.getByRole('button', { name: 'Shared with me' }).count(), 0);
  await api.put(`/recordings/${one}/access`, { user: 'ben' });
  await home.getByRole('button', { name: 'Shared with me' }).press('Enter');
  const row = (page: Page, name: string) => page.locator('article.note').filter({ hasText: name });
  await row(home, 'Note 0').getByText('from ada').waitFor();
  await api.put(`/recordings/${two}/access`, { user: 'ben', role: 'correct' });
  await row(home, 'Note 1').getByText('from ada').waitFor();
  assert.equal(await home.locator('.tick, .place').count(), 0, 'nothing is filed or chosen');
  await row(home, 'Note 0').getByRole('link').focus();
  await home.keyboard.press('x');
  await home.keyboard.press('ArrowDown');
  await untilHolds(home, "document.activeElement.textContent.trim() === 'Note 1 title'");
  assert.equal(await home.getByRole('region', { name: 'Selection' }).count(), 0);
  await checkLook(home, 'shared-with-me');

  const own = await opened(ada, '/', { permissions: ['microphone'] });
  await row(own, 'Note 0').getByText('shared with 1').waitFor();
  assert.equal(await row(own, 'Note 2').getByText('shared with').count(), 0);
  await checkLook(own, 'shared-by-me');

  await record(own, 'This device’s microphone');
  const running = new URL(own.url()).pathname.split('/').at(-1);
  await api.put(`/recordings/${running}/access`, { user: 'ben' });
  await home.getByText('ada is recording').waitFor();
  const family = await api.post<{ id: string }>('/folders', { name: 'Family' });
  await api.put(`/folders/${family.id}/access`, { user: 'ben' });
  await api.patch(`/recordings/${running}`, { folder: family.id });
  await home.reload();
  await home.getByText('ada is recording in Family').waitFor();
  await checkLook(home, 'shared-follow');
  await home.getByRole('link', { name: 'Follow' }).press('Enter');
  await home.waitForURL(`**/notes/${running}`);
  await home.getByText('You may read this note, without audio.').waitFor();

  const narrow = await opened(ben, '/?shared=with-me', german320);
  await narrow.getByText('ada nimmt in Family auf').waitFor();
  // Below the edge: rows are shown as they come near.
  await narrow.evaluate('scrollBy(0, 400)');
  await row(narrow, 'Note 0').getByText('von ada').waitFor();
  await narrow.emulateMedia({ colorScheme: 'dark' });
  await isNoWider(narrow);
  await screenshot(narrow, 'shared-with-me-phone-320-dark');
  await checkLook(narrow, 'shared-with-me-phone-320');
});
