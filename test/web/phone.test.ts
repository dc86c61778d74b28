import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { modelsDir } from '../support/models.ts';
import { sentences } from '../support/pulse-speech.ts';
import { startServiceProcess } from '../support/service-process.ts';
import {
  checkLook,
  dataWithAda,
  openPage,
  password,
  phone,
  recordedFor,
  recordingBar,
  recordsAlone,
  screens,
  screenshot,
  startChromium,
  untilHolds,
} from './browser.ts';
import { microphoneThatSpeaks } from './fake-microphone.ts';
import { arabicTitle, hostileMeetings, longName } from './hostile-texts.ts';
import { choirBoard, readingRoom, tellMeetings } from './told-meetings.ts';

/** Pictures do not press: what is tapped here has to be what lies at that place of the screen. */
test('a phone: every flow is tapped, and nothing is wider than the screen whatever it is called', async (t) => {
  const { dataDir, session } = await dataWithAda(t);
  const [read, waiting, ...hostile] = await tellMeetings(dataDir, [
    readingRoom,
    choirBoard,
    ...hostileMeetings,
  ]);
  const service = await startServiceProcess(dataDir, { MITSCHRIFT_MODELS: modelsDir });
  t.after(async () => await service.end('SIGTERM'));
  const browser = await startChromium(t, await microphoneThatSpeaks(t, sentences.mic));
  const opened = async (path: string, more: object = {}) =>
    await openPage(t, browser, { url: service.url + path, ...phone, expected, ...more });

  await t.test('logs in, looks, narrows, and logs out', async () => {
    const page = await opened('/');
    await page.getByLabel('Name').fill('ada');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).tap();
    await page.getByRole('link', { name: longName }).waitFor();
    await noWider(page, 'home');
    await page.getByRole('button', { name: 'Filter', exact: true }).tap();
    await page.getByLabel('Speaker').selectOption('Ben Beispiel');
    await page.getByLabel('From').fill('2026-01-01');
    await screenshot(page, 'phone-filter');
    await page.getByRole('button', { name: /^Show \d+ notes?$/ }).tap();
    await page.getByRole('link', { name: longName }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: readingRoom.title }).waitFor();
    await noWider(page, 'filtered');
    await screenshot(page, 'phone-filtered');
    await page.getByRole('button', { name: /^Remove filter: .* – …$/ }).tap();
    await page.getByRole('button', { name: 'Remove filter: Speaker: Ben Beispiel' }).tap();
    await page.getByRole('link', { name: longName }).waitFor();
    await page.getByRole('link', { name: 'Speakers', exact: true }).tap();
    await page.getByLabel('Name of Speaker 1').waitFor();
    await page.getByLabel('ada, account').tap();
    await page.getByRole('button', { name: 'Log out' }).tap();
    await page.waitForURL(/\/login/);
    await page.context().close();
  });

  await t.test('reads, hears, corrects and takes out a note', async () => {
    const page = await opened(`/notes/${read}`, { session });
    await page.getByRole('tab', { name: 'Note', selected: true }).waitFor();
    await page.getByText('The opening stays on Saturday').waitFor();
    await page.getByRole('tab', { name: 'Transcript' }).tap();
    await page.getByLabel('Speed: 1×').tap();
    await page.getByRole('button', { name: '1.5×' }).tap();
    await page.getByLabel('Speed: 1.5×').tap();
    await page.getByRole('button', { name: 'Skip silence' }).tap();
    await page.getByRole('button', { name: 'Forward 10 seconds' }).tap();
    await untilHolds(page, `Number(document.querySelector('.scrub input').value) === 10`);
    // In the middle of what there is, and of a text that grows: Save is not below anything.
    for (const place of [0, 4]) {
      const row = page.locator(`[data-turn="${place}"]`);
      await row.getByRole('button', { name: 'Edit this passage' }).tap();
      await row.getByLabel('Text of this passage').fill(`Said in ${place}. `.repeat(12).trim());
      await row.getByRole('button', { name: 'Save' }).tap();
      await row.getByText(`Said in ${place}.`).waitFor();
    }
    await page.getByText('Export', { exact: true }).tap();
    const file = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Plain text' }).tap();
    await file;
    await page.getByLabel('More', { exact: true }).tap();
    await page.getByRole('button', { name: 'Delete…' }).tap();
    await page.getByRole('button', { name: 'Cancel' }).tap();
    await noWider(page, 'note');
    await page.getByRole('link', { name: 'Notes' }).tap();
    await page.waitForURL(`${service.url}/`);
    await page.context().close();
  });

  await t.test('whatever things are called, nothing is wider than the screen', async () => {
    for (const size of [{}, { viewport: { width: 1280, height: 900 }, isMobile: false }]) {
      const page = await opened(`/notes/${hostile[0]}`, { session, ...size });
      for (const [at, id] of hostile.entries()) {
        await page.goto(`${service.url}/notes/${id}`);
        await page.getByRole('heading', { level: 1, name: hostileMeetings[at]!.title }).waitFor();
        await page.locator('.lead').waitFor();
        await noWider(page, `note ${at}`);
        const tab = page.getByRole('tab', { name: 'Transcript' });
        if (await tab.isVisible()) await tab.tap();
        await page.locator('[data-turn="0"]').waitFor();
        await noWider(page, `transcript ${at}`);
        await page.getByRole('button', { name: 'Change names' }).tap();
        await page.getByRole('button', { name: 'Cancel' }).tap();
      }
      await page.goto(`${service.url}/notes/${hostile[1]}`);
      await page.getByRole('heading', { name: arabicTitle }).waitFor();
      await page.getByText('3 February 2024').waitFor();
      const said = page.getByRole('tab', { name: 'Transcript' });
      if (await said.isVisible()) await said.tap();
      await page.locator('[data-turn="0"] .text').waitFor();
      const direction = await page.evaluate(
        `getComputedStyle(document.querySelector('[data-turn="0"] .text')).direction`,
      );
      assert.equal(direction, 'rtl');
      await page.context().close();
    }
  });

  await t.test('at 400 % zoom of a window, bars leave room for what is read', async () => {
    const page = await opened('/', {
      session,
      viewport: { width: 320, height: 256 },
      isMobile: false,
    });
    for (const path of ['/', '/speakers', '/settings?part=server', '/account', `/notes/${read}`]) {
      await page.goto(service.url + path);
      await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
      if (path.startsWith('/notes')) await page.locator('.player').waitFor();
      else await page.locator('.tabbar').waitFor({ state: 'attached' });
      await noWider(page, path);
      await page.evaluate('scrollTo(0, 200)');
      const covered = await page.evaluate<number>(coveredByBars);
      assert.ok(covered <= 80, `${path}: bars take ${covered} of 256 pixels`);
      await page.screenshot({ path: join(screens, `zoom-400-${path.length}.png`) });
    }
    await page.context().close();
  });

  await t.test('names voices', async () => {
    const page = await opened(`/speakers?recording=${waiting}`, { session });
    await page.getByLabel('Name of Speaker 3').fill('Cleo Sample');
    await page.getByLabel('Name of Speaker 4').fill('Dora');
    for (const which of ['.voices input', '.foot button:nth-of-type(3)'])
      assert.equal(await page.evaluate(`(${coveredBy})('${which}')`), '', `${which} is covered`);
    await page.getByRole('button', { name: 'Use these names' }).tap();
    await page.waitForURL(`${service.url}/notes/${waiting}`);
    await page.context().close();
  });

  await t.test(
    'searches: a passage that was found is tapped, and Back leads to the rest',
    async () => {
      const page = await opened('/speakers', { session });
      await page.locator('.tabbar').getByText('Search').tap();
      await page.waitForURL(`${service.url}/search`);
      await untilHolds(page, `document.activeElement.id === 'q'`);
      await page.keyboard.type('carpet');
      await page.getByRole('option').first().tap();
      const hits = page.locator('.hits', { hasText: /passages? in \d notes?$/ });
      await hits.waitFor();
      await noWider(page, 'what was found');
      await page.getByRole('button', { name: 'Order: Best first' }).tap();
      await page.getByRole('button', { name: 'Newest first' }).tap();
      await page.waitForURL(/order=newest/);
      // A passage plays here; the title opens the note.
      await page.locator('.hit', { hasText: 'Ben Beispiel' }).locator('.cite').tap();
      await page.locator('.mini').waitFor();
      await page.locator(`.hitgroup[data-row="${read}" i] h2 a`).tap();
      await page.waitForURL(new RegExp(`/notes/${read}\\?t=\\d+&find=carpet$`, 'i'));
      await page.getByText('The plaster is dry').waitFor();
      await page.goBack();
      await hits.waitFor();
      await page.getByRole('button', { name: 'Filter', exact: true }).tap();
      await page.getByRole('radio', { name: 'Solo' }).check();
      await page.getByRole('button', { name: 'Show notes' }).tap();
      await page.getByRole('button', { name: 'Search all notes', exact: true }).tap();
      await hits.waitFor();
      await page.context().close();
    },
  );

  await t.test(
    'settings: one is found in the row of groups, changed, saved and put back',
    async () => {
      const page = await opened('/', { session });
      await page.locator('.tabbar').getByText('Settings').tap();
      const groups = page.getByRole('navigation', { name: 'Settings' });
      for (const name of await groups.getByRole('link').allTextContents()) {
        await groups.getByRole('link', { name, exact: true }).tap();
        await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
        await noWider(page, `settings, ${name}`);
      }
      await groups.getByRole('link', { name: 'Server and limits' }).tap();
      const largest = page.getByLabel('Maximum upload size');
      await largest.fill('2048');
      await screenshot(page, 'settings-phone-changed');
      await page.getByRole('button', { name: 'Save' }).tap();
      await page.getByText('1 change saved.').waitFor();
      await page.getByRole('button', { name: /Maximum upload size/ }).tap();
      await page.getByRole('button', { name: 'Save' }).tap();
      await untilHolds(page, `document.querySelector('.savebar') === null`);
      await page.context().close();
    },
  );

  await t.test(
    'records by its own microphone with one tap, reads along, stops, and has the note',
    async () => {
      const page = await opened('/account', { session, permissions: ['microphone'] });
      await page.context().addInitScript(recordsAlone);
      await page.reload();
      await page.getByRole('button', { name: 'Record', exact: true }).tap();
      await page.waitForURL(/\/notes\//);
      await recordedFor(page, 7);
      await checkLook(page, 'recording-phone');
      await page.getByRole('tab', { name: 'Live' }).tap();
      const bar = recordingBar(page);
      await bar.getByRole('button', { name: 'Pause', exact: true }).tap();
      await bar.getByText('Paused for').waitFor();
      await bar.getByRole('button', { name: 'Resume', exact: true }).tap();
      await bar.getByText('Recording', { exact: true }).waitFor();
      await bar.getByRole('button', { name: /^Stop/ }).tap();
      await page
        .locator('[data-turn]')
        .getByText(/lose a single word/i)
        .waitFor();
      await noWider(page, 'the note of the recording');
      await page.context().close();
    },
  );
});

