import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { withAda } from '../support/http-client.ts';
import { checkLook, openPage, phone, screenshot, startChromium, untilHolds } from './browser.ts';

const hour = 3_600_000;
const day = 24 * hour;
const german320 = { ...phone, viewport: { width: 320, height: 640 }, locale: 'de-DE' };

/** A service whose retention looks all the time, by a clock that is moved, and notes so many days old. */
async function withNotes(t: TestContext, ages: readonly number[]) {
  const pages: Page[] = [];
  // Before the service ends: pages complain of one that is gone.
  t.after(async () => await Promise.all(pages.map(async (page) => await page.context().close())));
  let moved = 0;
  const retention = { now: () => Date.now() + moved, everyMs: 50 };
  const { service, token } = await withAda(t, { trial: { retention } });
  const ids: string[] = [];
  for (const age of ages) {
    const started_at = new Date(Date.now() - age * day).toISOString();
    const id = await service.settled(token, { started_at, kind: 'solo' });
    const title = `From ${age} days ago`;
    await service.call('PATCH', `/recordings/${id}`, { token, json: { title } });
    ids.push(id);
  }
  const browser = await startChromium(t);
  const session = { token, username: 'ada', is_admin: true };
  const open = async (path: string, more: object = {}) => {
    const page = await openPage(t, browser, { url: service.url + path, session, ...more });
    pages.push(page);
    return page;
  };
  return { service, token, ids, open, move: (ms: number) => (moved += ms) };
}

const focused = (text: string): string => `document.activeElement.textContent.trim() === '${text}'`;

