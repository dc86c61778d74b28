import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { startLanguageServer } from '../support/language-servers.ts';
import { type Brain, wellBehaved } from '../support/language-servers-brains.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import {
  checkLook,
  dataWithAda,
  openPage,
  password,
  phone,
  startChromium,
  untilHolds,
} from './browser.ts';
import { readingRoom, tellMeetings } from './told-meetings.ts';

type Line = { id: string; kind: string; text: string; done: boolean; edited_by: string | null };
type Recording = {
  version: number;
  utterances: { block: string; revision: string; text: string }[];
  summary: { abstract: string; lines: Line[]; offered: object | null };
};

/** Answers that the pages expect and handle, and those that a test cuts off. */
const expected = /status of (?:401|404|409|412)|ERR_FAILED|Failed to load/;

test('the summary is edited where it stands: by keyboard, by touch, with drafts that stay, and undone in any order', async (t) => {
  const { dataDir, session } = await dataWithAda(t);
  const [id] = await tellMeetings(dataDir, [readingRoom]);
  const service = await startServiceProcess(dataDir);
  t.after(async () => await service.end('SIGTERM'));
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
    const rewrite = page.getByRole('button', { name: 'Rewrite', exact: true });
    assert.equal(await rewrite.count(), 0, 'without a language model');

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
    await page.keyboard.press('Escape');

    // Space is a button's, too; and what goes does not take the focus along.
    await body(page, decision.id).focus();
    await page.keyboard.press(' ');
    await untilHolds(page, "document.activeElement.tagName === 'TEXTAREA'");
    await page.keyboard.press('Escape');
    const shown = await page.evaluate<string[]>(
      "[...document.querySelectorAll('[data-line]')].map(({ dataset }) => dataset.line)",
    );
    const next = shown[shown.indexOf(decision.id) + 1];
    await row(page, decision.id)
      .getByRole('button', { name: 'Actions for this line' })
      .press('Enter');
    await page.getByRole('button', { name: 'Remove', exact: true }).press('Enter');
    await page.getByText('Line removed.').first().waitFor();
    await body(page, decision.id).waitFor({ state: 'detached' });
    await untilHolds(
      page,
      `document.activeElement.closest('[data-line]').dataset.line === '${next}'`,
    );
    await page.getByRole('button', { name: 'Undo' }).last().press('Enter');
    await body(page, decision.id).waitFor();
    await untilHolds(page, "document.activeElement.tagName === 'H1'");
    assert.deepEqual(await lines(), before);
    await page.context().close();
  });

  await t.test('what was typed stays, and what changed meanwhile is shown', async () => {
    let page = await opened();
    await body(page, decision.id).click();
    await editor(page).fill('Not saved yet.');
    await page.keyboard.press('Escape');
    await row(page, decision.id)
      .getByText(/^Unsaved edit/u)
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
        .getByText(/^Unsaved edit/u)
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
    await page.getByRole('tab', { name: 'Notiz', selected: true }).waitFor();
    await body(page, decision.id).tap();
    await editor(page).fill('Mit dem Finger geschrieben.');
    await page.getByRole('heading', { name: 'Aufgaben' }).tap();
    await body(page, decision.id).getByText('Mit dem Finger geschrieben.').waitFor();
    await row(page, task.id).getByRole('checkbox').tap();
    await page.getByText('Aufgabe als erledigt markiert.').first().waitFor();
    await body(page, task.id).tap();
    await checkLook(page, 'summary-phone-german');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Aufgabe hinzufügen' }).tap();
    await editor(page).fill('Den Flur ausmessen');
    await page.getByRole('heading', { name: 'Aufgaben' }).tap();
    await page.getByText('Den Flur ausmessen').waitFor();
    await page.setViewportSize({ width: 320, height: 800 });
    await checkLook(page, 'summary-320-german');
    const pens = await page.evaluate<boolean[]>(`[...document.querySelectorAll('.line')]
      .filter((line) => line.querySelector('.cites > .pen:only-child') !== null)
      .map((line) => line.querySelector('.pen').getBoundingClientRect().top <
        line.querySelector('.body').getBoundingClientRect().bottom)`);
    assert.ok(pens.length > 0 && pens.every(Boolean), 'a pencil alone needs no row of its own');
    assert.equal((await texts('decision'))[0], 'Mit dem Finger geschrieben.');
    await page.context().close();
  });
});

