import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type Page, chromium } from 'playwright-core';
import { apiOf } from '../support/service-process.ts';
import { longMeeting, tellMeetings } from '../web/told-meetings.ts';
import { goTo, longestTask, taskRow } from './browser-tasks.ts';
import { type BuiltService, builtService, setUp, untilAnswered } from './built-service.ts';
import { fillLibrary } from './library.ts';
import { type Measured, countFrom, milliseconds } from './measure.ts';
import { watchMoves } from './web-moves.ts';

export const about = 'the web app in Chromium: size, start, longest tasks, memory while it records';
export const throughBuild = true;
export const onlyByName = true;

const recordings = countFrom('BENCH_RECORDINGS', 10_000);
/** An hour as it is meant takes an hour. */
const minutes = countFrom('BENCH_RECORDED_MINUTES', 5);

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
    yield* await longTalk(service, browser, join(root, 'long'));
    yield* await largeLibrary(service, browser, join(root, 'many'));
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

async function longTalk(service: BuiltService, browser: Browser, data: string) {
  const before = await service.start(data);
  const token = await setUp(before.url);
  await before.end('SIGTERM');
  const [id] = await tellMeetings(data, [longMeeting()]);
  const running = await service.start(data);
  try {
    await untilAnswered(running.url, '/recordings', token);
    await written(running.url, token, id!);
    const open = opener(browser, running.url, token);
    return [
      ...(await firstPage(open)),
      ...(await readLongTalk(browser, await open('/account'), id!)),
      ...(await watchMoves(browser, await open('/account'), id!)),
      await recordLong(await open('/')),
    ];
  } finally {
    await running.end('SIGTERM');
  }
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
  await page.locator('.rec-btn:not(:disabled)').waitFor();
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

/** Opens it, scrolls, jumps, plays and searches. */
async function readLongTalk(browser: Browser, page: Page, id: string): Promise<Measured[]> {
  const rows: Measured[] = [];
  const step = async (what: string, act: () => Promise<unknown>) =>
    rows.push(taskRow(`3 hours of talk: ${what}`, await longestTask(browser, page, act)));
  const turn = (at: number) => page.locator(`[data-turn="${at}"]`);
  await step('open', async () => {
    await goTo(page, `/notes/${id}`);
    await turn(0).waitFor();
    await page.locator('.player .wave > div').waitFor();
    await sleep(1000);
  });
  await step('scroll', async () => {
    await page.mouse.move(600, 500);
    for (let k = 0; k < 40; k += 1) {
      await page.mouse.wheel(0, 700);
      await sleep(30);
    }
  });
  await step('to the end and back', async () => {
    await page.keyboard.press('End');
    await turn(2999).waitFor();
    await page.keyboard.press('Home');
    await turn(0).waitFor();
  });
  await step('to a moment, and play', async () => {
    await page.locator('.scrub input').fill('5000');
    await page.keyboard.press('k');
    await page.locator('.turn.playing').waitFor();
    await sleep(3000);
    await page.keyboard.press('k');
  });
  await step('search as it is typed, and go on from hit to hit', async () => {
    await page.keyboard.press('Control+f');
    await page.keyboard.type('reading', { delay: 80 });
    await sleep(600);
    for (let k = 0; k < 5; k += 1) {
      await page.keyboard.press('Enter');
      await sleep(200);
    }
    await page.locator('#find-what').fill('zwetschgenkuchen');
    await turn(2980).waitFor();
    await page.locator('#find-what').fill('book');
    await sleep(600);
  });
  await page.context().close();
  return rows;
}

/** The browser's microphone for some minutes: what the page keeps in memory at the end, against after the first tenth. */
async function recordLong(page: Page): Promise<Measured> {
  await page.locator('#source').selectOption('microphone');
  await page.locator('.rec-btn').click();
  await page.locator('.recorder .stop:not(:disabled)').waitFor();
  const samples: number[] = [];
  for (let k = 0; k < 10; k += 1) {
    await sleep(minutes * 6_000);
    samples.push(await page.evaluate<number>('gc(), performance.memory.usedJSHeapSize'));
  }
  await page.locator('.recorder .stop').click();
  await page.locator('.rec-btn').waitFor();
  await page.context().close();
  const MB = (size: number) => `${(size / 1e6).toFixed(1)} MB`;
  return {
    what: `heap while the browser records: after ${minutes} minutes (samples: ${samples.map(MB).join(', ')})`,
    ours: MB(samples.at(-1)!),
    bare: MB(samples[0]!),
    ratio: samples.at(-1)! / samples[0]!,
    aim: '≤ 1.1',
  };
}

async function largeLibrary(service: BuiltService, browser: Browser, data: string) {
  const { token } = await fillLibrary(service, data, recordings);
  const running = await service.start(data);
  try {
    await untilAnswered(running.url, '/recordings', token);
    const page = await opener(browser, running.url, token)('/account');
    const rows: Measured[] = [];
    const step = async (what: string, act: () => Promise<unknown>) =>
      rows.push(
        taskRow(
          `library of ${recordings.toLocaleString('en')}: ${what}`,
          await longestTask(browser, page, act),
        ),
      );
    await step('open', async () => {
      await goTo(page, '/');
      await page.locator('.note').first().waitFor();
      await sleep(500);
    });
    await step('scroll through a thousand', async () => {
      await page.mouse.move(800, 600);
      for (let k = 0; k < 200; k += 1) {
        await page.mouse.wheel(0, 500);
        await sleep(30);
      }
    });
    await step('search as it is typed', async () => {
      await page.locator('#q').pressSequentially('Besprechung 12', { delay: 60 });
      await page.locator('.hits').waitFor();
      await sleep(500);
    });
    return rows;
  } finally {
    await running.end('SIGTERM');
  }
}
