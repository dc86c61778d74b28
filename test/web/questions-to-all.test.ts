import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startLanguageServer } from '../support/language-servers.ts';
import { type Brain, wellBehaved } from '../support/language-servers-brains.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { checkLook, dataWithAda, openPage, phone, startChromium, untilHolds } from './browser.ts';
import { readingRoom, tellMeetings } from './told-meetings.ts';

/** Answers that the pages expect and handle. */
const expected = /status of (?:401|404|429|503)|ERR_FAILED|Failed to load/;
const said = 'The inspection is on the twelfth of February.';

/** Quotes what was said of the inspection; of bananas it knows nothing. */
const answering: Brain = (prompt) => {
  if (!prompt.user.includes('<question>')) return wellBehaved(prompt);
  const turn = /\[?(\d+)[^\n]*The inspection is on the twelfth/u.exec(prompt.user)?.[1];
  const lines = prompt.user.includes('bananas') ? [] : [{ turn: Number(turn), text: said }];
  return JSON.stringify({ lines });
};

test('the search asks all notes: by Enter or Tab, lines that play and lead to their note, nothing found, on a phone in German', async (t) => {
  const language = await startLanguageServer({ flavour: 'openai', brain: answering });
  t.after(language.close);
  const { dataDir, session } = await dataWithAda(t);
  const [id] = await tellMeetings(dataDir, [readingRoom]);
  const service = await startServiceProcess(dataDir, {
    MITSCHRIFT_LLM_BASE_URL: language.url,
    MITSCHRIFT_LLM_MODEL: 'test-model',
  });
  t.after(async () => await service.end('SIGTERM'));
  const browser = await startChromium(t);
  const opened = async (more: object = {}) =>
    await openPage(t, browser, { url: service.url, session, expected, ...more });
  const page = await opened();
  const field = page.getByLabel('Search all notes or ask');
  const answer = page.getByRole('region', { name: 'Answer' });

  await t.test('a question is asked by Enter; its line plays, and leads to its note', async () => {
    await field.fill('When is the lift inspected?');
    await page.getByRole('option', { name: /^Ask “When/u, selected: true }).waitFor();
    await checkLook(page, 'ask-typing');
    await field.press('Enter');
    await page.waitForURL(/\/search\?ask=When/u);
    await answer.getByText(said, { exact: true }).waitFor();
    await answer.getByText(/^Read: \d+ passages? in 1 note\./u).waitFor();
    await checkLook(page, 'ask-answer');
    await answer.getByRole('button', { name: 'Play from 00:48' }).click();
    await answer.getByRole('button', { name: 'Pause at 00:48' }).waitFor();
    await answer.getByRole('link', { name: readingRoom.title }).click();
    await page.waitForURL(`**/notes/${id}?t=48`);
    await page.goBack();
    await answer.getByText(said, { exact: true }).waitFor();
  });

  await t.test('Tab searches for it instead, once; given up, the question stays', async () => {
    await field.fill('What is the lift for?');
    await page.getByRole('option', { name: /^Ask/u, selected: true }).waitFor();
    await field.press('Tab');
    await page.getByRole('option', { name: /^Search for/u, selected: true }).waitFor();
    await field.press('Enter');
    await page.waitForURL(/\/search\?q=What/u);
    let go = () => {};
    language.faults.until = new Promise<void>((resolve) => (go = resolve));
    await field.fill('Who waits for the lift?');
    await field.press('Enter');
    await answer.getByText('Reading your notes…').waitFor();
    await answer.getByRole('button', { name: 'Cancel' }).click();
    await answer.waitFor({ state: 'detached' });
    await untilHolds(page, `document.activeElement?.id === 'q'`);
    assert.equal(await field.inputValue(), 'Who waits for the lift?');
    go();
    delete language.faults.until;
  });

  await t.test('nothing is said about it; without hits it is asked instead', async () => {
    await page.goto(`${service.url}/search?q=${encodeURIComponent('zebra bananas')}`);
    await page.getByRole('button', { name: 'Ask instead' }).click();
    await page.waitForURL(/\/search\?ask=zebra/u);
    await answer.getByText('None of your notes says anything about this.').waitFor();
    await checkLook(page, 'ask-none');
  });

  await t.test('what the question says of when is said: notes of then were searched', async () => {
    const ask = async (question: string) =>
      await page.goto(`${service.url}/search?ask=${encodeURIComponent(question)}`);
    await ask('When was the lift inspected 900 days ago?');
    await answer.getByText('None of the notes that were searched says anything').waitFor();
    await answer
      .getByText(/^The question names a day\. Only notes from \d+ \w+ \d{4} were/u)
      .waitFor();
    await ask('When is the lift inspected, as the latest meeting says?');
    await answer.getByText(said, { exact: true }).waitFor();
    await answer.getByText('Only the latest note was searched.').waitFor();
    await page.context().close();
  });

  await t.test('on a phone, in German', async () => {
    const url = `${service.url}/search?ask=${encodeURIComponent('When is the lift inspected?')}`;
    const theirs = await opened({ ...phone, locale: 'de-DE', url });
    const region = theirs.getByRole('region', { name: 'Antwort' });
    await region.getByText(said, { exact: true }).waitFor();
    await checkLook(theirs, 'ask-phone-german');
    await region.getByRole('button', { name: 'Ab 00:48 abspielen' }).tap();
    await region.getByRole('button', { name: 'Bei 00:48 pausieren' }).waitFor();
    const lastYears = 'Was war in den letzten 900 Tagen mit lift inspected?';
    await theirs.goto(`${service.url}/search?ask=${encodeURIComponent(lastYears)}`);
    await region
      .getByText(/Durchsucht wurden nur Notizen seit dem \d+\. \p{L}+ \d{4}\./u)
      .waitFor();
    await checkLook(theirs, 'ask-since-german');
    await theirs.context().close();
  });
});
