import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { tellTalks } from '../bench/library.ts';
import { eventually } from '../support/eventually.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { checkLook, dataWithAda, openPage, phone, startChromium, untilHolds } from './browser.ts';
import { choirBoard, readingRoom, tellMeetings } from './told-meetings.ts';

const noteCount = 2000;
const day = 24 * 3_600_000;
const now = Date.now();

/** Names as they are: of devices, in scripts that are written from the right, of a word that no line holds. */
const names: Record<number, string> = {
  1: `Interview_${'mit_Frau_Dr_Hohenlohe_'.repeat(5)}Teil_1.wav`,
  2: 'اجتماع حول افتتاح قاعة القراءة في مارس',
  3: 'Donaudampfschifffahrtsgesellschaftskapitänswitwenrentenauszahlung',
};

test('the library: a place among 2,000 notes, several at once, files from everywhere', async (t) => {
  const { dataDir, session } = await dataWithAda(t);
  const [read] = await tellMeetings(dataDir, [
    { ...readingRoom, startedAt: new Date(now - 3_600_000).toISOString() },
    { ...choirBoard, startedAt: new Date(now - 7_200_000).toISOString() },
  ]);
  const ids = await tellTalks(dataDir, noteCount, {
    nameOf: (number) => names[number] ?? `Note ${number}`,
    // Six a day, and one of another year.
    startedAt: (number) =>
      number === noteCount - 1 ? Date.UTC(2024, 1, 3, 10) : now - day - number * (day / 6),
  });
  const service = await startServiceProcess(dataDir);
  t.after(async () => await service.end('SIGTERM'));
  const browser = await startChromium(t);
  const page = await openPage(t, browser, {
    url: service.url,
    session,
    expected: /status of 404|ERR_FAILED|status of 503/,
  });
  t.after(async () => await page.context().close());
  const rows = page.locator('article.note');
  const press = async (name: string | RegExp) =>
    await page.getByRole('button', { name, exact: true }).click();
  await rows.filter({ hasText: readingRoom.title }).waitFor();

  await t.test('what goes on is a row above the days', async () => {
    const going = page.getByRole('region', { name: 'Now' });
    await going.getByText('Waiting for you: 4 speakers have no names yet.').waitFor();
    await checkLook(page, 'library-list');
  });

  await t.test(
    'Back leads to row 1,500 at its height, with the focus; so does a reload',
    async () => {
      const place = ids[1500]!;
      await page.goto(`${service.url}/?kind=solo#${place}`);
      await page.locator(`[data-row="${place}"]`).waitFor();
      await atRest(page);
      await page.mouse.move(900, 500);
      await page.mouse.wheel(0, 333);
      await atRest(page);
      const id = await page.evaluate<string>(middleRow);
      const before = await topOf(page, id);
      assert.match(page.url(), /\?kind=solo#[0-9A-Z]{26}$/);
      await page.locator(`[data-row="${id}"] h3 a`).click();
      await page.waitForURL(/\/notes\//);
      await page.locator('h1').waitFor();
      await page.goBack();
      await backAt(page, id, before);
      await untilHolds(
        page,
        `document.activeElement.closest('[data-row]')?.dataset.row === '${id}'`,
      );
      await page.getByRole('button', { name: 'Solo', exact: true, pressed: true }).waitFor();
      await page.reload();
      await backAt(page, id, before);
      assert.ok((await rows.count()) < 80, 'only what is near is in the page');

      // Up and down from there, as far as there is.
      await page.evaluate('scrollTo(0, 0)');
      await eventually('notes above are read', async () => {
        await page.mouse.wheel(0, -4000);
        await page.evaluate('new Promise(requestAnimationFrame)');
        return (await page.locator('[aria-posinset="1"]').count()) === 1;
      });
      await page.goto(`${service.url}/#${ids.at(-1)}`);
      await page.getByRole('heading', { name: 'February 2024' }).waitFor();
    },
  );

  await t.test(
    'several at once, by keys: a range, all that fit, erased with their number',
    async () => {
      // From another page: to the address with another place alone nothing is loaded.
      await page.goto(`${service.url}/account`);
      await page.goto(service.url);
      const fit = rows.filter({ hasText: 'Note 4' }).first();
      // Below the edge: rows are shown as they come near.
      await rows.first().waitFor();
      await page.mouse.move(600, 600);
      await page.mouse.wheel(0, 500);
      await fit.waitFor();
      await fit.locator('h3 a').focus();
      await page.keyboard.press('x');
      await page.keyboard.press('Shift+ArrowDown');
      await page.keyboard.press('Shift+ArrowDown');
      const bar = page.getByRole('region', { name: 'Selection' });
      await bar.getByText('3 selected').waitFor();
      await page.keyboard.press('Shift+ArrowUp');
      await bar.getByText('2 selected').waitFor();
      // What a pointer does: a range, and one taken out.
      await rows
        .filter({ hasText: 'Note 8' })
        .first()
        .click({ modifiers: ['Shift'] });
      await bar.getByText('5 selected').waitFor();
      await rows.filter({ hasText: 'Note 8' }).first().click();
      await bar.getByText('4 selected').waitFor();
      await checkLook(page, 'library-select');
      const saving = page.waitForEvent('download');
      await press('More');
      await press('Export');
      assert.equal((await saving).suggestedFilename(), 'mitschrift.zip');
      await press('Delete…');
      await page.getByText('Delete 4 notes?').waitFor();
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Cancel');
      await checkLook(page, 'library-delete');
      await press('Delete 4 notes permanently');
      await page.getByText('4 notes were deleted.').first().waitFor();
      await rows.filter({ hasText: 'Note 5' }).first().waitFor({ state: 'detached' });
      await bar.waitFor({ state: 'detached' });
      await rows.first().locator('h3 a').focus();
      await page.keyboard.press('Control+a');
      await press(`Select all ${(noteCount - 4 + 1).toLocaleString('en-GB')}`);
      await bar.getByText(`${noteCount - 4 + 1} selected`).waitFor();
      await press('More');
      await press('Export');
      await bar.getByText('At most 500 notes can be exported at once.').waitFor();
      await page.keyboard.press('Escape');
      await bar.waitFor({ state: 'detached' });
    },
  );

  await t.test('no note fits: without which filter there are most', async () => {
    await page.goto(`${service.url}/?speaker=Ben+Beispiel&to=2025-12-31`);
    await page.getByText('No notes match these filters.').waitFor();
    await page.getByText(/^Without “.*” there (?:is|are) \d+\.$/).waitFor();
    await checkLook(page, 'library-none');
    await press('Remove this filter');
    await rows.first().waitFor();
  });

  await t.test('files are dropped and pasted on every page, and are rows', async () => {
    await page.goto(`${service.url}/speakers`);
    await page.locator('h1').waitFor();
    await drag(page, ['dragenter', 'dragover']);
    await page.getByText('Drop to upload').waitFor();
    await page.getByText('1 file').waitFor();
    await checkLook(page, 'library-drop');
    // The service is away: they wait.
    await page.route(/\/uploads/, async (route) => await route.abort());
    await drag(page, ['drop']);
    await page.getByText('1 file is being uploaded. You’ll find it under Notes.').waitFor();
    await page.locator('.dropover').waitFor({ state: 'detached' });
    await page.evaluate(pasteFile);
    await page
      .getByRole('link', { name: 'Notes', exact: true })
      .locator('visible=true')
      .first()
      .click();
    const going = page.getByRole('region', { name: 'Now' });
    await going.getByText('dropped.wav').waitFor();
    await going.getByText('pasted.wav').waitFor();
    await going.getByText('The upload stopped at 0%.').first().waitFor();
    await checkLook(page, 'library-upload');
    const cancel = going.getByRole('button', { name: 'Cancel upload' });
    await cancel.first().click();
    await cancel.first().click();
    await going.getByText('pasted.wav').waitFor({ state: 'detached' });
    await page.unrouteAll({ behavior: 'wait' });
  });

  await t.test('on a phone: the first note is near, a finger that stays chooses', async () => {
    const theirs = await openPage(t, browser, {
      url: service.url,
      session,
      expected: /status of 404/,
      ...phone,
    });
    const note = theirs.locator(`article.note[data-row="${read}"]`);
    const newest = theirs.locator('article.note').first();
    await newest.waitFor();
    await theirs.getByRole('region', { name: 'Now' }).waitFor();
    assert.ok((await newest.boundingBox())!.y < 640, 'with a row under Now');
    await checkLook(theirs, 'library-phone');
    await note.waitFor();
    await hold(theirs, ids[0]!);
    const bar = theirs.getByRole('region', { name: 'Selection' });
    await bar.getByText('1 selected').waitFor();
    await note.tap();
    await bar.getByText('2 selected').waitFor();
    // No title half below the bar, of which axe would see the upper edge alone.
    const { y: edge } = (await bar.boundingBox())!;
    for (const title of await theirs.locator('article.note h3 a').all()) {
      const { y, height } = (await title.boundingBox())!;
      if (y < edge && y + height > edge)
        await theirs.evaluate(`scrollBy(0, ${y + height - edge + 8})`);
    }
    await checkLook(theirs, 'library-phone-select');
    await theirs.getByRole('button', { name: 'Cancel selection' }).tap();
    await bar.waitFor({ state: 'detached' });
    // A picture of the whole page scrolls it.
    await theirs.evaluate('scrollTo(0, 0)');
    await note.locator('h3 a').tap();
    await theirs.waitForURL(new RegExp(`/notes/${read}$`));
    await theirs.context().close();
  });

  await t.test('German at 320 pixels; nobody’s title makes the page wider', async () => {
    const narrow = await openPage(t, browser, {
      url: service.url,
      session,
      ...phone,
      locale: 'de-DE',
      viewport: { width: 320, height: 640 },
    });
    // On so small a screen it is below what goes on and what is said of speech recognition.
    const long = narrow.locator('article.note').filter({ hasText: 'Hohenlohe' });
    await eventually('the long name is in sight', async () => {
      await narrow.evaluate('scrollBy(0, 100)');
      return await long.isVisible();
    });
    await checkLook(narrow, 'library-320-de');
    await narrow.getByRole('button', { name: 'Auswählen', exact: true }).tap();
    await narrow.getByText('0 ausgewählt').waitFor();
    await checkLook(narrow, 'library-320-de-select');
    await narrow.context().close();
  });
});

/** Until nothing is scrolled any more. */
async function atRest(page: Page): Promise<void> {
  const isStill = `new Promise((resolve) => {
    const before = scrollY;
    setTimeout(() => resolve(before === scrollY), 400);
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

/** A finger on a row, for as long as it takes. */
async function hold(page: Page, id: string): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const row = document.querySelector('[data-row="${id}"]');
    const { x, y } = row.getBoundingClientRect();
    const options = { pointerType: 'touch', bubbles: true, clientX: x + 20, clientY: y + 20 };
    row.querySelector('h3').dispatchEvent(new PointerEvent('pointerdown', options));
    setTimeout(() => {
      row.querySelector('h3').dispatchEvent(new PointerEvent('pointerup', options));
      row.querySelector('a').click();
      resolve();
    }, 700);
  })`);
}

const carried = (name: string) =>
  `const carried = new DataTransfer();
   carried.items.add(new File([new Uint8Array(5000)], '${name}', { type: 'audio/wav' }));`;

/** As if a file came from the desktop. */
async function drag(page: Page, events: readonly string[]): Promise<void> {
  await page.evaluate(`(() => {
    ${carried('dropped.wav')}
    for (const type of ${JSON.stringify(events)}) {
      const event = new DragEvent(type, { dataTransfer: carried, bubbles: true, cancelable: true });
      document.body.dispatchEvent(event);
    }
  })()`);
}

const pasteFile = `(() => {
  ${carried('pasted.wav')}
  const options = { clipboardData: carried, bubbles: true, cancelable: true };
  document.body.dispatchEvent(new ClipboardEvent('paste', options));
})()`;
