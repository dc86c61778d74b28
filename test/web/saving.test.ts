import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { dataWithAda, openPage, startChromium, untilHolds } from './browser.ts';
import { hold } from './held-change.ts';
import { readingRoom, tellMeetings } from './told-meetings.ts';

type Recording = {
  sidenotes: { note: number; text: string }[];
  utterances: { block: string; text: string; speaker: string }[];
  summary: {
    lines: {
      id: string;
      kind: string;
      text: string;
      person: string | null;
      due_date: string | null;
    }[];
  };
};

test('what is typed, opened or chosen while a save is under way stays', async (t) => {
  const { dataDir, session } = await dataWithAda(t);
  const [id] = await tellMeetings(dataDir, [readingRoom]);
  const service = await startServiceProcess(dataDir);
  t.after(async () => await service.end('SIGTERM'));
  const api = apiOf(service.url, session.token);
  const read = async () => await api.get<Recording>(`/recordings/${id}`);
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

  await t.test('words and a speaker of a passage', async () => {
    const page = await opened();
    const turn = page.locator('[data-block="t-0003"]');
    await turn.focus();
    await page.keyboard.press('e');
    const area = page.getByLabel('Text of this passage');
    await area.fill('Sent.');
    const answer = await hold(page, /\/utterances$/u);
    await page.keyboard.press('Control+Enter');
    await area.press('End');
    await page.keyboard.type(' Typed since.');
    const speaker = page.getByLabel('Speaker of this passage');
    const before = await speaker.inputValue();
    const other = (await read()).utterances.find((one) => one.speaker !== before)!.speaker;
    await speaker.selectOption(other);
    await answer();
    await page.getByText('Passage at 00:26 edited.').first().waitFor();
    const now = async () => (await read()).utterances.find(({ block }) => block === 't-0003')!;
    assert.equal((await now()).text, 'Sent.');
    assert.equal(await area.count(), 1, 'it is open');
    assert.equal(await area.inputValue(), 'Sent. Typed since.');
    assert.equal(await speaker.inputValue(), other);
    await area.press('Control+Enter');
    await area.waitFor({ state: 'detached' });
    assert.deepEqual([(await now()).text, (await now()).speaker], ['Sent. Typed since.', other]);
    assert.equal(await page.evaluate('document.activeElement.dataset.block'), 't-0003');

    // Of a passage that was split meanwhile both texts are shown.
    await page.keyboard.press('e');
    await area.press('Control+ArrowRight');
    const split = await hold(page, /\/split$/u);
    await page.getByRole('button', { name: 'Split here' }).click();
    await area.press('End');
    await page.keyboard.type(' Still typed.');
    await split();
    await page.getByText('This passage was changed in the meantime.').waitFor();
    assert.equal(await area.inputValue(), 'Sent. Typed since. Still typed.');
    await page.context().close();
  });

  await t.test('words of a passage whose speaker others corrected meanwhile', async () => {
    const page = await opened();
    const area = page.getByLabel('Text of this passage');
    const speaker = page.getByLabel('Speaker of this passage');
    const save = page.getByRole('button', { name: 'Save', exact: true });
    const turn = (block: string) => page.locator(`[data-block="${block}"]`);
    const open = async (block: string) => {
      await turn(block).focus();
      await page.keyboard.press('e');
      await area.waitFor();
    };
    const now = async (wanted: string) =>
      (await read()).utterances.find(({ block }) => block === wanted)!;
    const otherThan = async (label: string) =>
      (await read()).utterances.find((one) => one.speaker !== label)!.speaker;
    await open('t-0003');
    await area.fill('Mine.');
    await area.press('Escape');
    const theirs = await otherThan((await now('t-0003')).speaker);
    await api.patch(`/recordings/${id}/utterances/t-0003`, { speaker: theirs });
    await page.reload();
    await turn('t-0003').getByRole('button', { name: 'Continue' }).click();
    assert.equal(await speaker.inputValue(), theirs);
    await save.click();
    await area.waitFor({ state: 'detached' });
    assert.deepEqual(
      [(await now('t-0003')).text, (await now('t-0003')).speaker],
      ['Mine.', theirs],
    );

    // In another transcript the label that was chosen may be another voice.
    const before = (await now('t-0006')).speaker;
    await open('t-0006');
    await speaker.selectOption(await otherThan(before));
    await area.fill('Mine, too.');
    await area.press('Escape');
    await page.route(`**/recordings/${id}`, async (route) => {
      const answer = await route.fetch();
      const recording = (await answer.json()) as object;
      await route.fulfill({ response: answer, json: { ...recording, speakers_revision: 'next' } });
    });
    await page.reload();
    await turn('t-0006').getByRole('button', { name: 'Continue' }).click();
    await save.click();
    await page.getByText('This passage was changed in the meantime.').waitFor();
    assert.equal(await speaker.inputValue(), before);
    await save.click();
    await area.waitFor({ state: 'detached' });
    assert.deepEqual(
      [(await now('t-0006')).text, (await now('t-0006')).speaker],
      ['Mine, too.', before],
    );
    await page.context().close();
  });

  await t.test('words of a side note', async () => {
    const page = await opened();
    await jot(page, 'Second side note').locator('.body').click();
    const answer = await hold(page, /\/sidenotes\/\d+$/u);
    await sideNote(page).fill('Sent');
    await sideNote(page).press('Enter');
    await page.keyboard.type(', and typed since');
    await answer();
    await page.getByText('Side note edited.').first().waitFor();
    assert.equal(await page.evaluate('document.activeElement?.value'), 'Sent, and typed since');
    await page.keyboard.press('Enter');
    await sideNote(page).waitFor({ state: 'detached' });
    assert.ok((await read()).sidenotes.some(({ text }) => text === 'Sent, and typed since'));
    await page.context().close();
  });

  await t.test(
    'words of a line of the summary, of one that was there and of a new one',
    async () => {
      const page = await opened();
      const lines = async () => (await read()).summary.lines;
      const { id: line } = (await lines()).find(({ kind }) => kind === 'task')!;
      await page.locator(`[data-line="${line}"] .body`).click();
      const area = page.getByLabel('Text of this line');
      for (const [sent, typed, said] of [
        ['Send the plan', ' and the keys', 'Line edited.'],
        ['Call the builder', ' on Monday', 'Line added.'],
      ] as const) {
        await area.fill(sent);
        const answer = await hold(page, /\/summary$/u);
        await page.keyboard.press('Enter');
        await page.keyboard.type(typed);
        await answer();
        await page.getByText(said).first().waitFor();
        assert.ok((await lines()).some(({ text }) => text === sent));
        assert.equal(await area.inputValue(), sent + typed);
        // Then a line below is opened, which is a new one.
        await page.keyboard.press('Enter');
        await eventually('the rest is saved', async () =>
          (await lines()).some(({ text }) => text === sent + typed),
        );
        await untilHolds(page, "document.activeElement?.value === ''");
      }
      assert.equal(await page.getByText('This line was changed in the meantime.').count(), 0);
      await page.context().close();
    },
  );

  await t.test('the person and the date of a task', async () => {
    const page = await opened();
    const task = async () => (await read()).summary.lines.find(({ kind }) => kind === 'task')!;
    const { id: line } = await task();
    await page.locator(`[data-line="${line}"] .body`).click();
    const person = page.getByRole('combobox', { name: 'Person' });
    const due = page.getByLabel('Due date');
    const answer = await hold(page, /\/summary$/u);
    await person.fill('Eva');
    await due.fill('2026-03-04');
    // Back to what the page still shows, while the other one is on its way.
    await person.fill('Eva Beispiel');
    await person.press('Tab');
    await answer();
    await eventually('all is saved', async () => {
      const now = await task();
      return now.person === 'Eva Beispiel' && now.due_date === '2026-03-04';
    });
    await page.context().close();
  });
});

const jot = (page: Page, text: string) => page.locator('.jot').filter({ hasText: text });
const sideNote = (page: Page) => page.locator('.jot .editing textarea');
