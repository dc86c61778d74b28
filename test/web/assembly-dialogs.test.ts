import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { checkLook, dataWithAda, openPage, phone, startChromium, untilHolds } from './browser.ts';
import { readingRoom, tellMeetings } from './told-meetings.ts';

type Note = { state: string; utterances: { text: string }[] };

test('a note is cut, joined again and loses a passage by its menu, in both languages', async (t) => {
  const { dataDir, session } = await dataWithAda(t);
  const [told] = await tellMeetings(dataDir, [readingRoom]);
  const service = await startServiceProcess(dataDir);
  t.after(async () => await service.end('SIGTERM'));
  const api = apiOf(service.url, session.token);
  const read = (id: string) => api.get<Note>(`/recordings/${id}`);
  const all = (await read(told!)).utterances.length;
  const passages = async (count: number) =>
    await eventually(`${count} passages`, async () => {
      const { state, utterances } = await read(told!);
      return state === 'idle.saved' && utterances.length === count;
    });
  const browser = await startChromium(t);
  const page = await openPage(t, browser, { url: `${service.url}/notes/${told}`, session });
  const ask = async (entry: string) => {
    await page.getByLabel('More', { exact: true }).click();
    await page.getByRole('button', { name: entry }).click();
    await page.getByRole('dialog').waitFor();
    await checkLook(page, entry);
  };
  await ask('Cut here…');
  await page.getByLabel('The second note begins with').selectOption({ index: 3 });
  await page.getByRole('button', { name: 'Cut here', exact: true }).click();
  await page.getByText('The note was cut in two.').waitFor();
  await passages(4);
  await ask('Join with another note…');
  // A day as its reader writes it, of the reader's own time zone.
  const day = (await page.getByLabel('Other note').locator('option').first().textContent())!;
  assert.match(day, / · \d{1,2} \p{L}+ \d{4},? .*\d\d:\d\d$/u);
  await page.getByRole('button', { name: 'Join', exact: true }).click();
  await page.getByText('The notes were joined.').waitFor();
  await passages(all);
  await ask('Delete passage…');
  await page.getByRole('button', { name: 'Delete passage' }).click();
  await page.getByText('The passage was deleted.').waitFor();
  await passages(all - 1);
  const german = await openPage(t, browser, {
    url: `${service.url}/notes/${told}`,
    session,
    locale: 'de-DE',
    ...phone,
  });
  for (const [entry, title] of [
    ['Hier trennen…', 'Die Notiz trennen?'],
    ['Mit anderer Notiz verbinden…', 'Mit anderer Notiz verbinden'],
    ['Beitrag löschen…', 'Diesen Beitrag löschen?'],
  ] as const) {
    await german.getByLabel('Mehr', { exact: true }).click();
    await german.getByRole('button', { name: entry }).click();
    await german.getByRole('dialog').getByRole('heading', { name: title }).waitFor();
    await checkLook(german, title);
    await german.getByRole('button', { name: 'Abbrechen' }).click();
  }
  assert.equal((await read(told!)).utterances.length, all - 1);
});

