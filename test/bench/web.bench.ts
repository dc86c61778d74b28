import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type Page, chromium } from 'playwright-core';
import { apiOf, setUp } from '../support/service-process.ts';
import { longMeeting, tellMeetings } from '../web/told-meetings.ts';
import { goTo, longestTask, taskRow } from './browser-tasks.ts';
import { type BuiltService, builtService, untilAnswered } from './built-service.ts';
import { fillLibrary } from './library.ts';
import { type Measured, countFrom, milliseconds } from './measure.ts';
import { watchMoves } from './web-moves.ts';
import { recordLong } from './web-recording.ts';

export const about = 'the web app in Chromium: size, start, longest tasks, memory while it records';
export const throughBuild = true;
export const onlyByName = true;

const sidenotes = 200;
const recordings = countFrom('BENCH_RECORDINGS', 10_000);

export async function* bench(): AsyncIterable<Measured> {
  const root = await mkdtemp(join(tmpdir(), 'mitschrift-bench-'));
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--autoplay-policy=no-user-gesture-required',
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      '--js-flags=--expose-gc',
    ],
  });
  try {
    const service = await builtService();
    yield* longTalk(service, browser, join(root, 'long'));
    yield* largeLibrary(service, browser, join(root, 'many'));
  } finally {
    await browser.close();
    await rm(root, { recursive: true, force: true });
  }
}

type Open = (path: string) => Promise<Page>;

/** Opens pages of a service, logged in, in a browser profile of their own. */
function opener(browser: Browser, url: string, token: string): Open {
  const session = { token, expires_at: '2099-01-01T00:00:00Z', username: 'anna', is_admin: true };
  return async (path) => {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      locale: 'en-GB',
      permissions: ['microphone'],
    });
    context.setDefaultTimeout(120_000);
    await context.addInitScript(
      `localStorage.setItem('mitschrift.session', ${JSON.stringify(JSON.stringify(session))})`,
    );
    const page = await context.newPage();
    await page.goto(url + path);
    return page;
  };
}

async function* longTalk(service: BuiltService, browser: Browser, data: string) {
  const before = await service.start(data);
  const token = await setUp(before.url);
  await before.end('SIGTERM');
  const [id] = await tellMeetings(data, [longMeeting()]);
  const running = await service.start(data);
  try {
    await untilAnswered(running.url, '/recordings', token);
    await written(running.url, token, id!);
    await noteBeside(running.url, token, id!);
    const open = opener(browser, running.url, token);
    yield* await firstPage(open);
    yield* eachStep(
      browser,
      await open('/account'),
      `3 hours of talk, ${sidenotes} side notes`,
      readLongTalk(id!),
    );
    yield* await watchMoves(browser, await open('/account'), id!);
    yield await recordLong(await open('/account'));
  } finally {
    await running.end('SIGTERM');
  }
}

/** As many side notes as somebody writes in three hours. */
async function noteBeside(url: string, token: string, id: string): Promise<void> {
  const api = apiOf(url, token);
  for (let note = 0; note < sidenotes; note += 1) {
    const at = (note * 3 * 3600) / sidenotes;
    await api.post(`/recordings/${id}/sidenotes`, { at, text: `Noted beside it, line ${note}` });
  }
  await written(url, token, id);
}

/** Its documents are there. */
async function written(url: string, token: string, id: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const { documents } = await apiOf(url, token).get<{ documents: object | null }>(
      `/recordings/${id}`,
    );
    if (documents !== null) return;
    await sleep(100);
  }
  throw new Error('the documents of the long talk were not written');
}

