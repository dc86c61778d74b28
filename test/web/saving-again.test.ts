import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { dataWithAda, openPage, startChromium, untilHolds } from './browser.ts';
import { hold } from './held-change.ts';
import { readingRoom, tellMeetings } from './told-meetings.ts';

type Line = { id: string; kind: string; text: string; person: string | null };
type Recording = {
  sidenotes: { note: number; text: string }[];
  utterances: { block: string; text: string }[];
  summary: { abstract: string; lines: Line[] };
};

test('what is typed is saved as often as it is asked for, and is not lost where that fails', async (t) => {
  const { dataDir, session } = await dataWithAda(t);
  const [id] = await tellMeetings(dataDir, [readingRoom]);
  const service = await startServiceProcess(dataDir);
  t.after(async () => await service.end('SIGTERM'));
  const api = apiOf(service.url, session.token);
  const read = async () => await api.get<Recording>(`/recordings/${id}`);
  const said = async (block: string) =>
    (await read()).utterances.find((one) => one.block === block)!.text;
  const lines = async () => (await read()).summary.lines;
  const lineOf = async (kind: string) => (await lines()).find((one) => one.kind === kind)!;
  const edit = async (edits: object[]) => await api.patch(`/recordings/${id}/summary`, { edits });
  const write = async (text: string) =>
    await api.post<{ note: number }>(`/recordings/${id}/sidenotes`, { at: 1, text });
  const notes = async () => (await read()).sidenotes.map(({ text }) => text);
  const isWritten = async () =>
    (await api.get<{ version: number }>(`/recordings/${id}`)).version > 0;
  await eventually('the note is written, which can be edited then', isWritten);
  const browser = await startChromium(t);
  const url = `${service.url}/notes/${id}`;
  const opened = async () =>
    await openPage(t, browser, { url, session, expected: /status of (?:404|412|50[23])/ });

  await t.test('what is typed behind a save of a passage that is refused stays', async () => {
    const page = await opened();
    const area = await openPassage(page, 't-0003');
    await area.fill('Mine');
    const answer = await hold(page, /\/utterances$/u);
    await area.press('Control+Enter');
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' more');
    // A press that came before it was seen what others wrote overwrites nothing.
    await area.press('Control+Enter');
    await api.patch(`/recordings/${id}/utterances/t-0003`, { text: 'Theirs.' });
    await answer();
    await page.getByText('This passage was changed in the meantime.').waitFor();
    assert.equal(await area.inputValue(), 'Mine more');
    assert.equal(await said('t-0003'), 'Theirs.');
    await area.press('Control+Enter');
    await area.waitFor({ state: 'detached' });
    assert.equal(await said('t-0003'), 'Mine more');
    await page.context().close();
  });

  await t.test('Enter and Enter again while the first save is under way', async () => {
    await write('A side note');
    const page = await opened();
    const passage = await openPassage(page, 't-0004');
    await passage.fill('One');
    const turn = await hold(page, /\/utterances$/u);
    await passage.press('Control+Enter');
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' and two');
    await passage.press('Control+Enter');
    await turn();
    await passage.waitFor({ state: 'detached' });
    await eventually('all of it', async () => (await said('t-0004')) === 'One and two');

    await jot(page, 'A side note').locator('.body').click();
    await sideNote(page).fill('Jotted');
    const jotted = await hold(page, /\/sidenotes\/\d+$/u);
    await sideNote(page).press('Enter');
    await page.keyboard.type(' on');
    await page.keyboard.press('Enter');
    await jotted();
    await eventually('all of it', async () => (await notes()).includes('Jotted on'));
    await sideNote(page).waitFor({ state: 'detached' });

    const { id: decision } = await lineOf('decision');
    await lineBody(page, decision).click();
    for (const [first, whole] of [
      ['Line', 'Line as a whole'],
      ['New', 'New as a whole'],
    ] as const) {
      await line(page).fill(first);
      const summed = await hold(page, /\/summary$/u);
      await line(page).press('Enter');
      await page.keyboard.type(' as a whole');
      await page.keyboard.press('Enter');
      await summed();
      await eventually('all of it', async () => (await lines()).some((one) => one.text === whole));
      // And a new line is open below.
      await untilHolds(page, "document.activeElement?.value === ''");
    }
    const texts = (await lines()).map(({ text }) => text);
    assert.equal(texts.filter((text) => text.startsWith('New')).length, 1);
    await page.context().close();
  });

  await t.test('who goes elsewhere while Enter saves a line stays there', async () => {
    const page = await opened();
    const { id: decision } = await lineOf('decision');
    const passage = page.locator('[data-block="t-0003"]');
    const ways = [
      () => passage.focus(),
      () => page.getByRole('heading', { name: 'Decisions' }).click(),
    ];
    for (const [at, goElsewhere] of ways.entries()) {
      await lineBody(page, decision).click();
      await line(page).fill(`Decided ${at}`);
      const answer = await hold(page, /\/summary$/u);
      await line(page).press('Enter');
      await goElsewhere();
      await answer();
      await lineRow(page)
        .filter({ hasText: `Decided ${at}` })
        .waitFor();
      await page.evaluate('new Promise(requestAnimationFrame)');
      assert.equal(await line(page).count(), 0, `no line is opened below: ${at}`);
    }
    await passage.focus();
    await page.context().close();
  });

  await t.test('a save by leaving, and one by a key behind it', async () => {
    const page = await opened();
    const { id: task } = await lineOf('task');
    await lineBody(page, task).click();
    await line(page).fill('Call');
    const answer = await hold(page, /\/summary$/u);
    await page.getByRole('heading', { name: 'Decisions' }).click();
    await line(page).click();
    await page.keyboard.press('End');
    await page.keyboard.type(' them');
    await page.keyboard.press('Enter');
    await answer();
    await eventually('all of it', async () => (await lineOf('task')).text === 'Call them');
    // The answer comes later: then a line below is opened.
    await untilHolds(page, "document.activeElement?.value === ''");
    assert.equal(await page.getByText('in the meantime').count(), 0);

    const area = await openPassage(page, 't-0005');
    await area.fill('First');
    const turn = await hold(page, /\/utterances$/u);
    await area.press('Control+Enter');
    await area.press('Escape');
    await untilHolds(page, "document.activeElement?.dataset.block === 't-0005'");
    await openPassage(page, 't-0005');
    await page.keyboard.press('Control+End');
    await page.keyboard.type(', second');
    await area.press('Control+Enter');
    await turn();
    await area.waitFor({ state: 'detached' });
    assert.equal(await said('t-0005'), 'First, second');
    assert.equal(await page.getByText('in the meantime').count(), 0);
    await page.context().close();
  });

  await t.test('what the service saved and could not show yet is not sent twice', async () => {
    const page = await opened();
    const problem = {
      type: '/problems/views-behind',
      title: 'Saved',
      status: 503,
      detail: 'Saved.',
    };
    const { id: task } = await lineOf('task');
    await lineBody(page, task).click();
    await line(page).press('Enter');
    for (const [text, answer] of [
      [
        'Behind',
        { status: 503, contentType: 'application/problem+json', body: JSON.stringify(problem) },
      ],
      ['Through a proxy', { status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }],
    ] as const) {
      await untilHolds(page, "document.activeElement?.value === ''");
      await line(page).fill(text);
      await page.route(
        /\/summary$/u,
        async (route) => {
          await route.fetch();
          await route.fulfill(answer);
        },
        { times: 1 },
      );
      await line(page).press('Enter');
      await lineRow(page).filter({ hasText: text }).waitFor();
      await untilHolds(page, "document.activeElement?.value === ''");
      assert.equal(await page.getByText('Nothing was changed').count(), 0);
      assert.equal((await lines()).filter((one) => one.text === text).length, 1);
    }
    assert.equal(await page.getByText('Line added.').count(), 2);
    await page.context().close();
  });

  await t.test('what was typed in a line, or a side note, that goes is kept in sight', async () => {
    const { note } = await write('To be removed');
    const page = await opened();
    const { id: open } = await lineOf('open');
    const { id: decision } = await lineOf('decision');
    await lineBody(page, open).click();
    await line(page).fill('Left, and kept');
    await line(page).press('Escape');
    await lineBody(page, decision).click();
    await line(page).fill('Under the hands');
    await edit([
      { line: decision, remove: true },
      { line: open, remove: true },
    ]);
    const kept = (text: string) => page.getByRole('alert').filter({ hasText: text });
    for (const text of ['Left, and kept', 'Under the hands']) {
      await kept(text).getByText('This line is no longer in the summary.').waitFor();
      await kept(text).getByRole('button', { name: 'Copy' }).waitFor();
    }
    await kept('Left, and kept').getByRole('button', { name: 'Discard changes' }).click();
    await kept('Left, and kept').waitFor({ state: 'detached' });
    // Put back, it is open as it was.
    await edit([{ line: decision, remove: false }]);
    await untilHolds(page, "document.activeElement?.value === 'Under the hands'");
    await kept('Under the hands').waitFor({ state: 'detached' });
    await line(page).press('Escape');

    await jot(page, 'To be removed').locator('.body').click();
    await sideNote(page).fill('Jotted for nothing');
    await api.delete(`/recordings/${id}/sidenotes/${note}`);
    await kept('Jotted for nothing').getByText('This side note was removed.').waitFor();
    await page.context().close();
  });

  await t.test('a side note that was changed elsewhere is saved by the next press', async () => {
    const { note } = await write('Before');
    const page = await opened();
    await jot(page, 'Before').locator('.body').click();
    await api.patch(`/recordings/${id}/sidenotes/${note}`, { text: 'Theirs' });
    await sideNote(page).fill('Mine');
    await sideNote(page).press('Enter');
    await page.getByText('changed or removed in the meantime. Nothing was saved.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await sideNote(page).waitFor({ state: 'detached' });
    assert.ok((await notes()).includes('Mine'));
    // What the service writes otherwise than it was typed is taken back all the same.
    await jot(page, 'Mine').locator('.body').click();
    await sideNote(page).fill('With\ta tab');
    await sideNote(page).press('Enter');
    await sideNote(page).waitFor({ state: 'detached' });
    await page.keyboard.press('Control+z');
    await eventually('it is taken back', async () => (await notes()).includes('Mine'));
    await page.context().close();
  });

  await t.test(
    'a line stays open when something else of it is chosen, or it is moved',
    async () => {
      const page = await opened();
      const { id: task } = await lineOf('task');
      await lineBody(page, task).click();
      await page.getByRole('combobox', { name: 'Person' }).fill('Eva');
      await page.keyboard.press('Tab');
      await page.getByText('Person changed.').first().waitFor();
      const due = page.getByLabel('Due date');
      assert.ok(await due.evaluate((field) => field === field.ownerDocument.activeElement));
      await line(page).focus();
      await page.keyboard.press('Alt+ArrowDown');
      await page.getByText('Line moved.').first().waitFor();
      await untilHolds(page, "document.activeElement?.tagName === 'TEXTAREA'");
      await page.getByLabel('Type').selectOption('point');
      await page.getByText('Type changed.').first().waitFor();
      await untilHolds(page, "document.activeElement?.tagName === 'TEXTAREA'");
      assert.equal(await page.getByLabel('Type').inputValue(), 'point');
      await page.context().close();
    },
  );
});

async function openPassage(page: Page, block: string) {
  await page.locator(`[data-block="${block}"]`).focus();
  await page.keyboard.press('e');
  const area = page.getByLabel('Text of this passage');
  await area.waitFor();
  await untilHolds(page, "document.activeElement?.id === 'turn-text'");
  return area;
}

const jot = (page: Page, text: string) => page.locator('.jot').filter({ hasText: text });
const sideNote = (page: Page) => page.locator('.jot .editing textarea');
const line = (page: Page) => page.getByLabel('Text of this line');
const lineRow = (page: Page) => page.locator('[data-line]');
const lineBody = (page: Page, id: string) => page.locator(`[data-line="${id}"] .body`);
