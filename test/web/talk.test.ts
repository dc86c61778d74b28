import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { sentences } from '../support/pulse-speech.ts';
import { eventually } from '../support/eventually.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import {
  checkLook,
  noteAnnouncements,
  dataWithAda,
  openPage,
  phone,
  record,
  recorded,
  recordedFor,
  recordingBar,
  recordsAlone,
  saidIn,
  startChromium,
  startWebService,
  untilHolds,
} from './browser.ts';
import { microphoneThatSpeaks } from './fake-microphone.ts';
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
  const { dataDir, session } = await dataWithAda(t);
  const [id] = await tellMeetings(dataDir, [readingRoom]);
  const service = await startServiceProcess(dataDir);
  t.after(async () => await service.end('SIGTERM'));
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
      const page = await openPage(t, browser, {
        url,
        session,
        expected,
        prepare: async (opened) => void (await opened.context().addInitScript(noteAnnouncements)),
      });
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
    await page.getByRole('tab', { name: 'Notiz' }).waitFor();
    await page.getByRole('heading', { name: 'Meine Randnotizen' }).waitFor();
    await field(page).fill('Mit dem Daumen');
    await page.getByRole('button', { name: 'Hinzufügen', exact: true }).tap();
    await note(page, 'Mit dem Daumen').waitFor();
    await checkLook(page, 'talk-note-phone-german');
    await page.context().close();
  });
});

test('what would be recorded is played at the second press alone', async (t) => {
  const { dataDir, session } = await dataWithAda(t);
  await tellMeetings(dataDir, [readingRoom]);
  const service = await startServiceProcess(dataDir);
  t.after(async () => await service.end('SIGTERM'));
  const browser = await startChromium(t, await microphoneThatSpeaks(t, sentences.mic));
  const page = await openPage(t, browser, {
    url: service.url,
    session,
    expected,
    permissions: ['microphone'],
    prepare: async (opened) => {
      await opened.context().addInitScript(recordsAlone);
    },
  });
  await record(page);
  await page.locator('a.back').click();
  await page.getByRole('link', { name: readingRoom.title }).first().click();
  const [play, pause] = (['Play', 'Pause'] as const).map((name) =>
    page.locator('.player').getByRole('button', { name, exact: true }),
  );
  await play!.click();
  await page.getByText('Playback would be recorded.').waitFor();
  assert.equal(await play!.isVisible(), true);
  await checkLook(page, 'talk-playback-recorded');
  await play!.click();
  await pause!.waitFor();
  await page.getByText('Playback would be recorded.').waitFor({ state: 'detached' });
  await pause!.click();
  await recordingBar(page).getByRole('button', { name: /^Stop/u }).click();
  await recordingBar(page).waitFor({ state: 'detached' });
  // Nothing listens any more.
  await page.getByRole('button', { name: 'Play from 00:13' }).first().click();
  await pause!.waitFor();
  await page.context().close();
});

