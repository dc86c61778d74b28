import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { startLanguageServer } from '../support/language-servers.ts';
import type { Brain } from '../support/language-servers-brains.ts';
import { sentences } from '../support/pulse-speech.ts';
import { apiOf } from '../support/service-process.ts';
import {
  checkLook,
  noteAnnouncements,
  openPage,
  phone,
  record,
  recordedFor,
  recordingBar,
  recordsAlone,
  saidIn,
  startChromium,
  startWebService,
  untilHolds,
} from './browser.ts';
import { microphoneThatSpeaks } from './fake-microphone.ts';

type Recording = { sidenotes: { at: number; text: string }[]; utterances: { start: number }[] };

const expected = /status of (?:401|404|429|503)|ERR_|Failed to load|WebSocket/;

/** Says of each line of the transcript what was said. */
const answering: Brain = ({ user }) => {
  const lines = [...user.matchAll(/^\[(\d+)\] (.+)$/gmu)];
  return JSON.stringify({
    lines: lines.map(([, turn, text]) => ({ turn: Number(turn), text: text! })),
  });
};

/** A page that is shown, or hidden as behind another tab. */
const turnPage = async (page: Page, isHidden: boolean): Promise<void> => {
  await page.evaluate(`(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
    document.dispatchEvent(new Event('visibilitychange'));
  })()`);
};

test('what was missed while a talk is recorded: from a place, above the summary, proved, kept only by a press', async (t) => {
  const language = await startLanguageServer({ flavour: 'openai', brain: answering });
  t.after(language.close);
  const service = await startWebService(t, {
    MITSCHRIFT_LLM_BASE_URL: language.url,
    MITSCHRIFT_LLM_MODEL: 'test-model',
  });
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
  const read = async () =>
    await apiOf(service.url, session.token).get<Recording>(`/recordings/${id}`);
  const menu = page.getByRole('button', { name: 'What did I miss?' });
  const card = page.getByRole('region', { name: 'What you missed' });
  const choose = async (name: string | RegExp) => {
    await menu.click();
    await page.getByRole('button', { name }).click();
  };

  await menu.waitFor();
  await menu.click();
  assert.deepEqual(await page.locator('.menu-list:popover-open button').allTextContents(), [
    'Last 5 minutes',
    'From the beginning',
  ]);
  await checkLook(page, 'missed-menu');
  await page.keyboard.press('Escape');

  await choose('From the beginning');
  await card.locator('blockquote').first().waitFor();
  await untilHolds(page, `document.activeElement?.textContent === 'What you missed'`);
  await eventually('it is said', async () =>
    (await saidIn(page)).some((text) => /^status: Answer with \d/u.test(text)),
  );
  const order = await page.evaluate<boolean>(`Boolean(
    document.querySelector('.missed').compareDocumentPosition(document.querySelector('#coming')) & 4)`);
  assert.ok(order, 'above the summary');
  await checkLook(page, 'missed-answer');
  await card
    .getByRole('button', { name: /^Go to 00:0/u })
    .first()
    .click();
  assert.deepEqual((await read()).sidenotes, [], 'nothing of it is kept');

  // Who was away is told what was said since; nobody has spoken.
  await recordedFor(page, 9);
  await turnPage(page, true);
  await turnPage(page, false);
  await card.getByRole('button', { name: /^Since \d\d:\d\d, when you left$/u }).click();
  await card.getByText('Nothing has been said since then.').waitFor();
  await checkLook(page, 'missed-nothing');
  await card.getByRole('button', { name: 'Close' }).click();
  await card.waitFor({ state: 'detached' });
  await untilHolds(page, `document.activeElement?.textContent.includes('What did I miss?')`);

  // On a phone the answer is in the other tab.
  const small = await openPage(t, browser, {
    url: page.url(),
    session,
    expected,
    ...phone,
    locale: 'de-DE',
  });
  await small.getByRole('tab', { name: 'Live' }).tap();
  await small.getByRole('button', { name: 'Was habe ich verpasst?' }).tap();
  await checkLook(small, 'missed-menu-phone-german');
  await small.getByRole('button', { name: 'Letzte 5 Minuten' }).tap();
  const theirs = small.getByRole('region', { name: 'Was Sie verpasst haben' });
  await theirs.locator('blockquote').first().waitFor();
  await small.getByRole('tab', { name: 'Notiz', selected: true }).waitFor();
  await checkLook(small, 'missed-answer-phone-german');
  await theirs.getByRole('button', { name: 'Als Randnotizen übernehmen' }).tap();
  await theirs.waitFor({ state: 'detached' });
  await eventually('they are side notes', async () => (await read()).sidenotes.length > 0);
  const { sidenotes, utterances } = await read();
  assert.ok(utterances.some(({ start }) => Math.abs(start - sidenotes[0]!.at) < 0.1));
  await small.context().close();

  await recordingBar(page).getByRole('button', { name: /^Stop/u }).click();
  await recordingBar(page).waitFor({ state: 'detached' });
  await menu.waitFor({ state: 'detached' });
  await page.context().close();
});
