import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { tellTalks } from '../bench/library.ts';
import { apiOf, inviteUser, startServiceProcess } from '../support/service-process.ts';
import {
  type Session,
  checkLook,
  dataWithAda,
  openPage,
  password,
  phone,
  screenshot,
  startChromium,
  untilHolds,
} from './browser.ts';

const noteCount = 12;
const hour = 3_600_000;
const tagNames = ['board', 'budget', 'opening', 'building', 'lift'];
const longName = `Vorstandssitzungen_${'der_Genossenschaft_'.repeat(3)}2026`;

test('folders and tags: notes are put into them and found by them', async (t) => {
  const { dataDir, session } = await dataWithAda(t);
  const now = Date.now();
  const ids = await tellTalks(dataDir, noteCount, {
    nameOf: (number) => `Note ${number}`,
    startedAt: (number) => now - number * 26 * hour,
  });
  const service = await startServiceProcess(dataDir);
  t.after(async () => await service.end('SIGTERM'));
  const api = apiOf(service.url, session.token);
  const made = async (path: string, body: object) =>
    (await api.post<{ id: string }>(path, body)).id;
  const board = await made('/folders', { name: 'Library board' });
  const long = await made('/folders', { name: longName });
  await made('/folders', { name: 'Choir' });
  const tags: string[] = [];
  for (const [n, name] of tagNames.entries())
    tags.push(await made('/tags', { name, colour: n + 1 }));
  await api.post('/recordings/bulk', {
    changes: [
      { recording_id: ids[0], folder: board, add_tags: tags },
      { recording_id: ids[1], folder: board, add_tags: tags.slice(0, 1) },
      { recording_id: ids[2], folder: long },
    ],
  });
  const browser = await startChromium(t);
  const opened = async (more: object = {}) => {
    const page = await openPage(t, browser, {
      url: service.url,
      session,
      expected: /status of 40[49]|ERR_FAILED/,
      ...more,
    });
    await page.locator('article.note').first().waitFor();
    return page;
  };
  // Only rows near the window are in the page: all that are named here are.
  const page = await opened({ viewport: { width: 1280, height: 1600 } });
  const row = (name: string) =>
    page
      .locator('article.note')
      .filter({ has: page.getByRole('link', { name: `${name} title`, exact: true }) });

  await t.test('a folder and tags are chosen by keys; Back leads to them', async () => {
    await row('Note 0').getByText('Library board').waitFor();
    for (const name of ['board', 'budget', 'building'])
      await row('Note 0').getByText(name, { exact: true }).waitFor();
    await row('Note 0').getByText('+2', { exact: true }).waitFor();
    await checkLook(page, 'order-library');
    await page.getByRole('button', { name: 'All folders' }).press('Enter');
    await untilHolds(page, "document.activeElement.placeholder === 'Find a folder'");
    await page.getByRole('button', { name: 'Library board 2' }).waitFor();
    await checkLook(page, 'order-places');
    await page.keyboard.type('BOARD');
    await page.keyboard.press('Enter');
    await row('Note 5').waitFor({ state: 'detached' });
    await page.waitForURL((url) => url.searchParams.get('folder') === board);
    await row('Note 0').waitFor();
    await row('Note 0').getByText('Library board').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Tags', exact: true }).click();
    await page.getByRole('checkbox', { name: 'budget' }).check();
    await row('Note 1').waitFor({ state: 'detached' });
    await checkLook(page, 'order-tags');
    await page.keyboard.press('Escape');
    await row('Note 0').getByRole('link').click();
    await page.waitForURL(/\/notes\//);
    await page.goBack();
    await page.getByRole('button', { name: 'Library board', exact: true }).waitFor();
    // A search from here stays in the folder, and says so.
    await page.getByRole('combobox').fill('title');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Note 0 title' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('folder'), board);
    assert.equal(await page.locator('.hitgroup').count(), 1);
    await checkLook(page, 'order-search');
    await page.getByRole('button', { name: 'budget', exact: true }).click();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('link', { name: 'Note 1 title' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'budget', exact: true }).waitFor();
    await page.getByRole('button', { name: 'budget', exact: true }).click();
    await page.getByRole('button', { name: 'Clear' }).click();
    await row('Note 1').waitFor();
  });

  await t.test('a folder is made where one is sought, and is empty', async () => {
    await page.getByRole('button', { name: 'Library board', exact: true }).click();
    await page.keyboard.type('Interviews');
    await page.getByText('No folder “Interviews”.').waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New folder' });
    assert.equal(await dialog.getByLabel('Name').inputValue(), 'Interviews');
    await dialog.getByLabel('Name').fill('choir');
    await page.keyboard.press('Enter');
    await dialog.getByText('The folder could not be created.').waitFor();
    await checkLook(page, 'order-taken');
    await dialog.getByLabel('Name').fill('Interviews');
    await page.keyboard.press('Enter');
    await page.getByText('This folder is empty.').waitFor();
    await checkLook(page, 'order-empty');
    await page.getByRole('button', { name: 'Show all notes' }).click();
    await row('Note 1').waitFor();
  });

  await t.test('several at once, by keys: moved, tagged, and back', async () => {
    const bar = page.getByRole('region', { name: 'Selection' });
    await row('Note 1').getByRole('link').focus();
    await page.keyboard.press('x');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await bar.getByText('3 selected').waitFor();
    await page.keyboard.press('f');
    await page.getByText('Move 3 notes to').waitFor();
    await checkLook(page, 'order-move');
    await page.keyboard.type('choir');
    await page.keyboard.press('Enter');
    await page.getByText('3 notes moved to Choir').waitFor();
    await bar.waitFor({ state: 'detached' });
    for (const name of ['Note 1', 'Note 2', 'Note 3']) await row(name).getByText('Choir').waitFor();
    await untilHolds(page, "document.activeElement.textContent.trim() === 'Note 1 title'");
    await checkLook(page, 'order-moved');
    // On a slow machine the message is gone by now; the list stays.
    await page.getByRole('button', { name: 'Recent changes' }).click();
    await page.getByRole('button', { name: 'Undo: 3 notes moved to Choir' }).click();
    await row('Note 1').getByText('Library board').waitFor();
    await row('Note 2').getByText(longName).waitFor();
    assert.equal(await row('Note 3').getByText('Choir').count(), 0);

    // Three states: on all, off, or as it is.
    await row('Note 0').getByRole('link').focus();
    await page.keyboard.press('x');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('t');
    await page.getByText('Tags of 3 notes').waitFor();
    const box = (name: string) => page.getByRole('checkbox', { name });
    await page.getByText('on 2 of 3, stays').waitFor();
    await box('budget').click();
    await page.getByText('on 1, adds to 2').waitFor();
    await box('lift').click();
    await box('lift').click();
    await page.getByText('removed from 1').waitFor();
    await checkLook(page, 'order-tags-of-many');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Tags of 3 notes changed').waitFor();
    await row('Note 2').getByText('budget').waitFor();
    assert.equal(await row('Note 2').getByText('board', { exact: true }).count(), 0, 'it stays');
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await row('Note 2').getByText('budget').waitFor({ state: 'detached' });
  });

  await t.test(
    'one note by a key on its row; what was done is listed until the page closes',
    async () => {
      await row('Note 5').getByRole('link').focus();
      await page.keyboard.press('t');
      await page.getByText('Tags of 1 note', { exact: true }).waitFor();
      await page.getByRole('checkbox', { name: 'lift' }).click();
      await page.getByRole('button', { name: 'Apply' }).click();
      await row('Note 5').getByText('lift').waitFor();
      await row('Note 5').getByRole('link').focus();
      await page.keyboard.press('f');
      await page.getByText('Move 1 note to').waitFor();
      await page.keyboard.type('choir');
      await page.keyboard.press('Enter');
      await row('Note 5').getByText('Choir').waitFor();
      await page.getByRole('button', { name: 'Recent changes' }).click();
      await checkLook(page, 'order-recent');
      // The older one first: each is taken back by itself.
      await page
        .getByRole('button', { name: 'Undo: Tags of 1 note changed' })
        .last()
        .press('Enter');
      await row('Note 5').getByText('lift').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Recent changes' }).click();
      await page.getByRole('button', { name: 'Undo: 1 note moved to Choir' }).press('Enter');
      await row('Note 5').getByText('Choir').waitFor({ state: 'detached' });
      // From the last that was chosen to this one.
      await row('Note 1').getByRole('link').focus();
      await page.keyboard.press('x');
      await row('Note 4').getByRole('link').focus();
      await page.keyboard.press('Shift+X');
      const bar = page.getByRole('region', { name: 'Selection' });
      await bar.getByText('4 selected').waitFor();
      await row('Note 3').click({ modifiers: ['Shift'] });
      await bar.getByText('3 selected').waitFor();
      await bar.getByRole('button', { name: `Select all ${noteCount}` }).click();
      await bar.getByText(`${noteCount} selected`).waitFor();
      await page.keyboard.press('Escape');
      await bar.waitFor({ state: 'detached' });
    },
  );

  await t.test('the service goes away in a bulk change: nothing is said to be done', async () => {
    await row('Note 3').getByRole('link').focus();
    await page.keyboard.press('x');
    await page.route('**/recordings/bulk', async (route) => await route.abort());
    await page.keyboard.press('f');
    await page.getByRole('button', { name: /^Choir/ }).click();
    await page.locator('.trouble .says').waitFor();
    await page.unroute('**/recordings/bulk');
    assert.equal(await row('Note 3').getByText('Choir').count(), 0);
  });

  await t.test(
    'a note that is refused is named with the reason; the others can be undone',
    async () => {
      const gone = ids[4]!;
      await row('Note 3').getByRole('link').focus();
      await page.keyboard.press('x');
      await page.keyboard.press('Shift+ArrowDown');
      // Its deletion is not heard of in time.
      await page.route('**/recordings/bulk', async (route) => {
        const { changes } = route.request().postDataJSON() as {
          changes: { recording_id: string }[];
        };
        const asked = changes.map((one) =>
          one.recording_id === gone ? { ...one, recording_id: '0'.repeat(26) } : one,
        );
        await route.continue({ postData: { changes: asked } });
      });
      await page.keyboard.press('f');
      await page.getByRole('button', { name: /^Choir/ }).click();
      const message = page.locator('.says.bad');
      await message.getByText('1 of 2 notes were changed.').waitFor();
      await checkLook(page, 'order-partly');
      await page.unroute('**/recordings/bulk');
      await message.getByRole('button', { name: 'Undo for 1' }).click();
      await message.waitFor({ state: 'detached' });
      await page.getByText('1 note is as it was').last().waitFor();
    },
  );

  await t.test('on a note’s page, in place', async () => {
    await row('Note 3').getByRole('link').click();
    const part = page.getByRole('group', { name: 'Folder and tags' });
    await part.getByText('No folder').waitFor();
    await page.keyboard.press('f');
    await untilHolds(page, "document.activeElement.placeholder === 'Find a folder'");
    await page.getByRole('button', { name: /^Choir/ }).click();
    await part.getByRole('button', { name: 'Folder Choir' }).waitFor();
    await part.getByRole('button', { name: 'Add tag' }).press('Enter');
    await page.getByRole('checkbox', { name: 'opening' }).check();
    await page.getByRole('checkbox', { name: 'lift' }).check();
    await part.getByRole('button', { name: 'Remove tag lift' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+T');
    await page.getByRole('checkbox', { name: 'opening' }).waitFor();
    await page.keyboard.press('Escape');
    await checkLook(page, 'order-note');
    await part.getByRole('button', { name: 'Remove tag lift' }).click();
    await part.getByRole('button', { name: 'Remove tag lift' }).waitFor({ state: 'detached' });
    await untilHolds(
      page,
      "document.activeElement.getAttribute('aria-label') === 'Remove tag opening'" +
        " || document.activeElement.textContent.trim() === 'Add tag'",
    );
    await page.goBack();
    await row('Note 3').getByText('Choir').waitFor();
    await row('Note 3').getByText('opening').waitFor();
  });

  await t.test('what is made in a note’s menus is where the note goes', async () => {
    const make = async (what: string, name: string) => {
      await page.getByRole('button', { name: `New ${what}…` }).click();
      const dialog = page.getByRole('dialog', { name: `New ${what}` });
      await dialog.getByLabel('Name').fill(name);
      await dialog.getByLabel('Name').press('Enter');
      await dialog.waitFor({ state: 'detached' });
    };
    await row('Note 4').getByRole('link').click();
    const part = page.getByRole('group', { name: 'Folder and tags' });
    await part.getByRole('button', { name: /^Folder/ }).click();
    await make('folder', 'Kitchen');
    await part.getByRole('button', { name: 'Folder Kitchen' }).waitFor();
    await part.getByRole('button', { name: 'Add tag' }).click();
    // Keys of the page mean nothing while a menu is open.
    await page.keyboard.press('n');
    await untilHolds(page, "document.activeElement.closest(':popover-open') !== null");
    await make('tag', 'oven');
    await part.getByRole('button', { name: 'Remove tag oven' }).waitFor();
    await page.goBack();
    await row('Note 4').getByText('Kitchen').waitFor();
    await row('Note 4').getByRole('link').focus();
    await page.keyboard.press('t');
    await page.getByText('Tags of 1 note', { exact: true }).waitFor();
    await make('tag', 'paint');
    await row('Note 4').getByText('paint').waitFor();
    await row('Note 4').getByText('Kitchen').waitFor();
  });

  await t.test('an earlier change is taken back; what was done since stays', async () => {
    const id = ids[6]!;
    const { token: admin } = await api.post<Session>('/login', { username: 'ada', password });
    await inviteUser(service.url, admin, { username: 'ben', password });
    const { token } = await api.post<Session>('/login', { username: 'ben', password });
    const ben = apiOf(service.url, token);
    const team = await made('/folders', { name: 'Team' });
    await api.put(`/folders/${team}/access`, { user: 'ben' });
    const [opening, lift] = [tags[2]!, tags[4]!];
    await api.post('/recordings/bulk', {
      changes: [{ recording_id: id, folder: team, tags: [lift] }],
    });
    await ben.get(`/recordings/${id}`);
    await row('Note 6').getByRole('link').click();
    const part = page.getByRole('group', { name: 'Folder and tags' });
    await part.getByRole('button', { name: 'Remove tag lift' }).click();
    await part.getByRole('button', { name: 'Remove tag lift' }).waitFor({ state: 'detached' });
    await part.getByRole('button', { name: 'Folder Team' }).click();
    await page.getByRole('button', { name: 'No folder' }).last().click();
    await part.getByRole('button', { name: 'Folder No folder' }).waitFor();
    // By another page.
    await api.post('/recordings/bulk', { changes: [{ recording_id: id, add_tags: [opening] }] });
    await page.goBack();
    await page.getByRole('button', { name: 'Recent changes' }).click();
    // Newest first.
    await page.getByRole('button', { name: 'Undo: Tag lift removed' }).first().click();
    await row('Note 6').getByText('lift').waitFor();
    const { folder, tags: now } = await api.get<{ folder: string | null; tags: string[] }>(
      `/recordings/${id}`,
    );
    assert.deepEqual([folder, new Set(now)], [null, new Set([opening, lift])]);
    await assert.rejects(ben.get(`/recordings/${id}`), /404/);
  });

  await t.test(
    'folders and tags are named, coloured and deleted on a page of their own',
    async () => {
      await page.goto(`${service.url}/organise`);
      await page.getByRole('heading', { name: 'Folders', level: 1 }).waitFor();
      await page.getByText('2 notes').waitFor();
      await checkLook(page, 'organise-folders');
      await page.getByRole('button', { name: 'Edit Library board' }).press('Enter');
      await untilHolds(page, "document.activeElement.value === 'Library board'");
      await page.keyboard.type('Choir');
      await page.keyboard.press('Enter');
      await page.getByText('It could not be saved.').waitFor();
      await checkLook(page, 'organise-folder');
      // By another page: it stays, since nothing was said of it here.
      await api.patch(`/folders/${board}`, { template: 'interview' });
      await page.getByRole('textbox', { name: 'Name' }).fill('Board of the library');
      await page.keyboard.press('Enter');
      await page.getByText('Board of the library', { exact: true }).waitFor();
      const { folders } = await api.get<{ folders: { id: string; template: string | null }[] }>(
        '/folders',
      );
      assert.equal(folders.find(({ id }) => id === board)?.template, 'interview');
      await untilHolds(
        page,
        "document.activeElement.getAttribute('aria-label') === 'Edit Board of the library'",
      );
      await page.getByRole('button', { name: 'Edit Board of the library' }).click();
      await page.getByLabel('Type of new recordings').selectOption('Meeting');
      await page.getByLabel('Spoken language').selectOption('German');
      await checkLook(page, 'organise-folder-type');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('type Meeting · German').waitFor();
      await page.getByRole('button', { name: 'Edit Board of the library' }).click();
      await page.getByRole('button', { name: 'Delete folder…' }).click();
      const question = page.getByRole('dialog');
      await question.getByText('Its notes stay. They’ll have no folder.').waitFor();
      await question.getByRole('button', { name: 'Delete folder' }).click();
      await page
        .getByRole('button', { name: 'Edit Board of the library' })
        .waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Tags', exact: true }).click();
      await untilHolds(page, "document.activeElement.textContent === 'Tags'");
      await page.getByLabel('New tag').fill('choir');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Edit lift' }).click();
      await page.getByTitle('grey').click();
      await checkLook(page, 'organise-tag');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('link', { name: /lift$/ }).click();
      await row('Note 0').waitFor();
      await row('Note 1').waitFor({ state: 'detached' });
      assert.equal(await row('Note 0').getByText('Board of the library').count(), 0);
    },
  );

  await t.test('by touch, in German, on the narrowest screen', async () => {
    const narrow = await opened({ ...phone, locale: 'de-DE' });
    await narrow.getByRole('button', { name: 'Auswählen' }).tap();
    const boxes = narrow.getByRole('checkbox');
    for (const at of [0, 1]) await boxes.nth(at).tap();
    await narrow.getByText('2 ausgewählt').first().waitFor();
    for (const at of [0, 1]) assert.ok(await boxes.nth(at).isChecked(), 'its box is ticked');
    await boxes.nth(1).tap();
    await narrow.getByText('1 ausgewählt').first().waitFor();
    assert.ok(!(await boxes.nth(1).isChecked()), 'its box is no longer ticked');
    await narrow.getByRole('button', { name: 'Auswahl abbrechen' }).tap();
    await narrow.getByRole('button', { name: 'Alle Ordner' }).tap();
    await narrow.getByRole('button', { name: longName }).waitFor();
    // What lies above the tab bar in the browser's top layer, axe takes for covered by it.
    await screenshot(narrow, 'order-phone-places');
    await narrow.getByRole('button', { name: longName }).tap();
    await narrow.getByRole('link', { name: 'Note 1 title' }).waitFor({ state: 'detached' });
    await narrow.setViewportSize({ width: 320, height: 640 });
    await noWider(narrow, 'a folder');
    await narrow.getByRole('button', { name: 'Filtern' }).tap();
    await narrow.getByRole('checkbox', { name: 'budget' }).check();
    await narrow.getByRole('button', { name: /^\d+ Notiz(?:en)? zeigen$/ }).waitFor();
    await screenshot(narrow, 'order-phone-filter-320');
    await narrow.getByRole('button', { name: /^\d+ Notiz(?:en)? zeigen$/ }).tap();
    await narrow.getByRole('button', { name: 'Filter entfernen: budget' }).tap();
    await narrow.goto(`${service.url}/organise?part=tags`);
    await narrow.getByRole('button', { name: 'lift bearbeiten' }).tap();
    await noWider(narrow, 'tags');
    await screenshot(narrow, 'organise-phone-320');
    await narrow.goto(service.url);
    await narrow.locator('article.note').first().waitFor();
    await noWider(narrow, 'all folders');
    await screenshot(narrow, 'order-phone-320');
    await narrow.getByRole('button', { name: 'Auswählen' }).tap();
    await narrow.getByText('Note 1 title').tap();
    await noWider(narrow, 'chosen');
    await screenshot(narrow, 'order-phone-select-320');
    await narrow.setViewportSize(phone.viewport);
    await narrow.getByRole('button', { name: 'Schlagwörter' }).last().tap();
    await narrow.getByText('Schlagwörter von 1 Notiz').waitFor();
    await screenshot(narrow, 'order-phone-tags-of-many');
    await narrow.goto(`${service.url}/organise`);
    await narrow.setViewportSize({ width: 768, height: 900 });
    await noWider(narrow, 'the head of the page');
    await screenshot(narrow, 'organise-768');
  });
});

async function noWider(page: Page, where: string): Promise<void> {
  const wide = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  assert.ok(wide <= 0, `${where} is ${wide} pixels wider than the screen`);
}