test('a note is protected until a day from its menu, which its page says, and then no more', async (t) => {
  const { ids, open, service, token } = await withNotes(t, [3]);
  const page = await open(`/notes/${ids[0]}`);
  const more = page.getByRole('button', { name: 'More', exact: true });
  await more.click();
  await page.getByRole('button', { name: 'Protect from deletion…' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Protect from deletion' });
  await dialog.getByLabel('Day', { exact: true }).fill('2031-03-01');
  await dialog.getByLabel('Reason (optional)').fill('Radio wants it');
  await checkLook(page, 'retention-protect');
  await page.keyboard.press('Enter');
  await page.locator('.chip', { hasText: 'protected until 1 March 2031' }).waitFor();
  await dialog.waitFor({ state: 'detached' });
  await checkLook(page, 'retention-protected-note');
  const refused = await service.call('DELETE', `/recordings/${ids[0]}`, { token });
  assert.equal(refused.status, 409);

  await more.click();
  await checkLook(page, 'retention-note-menu');
  const deleting = page.getByRole('button', { name: /^Delete.*protected until 1 March 2031/ });
  assert.ok(await deleting.isDisabled(), 'before it is asked for');
  await page.getByRole('button', { name: 'Remove protection' }).press('Enter');
  await page.locator('.chip', { hasText: 'protected until' }).waitFor({ state: 'detached' });
  await page.getByText('Protection removed').first().waitFor();
});

test('several notes are protected at once from the library, and then no more', async (t) => {
  const { ids, open, service, token } = await withNotes(t, [3, 2, 1]);
  const page = await open('/');
  const row = (name: string) => page.locator('article.note').filter({ hasText: name });
  const bar = page.getByRole('region', { name: 'Selection' });
  const more = bar.getByRole('button', { name: 'More' });
  const chooseTwo = async () => {
    await row('From 1 days ago').getByRole('link').focus();
    await page.keyboard.press('x');
    await page.keyboard.press('Shift+ArrowDown');
    await bar.getByText('2 selected').waitFor();
    await more.press('Enter');
  };
  await chooseTwo();
  await checkLook(page, 'retention-many-menu');
  await page.getByRole('button', { name: 'Protect from deletion…' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Protect 2 notes from deletion' });
  await dialog.getByLabel('Day', { exact: true }).fill('2031-03-01');
  await checkLook(page, 'retention-many');
  await page.keyboard.press('Enter');
  await page.getByText('2 notes are protected from deletion.').first().waitFor();
  for (const name of ['From 1 days ago', 'From 2 days ago'])
    await row(name).getByText('protected until 1 March 2031').waitFor();
  assert.equal(await row('From 3 days ago').getByText('protected').count(), 0);
  await bar.waitFor({ state: 'detached' });
  const refused = await service.call('DELETE', `/recordings/${ids[2]}`, { token });
  assert.equal(refused.status, 409);

  await chooseTwo();
  await page.getByRole('button', { name: 'Remove protection' }).press('Enter');
  await page.getByText('Protection of 2 notes removed').first().waitFor();
  await page.getByText('protected until').first().waitFor({ state: 'detached' });
  assert.equal(await page.getByText('protected until').count(), 0);

  const narrow = await open('/', german320);
  const theirs = narrow.locator('article.note').filter({ hasText: 'From 1 days ago' });
  await theirs.getByRole('link').focus();
  await narrow.keyboard.press('x');
  const theirBar = narrow.locator('.pickbar');
  await theirBar.getByRole('button', { name: 'Mehr' }).tap();
  await narrow.getByRole('button', { name: 'Vor dem Löschen schützen…' }).tap();
  await narrow.getByRole('dialog', { name: 'Vor dem Löschen schützen' }).waitFor();
  await checkLook(narrow, 'retention-many-320');
});

test('periods are set for oneself and a folder, seen ahead, undone by protection, confirmed and logged', async (t) => {
  const { service, token, open, move } = await withNotes(t, [100, 60, 50, 1]);
  await service.call('POST', '/folders', { token, json: { name: 'Interviews' } });
  const page = await open('/organise?part=retention');
  await page.getByText('Nothing will be deleted.').waitFor();
  await checkLook(page, 'retention-empty');

  await page.getByLabel('Delete audio').selectOption('after 365 days');
  await page.getByText('Period saved').first().waitFor();
  await page.getByText('Every change of a period waits 24 hours.').waitFor();
  const notes = page.getByLabel('Delete notes');
  await notes.focus();
  await notes.selectOption('after … days');
  await untilHolds(page, "document.activeElement.type === 'number'");
  await page.keyboard.type('45');
  await page.keyboard.press('Enter');
  await page.getByText('3 notes will be deleted.').waitFor();
  await untilHolds(page, "document.activeElement.tagName === 'SELECT'");
  await page.getByText('my period, after 45 days').first().waitFor();

  await page.getByLabel('Give a folder its own period').selectOption('Interviews');
  await page.getByRole('combobox', { name: 'Delete audio' }).nth(1).selectOption('never');
  await page.getByText('Audio: never').waitFor();
  await untilHolds(page, "document.activeElement.tagName === 'SELECT'");
  await checkLook(page, 'retention-set');
  await page.getByRole('button', { name: 'Close' }).press('Enter');
  await untilHolds(page, focused('Edit'));

  await page.getByRole('button', { name: 'Protect From 50 days ago from deletion' }).press('Enter');
  await page
    .getByRole('dialog')
    .getByLabel('How long')
    .selectOption('until I remove the protection');
  await page.getByRole('dialog').getByRole('button', { name: 'Protect' }).press('Enter');
  await page.getByText('2 notes will be deleted. 1 note is protected and stays.').waitFor();
  await page.getByText('protected · by you').waitFor();
  await untilHolds(page, "document.activeElement.tagName !== 'BODY'");
  await checkLook(page, 'retention-protected');
  await onAPhone(open, 'retention-phone-320-dark');

  // High enough for all four: rows are made as they come near.
  const home = await open('/', { viewport: { width: 1280, height: 1500 } });
  await home.getByText('2 notes will be deleted on').waitFor();
  const noteRow = (name: string) => home.locator('article.note').filter({ hasText: name });
  await noteRow('From 100 days ago').getByText('due soon').waitFor();
  await noteRow('From 60 days ago').getByText('due soon').waitFor();
  assert.equal(await noteRow('From 50 days ago').getByText('due soon').count(), 0, 'protected');
  assert.equal(await noteRow('From 1 days ago').getByText('due soon').count(), 0);
  await checkLook(home, 'retention-home-soon');
  await home.getByRole('button', { name: 'Dismiss' }).press('Enter');
  await home.getByText('2 notes will be deleted on').waitFor({ state: 'detached' });

  move(26 * hour);
  await home.reload();
  await home.getByText('2 notes are due. Nothing is deleted until you confirm.').waitFor();
  await checkLook(home, 'retention-home-due');
  await home.getByRole('link', { name: 'Review' }).press('Enter');
  await confirmIn(home);
  await eventually('both are gone', async () => {
    const list = await service.call<{ recordings: object[] }>('GET', '/recordings', { token });
    return list.body.recordings.length === 2;
  });
  await home.getByRole('button', { name: 'What was deleted so far' }).press('Enter');
  await home.getByRole('cell', { name: 'my period, after 45 days' }).nth(1).waitFor();
  await checkLook(home, 'retention-log');
  const narrow = await onAPhone(open, 'retention-phone-320-dark-after');
  await narrow.getByRole('button', { name: 'Was bisher gelöscht wurde' }).tap();
  await narrow.getByText('meine Frist, nach 45 Tagen').first().waitFor();
  const gone = narrow.getByRole('table').getByRole('row').nth(1);
  await gone.getByText('meine Frist, nach 45 Tagen').scrollIntoViewIfNeeded();
  const across = 'document.querySelector("table").parentElement';
  assert.ok(await narrow.evaluate<boolean>(`${across}.scrollWidth <= ${across}.clientWidth`));
  await checkLook(narrow, 'retention-log-phone-320');
});

test('the warning of one is dismissed for no other, and of one note it speaks of one', async (t) => {
  const { service, token, open, move } = await withNotes(t, [100, 1]);
  await service.call('PUT', '/retention', { token, json: { notes_days: 45 } });
  const home = await open('/');
  const warning = home.getByText('note will be deleted on');
  await warning.waitFor();
  await home.getByRole('button', { name: 'Dismiss' }).press('Enter');
  await warning.waitFor({ state: 'detached' });
  await home.reload();
  await home.getByText('From 100 days ago').waitFor();
  assert.equal(await warning.count(), 0);
  // Somebody else logs in here, of whom as much is deleted on that day.
  const stored = await home.evaluate<string>(`localStorage.getItem('mitschrift.session')`);
  const other = JSON.stringify({ ...JSON.parse(stored), username: 'ben' });
  await home.evaluate(`localStorage.setItem('mitschrift.session', ${JSON.stringify(other)})`);
  await home.reload();
  await warning.waitFor();

  move(26 * hour);
  const due = await open('/organise?part=retention');
  await due.getByText('It began on').waitFor();
  await due.context().close();
  const german = await open('/organise?part=retention', { locale: 'de-DE' });
  await german.getByText('Sie wurde am').waitFor();
});

/** Presses what deletes, which wants the number typed. */
async function confirmIn(page: Page): Promise<void> {
  await page.getByText('They began on').waitFor();
  await checkLook(page, 'retention-due');
  await page.getByRole('button', { name: 'Delete 2 notes…' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Delete 2 notes permanently?' });
  const harm = dialog.getByRole('button', { name: 'Delete permanently' });
  assert.ok(await harm.isDisabled());
  await page.keyboard.type('2');
  await checkLook(page, 'retention-confirm');
  await page.keyboard.press('Enter');
  await page.getByText('They’ll be deleted within the hour').first().waitFor();
  await untilHolds(page, focused('Retention'));
}

async function onAPhone(
  open: (path: string, more: object) => Promise<Page>,
  name: string,
): Promise<Page> {
  const narrow = await open('/organise?part=retention', { ...german320, theme: 'dark' });
  await narrow.getByRole('heading', { name: 'In den nächsten 30 Tagen' }).waitFor();
  await narrow.getByText('Schutz entfernen').waitFor();
  await screenshot(narrow, name);
  await checkLook(narrow, `${name}-axe`);
  return narrow;
}