test('a talk is a note from its first second: words beside the field, and nothing moves when it ends', async (t) => {
  const service = await startWebService(t);
  const session = await service.login();
  const browser = await startChromium(t, await microphoneThatSpeaks(t, sentences.mic));
  const page = await openPage(t, browser, {
    url: service.url,
    session,
    expected,
    permissions: ['microphone'],
    prepare: async (opened) => {
      await opened.context().addInitScript(recordsAlone);
      await opened.context().addInitScript(noteAnnouncements);
    },
  });
  await record(page);
  const id = page.url().split('/').at(-1)!;
  const api = apiOf(service.url, session.token);
  const read = () => api.get<Recording>(`/recordings/${id}`);
  await page.getByText('Created when the recording ends.').waitFor();
  // Who opens it writes at once.
  await untilHolds(page, `document.activeElement?.id === 'sidenote'`);
  await page.keyboard.type('Lift first');
  const typed = await recorded(page);
  await recordedFor(page, typed + 3);
  await page.keyboard.press('Enter');
  await note(page, 'Lift first').waitFor();
  await page.keyboard.press('Enter');
  await note(page, 'Moment marked').waitFor();
  await page
    .locator('.toast')
    .getByText(/^Moment marked at [\d:]+\.$/)
    .waitFor();
  await eventually('both are there', async () => (await read()).sidenotes.length === 2);
  const [first, moment] = (await read()).sidenotes;
  assert.ok(first!.at < typed + 2 && !first!.mark, 'the time of its first key');
  assert.ok(moment!.at >= typed + 2.5 && moment!.mark);
  const live = page.getByRole('log', { name: 'Live transcript' });
  await live.getByText(heardWords).waitFor();
  await checkLook(page, 'talk-live');

  // It gets its name while it runs.
  await page.getByRole('button', { name: /^Recording, \d/u }).click();
  await page.keyboard.type('Lift and shelves');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Lift and shelves' }).waitFor();

  // Who may be heard is said while they talk.
  await page.getByRole('button', { name: 'Add people' }).click();
  await page.getByRole('textbox', { name: 'People' }).fill('Ben Beispiel, Cleo');
  await checkLook(page, 'talk-people');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'People: Ben Beispiel, Cleo' }).waitFor();
  await checkLook(page, 'talk-people-given');
  await field(page).focus();

  // On a phone each has a tab, and no keyboard jumps up.
  const small = await openPage(t, browser, { url: page.url(), session, expected, ...phone });
  await small.getByRole('tab', { name: 'Note', selected: true }).waitFor();
  await note(small, 'Lift first').waitFor();
  await checkLook(small, 'talk-live-phone');
  await small.getByRole('tab', { name: 'Live' }).tap();
  await small.getByRole('log').getByText(heardWords).waitFor();
  await checkLook(small, 'talk-live-phone-words');
  await small.getByRole('log').getByRole('button', { name: 'Add side note' }).first().tap();
  await small.getByRole('button', { name: 'Not about this passage' }).waitFor();
  await field(small).fill('From the phone');
  await small.getByRole('button', { name: 'Add', exact: true }).tap();
  await note(page, 'From the phone').locator('q').getByText(heardWords).waitFor();
  const narrow = await openPage(t, browser, {
    url: page.url(),
    session,
    expected,
    ...phone,
    locale: 'de-DE',
    viewport: { width: 320, height: 640 },
  });
  await narrow.getByText('Wird nach der Aufnahme erstellt.').waitFor();
  await note(narrow, 'From the phone').waitFor();
  await checkLook(narrow, 'talk-live-narrow-de');
  await narrow.context().close();
  await small.context().close();

  // A person who types when it ends is not moved.
  await page.keyboard.type('Still writing');
  const top = () =>
    page.evaluate<{ field: number; others: (number | undefined)[]; size: number }>(`(() => {
      const box = (one) => document.querySelector(one)?.getBoundingClientRect();
      const others = ['h1', '.jots', '#coming'].map((one) => box(one)?.top);
      return { field: box('#sidenote').top, others, size: box('.jots').height };
    })()`);
  const before = await top();
  await page.evaluate(watchShifts);
  await recordingBar(page).getByRole('button', { name: /^Stop/u }).click();
  await recordingBar(page).waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Transcript', exact: true }).waitFor();
  const stopped = await top();
  // What the moment rests on may be found to begin later: then its line is less high, and the field stays all the same.
  const isSame = stopped.size === before.size && stopped.others.at(-1) !== undefined;
  if (isSame) assert.deepEqual(stopped, before);
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  await page.locator('.turn').getByText(heardWords).waitFor();
  await page.getByRole('heading', { level: 1, name: 'Lift and shelves' }).waitFor();
  assert.equal(await field(page).inputValue(), 'Still writing');
  for (const { field: at } of [stopped, await top()])
    assert.ok(Math.abs(at - before.field) < 2, `the field was at ${before.field}, is at ${at}`);
  await field(page).focus();
  await page.keyboard.press('Enter');
  await note(page, 'Still writing').waitFor();
  await checkLook(page, 'talk-ready');
  await eventually('documents hold the side notes', async () => {
    const text = await (
      await fetch(`${service.url}/recordings/${id}/export?format=md`, {
        headers: { Authorization: `Bearer ${session.token}` },
      })
    ).text();
    return ['Lift first', 'Still writing'].every((one) => text.includes(one));
  });

  // What is written right after the end stands at the end, also before the service says how long the talk was.
  await record(page);
  const next = page.url().split('/').at(-1)!;
  await recordedFor(page, 3);
  let tell = () => {};
  const told = new Promise<void>((resolve) => (tell = resolve));
  await page.route(`**/recordings/${next}`, async (route) => {
    await told;
    await route.continue();
  });
  await recordingBar(page).getByRole('button', { name: /^Stop/u }).click();
  await recordingBar(page).waitFor({ state: 'detached' });
  await field(page).fill('After the end');
  await page.keyboard.press('Enter');
  await note(page, 'After the end').waitFor();
  tell();
  await eventually('it stands at the end', async () => {
    const { sidenotes } = await api.get<Recording>(`/recordings/${next}`);
    return sidenotes.length === 1 && sidenotes[0]!.at >= 2.5;
  });
  await page.context().close();
});

/** Counts what moves in the document's column from then on, but for what a person did just before. */
const watchShifts = `(() => {
  globalThis.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      for (const { node } of entry.sources)
        if (node?.parentElement?.closest('.doc, .above')) globalThis.shifted += entry.value;
  }).observe({ type: 'layout-shift' });
})()`;

/** Of what the microphone says, as the small engine writes it. */
const heardWords = /single word/iu;

const field = (page: Page) => page.locator('#sidenote');
const note = (page: Page, text: string) => page.locator('.jot').filter({ hasText: text });
const editor = (page: Page) => page.locator('.jot .editing textarea');