test('the passage that was chosen is deleted, whatever others change meanwhile, or nothing is', async (t) => {
  const { dataDir, session } = await dataWithAda(t);
  const [told] = await tellMeetings(dataDir, [readingRoom]);
  const service = await startServiceProcess(dataDir);
  t.after(async () => await service.end('SIGTERM'));
  const api = apiOf(service.url, session.token);
  const texts = async () =>
    (await api.get<Note>(`/recordings/${told}`)).utterances.map(({ text }) => text);
  const browser = await startChromium(t);
  const page = await openPage(t, browser, { url: `${service.url}/notes/${told}`, session });
  /** As another person's browser would, until this page shows it. */
  const elsewhere = async (method: string, path: string, json: object) => {
    const reread = page.waitForResponse((answer) => answer.url().endsWith(`/recordings/${told}`));
    const answer = await fetch(`${service.url}/recordings/${told}/utterances/${path}`, {
      method,
      headers: { Authorization: `Bearer ${session.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(json),
    });
    assert.equal(answer.status, 200);
    await (await reread).finished();
  };
  const ask = async (entry: string) => {
    await page.getByLabel('More', { exact: true }).click();
    await page.getByRole('button', { name: entry }).click();
  };
  const before = await texts();
  const dialog = page.getByRole('dialog');
  const choice = dialog.getByLabel('Passage');
  const chosen = async () => await choice.locator('option:checked').textContent();
  const submit = dialog.getByRole('button', { name: 'Delete passage' });
  const refused = dialog.getByText('The passage was changed or removed in the meantime.');
  await ask('Delete passage…');
  await choice.selectOption({ index: 3 });
  const label = await chosen();
  await elsewhere('POST', 't-0001/split', { word: 3 });
  await untilHolds(page, `document.querySelector('dialog select').length === ${before.length + 1}`);
  assert.equal(await chosen(), label, 'the same passage is chosen');
  await elsewhere('PATCH', 't-0004', { text: 'Others wrote this.' });
  await choice.locator('option', { hasText: 'Others wrote this.' }).waitFor({ state: 'attached' });
  await submit.click();
  await refused.waitFor();
  await checkLook(page, 'passage-changed');
  assert.equal((await texts()).length, before.length + 1, 'nothing is deleted');
  // It has been seen: now it is meant as it is.
  await submit.click();
  await page.getByText('The passage was deleted.').waitFor();
  const rest = before.filter((_, at) => at > 0 && at !== 3);
  await eventually('it alone is gone', async () => {
    const now = await texts();
    return now.length === before.length && rest.every((text) => now.includes(text));
  });

  // One that is gone is not replaced by its neighbour.
  await page.locator('[data-block="t-0004"]').waitFor({ state: 'detached' });
  await ask('Cut here…');
  const second = dialog.getByLabel('The second note begins with');
  await second.selectOption({ index: 3 });
  await elsewhere('POST', 't-0003/merge', {});
  await untilHolds(page, `document.querySelector('dialog select').length === ${before.length - 2}`);
  await dialog.getByRole('button', { name: 'Cut here', exact: true }).click();
  await refused.waitFor();
  assert.equal((await texts()).length, before.length - 1, 'nothing is cut');
});

test('a recording is continued though nobody can be asked who will read it', async (t) => {
  const { dataDir, session } = await dataWithAda(t);
  const [told] = await tellMeetings(dataDir, [readingRoom]);
  const service = await startServiceProcess(dataDir);
  t.after(async () => await service.end('SIGTERM'));
  const browser = await startChromium(t, [
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
  ]);
  const page = await openPage(t, browser, {
    url: `${service.url}/notes/${told}`,
    session,
    expected: /ERR_FAILED|Failed to load/,
  });
  let fail = () => {};
  const isOver = new Promise<void>((resolve) => (fail = resolve));
  await page.route('**/access', async (route) => {
    await isOver;
    await route.abort();
  });
  const warned = page.waitForEvent('console', (message) => message.type() === 'warning');
  await page.getByLabel('More', { exact: true }).click();
  await page.getByRole('button', { name: 'Continue recording' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith(told!));
  const bar = page.getByRole('region', { name: 'Current recording' });
  await bar.getByText(readingRoom.title).waitFor();
  // The network was away in vain: the recording goes on, and no failure is claimed.
  fail();
  await warned;
  assert.equal(await page.getByText('The server is not responding').count(), 0);
  await bar.getByRole('button', { name: /^Stop/ }).click();
  await bar.waitFor({ state: 'detached' });
});

test('a note is continued from its menu: the new part is recorded with its title, and is in it afterwards', async (t) => {
  const { dataDir, session } = await dataWithAda(t);
  const [told] = await tellMeetings(dataDir, [readingRoom]);
  const service = await startServiceProcess(dataDir);
  t.after(async () => await service.end('SIGTERM'));
  const api = apiOf(service.url, session.token);
  const before = await api.get<Note & { title: string }>(`/recordings/${told}`);
  const browser = await startChromium(t, [
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
  ]);
  for (const [locale, more, entry] of [
    ['de-DE', 'Mehr', 'Aufnahme fortsetzen'],
    ['en-GB', 'More', 'Continue recording'],
  ] as const) {
    const page = await openPage(t, browser, {
      url: `${service.url}/notes/${told}`,
      session,
      locale,
      ...(locale === 'de-DE' ? phone : {}),
    });
    await page.getByLabel(more, { exact: true }).click();
    const button = page.getByRole('button', { name: entry });
    await button.waitFor();
    await checkLook(page, entry);
    if (locale === 'de-DE') continue;
    await button.click();
    await page.waitForURL((url) => !url.pathname.endsWith(told!));
    const bar = page.getByRole('region', { name: 'Current recording' });
    await bar.getByText(before.title).waitFor();
    await checkLook(page, 'continuing');
    const part = new URL(page.url()).pathname.slice('/notes/'.length);
    const { origins } = await api.get<{ origins: object[] }>(`/recordings/${part}`);
    assert.deepEqual(origins, [
      { how: 'continues', recording_id: told, at: null, title: before.title },
    ]);
    await bar.getByRole('button', { name: /^Stop/ }).click();
    // Its own page goes with it.
    await page.getByRole('link', { name: 'Notes' }).first().click();
    await eventually('the part has ended', async () => {
      const { state } = await api.get<Note>(`/recordings/${part}`);
      return !state.startsWith('recording');
    });
  }
});
