import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { startServiceProcess } from '../support/service-process.ts';
import { dataWithAda, openPage, phone, screens, startChromium } from './browser.ts';
import { readingRoom, tellMeetings } from './told-meetings.ts';

/** What of an element is seen where the system has chosen the colours. */
const look = async (page: Page, selector: string, part = '') =>
  await page.evaluate<{ backgroundColor: string }>(`(() => {
    const element = document.querySelector(${JSON.stringify(selector)});
    const { backgroundColor, border, borderBottom } = getComputedStyle(element, '${part}');
    return { backgroundColor, border, borderBottom };
  })()`);

test('where the system has chosen the colours, the page and the tab that are shown, and the dot of Record, are seen', async (t) => {
  const { dataDir, session } = await dataWithAda(t);
  const [id] = await tellMeetings(dataDir, [readingRoom]);
  const service = await startServiceProcess(dataDir);
  t.after(async () => await service.end('SIGTERM'));
  const browser = await startChromium(t);
  const isTold = async (page: Page, of: string, is: string) => {
    await page.locator(`${of}${is}`).first().waitFor();
    assert.notDeepEqual(await look(page, `${of}${is}`), await look(page, `${of}:not(${is})`), of);
  };
  for (const [name, theme, more] of [
    ['wide', 'light', {}],
    ['phone', 'dark', phone],
  ] as const) {
    const isWide = name === 'wide';
    const url = `${service.url}/settings`;
    const given = { ...more, url, session, theme, forcedColors: 'active' } as const;
    const page = await openPage(t, browser, given);
    await isTold(page, isWide ? '.nav a' : '.tabbar a', '[aria-current]');
    await isTold(page, '.side a', '[aria-current]');
    const button = isWide ? '.btn.rec' : '.tab-rec .ring';
    const [dot, around] = [await look(page, button, '::before'), await look(page, button)];
    assert.notEqual(dot.backgroundColor, around.backgroundColor, name);
    await page.screenshot({ path: `${screens}/forced-${name}.png` });
    if (isWide) continue;
    await page.goto(`${service.url}/notes/${id}`);
    await isTold(page, '[role=tab]', "[aria-selected='true']");
    await page.screenshot({ path: `${screens}/forced-note.png` });
    // It may still ask for audio, which goes with the test's folder.
    await page.close();
  }
});
