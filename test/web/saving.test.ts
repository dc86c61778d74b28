import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { dataWithAda, openPage, startChromium, untilHolds } from './browser.ts';
import { readingRoom, tellMeetings } from './told-meetings.ts';

test('what is typed, opened or chosen while a save is under way stays', async (t) => {
  const { dataDir, session } = await dataWithAda(t);
  const [id] = await tellMeetings(dataDir, [readingRoom]);
  const service = await startServiceProcess(dataDir);
  t.after(async () => await service.end('SIGTERM'));
  const api = apiOf(service.url, session.token);
  const browser = await startChromium(t);
  const url = `${service.url}/notes/${id}`;
  const opened = async () =>
    await openPage(t, browser, { url, session, expected: /status of (?:404|412)/ });
  for (const [at, text] of ['First side note', 'Second side note'].entries())
    await api.post(`/recordings/${id}/sidenotes`, { at: at + 1, text });

  await t.test('a side note that is opened while another is saved', async () => {
    const page = await opened();
    const answer = await hold(page, /\/sidenotes\/\d+$/u);
    await jot(page, 'First side note').locator('.body').click();
    await sideNote(page).fill('First, in other words');
    await jot(page, 'Second side note').locator('.body').click();
    await untilHolds(page, "document.activeElement?.value === 'Second side note'");
    await answer();
    await page.getByText('Side note edited.').first().waitFor();
    assert.equal(await page.evaluate('document.activeElement?.value'), 'Second side note');
    await page.keyboard.press('End');
    await page.keyboard.type(', for ever');
    assert.equal(await sideNote(page).inputValue(), 'Second side note, for ever');
    // By Enter, too: the focus stays where the person went.
    const next = await hold(page, /\/sidenotes\/\d+$/u);
    await page.keyboard.press('Enter');
    await jot(page, 'First, in other words').locator('.body').click();
    await untilHolds(page, "document.activeElement?.value === 'First, in other words'");
    await next();
    await jot(page, 'Second side note, for ever').locator('.body').waitFor();
    await untilHolds(page, "document.activeElement?.value === 'First, in other words'");
    await page.keyboard.press('Escape');
    await page.context().close();
  });
});

/** The next such change waits on its way to the service. @returns a function that lets it through, and hears its answer */
async function hold(page: Page, url: RegExp): Promise<() => Promise<void>> {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const asked = page.waitForRequest((request) => isChange(request.method(), request.url(), url));
  await page.route(url, async (route) => {
    if (!isChange(route.request().method(), route.request().url(), url))
      return await route.fallback();
    await released;
    await route.fallback();
  });
  return async () => {
    const answered = (await asked).response();
    release();
    await answered;
    await page.unroute(url);
  };
}

const isChange = (method: string, at: string, url: RegExp): boolean =>
  method !== 'GET' && url.test(at);
const jot = (page: Page, text: string) => page.locator('.jot').filter({ hasText: text });
const sideNote = (page: Page) => page.locator('.jot .editing textarea');
