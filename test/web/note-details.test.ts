import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { checkLook, dataWithAda, openPage, startChromium, untilHolds } from './browser.ts';
import { readingRoom, tellMeetings } from './told-meetings.ts';

test('a note keeps what was typed and marked: names that were refused, hits after a change elsewhere, keys that are off', async (t) => {
  const { dataDir, session } = await dataWithAda(t);
  const [read] = await tellMeetings(dataDir, [readingRoom]);
  const service = await startServiceProcess(dataDir);
  t.after(async () => await service.end('SIGTERM'));
  const api = apiOf(service.url, session.token);
  const browser = await startChromium(t, ['--autoplay-policy=no-user-gesture-required']);
  const page = await openPage(t, browser, {
    url: `${service.url}/notes/${read}`,
    session,
    expected: /status of (?:404|409)|ERR_FAILED|Failed to load/,
  });
  const row = (block: string) => page.locator(`[data-block="${block}"]`);
  const correct = async (block: string, text: string) => {
    const answer = await fetch(`${service.url}/recordings/${read}/utterances/${block}`, {
      method: 'PATCH',
      headers: { Authorization: `Bearer ${session.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ text }),
    });
    assert.equal(answer.status, 200);
  };

  /** What was changed is written. */
  const atRest = async () =>
    await eventually('nothing is worked on', async () => {
      const { processing } = await api.get<{ processing: object[] }>('/status');
      return processing.length === 0;
    });
  const more = async (what: string) => {
    await page.getByLabel('More', { exact: true }).click();
    await page.getByRole('button', { name: what }).click();
  };
  /** The next such request is refused by the service, as far as the page can see. */
  const refuseOnce = async (method: string, url: string) => {
    let isRefused = false;
    await page.route(url, async (route) => {
      if (isRefused || route.request().method() !== method) return await route.continue();
      isRefused = true;
      const problem = { type: '/problems/not-accepted', title: 'Not now', status: 409 };
      await route.fulfill({ status: 409, contentType: 'application/problem+json', json: problem });
    });
  };

  await t.test('names that the service refuses stay in their dialog', async () => {
    await refuseOnce('PATCH', `**/recordings/${read}/speakers`);
    await page.getByRole('button', { name: 'Change names' }).click();
    const dialog = page.getByRole('dialog');
    const field = dialog.getByLabel(/Ada Muster/);
    await field.fill('Ada Lovelace');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('The action failed: Not now').waitFor();
    assert.equal(await field.inputValue(), 'Ada Lovelace');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row('t-0001').getByText('Ada Lovelace').waitFor();
    await dialog.waitFor({ state: 'detached' });
  });

  await t.test(
    'names typed for a transcript that was replaced meanwhile are not saved',
    async () => {
      const change = page.getByRole('button', { name: 'Change names' });
      const dialog = page.getByRole('dialog');
      const type = async (name: string) => {
        await change.click();
        await dialog.getByLabel(/Ada/).fill(name);
      };
      await type('Eva');
      const answer = await fetch(`${service.url}/recordings/${read}/versions/1/restore`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${session.token}` },
      });
      assert.equal(answer.status, 200);
      await row('t-0001').getByText('Ada Muster').waitFor();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('The transcript was replaced in the meantime.').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await type('Ada Lovelace');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await row('t-0001').getByText('Ada Lovelace').waitFor();
    },
  );

  await t.test('the title is edited in its place, and nothing below it moves', async () => {
    const heading = page.getByRole('heading', { level: 1 });
    const field = page.getByLabel('Title', { exact: true });
    const named = (title: string) => heading.getByRole('button', { name: title, exact: true });
    const below = async () => (await page.locator('header.title .meta').boundingBox())!.y;
    const before = await below();
    await named(readingRoom.title).click();
    assert.ok(Math.abs((await below()) - before) < 1, `${await below()} instead of ${before}`);
    await checkLook(page, 'note-title');
    await field.fill('Not this one');
    await page.keyboard.press('Escape');
    await named(readingRoom.title).waitFor();
    assert.equal(await page.evaluate('document.activeElement.innerText'), readingRoom.title);
    await refuseOnce('PATCH', `**/recordings/${read}`);
    await page.keyboard.press('Enter');
    await field.fill('The reading\n room opens');
    await page.keyboard.press('Enter');
    await page.getByText('The action failed: Not now').waitFor();
    assert.equal(await field.inputValue(), 'The reading\n room opens');
    // What is left is saved.
    await field.press('Tab');
    await named('The reading room opens').waitFor();
    const { title } = await api.get<{ title: string }>(`/recordings/${read}`);
    assert.equal(title, 'The reading room opens');
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await named(readingRoom.title).waitFor();
  });

  await t.test('a title that could not be saved when the page was left is kept', async () => {
    const field = page.getByLabel('Title', { exact: true });
    const head = page.locator('header.title');
    await page.getByRole('button', { name: readingRoom.title, exact: true }).click();
    await page.route(`**/recordings/${read}`, async (route) =>
      route.request().method() === 'PATCH' ? await route.abort() : await route.fallback(),
    );
    await field.fill('Typed while the server was away');
    const failed = page.waitForEvent('requestfailed', (request) => request.method() === 'PATCH');
    await page.getByRole('link', { name: 'Notes' }).first().click();
    await page.waitForURL(`${service.url}/`);
    await failed;
    await page.unrouteAll({ behavior: 'wait' });
    await page.goBack();
    await head.getByText(/^Unsaved edit/u).waitFor();
    await checkLook(page, 'note-title-unsaved');
    await head.getByRole('button', { name: 'Continue' }).click();
    assert.equal(await field.inputValue(), 'Typed while the server was away');
    // What is typed while it is saved stays, too.
    let pass = () => {};
    const passed = new Promise<void>((resolve) => (pass = resolve));
    await page.route(`**/recordings/${read}`, async (route) => {
      if (route.request().method() === 'PATCH') await passed;
      await route.fallback();
    });
    await field.press('Enter');
    await field.press('End');
    await page.keyboard.type(' again');
    pass();
    const saved = { level: 1, name: 'Typed while the server was away', exact: true } as const;
    await page.getByRole('heading', saved).waitFor();
    assert.equal(await field.inputValue(), 'Typed while the server was away again');
    await page.unrouteAll({ behavior: 'wait' });
    await field.fill(readingRoom.title);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: readingRoom.title, exact: true }).waitFor();
    assert.equal(await head.getByText(/^Unsaved edit/u).count(), 0);
  });

  await t.test(
    'marks follow the text, whoever changes it; the same text replaces nothing',
    async () => {
      await page.keyboard.press('Control+f');
      await page.getByLabel('Find in transcript').fill('lift');
      await page.getByText('1 of 2').waitFor();
      await correct('t-0005', 'Well, and what about the lift?');
      await page.getByText('1 of 1').waitFor();
      const marked = await row('t-0005').locator('mark').allTextContents();
      assert.deepEqual(marked, ['lift']);
      await page.getByLabel('Replace with').fill('lift');
      await page.getByRole('button', { name: 'Replace', exact: true }).click();
      await page.locator('.find-bar').getByText('Nothing was replaced.').waitFor();
      assert.equal(await page.locator('.toast').filter({ hasText: 'corrected' }).count(), 0);
      await page.keyboard.press('Escape');
      // A turn that was emptied says so.
      await correct('t-0003', '');
      await row('t-0003').getByText('This passage has no text.').waitFor();
    },
  );

  await t.test('read without hesitations, each passage word for word at a press', async () => {
    const said = 'Um, all of it, it, or only the the rolls for the front?';
    const text = row('t-0003').locator('.text');
    await correct('t-0003', said);
    await text.getByText(said).waitFor();
    await page.getByLabel('Readable view').check();
    await text.getByText('All of it, or only the rolls for the front?').waitFor();
    assert.equal(await row('t-0001').getByRole('button', { name: 'Word for word' }).count(), 0);
    await checkLook(page, 'note-readable');
    await row('t-0003').getByRole('button', { name: 'Word for word' }).click();
    await text.getByText(said).waitFor();
    await row('t-0003').getByRole('button', { name: 'Word for word' }).click();
    // What is sought is sought in all that was said.
    await page.keyboard.press('Control+f');
    await page.getByLabel('Find in transcript').fill('the the');
    await row('t-0003').locator('mark').getByText('the the').waitFor();
    await page.keyboard.press('Escape');
    await page.reload();
    await text.getByText('All of it, or only the rolls for the front?').waitFor();
    await page.getByLabel('Readable view').uncheck();
    await text.getByText(said).waitFor();
  });

  await t.test(
    'what kind of talk it was, and when: a refusal stays in the dialog, then it holds',
    async () => {
      await refuseOnce('PATCH', `**/recordings/${read}`);
      await more('Process again…');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Names and corrections are carried over.').waitFor();
      await dialog.getByRole('radio', { name: /^Separate speakers again/ }).check();
      await dialog.getByText('You’ll be asked to confirm who spoke.').waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await more('Type and date…');
      await checkLook(page, 'note-details');
      await dialog.getByRole('radio', { name: /^Solo/ }).check();
      await dialog.getByLabel('Date and time').fill('2026-02-03T09:30');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('The action failed: Not now').waitFor();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.locator('header.title').getByText('3 February 2026').waitFor();
      type Recording = { kind: string; started_at: string };
      const { kind, started_at: at } = await api.get<Recording>(`/recordings/${read}`);
      assert.deepEqual([kind, at.slice(0, 10)], ['solo', '2026-02-03']);
    },
  );

  await t.test(
    'processed again: what was chosen stays when it is refused, and the newest language is first',
    async () => {
      await atRest();
      await refuseOnce('POST', `**/recordings/${read}/reprocess`);
      await more('Process again…');
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('radio', { name: /^Transcribe again/ }).check();
      await dialog.getByLabel('Spoken language').selectOption('de');
      await checkLook(page, 'note-again');
      await dialog.getByRole('button', { name: 'Process again' }).click();
      await dialog.getByText('The action failed: Not now').waitFor();
      assert.equal(await dialog.getByLabel('Spoken language').inputValue(), 'de');
      await dialog.getByRole('button', { name: 'Process again' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText('Processing started.').waitFor();
      // No engine is here: the version there is stays.
      await atRest();
      type Events = { events: { type: string; data: object }[] };
      const { events } = await api.get<Events>(`/recordings/${read}/events?limit=200`);
      const asked = events.find(({ type }) => type === 'reprocessing.requested');
      assert.deepEqual(asked?.data, { from: 'speech-to-text', language: 'de' });
      await more('Process again…');
      const options = dialog.getByLabel('Spoken language').locator('option');
      assert.deepEqual((await options.allTextContents()).slice(1, 3), ['German', 'Arabic']);
      await page.keyboard.press('Escape');
    },
  );

  await t.test('keys of one character are off where the account says so', async () => {
    await page.evaluate(`localStorage.setItem('mitschrift.keys', 'off')`);
    await page.reload();
    await row('t-0002').focus();
    await page.keyboard.press('k');
    await page.keyboard.press('>');
    await page.keyboard.press('e');
    assert.equal(await page.getByLabel('Text of this passage').count(), 0);
    assert.equal(await page.getByLabel('Speed').inputValue(), '1');
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await untilHolds(page, `document.querySelector('.turn.playing') !== null`);
  });

  await t.test(
    'what could not be loaded says so in its place, until a reload brings it',
    async () => {
      await page.route('**/assets/{PlayerBar,VersionsDialog}-*.js', (route) => route.abort());
      await page.reload();
      await row('t-0002').waitFor();
      const missing = page.getByText('Part of this page could not be loaded.');
      await missing.waitFor();
      await checkLook(page, 'note-part-missing');
      await page.unrouteAll({ behavior: 'wait' });
      await page.getByRole('button', { name: 'Reload' }).click();
      await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
      assert.equal(await missing.count(), 0);
    },
  );
});
