import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startEmbeddingServer } from '../support/embedding-servers.ts';
import { eventually } from '../support/eventually.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { checkLook, dataWithAda, openPage, phone, startChromium } from './browser.ts';
import { type ToldMeeting, tellMeetings, turnsOf } from './told-meetings.ts';

const told = (title: string, first: string, second: string): ToldMeeting => ({
  title,
  upTo: 'written',
  names: { SPEAKER_00: 'Ada Muster', SPEAKER_01: 'Ben Beispiel' },
  turns: turnsOf([
    [0, 0, first],
    [5, 1, second],
  ]),
  lines: [],
});
const otherWords = told('Who is away', 'My vacation begins in May.', 'Mine later.');
const sameWords = told('On the kitchen wall', 'The holiday list hangs there.', 'Thank you.');
const refused = told('Instruments', 'The xylophone is out of tune.', 'Again.');

test('the search says what is found by meaning alone, without marks, and how many notes can be; words alone by choice; on a phone in German', async (t) => {
  const server = await startEmbeddingServer({ faults: { refuses: 'xylophone' } });
  t.after(server.close);
  const { dataDir, session } = await dataWithAda(t);
  const [other, same, third] = await tellMeetings(dataDir, [otherWords, sameWords, refused]);
  const service = await startServiceProcess(dataDir, {
    MITSCHRIFT_EMBEDDINGS_BASE_URL: server.url,
  });
  t.after(async () => await service.end('SIGTERM'));
  const api = apiOf(service.url, session.token);
  type Found = { meaning: { fraction: number; complete: boolean } | null };
  const known = async (fraction: number) =>
    await eventually(`${fraction} is known`, async () => {
      const { meaning } = await api.get<Found>('/search?q=holiday');
      return meaning !== null && Math.abs(meaning.fraction - fraction) < 0.01;
    });
  await known(2 / 3);
  const browser = await startChromium(t);
  const opened = async (path: string, more: object = {}) =>
    await openPage(t, browser, { url: `${service.url}${path}`, session, ...more });
  const page = await opened('/search?q=holiday');
  const group = (id: string) => page.locator(`[data-row="${id}"]`);
  const press = async (name: string) =>
    await page.getByRole('button', { name, exact: true }).click();
  const byMeaning = 'Found by meaning, in other words';
  const partly = '66% of your notes can be found by meaning, the others only by their words.';

  await t.test('each hit says why; what has not the words has no marks', async () => {
    await group(other!).getByText(byMeaning).waitFor();
    await group(other!).getByText('My vacation begins in May.').waitFor();
    assert.equal(await group(other!).locator('mark').count(), 0);
    assert.deepEqual(await group(same!).locator('mark').allTextContents(), ['holiday']);
    assert.equal(await group(same!).getByText(byMeaning).count(), 0);
    await page.getByText(partly).waitFor();
    await checkLook(page, 'meaning-hits');
    assert.match(
      (await group(other!).getByRole('link').first().getAttribute('href'))!,
      /\?t=0$/u,
      'the note opens at the passage, with nothing to find in it',
    );
  });

  await t.test('by keyboard it is searched by words alone, and by both again', async () => {
    await page.getByRole('button', { name: 'Found by: Words and meaning' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\?q=holiday&mode=words$/u);
    await group(other!).waitFor({ state: 'detached' });
    await group(same!).waitFor();
    assert.equal(await page.getByText(partly).count(), 0);
    await page.goto(`${service.url}/search?q=marmalade&mode=words`);
    await press('Search by meaning too');
    await page.waitForURL(/\?q=marmalade$/u);
    await page.getByText('Perhaps different words were used.').waitFor();
    await page.getByText(partly).waitFor();
  });

  await t.test('where all can be found by meaning nothing is said of it', async () => {
    await api.delete(`/recordings/${third}`);
    await known(1);
    await page.goto(`${service.url}/search?q=marmalade`);
    await page.getByText('All your notes were searched, by their words and by meaning.').waitFor();
    await page.goto(`${service.url}/search?q=holiday`);
    await group(other!).waitFor();
    assert.equal(await page.getByText('can be found by meaning').count(), 0);
    await page.context().close();
  });

  await t.test('on a phone in German at 320 pixels', async () => {
    const narrow = { ...phone, viewport: { width: 320, height: 640 }, locale: 'de-DE' };
    const theirs = await opened('/search?q=holiday', { ...narrow, theme: 'dark' });
    await theirs.getByText('Nach der Bedeutung gefunden, in anderen Worten').waitFor();
    await checkLook(theirs, 'meaning-320-de');
    await theirs.getByRole('button', { name: 'Gefunden nach: Wörter und Bedeutung' }).tap();
    await theirs.getByRole('button', { name: 'Nur Wörter' }).tap();
    await theirs.waitForURL(/mode=words$/u);
    await theirs.context().close();
  });
});
