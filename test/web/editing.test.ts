import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { dataWithAda, openPage, password, startChromium, untilHolds } from './browser.ts';
import { type ToldMeeting, longMeeting, readingRoom, tellMeetings } from './told-meetings.ts';

type Turn = { block: string; revision: string; text: string; speaker: string };
type Recording = { utterances: Turn[]; status: string; duration: number | null };

/** Answers that the pages expect and handle, and those that a test cuts off. */
const expected = /status of (?:401|404|409|412)|ERR_FAILED|ERR_EMPTY_RESPONSE|Failed to load/;

test('editing goes by block: nothing lands elsewhere, nothing typed is lost, nothing is claimed that is not known', async (t) => {
  const { dataDir, session } = await dataWithAda(t);
  const [read, long, dashed] = await tellMeetings(dataDir, [
    readingRoom,
    longMeeting({ turns: 600 }),
    punctuated,
  ]);
  const service = await startServiceProcess(dataDir);
  t.after(async () => await service.end('SIGTERM'));
  const browser = await startChromium(t, ['--autoplay-policy=no-user-gesture-required']);
  const opened = async (id: string, more: object = {}) =>
    await openPage(t, browser, { url: `${service.url}/notes/${id}`, session, expected, ...more });
  const api = apiOf(service.url, session.token);
  const now = async (id = read!) => (await api.get<Recording>(`/recordings/${id}`)).utterances;
  /** As another person's browser would. */
  const elsewhere = async (method: string, path: string, json: object, id = read!) => {
    const answer = await fetch(`${service.url}/recordings/${id}/utterances/${path}`, {
      method,
      headers: { Authorization: `Bearer ${session.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(json),
    });
    assert.equal(answer.status, 200);
  };
  const rereadBy = (page: Page, id = read!) =>
    page.waitForResponse((answer) => answer.url().endsWith(`/recordings/${id}`));

  await t.test('a correction lands on its turn, however places shifted meanwhile', async () => {
    const page = await opened(read!);
    await edit(page, 't-0006', 'The inspection is on the twelfth.');
    const reread = rereadBy(page);
    await elsewhere('POST', 't-0001/split', { word: 3 });
    await reread;
    // A press on what just moves is nobody's.
    const [first] = await now();
    await turn(page, 't-0001').getByText(first!.text, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await turn(page, 't-0006').getByText('on the twelfth.').waitFor();
    const texts = (await now()).map(({ text }) => text);
    assert.equal(texts.filter((text) => text === 'The inspection is on the twelfth.').length, 1);
    assert.ok(
      texts.some((text) => text.startsWith('And the lift?')),
      'no other turn is touched',
    );
    assert.equal(await page.evaluate('document.activeElement.dataset.block'), 't-0006');

    // A cut of what says something else by now, which this page has not heard of, is not made.
    await page.route(`**/recordings/${read}`, async (route) => await route.abort());
    await elsewhere('PATCH', 't-0002', { text: 'Gladly. It is dry.' });
    await begin(page, 't-0002');
    const area = page.getByLabel('Text of this passage');
    await area.press('Control+ArrowRight');
    await area.press('Control+ArrowRight');
    await page.unroute(`**/recordings/${read}`);
    await page.getByRole('button', { name: 'Split here' }).click();
    await page.getByText('This passage was changed in the meantime.').waitFor();
    assert.equal((await now()).length, 12);
    await page.context().close();
  });

  await t.test(
    'a speaker who was chosen is saved before a passage is split or joined',
    async () => {
      const page = await opened(read!);
      await begin(page, 't-0006');
      const area = page.getByLabel('Text of this passage');
      await area.press('Control+ArrowRight');
      await area.press('Control+ArrowRight');
      const split = page.getByRole('button', { name: 'Split here' });
      const merge = page.getByRole('button', { name: 'Merge with next' });
      const chosen = page.locator('#turn-speaker');
      const before = await chosen.inputValue();
      assert.deepEqual([await split.isEnabled(), await merge.isEnabled()], [true, true]);
      const other = chosen.locator(`option:not([value="${before}"])`).first();
      await chosen.selectOption(await other.getAttribute('value'));
      assert.deepEqual([await split.isEnabled(), await merge.isEnabled()], [false, false]);
      await chosen.selectOption(before);
      assert.equal(await split.isEnabled(), true);
      await page.keyboard.press('Escape');
      await page.context().close();
    },
  );

  await t.test(
    'a passage is split at the caret: behind a dash of its own, and without blanks',
    async () => {
      const page = await opened(dashed!);
      for (const [block, caret] of [
        ['t-0001', 'Ich denke, wir liefern am Montag. '],
        ['t-0002', '我们星期一交货。'],
      ] as const) {
        await begin(page, block);
        const area = page.getByLabel('Text of this passage');
        for (const _ of caret) await area.press('ArrowRight');
        await page.getByRole('button', { name: 'Split here' }).click();
        await area.waitFor({ state: 'detached' });
      }
      assert.deepEqual(
        (await now(dashed)).map(({ text }) => text),
        [
          'Ich denke, wir liefern am Montag.',
          'Nein, am Dienstag – also das wird gut.',
          '我们星期一交货。',
          '不，是星期二。',
        ],
      );
      await page.context().close();
    },
  );

  await t.test('what was typed stays, whatever way it is left', async () => {
    // So high that the panel has every passage.
    let page = await opened(read!, { viewport: { width: 1280, height: 2000 } });
    const context = page.context();
    const kept = (block: string) => turn(page, block).getByText(/^Unsaved edit/);
    await edit(page, 't-0003', 'By another pen.');
    await edit(page, 't-0004', 'By Esc.');
    await kept('t-0003').waitFor();
    await page.keyboard.press('Escape');
    await kept('t-0004').waitFor();
    // A turn that was opened and not changed leaves nothing.
    await begin(page, 't-0007');
    await page.keyboard.press('Escape');
    await turn(page, 't-0007').getByText('the sixth of March').waitFor();
    assert.equal(await kept('t-0007').count(), 0);
    // By a link, and Back.
    await edit(page, 't-0008', 'By a link.');
    await page.getByRole('link', { name: 'Notes' }).first().click();
    await page.waitForURL(`${service.url}/`);
    await page.goBack();
    await kept('t-0008').waitFor();
    // By a closed tab.
    await edit(page, 't-0009', 'By a closed tab.');
    const before = page;
    page = await context.newPage();
    await before.close();
    await page.goto(`${service.url}/notes/${read}`);
    for (const block of ['t-0003', 't-0004', 't-0008', 't-0009']) await kept(block).waitFor();
    // By a session that ends: it is there behind the login of the same person.
    await edit(page, 't-0010', 'By an ended session.');
    const { token } = await page.evaluate<{ token: string }>(
      `JSON.parse(localStorage.getItem('mitschrift.session'))`,
    );
    assert.equal(token, session.token);
    const own = await apiOf(service.url).post<{ token: string }>('/login', {
      username: 'ada',
      password,
    });
    await page.evaluate(`localStorage.setItem('mitschrift.session', '${JSON.stringify(own)}')`);
    await page.reload();
    await begin(page, 't-0010');
    assert.equal(
      await page.getByLabel('Text of this passage').inputValue(),
      'By an ended session.',
    );
    await apiOf(service.url, own.token).post('/logout', {});
    await page.waitForURL(/\/login/);
    await page.getByLabel('Password').fill(password);
    await page.getByLabel('User name').fill('ada');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${service.url}/notes/${read}`);
    await kept('t-0010').waitFor();
    // Continued and saved, or discarded; in another tab, too.
    const second = await context.newPage();
    await second.goto(`${service.url}/notes/${read}`);
    await turn(second, 't-0004')
      .getByText(/^Unsaved edit/)
      .waitFor();
    await turn(page, 't-0004').getByRole('button', { name: 'Discard changes' }).click();
    await turn(second, 't-0004')
      .getByText(/^Unsaved edit/)
      .waitFor({ state: 'detached' });
    await turn(page, 't-0003').getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await turn(page, 't-0003').getByText('By another pen.').waitFor();
    assert.equal(await kept('t-0003').count(), 0);
    // Its passage is joined into another one meanwhile: the text is still there.
    await elsewhere('POST', 't-0007/merge', {});
    await page.getByText('This passage is no longer in the transcript.').waitFor();
    await page.getByRole('blockquote').getByText('By a link.').waitFor();
    await context.close();
  });

  await t.test('undo goes by block, in any order, and leaves what others wrote', async () => {
    const page = await opened(read!);
    for (const [block, text] of [
      ['t-0003', 'First.'],
      ['t-0004', 'Second.'],
      ['t-0005', 'Third.'],
    ] as const) {
      await edit(page, block, text);
      await page.keyboard.press('Control+Enter');
      await turn(page, block).getByText(text).waitFor();
    }
    await page.getByText('Passage at 00:26 edited.').first().waitFor();
    await page
      .locator('.toast', { hasText: 'Passage at 00:26 edited.' })
      .getByRole('button', { name: 'Undo' })
      .click();
    await turn(page, 't-0003').getByText('By another pen.').waitFor();
    const reread = rereadBy(page);
    await elsewhere('PATCH', 't-0005', { text: 'Foreign.' });
    await reread;
    await turn(page, 't-0005').focus();
    await page.keyboard.press('Control+z');
    const list = page.getByRole('dialog');
    await list.getByText('Changed again since').waitFor();
    await list.getByRole('button', { name: 'Close' }).click();
    await turn(page, 't-0005').focus();
    await page.keyboard.press('Control+z');
    await turn(page, 't-0004').getByText('All of it. I asked twice.').waitFor();
    // What was taken back by a key is offered to be taken back no longer.
    const at = (await turn(page, 't-0004').locator('.at').innerText()).trim();
    const second = page.locator('.toast', { hasText: `Passage at ${at} edited.` });
    await second.waitFor({ state: 'detached', timeout: 3000 });
    await page.keyboard.press('Control+Shift+z');
    await turn(page, 't-0004').getByText('Second.').waitFor();
    await page.getByLabel('More', { exact: true }).click();
    await page.getByRole('button', { name: 'My changes' }).click();
    await list.getByRole('listitem').nth(2).getByRole('button', { name: 'Redo' }).click();
    await turn(page, 't-0003').getByText('First.').waitFor();
    const texts = new Map((await now()).map(({ block, text }) => [block, text]));
    assert.deepEqual(
      ['t-0003', 't-0004', 't-0005'].map((block) => texts.get(block)),
      ['First.', 'Second.', 'Foreign.'],
    );
    await page.context().close();
  });

  await t.test('who looked at a title writes over nobody’s; who typed one chooses', async () => {
    const page = await opened(read!);
    const heading = (name: string) => page.getByRole('heading', { name, exact: true });
    const field = page.getByLabel('Title', { exact: true });
    const retitled = async (title: string) => {
      const reread = rereadBy(page);
      await api.patch(`/recordings/${read}`, { title });
      await reread;
      await heading(title).waitFor({ state: 'attached' });
    };
    const titleNow = async () => (await api.get<{ title: string }>(`/recordings/${read}`)).title;
    const begun = () => page.getByTitle('Edit title').click();
    await begun();
    await field.waitFor();
    await retitled('Theirs');
    await page.getByRole('main').locator('h1').evaluate('document.activeElement.blur()');
    await field.waitFor({ state: 'detached' });
    assert.equal(await titleNow(), 'Theirs');

    await begun();
    await field.fill('Mine');
    await retitled('Theirs again');
    await field.press('Enter');
    const told = page.getByText('The title was changed in the meantime.');
    await told.waitFor();
    await page.getByRole('blockquote').getByText('Theirs again').waitFor();
    assert.equal(await titleNow(), 'Theirs again');
    await page.getByRole('button', { name: 'Use this text' }).click();
    await field.waitFor({ state: 'detached' });
    assert.equal(await titleNow(), 'Theirs again');

    await begun();
    await field.fill('Mine');
    await retitled('Theirs at last');
    await field.press('Enter');
    await told.waitFor();
    await page.getByRole('button', { name: 'Save mine' }).click();
    await heading('Mine').waitFor();
    assert.equal(await titleNow(), 'Mine');
    // Taken back, it is what the others had written.
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await heading('Theirs at last').waitFor();
    await page.context().close();
  });

  await t.test('refusals stand beside Save; a lost answer is looked up', async () => {
    const page = await opened(`${long}?t=1800`);
    const utterances = `**/recordings/${long}/utterances`;
    await turn(page, 't-0501').waitFor();
    await edit(page, 't-0501', 'Refused at first.');
    const refuse = async (route: Route) =>
      await route.fulfill({
        status: 409,
        contentType: 'application/problem+json',
        body: JSON.stringify({ type: '/problems/not-accepted', title: 'Not now', status: 409 }),
      });
    await page.route(utterances, refuse);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const said = page.locator('.editing').getByText('The action failed: Not now');
    await said.waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
    const { y } = (await said.boundingBox())!;
    assert.ok(y > 0 && y < 900, `it stands at ${y}`);
    await page.unroute(utterances);

    // The answer is lost behind the change: it is read, and is there.
    await page.route(utterances, async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await turn(page, 't-0501').getByText('Refused at first.').waitFor();
    await page.getByText('Passage at 30:00 edited.').first().waitFor();
    await page.unroute(utterances);

    // Nothing can be read either: nothing is claimed before it can.
    await edit(page, 't-0502', 'Not known for long.');
    const gone = async (route: Route) => await route.abort();
    await page.route(utterances, gone);
    await page.route(`**/recordings/${long}`, gone);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Mitschrift can’t tell whether this was saved.').waitFor();
    assert.equal(await page.getByText('Nothing was changed').count(), 0);
    await page.unroute(`**/recordings/${long}`);
    // A request that was still under way may fail as those before: whoever looks again is told.
    await eventually('it is known', async () => {
      if (await page.getByText('This was not saved.').isVisible()) return true;
      const look = page.getByRole('button', { name: 'Check now' });
      if (await look.isVisible()) await look.click();
      return false;
    });
    await page.unroute(utterances);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await turn(page, 't-0502').getByText('Not known for long.').waitFor();
    await page.context().close();
  });

  await t.test('copy, select-all and print take every word', async () => {
    const page = await opened(long!, { permissions: ['clipboard-read', 'clipboard-write'] });
    await turn(page, 't-0001').waitFor();
    const said = (await now(long)).map(({ text }) => text);
    const copied = async () => await page.evaluate<string>('navigator.clipboard.readText()');
    const hasAll = (text: string) => said.every((each) => text.includes(each));
    await page.getByText('Copy', { exact: true }).click();
    await page.getByRole('button', { name: 'Copy transcript' }).click();
    await eventually('all is copied', async () => hasAll(await copied()));
    await page.evaluate(`navigator.clipboard.writeText('')`);
    await turn(page, 't-0001').focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+c');
    await eventually('all that is selected is copied', async () => hasAll(await copied()));
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
    await page.emulateMedia({ media: 'print' });
    assert.ok(hasAll(await page.locator('.paper').innerText()), 'all is printed');
    assert.equal(await page.locator('.turns').isVisible(), false);
    await page.emulateMedia({ media: 'screen' });
    await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
    assert.equal(await page.locator('.paper').count(), 0);
    // Of what is selected by hand, that alone is copied.
    await turn(page, 't-0001').locator('.text').selectText();
    await page.keyboard.press('Control+c');
    await eventually('one turn', async () => (await copied()).trim() === said[0]);
    await page.context().close();
  });

  await t.test('the scroll bar is left alone while it plays', async () => {
    const page = await opened(long!);
    await turn(page, 't-0001').getByRole('button', { name: 'Play from 00:00' }).click();
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    await untilHolds(page, `document.querySelector('.turn.playing') !== null`);
    const far = 20_000;
    const panel = `document.querySelector('.panel-say')`;
    const scrolled = () => page.evaluate<number>(`${panel}.scrollTop`);
    await eventually('nothing scrolls by itself any more', async () => {
      const before = await scrolled();
      await page.evaluate('new Promise((done) => setTimeout(done, 300))');
      return before === (await scrolled());
    });
    await page.evaluate(`${panel}.scrollTo(0, ${far})`);
    await page.getByRole('button', { name: 'Back to playback' }).waitFor();
    assert.ok((await scrolled()) > far / 2);
    await page.context().close();
  });

  await t.test('sound that is to come is not called gone', async () => {
    const page = await opened(read!);
    await page.route(`**/recordings/${read}`, async (route) => {
      const answer = await route.fetch();
      const recording = (await answer.json()) as Recording;
      const json = { ...recording, status: 'TRANSCRIBING', version: 0, duration: null };
      await route.fulfill({ response: answer, json });
    });
    await page.reload();
    await page.getByText('The audio will be available when the recording ends.').waitFor();
    assert.equal(await page.getByText('was not kept').count(), 0);
    await page.unroute(`**/recordings/${read}`);
    await elsewhere('PATCH', 't-0001', { text: 'Good.' });
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await page.context().close();
  });
});

/** As punctuation leaves words: a dash of its own is of the word before it. */
const punctuated: ToldMeeting = {
  title: 'Dashes',
  upTo: 'written',
  names: {},
  turns: [
    'Ich denke, wir liefern am Montag. Nein, am Dienstag_– also das wird gut.',
    '我们|星期一|交货。|不，|是|星期二。',
  ].map((said, at) => {
    const words = said.split(/[ |]/u).map((word) => word.replace('_', ' '));
    const start = 1 + 10 * at;
    return {
      id: `t-000${at + 1}`,
      speaker: 'SPEAKER_00',
      start,
      end: start + words.length / 2,
      text: said.replaceAll('|', '').replace('_', ' '),
      words: words.map((text, k) => ({ text, start: start + k / 2, end: start + k / 2 + 0.4 })),
    };
  }),
};

const turn = (page: Page, block: string) => page.locator(`[data-block="${block}"]`);

async function begin(page: Page, block: string): Promise<void> {
  await turn(page, block).focus();
  await page.keyboard.press('e');
  await turn(page, block).getByLabel('Text of this passage').waitFor();
}

async function edit(page: Page, block: string, text: string): Promise<void> {
  await begin(page, block);
  await page.getByLabel('Text of this passage').fill(text);
}
