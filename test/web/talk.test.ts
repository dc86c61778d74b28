import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import {
  checkLook,
  noteAnnouncements,
  openPage,
  password,
  phone,
  saidIn,
  startChromium,
  startWebService,
  untilHolds,
} from './browser.ts';
import { readingRoom, tellMeetings } from './told-meetings.ts';

type Sidenote = { note: number; at: number; text: string; block: string | null; mark: boolean };
type Recording = {
  duration: number;
  sidenotes: Sidenote[];
  utterances: { block: string; start: number }[];
};

/** Answers that the pages expect and handle, and those that a test cuts off. */
const expected = /status of (?:401|404|409|412|503)|ERR_|Failed to load|WebSocket/;

test('side notes of a note that is there: written, edited, removed, kept until they are sent, and sent once', async (t) => {
  const first = await startWebService(t);
  await first.end('SIGTERM');
  const [id] = await tellMeetings(first.dataDir, [readingRoom]);
  const service = await startServiceProcess(first.dataDir);
  t.after(async () => await service.end('SIGTERM'));
  const session = await apiOf(service.url).post<{ token: string }>('/login', {
    username: 'ada',
    password,
  });
  const browser = await startChromium(t);
  const url = `${service.url}/notes/${id}`;
  const read = () => apiOf(service.url, session.token).get<Recording>(`/recordings/${id}`);
  const texts = async () => (await read()).sidenotes.map(({ text }) => text);
  const sent = (wanted: readonly string[]) =>
    eventually(
      `sent: ${wanted.join(', ')}`,
      async () =>
        wanted.every((text, at, all) => all.length > 0 && at >= 0 && text !== '') &&
        JSON.stringify((await texts()).toSorted()) === JSON.stringify(wanted.toSorted()),
    );

  await t.test(
    'by keyboard: a line, a line on a passage, edited, removed, taken back',
    async () => {
      const page = await openPage(t, browser, { url, session, expected });
      await page.context().addInitScript(noteAnnouncements);
      await page.reload();
      await page.getByRole('heading', { name: 'My side notes' }).waitFor();
      await page.locator('h1').focus();
      await page.keyboard.press('n');
      await page.keyboard.type('Ask who signed');
      await page.keyboard.press('Shift+Enter');
      await page.keyboard.type('for the boards');
      await page.keyboard.press('Enter');
      await note(page, 'Ask who signed').waitFor();
      assert.equal(await field(page).inputValue(), '');
      await sent(['Ask who signed\nfor the boards']);
      const { duration, sidenotes, utterances } = await read();
      assert.ok(Math.abs(sidenotes[0]!.at - duration) < 0.1, 'nobody plays it: at its end');
      await untilHolds(page, `document.activeElement?.id === 'sidenote'`);
      assert.ok((await saidIn(page)).some((text) => /^status: Side note added, \d/u.test(text)));

      await page.locator('[data-turn="2"]').hover();
      await page.locator('[data-turn="2"]').getByRole('button', { name: 'Add side note' }).click();
      await page.getByRole('button', { name: 'Not about this passage' }).waitFor();
      await page.keyboard.type('Lift must work');
      await checkLook(page, 'talk-note-on-passage');
      await page.keyboard.press('Enter');
      await note(page, 'Lift must work').locator('q').waitFor();
      await sent(['Ask who signed\nfor the boards', 'Lift must work']);
      const on = (await read()).sidenotes.find(({ text }) => text === 'Lift must work')!;
      assert.deepEqual([on.block, on.at], [utterances[2]!.block, utterances[2]!.start]);

      // The one that was written last.
      await page.keyboard.press('ArrowUp');
      await editor(page).fill('Lift must work before we open');
      await checkLook(page, 'talk-note-edited');
      await page.keyboard.press('Enter');
      await page.getByText('Side note edited.').first().waitFor();
      await sent(['Ask who signed\nfor the boards', 'Lift must work before we open']);
      await note(page, 'Ask who signed').locator('.body').press('Enter');
      await page.getByRole('button', { name: 'Remove side note' }).click();
      await page.getByText('Side note removed.').first().waitFor();
      await note(page, 'Ask who signed').waitFor({ state: 'detached' });
      await sent(['Lift must work before we open']);
      await page.getByRole('button', { name: 'Undo' }).last().click();
      await note(page, 'Ask who signed').waitFor();
      await sent(['Ask who signed\nfor the boards', 'Lift must work before we open']);
      // Its time plays.
      await note(page, 'Lift must work')
        .getByRole('button', { name: /^Play from/u })
        .click();
      await page.locator('[data-turn="2"].playing').waitFor();
      await page.context().close();
    },
  );

  await t.test(
    'what is not sent stays in this browser, through a reload, and is sent once',
    async () => {
      const before = await texts();
      const page = await openPage(t, browser, { url, session, expected });
      let tries = 0;
      const isSidenote = /\/sidenotes$/u;
      await page.route(isSidenote, async (route) => {
        tries += 1;
        // The first gets there, and its answer is lost on the way back.
        if (tries === 1) await route.fetch();
        await route.abort();
      });
      for (const text of ['One offline', 'Two offline']) {
        await field(page).fill(text);
        await page.keyboard.press('Enter');
        await note(page, text).waitFor();
      }
      await eventually('it was tried', async () => tries > 0);
      await field(page).pressSequentially('not yet added');
      await page.reload();
      await note(page, 'Two offline').waitFor();
      await note(page, 'One offline').waitFor();
      assert.equal(await field(page).inputValue(), 'not yet added');
      await page.unrouteAll({ behavior: 'wait' });
      await sent([...before, 'One offline', 'Two offline']);
      await untilHolds(page, `localStorage.getItem('mitschrift.sidenotes.ada') === null`);
      await field(page).fill('');
      await page.reload();
      await note(page, 'One offline').waitFor();
      assert.equal(await note(page, 'One offline').count(), 1);
      // What the service does not take says why, and is not lost.
      await page.route(isSidenote, async (route) => {
        const json = { type: '/problems/not-accepted', title: 'There are too many', status: 422 };
        await route.fulfill({ status: 422, json });
      });
      await field(page).fill('One too many');
      await page.keyboard.press('Enter');
      await page.getByText('Still in this browser: There are too many').waitFor();
      await checkLook(page, 'talk-note-refused');
      await page.unrouteAll({ behavior: 'wait' });
      await note(page, 'One too many').getByRole('button', { name: 'Discard changes' }).click();
      await note(page, 'One too many').waitFor({ state: 'detached' });
      await page.context().close();
    },
  );

  await t.test('on a phone, in German', async () => {
    const page = await openPage(t, browser, {
      url,
      session,
      expected,
      ...phone,
      locale: 'de-DE',
      viewport: { width: 320, height: 700 },
    });
    await page.getByRole('tab', { name: /Zusammenfassung|Notiz/u }).tap();
    await page.getByRole('heading', { name: 'Meine Randnotizen' }).waitFor();
    await field(page).fill('Mit dem Daumen');
    await page.getByRole('button', { name: 'Hinzufügen', exact: true }).tap();
    await note(page, 'Mit dem Daumen').waitFor();
    await checkLook(page, 'talk-note-phone-german');
    await page.context().close();
  });
});

const field = (page: Page) => page.locator('#sidenote');
const note = (page: Page, text: string) => page.locator('.jot').filter({ hasText: text });
const editor = (page: Page) => page.locator('.jot .editing textarea');
