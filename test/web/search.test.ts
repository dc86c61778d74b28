import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { apiOf, inviteUser, startServiceProcess } from '../support/service-process.ts';
import {
  type Session,
  checkLook,
  dataWithAda,
  openPage,
  password,
  phone,
  startChromium,
  untilHolds,
} from './browser.ts';
import { readingRoom, tellMeetings } from './told-meetings.ts';

/** Notes with a word that is searched. */
const foundCount = 130;

test('search: typed, found, played and opened; page after page; nothing, partly, failed', async (t) => {
  const { dataDir, session } = await dataWithAda(t);
  const [read] = await tellMeetings(dataDir, [readingRoom]);
  const service = await startServiceProcess(dataDir);
  t.after(async () => await service.end('SIGTERM'));
  const browser = await startChromium(t);
  const page = await openPage(t, browser, {
    url: service.url,
    session,
    // Notes that only the list has, and a service that is made to fail.
    expected: /status of 404|status of 503/,
  });
  t.after(async () => await page.context().close());
  const field = page.getByRole('combobox');
  const press = async (name: string | RegExp) =>
    await page.getByRole('button', { name, exact: true }).click();

  await t.test('while it is typed: notes by title and names; the second is opened', async () => {
    await page.locator('article.note').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('reading roo');
    const options = page.getByRole('option');
    await options.nth(1).waitFor();
    assert.match((await options.nth(0).textContent())!, /Search for “reading roo”/);
    assert.equal(await options.nth(0).getAttribute('aria-selected'), 'true');
    await checkLook(page, 'search-typing');
    await page.keyboard.press('ArrowDown');
    assert.equal(await options.nth(1).getAttribute('aria-selected'), 'true');
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/notes/${read}$`));
    await page.goBack();
    // Said, but in no title and no name.
    await field.fill('skirting');
    await eventually('it is asked', async () => (await options.count()) === 1);
    await page.keyboard.press('Escape');
    await options.first().waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/search\?q=skirting$/);
  });

  await t.test(
    'passages: from one to the next by keys, played here, opened in the note',
    async () => {
      await page.locator('.hits', { hasText: '1 passage in 1 note' }).waitFor();
      await page.locator('mark', { hasText: 'skirting' }).waitFor();
      await field.fill('lift');
      await page.keyboard.press('Enter');
      // The question before had as many.
      await page.locator('mark', { hasText: 'lift' }).first().waitFor();
      await page.locator('.hits', { hasText: '1 passage in 1 note' }).waitFor();
      const hit = page.locator('.hit').first();
      assert.match((await hit.textContent())!, /Ada Muster\s+And the lift\? Without the lift/);
      assert.deepEqual(await hit.locator('mark').allTextContents(), ['lift', 'lift']);
      await page.locator('h1').focus();
      await page.keyboard.press('ArrowDown');
      await untilHolds(page, `document.activeElement.matches('.hit .cite')`);
      await page.keyboard.press('Space');
      const player = page.getByRole('region', { name: 'Player' });
      await player.getByRole('button', { name: 'Pause' }).waitFor();
      await page.locator('.hit.playing').waitFor();
      assert.match(page.url(), /\/search\?q=lift$/, 'the list stays');
      await eventually('it plays', async () =>
        /\d\d:\d\d \/ \d\d:\d\d/.test((await player.textContent())!),
      );
      await checkLook(page, 'search-hits');
      await page.keyboard.press('Space');
      await player.getByRole('button', { name: 'Play', exact: true }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(new RegExp(`/notes/${read}\\?t=\\d+&find=lift$`));
      const sought = page.getByRole('search').locator('input').first();
      await eventually('the find bar has it', async () => (await sought.inputValue()) === 'lift');
      await page.goBack();
      await hit.waitFor();
      await page.getByRole('heading', { level: 2 }).getByRole('link').click();
      await page.waitForURL(new RegExp(`/notes/${read}\\?t=\\d+&find=lift$`));
      await page.goBack();
    },
  );

  await t.test('nothing is found: fewer words, filters that can be lifted', async () => {
    await page.goto(`${service.url}/search?q=lift+kaleidoscope`);
    await page.getByText('No results for “lift kaleidoscope”.').first().waitFor();
    await checkLook(page, 'search-nohits');
    await press('Search for “kaleidoscope”');
    await page.getByText('No results for “kaleidoscope”.').first().waitFor();
    await page.goto(`${service.url}/search?q=lift&kind=solo`);
    await page.getByText('Only the notes that match the filters were searched.').waitFor();
    await press('Search all notes');
    await page.locator('.hit').first().waitFor();
    assert.equal(new URL(page.url()).search, '?q=lift');
  });

  await t.test(
    'not all is searched yet: it fills itself; a failure is said, and tried again',
    async () => {
      let fraction = 0.6;
      await page.route(/\/search\?.*group=note/, async (route) => {
        const real = await route.fetch();
        await route.fulfill({ json: { ...((await real.json()) as object), fraction } });
      });
      await page.goto(`${service.url}/search?q=lift`);
      await page.getByText('60% of your notes have been searched so far.').waitFor();
      await checkLook(page, 'search-indexing');
      await page.getByText('This list is completed automatically.').waitFor({ state: 'detached' });
      await page.getByText('Results may be missing.').waitFor();
      fraction = 1;
      await page.getByText('have been searched so far.').waitFor({ state: 'detached' });
      await page.unrouteAll({ behavior: 'wait' });
      const refused = { type: '/problems/busy', title: 'Busy', detail: 'Try again.', status: 503 };
      await page.route(/\/search\?.*group=note/, async (route) =>
        route.fulfill({ status: 503, json: refused }),
      );
      await page.goto(`${service.url}/search?q=carpet`);
      await page.getByText('The search failed.').waitFor();
      await checkLook(page, 'search-failed');
      await page.unrouteAll({ behavior: 'wait' });
      await press('Try again');
      await page.locator('.hit').first().waitFor();
    },
  );

  await t.test(
    'a question that is on its way is answered, also when a note is saved meanwhile',
    async () => {
      const heard = savedFrame(page);
      await page.goto(`${service.url}/search?q=lift`);
      await page.locator('mark', { hasText: 'lift' }).first().waitFor();
      let pass = () => {};
      const passed = new Promise<void>((resolve) => (pass = resolve));
      const asksCarpet = /\/search\?.*q=carpet.*/;
      await page.route(asksCarpet, async (route) => {
        await passed;
        await route.fallback();
      });
      const asked = page.waitForRequest(asksCarpet);
      await field.fill('carpet');
      await page.keyboard.press('Enter');
      await asked;
      await apiOf(service.url, session.token).patch(`/recordings/${read}`, {
        title: 'Saved since',
      });
      await heard;
      const again = page.waitForRequest(asksCarpet);
      pass();
      await page.locator('mark', { hasText: 'carpet' }).first().waitFor();
      // What was saved meanwhile is looked for, too.
      await again;
      await page.getByRole('heading', { name: 'Saved since' }).waitFor();
      await page.unrouteAll({ behavior: 'wait' });
    },
  );

  await t.test('page after page, in an order, and back to where one was', async () => {
    await manyHits(page);
    await page.goto(`${service.url}/search?q=lift&kind=meeting`);
    await page.locator('.hits', { hasText: `${foundCount} notes` }).waitFor();
    const groups = page.locator('.hitgroup');
    for (let shown = 20; shown < foundCount; shown += 20) {
      assert.equal(await groups.count(), shown);
      await press('Show more notes');
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
    await eventually(
      'r90 is where it was',
      async () => Math.abs((await topOf(page, 'r90')) - before) < 3,
    );
    assert.equal(new URL(page.url()).search, '?q=lift&kind=meeting');
    await press('Order: Best first');
    await press('Newest first');
    await page.waitForURL(/order=newest/);
    await page.unrouteAll({ behavior: 'wait' });
  });

  await t.test('on a phone, in German at 320 pixels', async () => {
    for (const [name, options] of [
      ['search-phone', phone],
      ['search-320-de', { ...phone, viewport: { width: 320, height: 640 }, locale: 'de-DE' }],
    ] as const) {
      const theirs = await openPage(t, browser, { url: service.url, session, ...options });
      await theirs.locator('.tabbar a[href="/search"]').tap();
      await untilHolds(theirs, `document.activeElement.id === 'q'`);
      await theirs.keyboard.type('carpet');
      await theirs.getByRole('option').first().tap();
      const hit = theirs.locator('.hit').first();
      await hit.waitFor();
      await hit.locator('.cite').tap();
      await theirs.locator('.mini').waitFor();
      await checkLook(theirs, name);
      await theirs.context().close();
    }
  });

  await t.test('what is moved, withdrawn or deleted leaves the lists that are open', async () => {
    const api = apiOf(service.url, session.token);
    const login = async (username: string) =>
      await api.post<Session>('/login', { username, password });
    await inviteUser(service.url, (await login('ada')).token, { username: 'ben', password });
    const { id: folder } = await api.post<{ id: string }>('/folders', { name: 'Archive' });
    await api.put(`/recordings/${read}/access`, { user: 'ben' });
    const { grants } = await api.get<{ grants: { to: string }[] }>(`/recordings/${read}/access`);
    const opened = async (who: object, more = '') => {
      const one = await openPage(t, browser, {
        url: `${service.url}/search?q=carpet${more}`,
        session: who,
        expected: /status of 404/,
      });
      const marked = one.locator('mark', { hasText: 'carpet' }).first();
      await marked.waitFor();
      return async () => await marked.waitFor({ state: 'detached' });
    };
    const leavesBen = await opened(await login('ben'));
    const leavesAda = await opened(session);
    const leavesNoFolder = await opened(session, '&folder=none');
    await api.post('/recordings/bulk', { changes: [{ recording_id: read, folder }] });
    await leavesNoFolder();
    await api.delete(`/recordings/${read}/access/${grants[0]!.to}`);
    await leavesBen();
    await api.delete(`/recordings/${read}`);
    await leavesAda();
  });
});

/** When the page next hears that a note was saved. */
const savedFrame = (page: Page): Promise<void> =>
  new Promise((resolve) =>
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        if (String(payload).includes('"type":"saved"')) resolve();
      }),
    ),
  );

/** Until nothing is scrolled any more. */
async function atRest(page: Page): Promise<void> {
  const isStill = `new Promise((resolve) => {
    const before = scrollY;
    setTimeout(() => resolve(before === scrollY), 300);
  })`;
  await eventually('nothing moves', async () => await page.evaluate<boolean>(isStill));
}

const topOf = async (page: Page, id: string) =>
  await page.evaluate<number>(
    `document.querySelector('[data-row="${id}"]')?.getBoundingClientRect().top ?? NaN`,
  );

/** From now on a search finds 130 notes, each as the one that is there. */
async function manyHits(page: Page): Promise<void> {
  await page.route(/\/search\?.*group=note/, async (route) => {
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
