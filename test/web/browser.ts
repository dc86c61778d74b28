/**
 * The web app as people have it: the built service with the test models, and Debian's Chromium
 * (playwright-core) before it.
 */
import type axe from 'axe-core';
import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { modelsDir } from '../support/models.ts';
import {
  type ServiceProcess,
  apiOf,
  inviteUser,
  startServiceProcess,
} from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { type Session, copyWithAda, password } from './data-with-ada.ts';

export { password, type Session } from './data-with-ada.ts';
/** How long a page may take to show what is waited for, in milliseconds; a busy machine is slow. */
const patience = 60_000;

const opened: BrowserContext[] = [];

/** Where screenshots of the last run lie. */
export const screens = join(import.meta.dirname, '../../.screens');

export type WebService = ServiceProcess & {
  dataDir: string;
  /** Logs a user in; `ada` is the administrator, others are made when they are first named. */
  login(username?: string): Promise<Session>;
};

/**
 * A data directory in which there is an administrator `ada`, and her session: to be written into before a service is
 * started on it. Pages that are open are closed before what the test does after this call is ended.
 */
export async function dataWithAda(t: TestContext): Promise<{ dataDir: string; session: Session }> {
  const dataDir = await tempDir(t);
  // Pages that outlive their service complain of it.
  t.after(
    async () =>
      void (await Promise.all(opened.splice(0).map(async (context) => await context.close()))),
  );
  return { dataDir, session: await copyWithAda(dataDir) };
}

/** The service as it is built, with the models of `test/fixtures`, and an administrator `ada`. */
export async function startWebService(
  t: TestContext,
  env: Record<string, string> = {},
): Promise<WebService> {
  const { dataDir } = await dataWithAda(t);
  const service = await startServiceProcess(dataDir, { MITSCHRIFT_MODELS: modelsDir, ...env });
  t.after(async () => await service.end('SIGTERM'));
  const api = apiOf(service.url);
  const made = new Set(['ada']);
  // The session that was copied is as old as the run: who administers with it is asked for the password again.
  const login = async (username: string) =>
    await api.post<Session>('/login', { username, password });
  return {
    ...service,
    dataDir,
    async login(username = 'ada') {
      if (!made.has(username)) {
        await inviteUser(service.url, (await login('ada')).token, { username, password });
        made.add(username);
      }
      return await login(username);
    },
  };
}

export { startChromium } from './chromium.ts';

/**
 * A page, in a browser profile of its own. Whatever it says on its console as an error (a broken
 * Content-Security-Policy, an exception) fails the test, unless it matches `expected`.
 * @param session logged in as; undefined: not
 */
