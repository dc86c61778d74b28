import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { readingRoom, tellMeetings } from '../web/told-meetings.ts';
import { setUp } from '../support/service-process.ts';
import { builtService, untilAnswered } from './built-service.ts';
import type { Measured } from './measure.ts';

export const about =
  'Lighthouse 12 on every page of the web app, as a slow phone, logged in and not';
export const throughBuild = true;
export const onlyByName = true;

/** The last that runs on Node 20. */
const version = '12.8.2';
const categories = ['performance', 'accessibility', 'best-practices'] as const;
const least = 95;

/** Pages say noindex, so Lighthouse's fourth category is no aim. */
export async function* bench(): AsyncIterable<Measured> {
  const data = await mkdtemp(join(tmpdir(), 'mitschrift-bench-'));
  const lighthouse = await fetchLighthouse(join(data, 'lighthouse'));
  const service = await builtService();
  const fresh = await service.start(data);
  const browser = await puppeteer.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  try {
    yield await rowOf(lighthouse, browser, `${fresh.url}/setup`, null);
    const token = await setUp(fresh.url);
    await fresh.end('SIGTERM');
    const [id] = await tellMeetings(data, [readingRoom]);
    const running = await service.start(data);
    try {
      await untilAnswered(running.url, '/recordings', token);
      yield await rowOf(lighthouse, browser, `${running.url}/login`, null);
      const pages = ['/', `/notes/${id}`, '/speakers', '/settings', '/account', '/debug'];
      for (const path of pages) yield await rowOf(lighthouse, browser, running.url + path, token);
    } finally {
      await running.end('SIGTERM');
    }
  } finally {
    await browser.close();
    await rm(data, { recursive: true, force: true });
  }
}

/** The part of it that is used here. */
type Lighthouse = (
  url: string,
  flags: { onlyCategories: string[]; disableStorageReset: boolean },
  config: undefined,
  page: Page,
) => Promise<{ lhr: Judgement } | undefined>;
type Judgement = {
  categories: Record<string, { score: number | null }>;
  audits: Record<
    string,
    { id: string; score: number | null; title: string; displayValue?: string }
  >;
};

/** From npm's registry: it is a hundred megabytes with what it needs, and used nowhere else. */
async function fetchLighthouse(folder: string): Promise<Lighthouse> {
  const args = ['install', '--no-save', '--prefix', folder, `lighthouse@${version}`];
  await promisify(execFile)('npm', args);
  const entry = createRequire(join(folder, 'bench.js')).resolve('lighthouse');
  return ((await import(pathToFileURL(entry).href)) as { default: Lighthouse }).default;
}

/** Now and then the browser's trace lacks what Lighthouse needs: then it is measured again. */
const triesMax = 3;

/** What it finds wrong goes to standard error. @param token null: nobody is logged in */
async function rowOf(
  lighthouse: Lighthouse,
  browser: Browser,
  url: string,
  token: string | null,
  tries = triesMax,
): Promise<Measured> {
  const context = await browser.createBrowserContext();
  try {
    const page = await context.newPage();
    if (token !== null) {
      const session = {
        token,
        expires_at: '2099-01-01T00:00:00Z',
        username: 'anna',
        is_admin: true,
      };
      await page.evaluateOnNewDocument(
        `localStorage.setItem('mitschrift.session', ${JSON.stringify(JSON.stringify(session))})`,
      );
    }
    const flags = { onlyCategories: [...categories], disableStorageReset: true };
    const result = (await lighthouse(url, flags, undefined, page))?.lhr;
    if (result === undefined) throw new Error(`Lighthouse has nothing to say of ${url}`);
    const judged = categories.map((name) => result.categories[name]?.score ?? null);
    if (judged.includes(null)) {
      if (tries === 1) throw new Error(`Lighthouse could not measure ${url}`);
      return await rowOf(lighthouse, browser, url, token, tries - 1);
    }
    const scores = judged.map((score) => Math.round(score! * 100));
    for (const { id, score, title, displayValue = '' } of Object.values(result.audits)) {
      if (score !== null && score < 0.9)
        console.error(`${new URL(url).pathname}: ${id} ${score} ${title} ${displayValue}`);
    }
    const worst = Math.min(...scores);
    return {
      what: `Lighthouse ${new URL(url).pathname.replace(/\/notes\/.*/, '/notes/{id}')}: ${categories.join(', ')}`,
      ours: scores.join(', '),
      bare: `${least} each`,
      ratio: worst / least,
      aim: '≥ 1',
    };
  } finally {
    await context.close();
  }
}
