import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { checkLook, dataWithAda, openPage, phone, startChromium } from './browser.ts';
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