export async function openPage(
  t: TestContext,
  browser: Browser,
  options: BrowserContextOptions & {
    url: string;
    session?: object;
    theme?: 'light' | 'dark';
    expected?: RegExp;
    /** Done with the page before it is opened. */
    prepare?: (page: Page) => Promise<void>;
  },
): Promise<Page> {
  const { url, session, theme = 'light', expected, prepare, ...rest } = options;
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    locale: 'en-GB',
    colorScheme: theme,
    // Each profile would fetch and keep all of the app once more. Tests that are about what is kept allow it.
    serviceWorkers: 'block',
    ...rest,
  });
  opened.push(context);
  context.setDefaultTimeout(patience);
  if (session !== undefined) {
    // Once only: a session that ended stays ended.
    await context.addInitScript(`if (sessionStorage.getItem('test.session') === null) {
      sessionStorage.setItem('test.session', 'given');
      localStorage.setItem('mitschrift.session', ${JSON.stringify(JSON.stringify(session))});
    }`);
  }
  const page = await context.newPage();
  const faults: string[] = [];
  const note = (text: string) => {
    if (expected?.test(text) !== true) faults.push(text);
  };
  page.on('console', (message) => {
    if (message.type() === 'error') note(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => note(error.stack ?? error.message));
  t.after(() => assert.deepEqual(faults, [], 'errors on the page’s console'));
  await prepare?.(page);
  await page.goto(url);
  return page;
}

/** Asserts that what is on a page has stayed where it was first seen (Chromium's layout shift). */
export async function nothingMoved(page: Page): Promise<void> {
  const { moved, what } = await page.evaluate<{
    moved: number;
    what: string[];
  }>(`new Promise((resolve) => {
    let moved = 0;
    const what = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        moved += entry.value;
        for (const { node } of entry.sources) what.push((node?.textContent ?? '').trim().slice(0, 40));
      }
    }).observe({ type: 'layout-shift', buffered: true });
    requestAnimationFrame(() => setTimeout(() => resolve({ moved, what })));
  })`);
  assert.ok(moved < 0.02, `layout shift of ${moved}: ${what.join(' · ')}`);
}

const wcag = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The smaller file of the two: each page that is checked compiles it. */
const axeFile = join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js');

/** What axe-core (WCAG 2.2 A and AA) finds wrong on the page as it is now, a line each. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  const look = async () =>
    await page.evaluate(async (runOnly) => {
      const { axe: here } = globalThis as unknown as { axe?: typeof axe };
      // Of what passed it would list each element as well.
      return await here?.run({ runOnly, resultTypes: ['violations'] });
    }, wcag);
  let found = await look();
  if (found === undefined) {
    // By evaluation, which the page's Content-Security-Policy does not concern; once until another page is loaded.
    await page.evaluate(await readFile(axeFile, 'utf8'));
    found = await look();
  }
  return found!.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target }) => `${id}: ${help} (${String(target)})`),
  );
}

/**
 * `axe` finds nothing, in the light theme and with `test:long` in the dark one, which is the same in other colours
 * (`colours.test.ts` computes the contrast of both). Screenshots are kept as `<name>-<theme>.png`.
 */
export async function checkLook(page: Page, name: string): Promise<void> {
  const isLong = Boolean(process.env['MITSCHRIFT_LONG']);
  for (const theme of isLong ? (['light', 'dark'] as const) : (['light'] as const)) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await screenshot(page, `${name}-${theme}`);
    assert.deepEqual(await faultsWherever(page), [], `${name}, ${theme}`);
    const wide = await page.evaluate<number>(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    assert.ok(wide <= 0, `${name} is ${wide} pixels wider than the window`);
  }
}

/** Of what is there also at the top: a link that has scrolled halfway below the header is no small target. */
async function faultsWherever(page: Page): Promise<string[]> {
  const here = await accessibilityFaults(page);
  if (here.length === 0) return [];
  const top = await page.evaluate<number>('scrollY');
  await page.evaluate('scrollTo({ top: 0, behavior: "instant" })');
  const there = await accessibilityFaults(page);
  await page.evaluate(`scrollTo({ top: ${top}, behavior: "instant" })`);
  return here.filter((fault) => there.includes(fault));
}

/**
 * Waits until an expression holds in the page. Playwright's `waitForFunction` looks at a text once and then fails: each
 * later look is an `eval`, which the page's Content-Security-Policy forbids.
 */
export async function untilHolds(page: Page, expression: string): Promise<void> {
  await eventually(expression, async () =>
    page.evaluate<boolean>(`Boolean(${expression})`).catch((error: Error) => {
      // The page is being loaded.
      if (error.message.includes('context was destroyed')) return false;
      throw error;
    }),
  );
}

/** A script for pages that are opened: chosen in this browser is a recording of one person, by its own microphone. */
export const recordsAlone = `for (const [name, value] of [['kind', 'solo'], ['source', 'microphone']])
  localStorage.getItem('mitschrift.' + name) ?? localStorage.setItem('mitschrift.' + name, value);`;

const recordButton = (page: Page) => page.getByRole('button', { name: 'Record', exact: true });

/** By the button of the page's header, or on a phone at the thumb; returns when its note is open. @param source chosen before */
export async function record(page: Page, source?: string): Promise<void> {
  if (source !== undefined) {
    await page.getByRole('button', { name: 'Source and options' }).click();
    await page.getByRole('button', { name: source, exact: true }).click();
  }
  await recordButton(page).click();
  await page.waitForURL(/\/notes\//);
  await recordedFor(page, 1);
}

/** Returns when nothing is recorded, and something can be. */
export async function untilIdle(page: Page): Promise<void> {
  await recordButton(page).waitFor();
  // What has ended here may still be sent.
  await page.locator('.recbar.ending').waitFor({ state: 'detached' });
}

/** The recording bar, which every page has while something is recorded. */
export const recordingBar = (page: Page) => page.getByRole('region', { name: 'Current recording' });

/** Waits until the recorder's clock shows so many seconds, or more: each of them is there for a second only. */
export const recordedFor = async (page: Page, seconds: number): Promise<void> =>
  await untilHolds(page, `${recorderSeconds} >= ${seconds}`);

/** What the recorder's clock shows, seconds. */
export const recorded = async (page: Page): Promise<number> =>
  await page.evaluate<number>(recorderSeconds);

const recorderSeconds =
  `(document.querySelector('[role=timer]')?.textContent ?? '').split(':')` +
  `.reduce((sum, part) => sum * 60 + Number(part), 0)`;

/** A script for a page that is opened: what screen readers are told is noted. */
export const noteAnnouncements = `(() => {
  globalThis.said = [];
  new MutationObserver(() => {
    for (const region of document.querySelectorAll('body > #app > .vh[role]')) {
      const text = region.getAttribute('role') + ': ' + region.textContent;
      if (region.said !== text && region.textContent !== '') globalThis.said.push(text);
      region.said = text;
    }
  }).observe(document, { childList: true, subtree: true, characterData: true });
})()`;

/** What screen readers were told since the page was loaded, as `<role>: <text>`. */
export const saidIn = async (page: Page): Promise<string[]> =>
  await page.evaluate<string[]>('said');

const settled = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() =>
  Promise.allSettled(
    document.getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().endTime < 2000)
      .map(({ finished }) => finished),
  ))`;

/** The whole page, below `.screens/`: where files are named and in `test:long`; else until it is drawn. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (!process.env['MITSCHRIFT_TEST_SCREENS']) {
    // Twice: colours that have changed begin their way at the first.
    for (let frames = 0; frames < 2; frames += 1) await page.evaluate(settled);
    return;
  }
  await mkdir(screens, { recursive: true });
  await page.screenshot({ path: join(screens, `${name}.png`), fullPage: true });
}

export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
