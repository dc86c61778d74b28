import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { startLanguageServer } from '../support/language-servers.ts';
import { type Brain, wellBehaved } from '../support/language-servers-brains.ts';
import { apiOf, inviteUser, startServiceProcess } from '../support/service-process.ts';
import {
  type Session,
  checkLook,
  noteAnnouncements,
  dataWithAda,
  openPage,
  password,
  phone,
  saidIn,
  startChromium,
  untilHolds,
} from './browser.ts';
import { readingRoom, tellMeetings } from './told-meetings.ts';

type Recording = { sidenotes: { at: number; text: string; block: string | null }[] };

/** Answers that the pages expect and handle. */
const expected = /status of (?:401|404|429|503)|ERR_FAILED|Failed to load/;

/** Says what was said of the inspection; of bananas what nobody said. */
const answering: Brain = (prompt) => {
  if (!prompt.user.includes('?')) return wellBehaved(prompt);
  const lines = /bananas/u.test(prompt.user)
    ? [{ turn: 6, text: 'Bananas cost nine hundred francs at the lift.' }]
    : [
        { turn: 6, text: 'The inspection is on the twelfth of February.' },
        { turn: 7, text: 'The sixth of March is safe either way.' },
      ];
  return JSON.stringify({ lines });
};

/** Ada's meeting, and a language model that answers questions about it. */
async function askedService(t: TestContext) {
  const language = await startLanguageServer({ flavour: 'openai', brain: answering });
  t.after(language.close);
  const { dataDir, session } = await dataWithAda(t);
  const [id] = await tellMeetings(dataDir, [readingRoom]);
  const service = await startServiceProcess(dataDir, {
    MITSCHRIFT_LLM_BASE_URL: language.url,
    MITSCHRIFT_LLM_MODEL: 'test-model',
  });
  t.after(async () => await service.end('SIGTERM'));
  return { language, session, id, service };
}

test('a note is asked: lines that play, kept as side notes; given up, not found, refused; on a phone in German', async (t) => {
  const { language, session, id, service } = await askedService(t);
  const browser = await startChromium(t);
  const opened = async (more: object = {}) =>
    await openPage(t, browser, { url: `${service.url}/notes/${id}`, session, expected, ...more });
  const page = await opened({
    prepare: async (one: Page) => await one.addInitScript(noteAnnouncements),
  });
  const field = page.getByLabel('Ask about this note');
  const ask = async (question: string) => {
    await field.fill(question);
    await page.keyboard.press('Enter');
  };
  const answer = page.locator('.answer');

  await t.test('answered: each line with its quotation, which plays, and is copied', async () => {
    await ask('When is the lift inspected?');
    await answer.getByText('The inspection is on the twelfth of February.').first().waitFor();
    await answer.getByRole('heading', { name: 'When is the lift inspected?' }).waitFor();
    assert.match((await answer.locator('blockquote').first().textContent())!, /Ben Beispiel/u);
    await eventually('it is said', async () =>
      (await saidIn(page)).includes('status: Answer with 2 lines.'),
    );
    await checkLook(page, 'questions-answer');
    await answer.getByRole('button', { name: 'Play from 00:48' }).click();
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    await page.keyboard.press('k');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await answer.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').first().waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.match(
      copied,
      /^When is the lift inspected\?\n\n- The inspection .*\n {2}Ben Beispiel: “/u,
    );
    assert.ok(copied.includes(`/notes/${id}?t=48`));
  });

  await t.test('kept as side notes, at their times', async () => {
    await answer.getByRole('button', { name: 'Keep as side notes' }).click();
    await answer.waitFor({ state: 'detached' });
    const read = apiOf(service.url, session.token);
    await eventually('they are there', async () => {
      const { sidenotes } = await read.get<Recording>(`/recordings/${id}`);
      return sidenotes.length === 2;
    });
    const { sidenotes } = await read.get<Recording>(`/recordings/${id}`);
    assert.deepEqual(
      sidenotes.map(({ at, text, block }) => [Math.floor(at), text, block]),
      [
        [48, 'The inspection is on the twelfth of February.', 't-0006'],
        [57, 'The sixth of March is safe either way.', 't-0007'],
      ],
    );
  });

  await t.test('given up; nothing found; refused', async () => {
    let go = () => {};
    language.faults.until = new Promise<void>((resolve) => (go = resolve));
    await ask('Who pays?');
    await answer.getByText('Reading the transcript…').waitFor();
    await checkLook(page, 'questions-reading');
    await answer.getByRole('button', { name: 'Cancel' }).click();
    await answer.waitFor({ state: 'detached' });
    await untilHolds(page, `document.activeElement?.matches('.ask input')`);
    go();
    delete language.faults.until;
    await eventually('the one before is over', async () => {
      await ask('What do bananas cost at the lift?');
      const nothing = answer.getByText('Nothing in this note answers this.');
      return await nothing.waitFor({ timeout: 3000 }).then(
        () => true,
        () => false,
      );
    });
    await answer.getByRole('heading', { name: 'Nearest passages' }).waitFor();
    await answer.getByRole('button', { name: 'Play from 00:40' }).waitFor();
    await checkLook(page, 'questions-not-found');
    language.faults.status = { status: 401, body: '{}' };
    await ask('Who pays?');
    await answer.getByText('The question could not be answered.').waitFor();
    await checkLook(page, 'questions-refused');
    delete language.faults.status;
    await answer.getByRole('button', { name: 'Ask again' }).click();
    await answer.locator('blockquote').first().waitFor();
    await page.context().close();
  });

  await t.test(
    'on a phone, in German: playing leads to the transcript, and the answer stays',
    async () => {
      const theirs = await opened({ ...phone, locale: 'de-DE' });
      const tab = theirs.getByRole('tab', { name: /Zusammenfassung|Notiz/u });
      await tab.tap();
      await theirs.getByLabel('Zu dieser Notiz fragen').fill('Wann?');
      await theirs.getByRole('button', { name: 'Fragen', exact: true }).tap();
      await theirs.getByText('Antworten werden nicht gespeichert.').waitFor();
      await checkLook(theirs, 'questions-phone-german');
      await theirs.getByRole('button', { name: 'Ab 00:48 abspielen' }).last().tap();
      await tab.tap();
      await theirs.getByText('Antworten werden nicht gespeichert.').waitFor();
      await theirs.setViewportSize({ width: 320, height: 800 });
      await checkLook(theirs, 'questions-320-german');
      await theirs.context().close();
    },
  );
});

test('who may only read a note is not offered to keep an answer as side notes', async (t) => {
  const { session, id, service } = await askedService(t);
  const api = apiOf(service.url, session.token);
  // The login may be older than five minutes.
  await api.post('/users/me/confirm', { current_password: password });
  await inviteUser(service.url, session.token, { username: 'ben', password });
  await api.put(`/recordings/${id}/access`, { user: 'ben' });
  const ben = await apiOf(service.url).post<Session>('/login', { username: 'ben', password });
  const page = await openPage(t, await startChromium(t), {
    url: `${service.url}/notes/${id}`,
    session: ben,
    expected,
  });
  await page.getByLabel('Ask about this note').fill('When is the lift inspected?');
  await page.keyboard.press('Enter');
  const answer = page.locator('.answer');
  await answer.getByRole('button', { name: 'Copy' }).waitFor();
  assert.equal(await answer.getByRole('button', { name: 'Keep as side notes' }).count(), 0);
});
