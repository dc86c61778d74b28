import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { modelsDir } from '../support/models.ts';
import { eventually } from '../support/eventually.ts';
import { wav } from '../support/http-client.ts';
import { sentences } from '../support/pulse-speech.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { openPage, password, recordedFor, startChromium, startWebService } from './browser.ts';
import { microphoneThatSpeaks } from './fake-microphone.ts';
import { faultsOnPage } from './pseudo-check.ts';
import { buildPseudoPages } from './pseudo-pages.ts';
import { choirBoard, readingRoom, tellMeetings } from './told-meetings.ts';

/** Chromium does not know where a page comes from whose answer was put in place of another, and distrusts it. */
const permissions = ['microphone', 'local-network-access'];
type Options = Partial<Parameters<typeof openPage>[2]>;

/** The narrowest phone, and a window. */
const sizes = [
  { width: 360, height: 780 },
  { width: 1280, height: 900 },
];

test('in the pseudo-language every text of every page is in words.ts, and nothing is cut off or wider than a phone', async (t) => {
  const first = await startWebService(t);
  await first.login('ben');
  await first.end('SIGTERM');
  const [read, waiting] = await tellMeetings(first.dataDir, [readingRoom, choirBoard]);
  const service = await startServiceProcess(first.dataDir, { MITSCHRIFT_MODELS: modelsDir });
  t.after(async () => await service.end('SIGTERM'));
  const api = apiOf(service.url);
  const session = await api.post<{ token: string }>('/login', { username: 'ada', password });
  const prepare = await buildPseudoPages(t);
  const browser = await startChromium(t, await microphoneThatSpeaks(t, sentences.mic));
  const faults: string[] = [];

  const looked = async (page: Page, where: string) => {
    for (const size of sizes) {
      await page.setViewportSize(size);
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
      const found = await faultsThatStay(page);
      faults.push(...found.map((fault) => `${where}, ${size.width}: ${fault}`));
    }
    await page.setViewportSize(sizes[0]!);
  };
  const opened = async (path: string, { url = service.url, ...more }: Options = {}) =>
    await openPage(t, browser, {
      url: url + inPseudo(path),
      expected: /status of (?:401|403|404|409|422)|WebSocket/,
      viewport: sizes[0]!,
      ...more,
      permissions,
      prepare,
    });

  await t.test('the pages that people install do not know it', async () => {
    const page = await openPage(t, browser, { url: service.url + inPseudo('/login') });
    await page.getByRole('heading', { name: 'Log in', exact: true }).waitFor();
    await page.context().close();
  });

  await t.test('before the login', async () => {
    const page = await opened('/login');
    await page.locator('#username').fill('ada');
    await page.locator('#password').fill('wrong');
    await looked(page, 'login');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await looked(page, 'login, wrong');
    await page.goto(`${service.url}${inPseudo('/login')}#invitation=none`);
    await page.reload();
    await page.locator('h1').waitFor();
    await looked(page, 'invitation over');
    await page.context().close();
  });

  await t.test('the wizard', async () => {
    const fresh = await startServiceProcess(await tempDir(t), { MITSCHRIFT_MODELS: modelsDir });
    t.after(async () => await fresh.end('SIGTERM'));
    const page = await opened('/setup', { url: fresh.url });
    await page.locator('input[type=password]').first().waitFor();
    await looked(page, 'setup, administrator');
    const own = await apiOf(fresh.url).post<object>('/setup', { username: 'ada', password });
    const next = await opened('/setup?step=speech', { url: fresh.url, session: own });
    for (const step of ['speech', 'summaries', 'microphone', 'notesFolder', 'first']) {
      await next.goto(fresh.url + inPseudo(`/setup?step=${step}`));
      await next.locator('h1').waitFor();
      await settled(next);
      await looked(next, `setup, ${step}`);
    }
    await page.context().close();
    await next.context().close();
  });

  await t.test('home', async () => {
    const page = await opened('/', { session });
    await page.locator('.tab-rec').waitFor();
    await looked(page, 'home');
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.locator('article.note').first().waitFor();
    await looked(page, 'home, notes');
    await page.goto(service.url + inPseudo('/search?q=carpet'));
    await page.locator('.hit').first().waitFor();
    await looked(page, 'home, found');
    await page.goto(service.url + inPseudo('/search?q=kaleidoscope+zebra'));
    await page.locator('.empty').first().waitFor();
    await looked(page, 'home, nothing found');
    await page.goto(service.url + inPseudo('/?kind=solo'));
    await settled(page);
    await looked(page, 'home, narrowed');
    await page.goto(service.url + inPseudo('/'));
    // A phone has Record at the thumb, and no menu beside it.
    await page.setViewportSize(sizes[1]!);
    await page.locator('.split .menu > button').click();
    await looked(page, 'home, what can be recorded from');
    await page.keyboard.press('Escape');
    await page.locator('.tab-rec').click();
    await page.waitForURL(/\/notes\//);
    await recordedFor(page, 1);
    await looked(page, 'recording');
    // In a field it is a letter, and the field for side notes takes the focus when the page is wide.
    await page.evaluate('document.activeElement?.blur()');
    await page.keyboard.press('Shift+P');
    await page.locator('.recbar.paused').waitFor();
    await looked(page, 'paused');
    // A note has no bar of tabs on a phone.
    await page.setViewportSize(sizes[1]!);
    await page.locator('nav a[href="/speakers"]').locator('visible=true').first().click();
    await page.locator('h1').waitFor();
    await looked(page, 'another page while recording');
    await page.locator('.recbar .stop').click();
    await page.locator('button.tab-rec').waitFor();
    // What has ended here may still be sent.
    await page.locator('.recbar').waitFor({ state: 'detached' });
    await page.setViewportSize(sizes[1]!);
    await page.locator('h1').focus();
    await page.keyboard.press('?');
    await page.locator('dialog[open]').waitFor();
    await looked(page, 'keys');
    await page.context().close();
  });

  await t.test('a note', async () => {
    const page = await opened(`/notes/${read}`, { session });
    await page.locator('.lead').waitFor();
    await looked(page, 'note');
    await page.getByRole('tab').nth(1).click();
    await page.locator('[data-turn="0"]').waitFor();
    await looked(page, 'note, transcript');
    await page.locator('[data-turn="1"]').focus();
    await page.keyboard.press('e');
    await page.locator('.editing').waitFor();
    await looked(page, 'note, editing');
    // Its width changed, so the list was made anew: the field has the focus again within some frames.
    await page.locator('.editing textarea:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.editing').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+f');
    await page.locator('.find-bar').waitFor();
    await looked(page, 'note, find');
    await page.keyboard.press('Escape');
    const menus = page.locator('.title .menu > button, .title summary');
    for (let at = 0; at < (await menus.count()); at += 1) {
      await menus.nth(at).click();
      await looked(page, `note, menu ${at}`);
      await page.keyboard.press('Escape');
    }
    await page.context().close();
    const unnamed = await opened(`/notes/${waiting}`, { session });
    await unnamed.getByRole('tab').nth(1).click();
    await unnamed.locator('[data-turn="0"]').waitFor();
    await looked(unnamed, 'note that waits');
    await unnamed.goto(service.url + inPseudo('/notes/none'));
    await unnamed.locator('h1').waitFor();
    await looked(unnamed, 'no note');
    await unnamed.goto(service.url + inPseudo('/debug'));
    await unnamed.locator('.chart').waitFor();
    await looked(unnamed, 'statechart');
    await unnamed.goto(service.url + inPseudo(`/debug?recording=${read}`));
    await unnamed.locator('.fact').first().waitFor();
    await settled(unnamed);
    await looked(unnamed, 'statechart of one');
    await unnamed.context().close();
  });

  await t.test('speakers and account', async () => {
    const page = await opened('/speakers', { session });
    await page.locator('.voice').first().waitFor();
    await looked(page, 'speakers');
    await page.goto(service.url + inPseudo('/speakers') + '#known');
    await page.reload();
    await settled(page);
    await looked(page, 'speakers, known');
    await page.goto(service.url + inPseudo('/account'));
    await page.locator('h1').waitFor();
    await settled(page);
    await looked(page, 'account');
    await page.context().close();
  });

  await t.test('settings', async () => {
    const form = new FormData();
    form.set('file', new Blob([wav(2)]), 'one.wav');
    const page = await opened('/settings', { session });
    const parts = ['recording', 'speech', 'language', 'notes', 'server', 'people', 'models'];
    for (const part of [...parts, 'health', 'backup']) {
      await page.goto(service.url + inPseudo(`/settings?part=${part}`));
      await page.locator('.group h1').waitFor();
      await settled(page);
      await looked(page, `settings, ${part}`);
    }
    await page.context().close();
    const ben = await api.post<object>('/login', { username: 'ben', password });
    const theirs = await opened('/settings', { session: ben });
    await theirs.locator('h1').waitFor();
    await looked(theirs, 'settings, refused');
    await theirs.context().close();
  });

  assert.ok(faults.length === 0, faults.join('\n'));
});

/** A page that is laid out anew is looked at when that is over: what is wrong then stays wrong. */
async function faultsThatStay(page: Page): Promise<string[]> {
  let found: string[] = [];
  const look = async () => {
    found = await page.evaluate<string[]>(faultsOnPage);
    return found.length === 0;
  };
  await eventually('the page has no faults', look, 3_000).catch(() => undefined);
  return found;
}

const inPseudo = (path: string) => `${path}${path.includes('?') ? '&' : '?'}lang=pseudo`;

/** What the page asks for is answered. */
const settled = (page: Page) => page.waitForLoadState('networkidle');
