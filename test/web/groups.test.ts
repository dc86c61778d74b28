import assert from 'node:assert/strict';
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

test('groups are made, filled, named and deleted, by keys; on a phone in German', async (t) => {
  const service = await startWebService(t);
  const session = await service.login();
  for (const name of ['ben', 'cleo']) await service.login(name);
  const api = apiOf(service.url, session.token);
  type Groups = { groups: { id: string; name: string; members: string[] }[] };
  const there = async () =>
    (await api.get<Groups>('/groups')).groups.map(({ name, members }) => [name, ...members]);
  const browser = await startChromium(t);
  const page = await openPage(t, browser, {
    url: `${service.url}/settings?part=people`,
    session,
    expected: /status of 4(09|22|00)/,
  });
  await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Groups', exact: true }).press('Enter');
  await untilHolds(page, "document.activeElement.textContent === 'Groups'");
  await page.getByText('No groups yet.').waitFor();
  await page.getByLabel('New group').fill('Reading room');
  await page.keyboard.press('Enter');
  // It is open at once: whoever makes one has somebody in mind.
  await untilHolds(page, "document.activeElement.value === 'Reading room'");
  await page.getByLabel('Add a person').selectOption('cleo');
  await page.getByRole('button', { name: 'Add', exact: true }).press('Enter');
  await page.getByRole('button', { name: 'Remove cleo' }).waitFor();
  await page.getByLabel('Add a person').selectOption('ben');
  await page.getByRole('button', { name: 'Add', exact: true }).press('Enter');
  await page.getByRole('button', { name: 'Remove ben' }).waitFor();
  await checkLook(page, 'settings-group');
  assert.deepEqual(await there(), [['Reading room', 'ben', 'cleo']]);
  await page.getByRole('button', { name: 'Remove ben' }).press('Enter');
  await untilHolds(page, "document.activeElement.getAttribute('aria-label') === 'Remove cleo'");
  assert.deepEqual(await there(), [['Reading room', 'cleo']]);
  await page.getByLabel('Name').fill('Library team');
  await page.keyboard.press('Enter');
  await page.getByText('1 person · cleo').waitFor();
  await untilHolds(
    page,
    "document.activeElement.getAttribute('aria-label') === 'Edit Library team'",
  );
  const name = page.getByLabel('New group');
  await name.fill(' ');
  await page.keyboard.press('Enter');
  await page.locator('.make .fault').waitFor();
  const create = page.getByRole('button', { name: 'Create' });
  const [field, button] = await Promise.all([name.boundingBox(), create.boundingBox()]);
  assert.equal(button!.y, field!.y, 'the button is beside what is typed');
  await checkLook(page, 'settings-group-fault');
  await name.fill('library TEAM');
  await page.keyboard.press('Enter');
  await page.getByText('The group could not be created.').waitFor();
  await checkLook(page, 'settings-groups');

  const narrow = await openPage(t, browser, {
    url: `${service.url}/settings?part=groups`,
    session,
    ...phone,
    viewport: { width: 320, height: 640 },
    locale: 'de-DE',
  });
  await narrow.getByRole('button', { name: 'Library team bearbeiten' }).tap();
  await narrow.getByLabel('Person hinzufügen').selectOption('ada');
  await narrow.getByRole('button', { name: 'Hinzufügen' }).tap();
  await narrow.getByRole('button', { name: 'ada entfernen' }).waitFor();
  await narrow.emulateMedia({ colorScheme: 'dark' });
  await screenshot(narrow, 'settings-group-phone-320-dark');
  const wide = await narrow.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  assert.ok(wide <= 0, `${wide} pixels wider than the screen`);
  await narrow.getByRole('button', { name: 'Gruppe löschen…' }).tap();
  await narrow.getByText('Konten und Notizen bleiben erhalten.').waitFor();
  await narrow.getByRole('dialog').getByRole('button', { name: 'Gruppe löschen' }).tap();
  await narrow.getByText('Noch keine Gruppen.').waitFor();
  assert.deepEqual(await there(), []);
});