/** What a browser fetches before the first page can be used, and how long that takes. */
async function firstPage(open: Open): Promise<Measured[]> {
  const page = await open('/');
  await page.locator('.btn.rec').waitFor();
  const { bytes, fonts, requests, ms } = await page.evaluate<{
    bytes: number;
    fonts: number;
    requests: number;
    ms: number;
  }>(`(() => {
    const own = performance.getEntriesByType('resource').filter(({ name, initiatorType }) =>
      !['fetch', 'xmlhttprequest'].includes(initiatorType) || name.includes('/assets/'));
    const all = [...performance.getEntriesByType('navigation'), ...own];
    const size = (some) => some.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
    const fonts = all.filter(({ name }) => name.endsWith('.woff2'));
    return {
      bytes: size(all) - size(fonts),
      fonts: size(fonts),
      requests: all.length,
      ms: performance.now(),
    };
  })()`);
  await page.context().close();
  const kB = (size: number) => `${(size / 1000).toFixed(0)} kB`;
  return [
    {
      what: `first page, compressed, in ${requests} requests (and ${kB(fonts)} of fonts)`,
      ours: kB(bytes),
      bare: '150 kB',
      ratio: bytes / 150_000,
      aim: '≤ 1',
    },
    {
      what: 'from the address to the page that can be used',
      ours: milliseconds(ms),
      bare: '1000 ms',
      ratio: ms / 1000,
      aim: '',
    },
  ];
}

type Step = [what: string, act: (page: Page) => Promise<unknown>];

/** A row for each, on one page. */
async function* eachStep(
  browser: Browser,
  page: Page,
  of: string,
  steps: readonly Step[],
): AsyncIterable<Measured> {
  for (const [what, act] of steps)
    yield taskRow(`${of}: ${what}`, await longestTask(browser, page, () => act(page)));
  await page.context().close();
}

const turn = (page: Page, at: number) => page.locator(`[data-turn="${at}"]`);

/** Opens it, scrolls, jumps, plays and searches. */
const readLongTalk = (id: string): Step[] => [
  [
    'open',
    async (page) => {
      await goTo(page, `/notes/${id}`);
      await turn(page, 0).waitFor();
      await page.locator('.player .wave > div').waitFor();
      await sleep(1000);
    },
  ],
  [
    'scroll',
    async (page) => {
      // The panel beside the document scrolls by itself.
      await page.mouse.move(300, 500);
      for (let k = 0; k < 40; k += 1) {
        await page.mouse.wheel(0, 700);
        await sleep(30);
      }
    },
  ],
  [
    'to the end and back',
    async (page) => {
      await page.locator('#p-transcript').focus();
      await page.keyboard.press('End');
      await turn(page, 2999).waitFor();
      await page.keyboard.press('Home');
      await turn(page, 0).waitFor();
    },
  ],
  [
    'to a moment, and play',
    async (page) => {
      // Who has just scrolled by hand is left alone for four seconds: the page does not follow the voice.
      await sleep(5000);
      await page.locator('.scrub input').fill('5000');
      await page.keyboard.press('k');
      await page.locator('.turn.playing').waitFor();
      await sleep(3000);
      await page.keyboard.press('k');
    },
  ],
  [
    'search as it is typed, and go on from hit to hit',
    async (page) => {
      await page.keyboard.press('Control+f');
      await page.keyboard.type('reading', { delay: 80 });
      await sleep(600);
      for (let k = 0; k < 5; k += 1) {
        await page.keyboard.press('Enter');
        await sleep(200);
      }
      await page.locator('#find-what').fill('zwetschgenkuchen');
      await turn(page, 2980).waitFor();
      await page.locator('#find-what').fill('book');
      await sleep(600);
    },
  ],
];

async function* largeLibrary(service: BuiltService, browser: Browser, data: string) {
  const { token } = await fillLibrary(service, data, recordings);
  const running = await service.start(data);
  try {
    await untilAnswered(running.url, '/recordings', token);
    const page = await opener(browser, running.url, token)('/account');
    const of = `library of ${recordings.toLocaleString('en')}`;
    yield* eachStep(browser, page, of, readLibrary);
  } finally {
    await running.end('SIGTERM');
  }
}

const readLibrary: Step[] = [
  [
    'open',
    async (page) => {
      await goTo(page, '/');
      await page.locator('.note').first().waitFor();
      await sleep(500);
    },
  ],
  [
    'scroll through a thousand',
    async (page) => {
      await page.mouse.move(800, 600);
      for (let k = 0; k < 200; k += 1) {
        await page.mouse.wheel(0, 500);
        await sleep(30);
      }
    },
  ],
  [
    'search as it is typed',
    async (page) => {
      await page.locator('#q').pressSequentially('Besprechung 12', { delay: 60 });
      await page.keyboard.press('Enter');
      await page.locator('.hits').waitFor();
      await sleep(500);
    },
  ],
];