test('the summary is rewritten: shorter, in another language, given up, undone; edited lines stay word for word', async (t) => {
  const language = await startLanguageServer({ flavour: 'openai', brain: rewriting });
  t.after(language.close);
  const { dataDir } = await dataWithAda(t);
  const [id] = await tellMeetings(dataDir, [readingRoom]);
  const service = await startServiceProcess(dataDir, {
    MITSCHRIFT_LLM_BASE_URL: language.url,
    MITSCHRIFT_LLM_MODEL: 'test-model',
  });
  t.after(async () => await service.end('SIGTERM'));
  const api = apiOf(service.url);
  const session = await api.post<{ token: string }>('/login', { username: 'ada', password });
  const read = async () =>
    await apiOf(service.url, session.token).get<Recording>(`/recordings/${id}`);
  const browser = await startChromium(t);
  const opened = async (more: object = {}) =>
    await openPage(t, browser, {
      url: `${service.url}/notes/${id}`,
      session,
      expected,
      ...more,
    });
  const page = await opened();
  const choose = async (what: string) => {
    await page.getByRole('button', { name: 'Rewrite', exact: true }).click();
    await page.getByRole('button', { name: what, exact: true }).click();
  };
  const shows = async (text: string) => await page.locator('.summary').getByText(text).waitFor();

  await t.test(
    'nobody edited it: the new one is shown, and Undo brings the other back',
    async () => {
      const before = await read();
      await page.getByRole('button', { name: 'Rewrite', exact: true }).click();
      await page.getByText('Lines that you edited are kept.').waitFor();
      await checkLook(page, 'summary-rewrite');
      // The picture of the whole page is wider for a moment, and the column is made anew.
      await page.keyboard.press('Escape');
      await choose('Shorter');
      await page.getByText('Summary rewritten.').first().waitFor();
      await shows(shorter);
      assert.deepEqual(textsIn(await read()), [shorter, last]);
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await shows('The reading room opens on Saturday, 6 March.');
      assert.deepEqual(textsIn(await read()), textsIn(before));
    },
  );

  await t.test('corrected since: Undo would lose the correction, and says so instead', async () => {
    await choose('Shorter');
    await page.getByText('Summary rewritten.').first().waitFor();
    const { block, revision } = (await read()).utterances[0]!;
    const text = 'Good, then all of us are here.';
    const corrected = await fetch(`${service.url}/recordings/${id}/utterances`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${session.token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ edits: [{ block, revision, text }] }),
    });
    assert.ok(corrected.ok, String(corrected.status));
    await page.getByText(text).first().waitFor();
    await page.keyboard.press('Control+z');
    const list = page.getByRole('dialog');
    await list.getByText('Changed again since').first().waitFor();
    await page.keyboard.press('Escape');
    const now = await read();
    assert.deepEqual([now.utterances[0]!.text, textsIn(now)[0]], [text, shorter]);
  });

  const mine = '„Änne“ – `SPEAKER_00` *pays* <b>';
  await t.test('lines that were edited stay word for word, in another language too', async () => {
    const [line] = (await read()).summary.lines;
    await body(page, line!.id).click();
    await editor(page).fill(mine);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await body(page, line!.id).getByText(mine).waitFor();
    const dialog = page.getByRole('dialog');
    await choose('In another language…');
    await dialog.getByLabel('Language of the summary').waitFor();
    await checkLook(page, 'summary-rewrite-language');
    if (await dialog.isVisible()) await page.keyboard.press('Escape');
    await choose('In another language…');
    await dialog.getByLabel('Language of the summary').selectOption('de');
    await dialog.getByRole('button', { name: 'Rewrite' }).click();
    await shows(inGerman);
    await page.getByRole('button', { name: 'Rewrite', exact: true }).waitFor();
    const now = await read();
    assert.ok(
      [inGerman, mine].every((text) => textsIn(now).includes(text)),
      textsIn(now).join(),
    );
    assert.equal(now.summary.offered, null);
    await row(page, line!.id).getByText('edited by you').waitFor({ state: 'attached' });
    // Taken back, and made again, from the list of changes.
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('button', { name: 'My changes' }).click();
    const change = page
      .getByRole('dialog')
      .getByRole('listitem')
      .filter({ hasText: 'Summary rewritten.' })
      .first();
    await change.getByRole('button', { name: 'Undo' }).click();
    await change.getByRole('button', { name: 'Redo' }).click();
    await change.getByRole('button', { name: 'Undo' }).waitFor();
    await page.keyboard.press('Escape');
    await shows(inGerman);
    assert.ok(textsIn(await read()).includes(mine));
  });

  await t.test('given up, and refused: what there is stays', async () => {
    const before = await read();
    let answer = () => {};
    language.faults.until = new Promise<void>((resolve) => (answer = resolve));
    const going = page.locator('.rewrite').getByText('Rewriting…');
    await choose('Longer');
    await going.waitFor();
    await checkLook(page, 'summary-rewriting');
    await page.locator('.rewrite').getByRole('button', { name: 'Cancel' }).click();
    await going.waitFor({ state: 'detached' });
    await choose('Longer');
    await going.waitFor();
    await untilHolds(page, `document.activeElement?.textContent === 'Cancel'`);
    await page.keyboard.press('Enter');
    await going.waitFor({ state: 'detached' });
    await untilHolds(page, `document.activeElement?.textContent.includes('Rewrite')`);
    // Before the service has heard of it.
    let pass = () => {};
    const held = new Promise<void>((resolve) => (pass = resolve));
    await page.route('**/reprocess', async (route) => await held.then(() => route.continue()), {
      times: 1,
    });
    await choose('Longer');
    await page.locator('.rewrite').getByRole('button', { name: 'Cancel' }).click();
    pass();
    await going.waitFor({ state: 'detached' });
    answer();
    delete language.faults.until;
    assert.deepEqual(textsIn(await read()), textsIn(before));
    language.faults.status = { status: 403, body: '{}' };
    await choose('Create again');
    await page.getByText(/Version \d+ is still in use/u).waitFor();
    delete language.faults.status;
    await page.getByRole('button', { name: /^Keep version/u }).click();
    await page.getByRole('button', { name: 'Rewrite', exact: true }).waitFor();
    assert.deepEqual(textsIn(await read()), textsIn(before));
    await page.context().close();
  });

  await t.test('on a phone, in German', async () => {
    const theirs = await opened({ ...phone, locale: 'de-DE' });
    await theirs.getByRole('tab', { name: /Zusammenfassung|Notiz/u }).tap();
    await theirs.getByRole('button', { name: 'Umschreiben', exact: true }).tap();
    await theirs.getByText('Von Ihnen bearbeitete Zeilen bleiben erhalten.').waitFor();
    await checkLook(theirs, 'summary-rewrite-phone-german');
    await theirs.getByRole('button', { name: 'Kürzer', exact: true }).tap();
    await theirs.getByText('Zusammenfassung umgeschrieben.').first().waitFor();
    assert.ok(textsIn(await read()).includes(mine));
    await theirs.context().close();
  });
});

/** Lines of the talk, by what is asked for. */
const rewriting: Brain = (prompt) => {
  if (/title/iu.test(prompt.system) || !/JSON/u.test(prompt.system)) return wellBehaved(prompt);
  const texts = /in German/u.test(prompt.system)
    ? [inGerman, 'Der sechste März ist in jedem Fall sicher.']
    : [/Be brief/u.test(prompt.system) ? shorter : longer, last];
  const line = { kind: 'point', person: null, due: null };
  return JSON.stringify({ lines: texts.map((text, at) => ({ ...line, text, turn: 6 + at })) });
};
const shorter = 'The inspection is on the twelfth of February.';
const longer = 'The inspection of the lift is on the twelfth of February, the fitter says.';
const last = 'The sixth of March is safe either way.';
const inGerman = 'Die Prüfung des Aufzugs ist am zwölften Februar, sagt der Monteur.';

const textsIn = ({ summary }: Recording) => summary.lines.map(({ text }) => text);
const row = (page: Page, line: string) => page.locator(`[data-line="${line}"]`).first();
const body = (page: Page, line: string) => row(page, line).locator('.body');
const editor = (page: Page) => page.locator('.summary textarea').first();
