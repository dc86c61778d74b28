import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { openPage, phone, startChromium, startWebService, untilHolds } from './browser.ts';
import { readingRoom, tellMeetings } from './told-meetings.ts';

/** Notes of the library, and notes with a word that is searched. */
const [noteCount, foundCount] = [2000, 130];

test('Back, and a reload, lead to where one was in the library and among what was found', async (t) => {
  const first = await startWebService(t);
  const session = await first.login();
  await first.end('SIGTERM');
  await tellMeetings(first.dataDir, [readingRoom]);
  const service = await startServiceProcess(first.dataDir);
  t.after(async () => await service.end('SIGTERM'));
  const browser = await startChromium(t);
  const page = await openPage(t, browser, {
    url: service.url,
    session,
    // Notes that only the list has.
    expected: /status of 404/,
  });
  t.after(async () => await page.context().close());
  const rows = page.locator('article.note');
  await rows.filter({ hasText: readingRoom.title }).waitFor();
  await manyNotes(page);
  await page.reload();
  await rows.filter({ hasText: 'Note 1' }).first().waitFor();

  await t.test(
    'of 2,000 notes, the filter and the row, at its height and with the focus',
    async () => {
      await page.getByRole('button', { name: 'Meetings', exact: true }).click();
      await page.waitForURL(/\?kind=meeting$/);
      await rows.filter({ hasText: 'Note 1' }).first().waitFor();
      await page.mouse.move(900, 500);
      await eventually('note 700 is there', async () => {
        await page.mouse.wheel(0, 5000);
        await page.evaluate('new Promise(requestAnimationFrame)');
        return Number(await page.locator('[data-at]').last().getAttribute('data-at')) > 700;
      });
      await atRest(page);
      const id = await page.evaluate<string>(middleRow);
      const before = await topOf(page, id);
      await page.locator(`[data-row="${id}"] a`).click();
      await page.getByText('Note not found.').waitFor();
      await page.goBack();
      await backAt(page, id, before);
      await untilHolds(
        page,
        `document.activeElement.closest('[data-row]')?.dataset.row === '${id}'`,
      );
      const pressed = page.getByRole('button', { name: 'Meetings', exact: true, pressed: true });
      assert.equal(await pressed.count(), 1);

      await page.reload();
      await backAt(page, id, before);
      await page.getByRole('link', { name: 'Notes', exact: true }).first().click();
      await page.waitForURL((url) => url.search === '');
      await page.getByRole('button', { name: 'All', exact: true, pressed: true }).waitFor();
    },
  );

  await t.test('of what was found, page after page, with filters', async () => {
    await manyHits(page);
    await page.goto(`${service.url}/?q=lift&kind=meeting`);
    await page.locator('.hits', { hasText: `${foundCount} notes` }).waitFor();
    const groups = page.locator('.hitgroup');
    for (let shown = 20; shown < foundCount; shown += 20) {
      assert.equal(await groups.count(), shown);
      await page.getByRole('button', { name: 'Show more notes' }).click();
      await groups.nth(shown).waitFor();
    }
    await page
      .locator('.hits', { hasText: `${foundCount * 3 + 4 * foundCount} passages` })
      .waitFor();
    await page.locator('[data-row="r90"] h2').scrollIntoViewIfNeeded();
    await atRest(page);
    const before = await topOf(page, 'r90');
    await page.locator('[data-row="r90"] h2 a').click();
    await page.getByText('Note not found.').waitFor();
    await page.goBack();
    await backAt(page, 'r90', before);
    assert.equal(new URL(page.url()).search, '?q=lift&kind=meeting');
    await page.unrouteAll({ behavior: 'wait' });
  });

  await t.test(
    'a question that is asked really: who says it, filters that exclude it, on a phone',
    async (t) => {
      const theirs = await openPage(t, browser, {
        url: `${service.url}/?q=lift`,
        session,
        ...phone,
      });
      await theirs.locator('.hits', { hasText: '1 passage in 1 note' }).waitFor();
      const hit = theirs.locator('.hit').first();
      assert.match((await hit.textContent())!, /Ada Muster\s+And the lift\? Without the lift/);
      assert.deepEqual(await hit.locator('mark').allTextContents(), ['lift', 'lift']);
      await theirs.getByRole('button', { name: 'Solo', exact: true }).click();
      await theirs.getByText('No results for “lift”.').first().waitFor();
      await theirs.getByRole('button', { name: 'Search all notes', exact: true }).click();
      await hit.waitFor();
      await theirs.context().close();
    },
  );
});

/** Until nothing is scrolled any more. */
async function atRest(page: Page): Promise<void> {
  const isStill = `new Promise((resolve) => {
    const before = scrollY;
    setTimeout(() => resolve(before === scrollY), 300);
  })`;
  await eventually('nothing moves', async () => await page.evaluate<boolean>(isStill));
}

const middleRow = `[...document.querySelectorAll('[data-row]')].find(
  (row) => row.getBoundingClientRect().top > 300,
).dataset.row`;

const topOf = async (page: Page, id: string) =>
  await page.evaluate<number>(
    `document.querySelector('[data-row="${id}"]')?.getBoundingClientRect().top ?? NaN`,
  );

async function backAt(page: Page, id: string, before: number): Promise<void> {
  await eventually(
    `${id} is ${before} pixels below the window's edge`,
    async () => Math.abs((await topOf(page, id)) - before) < 3,
  );
}

/** From now on the page has 2,000 notes, each as the one that is there. */
async function manyNotes(page: Page): Promise<void> {
  await page.route(/\/transcripts\?/, async (route) => {
    const url = new URL(route.request().url());
    const begin = Number(url.searchParams.get('cursor') ?? '0');
    const limit = Number(url.searchParams.get('limit'));
    url.searchParams.delete('cursor');
    const real = await route.fetch({ url: url.href });
    const { transcripts } = (await real.json()) as { transcripts: object[] };
    const made = Array.from({ length: Math.min(limit, noteCount - begin) }, (_, at) => ({
      ...transcripts[0],
      recording_id: `r${begin + at}`,
      title: `Note ${begin + at + 1}`,
      // Some rows are higher than others.
      summary: 'A summary. '.repeat(1 + ((begin + at) % 20)),
      created_at: new Date(Date.parse('2026-11-20T12:00:00Z') - (begin + at) * 3_600_000),
    }));
    const next = begin + limit;
    await route.fulfill({
      json: { transcripts: made, next_cursor: next < noteCount ? String(next) : null },
    });
  });
}

/** From now on a search finds 130 notes, each as the one that is there. */
async function manyHits(page: Page): Promise<void> {
  await page.route(/\/search\?/, async (route) => {
    const url = new URL(route.request().url());
    const begin = Number(url.searchParams.get('cursor') ?? '0');
    const limit = Number(url.searchParams.get('limit'));
    assert.equal(url.searchParams.get('kind'), 'meeting');
    url.searchParams.delete('cursor');
    const real = await route.fetch({ url: url.href });
    const body = (await real.json()) as { notes: { passages: object[] }[] };
    const [note] = body.notes;
    const passages = Array.from({ length: 3 }, () => note!.passages[0]);
    const notes = Array.from({ length: Math.min(limit, foundCount - begin) }, (_, at) => ({
      ...note,
      passages,
      more: 4,
      recording_id: `r${begin + at}`,
      title: `Note ${begin + at + 1}`,
    }));
    const next_cursor = begin + limit < foundCount ? String(begin + limit) : null;
    await route.fulfill({ json: { ...body, notes, notes_found: foundCount, next_cursor } });
  });
}
