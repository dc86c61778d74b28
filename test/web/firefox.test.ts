import assert from 'node:assert/strict';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import puppeteer, { type Page } from 'puppeteer-core';
import { eventually } from '../support/eventually.ts';
import { privatePulse } from '../support/pulse.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { dataWithAda, password } from './browser.ts';
import { readingRoom, tellMeetings } from './told-meetings.ts';

/** How long a page may take to show what is waited for, in milliseconds; a busy machine is slow. */
const patience = 60_000;

test('in Firefox: logging in, hearing and correcting a note, what changes meanwhile, and the microphone', async (t) => {
  // Opened first, since it is to be closed first: a page that outlives its service complains of it.
  const page = await openFirefox(t);
  const { dataDir, session } = await dataWithAda(t);
  const [note] = await tellMeetings(dataDir, [readingRoom]);
  const service = await startServiceProcess(dataDir);
  t.after(async () => await service.end('SIGTERM'));
  const see = async (text: string) =>
    await page.locator(`::-p-text(${text})`).setTimeout(patience).wait();

  await t.test('a login leads to the note that was asked for', async () => {
    await page.goto(`${service.url}/notes/${note}`);
    await page.locator('input[autocomplete=username]').fill('ada');
    await page.locator('input[type=password]').fill(password);
    await page.keyboard.press('Enter');
    await see(readingRoom.title);
    assert.equal(new URL(page.url()).pathname, `/notes/${note}`);
  });

  await t.test('it plays, and the words are followed', async () => {
    await page.locator('[data-turn="3"] .at').click();
    await page.waitForSelector('[data-turn="3"].playing .w.on');
    await page.locator('.player .play').click();
    await page.waitForFunction(
      `document.querySelector('.player .play path').classList.contains('f')`,
    );
  });

  await t.test('a turn is corrected, by the keyboard', async () => {
    // The page may still be scrolling to what was played, away from under the pointer.
    await eventually('the turn can be corrected', async () => {
      await page.locator('[data-turn="2"] .tools button').click();
      return await page.waitForSelector('#turn-text', { timeout: 2000 }).then(
        () => true,
        () => false,
      );
    });
    const area = await page.$('#turn-text');
    await area!.focus();
    await page.keyboard.down('Control');
    await page.keyboard.press('a');
    await page.keyboard.up('Control');
    await page.keyboard.type('All of it, please.');
    await page.keyboard.down('Control');
    await page.keyboard.press('Enter');
    await page.keyboard.up('Control');
    await see('All of it, please.');
    await page.waitForSelector('#turn-text', { hidden: true });
  });

  const api = apiOf(service.url, session.token);

  await t.test('what changes elsewhere is shown as it happens', async () => {
    await fetch(`${service.url}/recordings/${note}`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${session.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ title: 'Said by another program' }),
    });
    await see('Said by another program');
  });

  await t.test('its microphone is recorded, and all of it arrives', async () => {
    await page.locator('a.back').click();
    await page.waitForSelector('.btn.rec');
    // By its place the press of a busy machine sometimes comes beside it.
    const press = async (what: string) =>
      await page.$eval(what, (button) => (button as unknown as { click(): void }).click());
    await press('.split .menu > button');
    await page.waitForSelector('.menu-list [aria-pressed]');
    await press('.menu-list [aria-pressed]');
    await press('.btn.rec');
    await page.waitForSelector('.recbar.recording').catch(async (error: unknown) => {
      const said = await page.evaluate(`document.querySelector('.dock').innerText`);
      throw new Error(`It does not begin; the bar says: ${String(said)}`, { cause: error });
    });
    await page.waitForFunction(`document.querySelector('[role=timer]').textContent >= '00:02'`);
    await press('.recbar .stop');
    type Line = { device: string | null; duration: number | null; status: string };
    await eventually('it is on the disk', async () => {
      const { recordings } = await api.get<{ recordings: Line[] }>('/recordings');
      const made = recordings.find(({ duration }) => duration !== null && duration < 30);
      return made !== undefined && made.duration! >= 2 && made.status !== 'RECORDING';
    });
  });
});

/**
 * Debian's Firefox, by WebDriver BiDi, with a microphone that hums; its sound goes to an audio server, without which it
 * runs no AudioContext. What its console says as an error fails the test.
 */
async function openFirefox(t: TestContext): Promise<Page> {
  const { env } = await privatePulse(t);
  const browser = await puppeteer.launch({
    browser: 'firefox',
    env,
    executablePath: await programAt('firefox-esr'),
    extraPrefsFirefox: {
      'media.autoplay.default': 0,
      'media.navigator.permission.disabled': true,
      'media.navigator.streams.fake': true,
      'intl.accept_languages': 'en-GB, en',
    },
  });
  t.after(async () => await browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(patience);
  await page.setViewport({ width: 1280, height: 900 });
  const faults: string[] = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(String(error)));
  t.after(() => assert.deepEqual(faults, [], 'errors on the page’s console'));
  return page;
}

/** @throws as if it were started by its name: which package it is in is then said */
async function programAt(name: string): Promise<string> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, name);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  throw new Error(`spawn ${name} ENOENT`);
}
