import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tellTalks } from '../bench/library.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import {
  checkLook,
  dataWithAda,
  openPage,
  phone,
  screenshot,
  startChromium,
  untilHolds,
} from './browser.ts';

test('rules are made, tried, applied, undone and put in order, by keys; on a phone in German', async (t) => {
  const { dataDir, session } = await dataWithAda(t);
  const ids = await tellTalks(dataDir, 8, {
    nameOf: (number) => `Note ${number}`,
    startedAt: (number) => Date.now() - number * 3_600_000,
  });
  const service = await startServiceProcess(dataDir);
  t.after(async () => await service.end('SIGTERM'));
  const api = apiOf(service.url, session.token);
  await api.post('/folders', { name: 'Choir' });
  await api.post('/tags', { name: 'opening' });
  const { id: lift } = await api.post<{ id: string }>('/tags', { name: 'lift' });
  const browser = await startChromium(t);
  const page = await openPage(t, browser, { url: `${service.url}/organise?part=rules`, session });
  await page.getByText('No rules yet.').waitFor();
  await page.getByRole('button', { name: 'New rule' }).press('Enter');
  await untilHolds(
    page,
    "document.activeElement.labels?.[0]?.textContent === 'The title contains'",
  );
  await page.keyboard.type('note 6');
  // A title is made of the summary: a rule about it comes too late to choose a template.
  await page.getByLabel('Template').waitFor({ state: 'detached' });
  await page.getByLabel('Put it in the folder').selectOption('Choir');
  await page.getByRole('checkbox', { name: 'opening' }).check();
  await page
    .getByText('When the title contains “note 6”, put the note in Choir and add opening.')
    .waitFor();
  await page.getByRole('button', { name: 'Try on the last 200 notes' }).press('Enter');
  await page.getByRole('heading', { name: 'The rule fits 1 of the last 200 notes' }).waitFor();
  await page.getByText('folder and tags', { exact: true }).waitFor();
  await checkLook(page, 'organise-rule-tried');
  // A note that is gone by then is named; the form stays, and the rule is not made twice.
  const apply = page.getByRole('button', { name: 'Save and apply to this one' });
  await page.route('**/rules/apply', async (route) => {
    const { rule } = route.request().postDataJSON() as { rule: string };
    await route.continue({ postData: { rule, recording_ids: ['0'.repeat(26)] } });
  });
  await apply.press('Enter');
  await page.locator('.says.bad').getByText('1 note could not be changed.').waitFor();
  await checkLook(page, 'organise-rule-refused');
  await page.unroute('**/rules/apply');
  await apply.press('Enter');
  await page.getByText('Rule saved and applied to 1 note').waitFor();
  await page.getByRole('button', { name: 'Recent changes' }).waitFor();
  const inChoir = async () =>
    (
      await api.get<{ recordings: { folder: string | null }[] }>('/recordings?limit=50')
    ).recordings.filter(({ folder }) => folder !== null).length;
  const before = await inChoir();
  // What is done to the note since stays when the rule is taken back.
  const changed = async (change: object) =>
    (
      await api.post<{ changed: { before: object }[] }>('/recordings/bulk', {
        changes: [{ recording_id: ids[6], ...change }],
      })
    ).changed[0]!.before;
  await changed({ add_tags: [lift], rule_template: 'interview' });
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  while ((await inChoir()) !== before - 1) await page.waitForTimeout(100);
  assert.deepEqual(await changed({}), { folder: null, tags: [lift], rule_template: 'interview' });
  await page.getByRole('button', { name: 'New rule' }).press('Enter');
  await page.getByLabel('Somebody says').fill('note');
  await page.getByRole('checkbox', { name: 'lift' }).check();
  await page.getByLabel('Template').selectOption('Interview');
  await page.getByText('add lift and use the template Interview.').waitFor();
  const leaving = page.getByRole('dialog').getByText('What you entered here is not saved.');
  await page.getByRole('link', { name: 'Tags', exact: true }).click();
  await leaving.waitFor();
  await checkLook(page, 'organise-rule-unsaved');
  await page.getByRole('button', { name: 'Stay here' }).click();
  assert.equal(await page.getByLabel('Somebody says').inputValue(), 'note');
  await page.getByRole('button', { name: 'Try on the last 200 notes' }).press('Enter');
  await page.getByText('tags and template', { exact: true }).first().waitFor();
  await page.getByText('Summaries stay as they are.').waitFor();
  await checkLook(page, 'organise-rule-template');
  await page.getByRole('button', { name: 'Save rule' }).press('Enter');
  const second = page.getByRole('listitem').filter({ hasText: 'somebody says “note”' });
  await second.getByRole('button', { name: 'Move rule 2 up' }).press('Enter');
  await untilHolds(
    page,
    "document.activeElement.getAttribute('aria-label') === 'Move rule 1 down'",
  );
  await page.getByRole('switch', { name: 'Rule 1 is on' }).press('Space');
  await second.getByText('off', { exact: true }).waitFor();
  await checkLook(page, 'organise-rules');
  // Where nothing was typed, nothing is asked.
  await page.getByRole('button', { name: 'Edit rule 1' }).press('Enter');
  await page.getByRole('button', { name: 'Delete rule' }).waitFor();
  await page.getByRole('link', { name: 'Tags', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Tags' }).waitFor();
  await page.getByRole('link', { name: 'Rules', exact: true }).click();
  await page.getByRole('button', { name: 'Edit rule 1' }).press('Enter');
  await page.getByLabel('Somebody says').fill('other');
  await page.goBack();
  await leaving.waitFor();
  await page.getByRole('button', { name: 'Stay here' }).click();
  assert.equal(await page.getByLabel('Somebody says').inputValue(), 'other');
  assert.equal(new URL(page.url()).search, '?part=rules');
  await page.getByRole('button', { name: 'Delete rule' }).press('Enter');
  await second.waitFor({ state: 'detached' });

  // What another page saves of a rule that is open here stays, where nothing was said of it here.
  const ruleNow = async () =>
    (await api.get<{ rules: { id: string; when: object; then: object }[] }>('/rules')).rules[0]!;
  await page.getByRole('button', { name: 'Edit rule 1' }).press('Enter');
  await page.getByLabel('The title contains').fill('note 5');
  await api.patch(`/rules/${(await ruleNow()).id}`, { then: { tags: [lift] } });
  await page.getByRole('button', { name: 'Save rule' }).press('Enter');
  await page.getByText('When the title contains “note 5”, add lift.').waitFor();
  const { when, then } = await ruleNow();
  assert.deepEqual([when, then], [{ title: 'note 5' }, { tags: [lift] }]);

  const narrow = await openPage(t, browser, {
    url: `${service.url}/organise?part=rules`,
    session,
    ...phone,
    viewport: { width: 320, height: 640 },
    locale: 'de-DE',
  });
  await narrow.getByRole('button', { name: 'Regel 1 bearbeiten' }).tap();
  await narrow.getByText('Wenn der Titel „note 5“ enthält').first().waitFor();
  await screenshot(narrow, 'organise-rule-phone-320');
  await narrow.getByLabel('Der Titel enthält').fill('');
  await narrow.getByLabel('Jemand sagt').fill('Lift');
  await narrow.getByLabel('Vorlage').selectOption('Interview');
  await narrow.getByText('die Vorlage Interview nehmen').last().waitFor();
  await checkLook(narrow, 'organise-rule-template-320-de');
});