/** Answers that the pages expect and handle; Chromium says them on its console. */
const expected = /status of (?:401|404|409|412)/;

/** What lies over an element that was scrolled to, at its upper or lower edge. */
const coveredBy = `(which) => {
  const element = document.querySelector(which);
  element.scrollIntoView({ block: 'end', behavior: 'instant' });
  const { x, width, top, bottom } = element.getBoundingClientRect();
  return [top + 4, bottom - 4]
    .map((y) => document.elementFromPoint(x + width / 2, y))
    .filter((there) => !element.contains(there))
    .map((there) => there.outerHTML.slice(0, 200))
    .join();
}`;

/** How many pixels of the window's height lie below what does not scroll with the page. */
const coveredByBars = `(() => {
  const covered = new Set();
  for (const each of document.querySelectorAll('body *')) {
    const { position, visibility } = getComputedStyle(each);
    if ((position !== 'fixed' && position !== 'sticky') || visibility === 'hidden') continue;
    const { top, bottom, width } = each.getBoundingClientRect();
    if (width < innerWidth / 2) continue;
    for (let y = Math.max(0, Math.round(top)); y < Math.min(innerHeight, bottom); y += 1) covered.add(y);
  }
  return covered.size;
})()`;

/** Nothing scrolls sideways. */
async function noWider(page: Page, what: string): Promise<void> {
  const wide = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  assert.ok(wide <= 0, `${what} is ${wide} pixels wider than the screen`);
}
