import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import {
  checkLook,
  openPage,
  password,
  startChromium,
  startWebService,
  untilHolds,
} from './browser.ts';
import { readingRoom, tellMeetings } from './told-meetings.ts';

type Line = { id: string; kind: string; text: string; done: boolean; edited_by: string | null };
type Recording = { summary: { abstract: string; lines: Line[] } };

/** Answers that the pages expect and handle, and those that a test cuts off. */
const expected = /status of (?:401|404|409|412)|ERR_FAILED|Failed to load/;

test('the summary is edited where it stands: by keyboard, by touch, with drafts that stay, and undone in any order', async (t) => {
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
  const opened = async (more: object = {}) =>
    await openPage(t, browser, { url, session, expected, ...more });
  const lines = async () =>
    (await apiOf(service.url, session.token).get<Recording>(`/recordings/${id}`)).summary.lines;
  const texts = async (kind: string) =>
    (await lines()).filter((line) => line.kind === kind).map(({ text }) => text);
  const elsewhere = async (edits: object[]) => {
    const answer = await fetch(`${service.url}/recordings/${id}/summary`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${session.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ edits }),
    });
    assert.equal(answer.status, 200);
  };
  const before = await lines();
  const decision = before.find(({ kind }) => kind === 'decision')!;
  const task = before.find(({ kind }) => kind === 'task')!;

  await t.test('by keyboard: edit, go on below, remove an empty line, move, check', async () => {
    const page = await opened();
    await body(page, decision.id).focus();
    await page.keyboard.press('Enter');
    await editor(page).fill('The room opens on 6 March.');
    await page.keyboard.press('Enter');
    // A new line of the same kind, with the caret in it.
    await untilHolds(page, "document.activeElement?.value === ''");
    await editor(page).fill('Ben pays.');
    await page.keyboard.press('Enter');
    await page.getByText('Line added.').first().waitFor();
    await page.keyboard.press('Backspace');
    await body(page, decision.id).getByText('The room opens on 6 March.').waitFor();
    const now = await texts('decision');
    assert.deepEqual(now.slice(0, 2), ['The room opens on 6 March.', 'Ben pays.']);
    await row(page, decision.id).getByText('edited by you').waitFor({ state: 'attached' });
    await body(page, decision.id).focus();
    await page.keyboard.press('Alt+ArrowDown');
    await page.getByText('Line moved.').first().waitFor();
    assert.deepEqual((await texts('decision')).slice(0, 2), now.slice(0, 2).toReversed());
    await row(page, task.id).getByRole('checkbox').press('Space');
    await page.getByText('Task marked as done.').first().waitFor();
    assert.equal((await lines()).find((line) => line.id === task.id)!.done, true);
    await checkLook(page, 'summary-edited');

    // Taken back in any order.
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('button', { name: 'My changes' }).click();
    const undo = async (said: string) => {
      const change = page.getByRole('dialog').getByRole('listitem').filter({ hasText: said });
      await change.getByRole('button', { name: 'Undo' }).click();
      await change.getByRole('button', { name: 'Redo' }).waitFor();
    };
    await undo('Line edited.');
    await undo('Task marked as done.');
    await undo('Line added.');
    await undo('Line moved.');
    assert.deepEqual(await lines(), before);
    await page.context().close();
  });

  await t.test('what was typed stays, and what changed meanwhile is shown', async () => {
    let page = await opened();
    await body(page, decision.id).click();
    await editor(page).fill('Not saved yet.');
    await page.keyboard.press('Escape');
    await row(page, decision.id)
      .getByText(/^Unsaved edit from/u)
      .waitFor();
    await body(page, task.id).click();
    await editor(page).fill('Typed when the tab was closed.');
    const { context } = { context: page.context() };
    const left = page;
    page = await context.newPage();
    await left.close();
    await page.goto(url);
    for (const line of [decision.id, task.id])
      await row(page, line)
        .getByText(/^Unsaved edit from/u)
        .waitFor();
    await elsewhere([{ line: decision.id, text: 'Somebody else was here.' }]);
    await body(page, decision.id).getByText('Somebody else was here.').waitFor();
    await body(page, decision.id).click();
    await page.getByText('This line was changed in the meantime.').waitFor();
    assert.equal(await editor(page).inputValue(), 'Not saved yet.');
    await checkLook(page, 'summary-conflict');
    await page.getByRole('button', { name: 'Save mine' }).click();
    await body(page, decision.id).getByText('Not saved yet.').waitFor();
    assert.equal((await texts('decision'))[0], 'Not saved yet.');
    await row(page, task.id).getByRole('button', { name: 'Discard changes' }).click();
    assert.equal((await texts('task'))[0], task.text);
    await page.context().close();
  });

  await t.test('on a phone, in German, by touch', async () => {
    const page = await opened({
      viewport: { width: 390, height: 844 },
      locale: 'de-DE',
      hasTouch: true,
      isMobile: true,
    });
    await page.getByRole('tab', { name: /Zusammenfassung|Notiz/u }).tap();
    await body(page, decision.id).tap();
    await editor(page).fill('Mit dem Finger geschrieben.');
    await page.getByRole('heading', { name: 'Aufgaben' }).tap();
    await body(page, decision.id).getByText('Mit dem Finger geschrieben.').waitFor();
    await row(page, task.id).getByRole('checkbox').tap();
    await page.getByText('Aufgabe als erledigt markiert.').first().waitFor();
    await body(page, task.id).tap();
    await checkLook(page, 'summary-phone-german');
    await page.setViewportSize({ width: 320, height: 800 });
    await checkLook(page, 'summary-320-german');
    assert.equal((await texts('decision'))[0], 'Mit dem Finger geschrieben.');
    await page.context().close();
  });
});

const row = (page: Page, line: string) => page.locator(`[data-line="${line}"]`).first();
const body = (page: Page, line: string) => row(page, line).locator('.body');
const editor = (page: Page) => page.locator('.summary textarea').first();
