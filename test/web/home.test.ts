import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { make, speak } from '../support/espeak.ts';
import { eventually } from '../support/eventually.ts';
import { modelMirror, offerModel } from '../support/model-mirror.ts';
import { privatePulse } from '../support/pulse.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import {
  checkLook,
  nothingMoved,
  openPage,
  password,
  phone,
  recordedFor,
  recordingBar,
  startChromium,
  startWebService,
  untilHolds,
} from './browser.ts';
import { choirBoard, readingRoom, tellMeetings } from './told-meetings.ts';

/** Notes of a large library, and how many a page has. */
const [noteCount, pageSize] = [5000, 50];

test('Home: many notes, search, what is in progress, uploads over a broken network, the recorder', async (t) => {
  const first = await startWebService(t);
  await first.login('ben');
  await first.end('SIGTERM');
  const [read] = await tellMeetings(first.dataDir, [readingRoom, choirBoard]);
  const catalogueDir = join(first.dataDir, 'catalogue');
  await mkdir(catalogueDir);
  const mirror = Object.assign(await modelMirror(t), { catalogueDir });
  await offerModel(mirror, 'espeak-en', { archive: 'espeak-en.tar.gz' });
  const pulse = await privatePulse(t);
  const service = await startServiceProcess(first.dataDir, {
    ...(pulse.env as Record<string, string>),
    // No engine recognises anything here.
    MITSCHRIFT_MODELS: join(first.dataDir, 'models'),
  });
  t.after(async () => await service.end('SIGTERM'));
  const login = { username: 'ada', password };
  const session = await apiOf(service.url).post<{ token: string }>('/login', login);
  const api = apiOf(service.url, session.token);
  const browser = await startChromium(t);
  const proxy = await tcpProxy(t, service.url);
  const page = await openPage(t, browser, {
    url: proxy.url,
    session,
    // A sound system of a busy machine does not always answer in time.
    expected:
      /WebSocket|ERR_|status of 502|503 .*\/(?:audio\/devices|recorders|uploads\/)|404 .*\/recordings\//,
  });
  t.after(async () => await page.context().close());
  const press = async (name: string) =>
    await page.getByRole('button', { name, exact: true }).click();
  const rows = page.locator('article.note');
  const readNote = rows.filter({ hasText: readingRoom.title });

  await t.test('nothing moves while the page is put together', async (t) => {
    for (const size of [{}, phone]) {
      const fresh = await openPage(t, browser, { url: service.url, session, ...size });
      await fresh.getByText('Speech recognition is not set up yet.').waitFor();
      await fresh.getByText('Waiting for you: 4 speakers have no names yet.').waitFor();
      await nothingMoved(fresh);
      await fresh.context().close();
    }
  });

  await t.test('the library is read page by page, and narrowed', async () => {
    await readNote.waitFor();
    await page.getByText('Waiting for you: 4 speakers have no names yet.').waitFor();
    await checkLook(page, 'home');
    const asked = await manyNotes(page);
    await page.reload();
    await rows.filter({ hasText: 'Note 1' }).first().waitFor();
    assert.ok(asked.length <= 2, 'no more is read than is about to be shown');
    await page.mouse.move(900, 500);
    await eventually('five pages are asked for, as the wheel is turned', async () => {
      await page.mouse.wheel(0, 2000);
      await page.evaluate('new Promise(requestAnimationFrame)');
      return asked.length >= 5;
    });
    assert.ok((await rows.count()) < 60, 'only what is near is in the page');
    await page.unrouteAll({ behavior: 'wait' });

    await page.reload();
    await press('Solo');
    await page.getByText('No notes match these filters.').waitFor();
    await press('Show all notes');
    await page.getByRole('button', { name: 'Speaker', exact: true }).click();
    await press('Ben Beispiel');
    await readNote.waitFor();
  });

  await t.test('a hit of the search leads to what was said; Back, to what was found', async () => {
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox');
    await field.fill('skirting');
    await page.keyboard.press('Enter');
    const found = page.locator('.hits', { hasText: '1 passage in 1 note' });
    await found.waitFor();
    await page.locator('mark', { hasText: 'skirting' }).waitFor();
    await checkLook(page, 'home-found');
    await page.getByRole('heading', { level: 2 }).getByRole('link').click();
    await page.waitForURL(new RegExp(`/notes/${read}\\?t=\\d+&find=skirting$`));
    const second = Number(new URL(page.url()).searchParams.get('t'));
    assert.ok(second >= 30 && second < 40, `second ${second}`);
    await page.locator('[data-turn="3"]').getByText('skirting boards').waitFor();
    await untilHolds(
      page,
      `Math.floor(document.querySelector('.scrub input')?.value) === ${second}`,
    );
    await page.goBack();
    await found.waitFor();
    await page.goBack();
    await readNote.waitFor();
  });

  await t.test('files, dropped or chosen, go on where they were cut off', async (t) => {
    const [dropped, chosen] = await talks(first.dataDir);
    const cut = page.getByText('The upload stopped at');
    /** From then on the file is in progress, by its name, and on its way no more. */
    const arrived = async (name: string) => {
      const going = page.getByRole('region', { name: 'Now' });
      await going.getByRole('link', { name: `${name}.wav` }).waitFor();
      await going.getByText(/Upload|The upload/).waitFor({ state: 'detached' });
    };
    const cutAfter = async (bytes: number, send: () => Promise<void>) => {
      const gone = proxy.cutAfter(bytes).then(() => proxy.lead('http://127.0.0.1:9'));
      await send();
      await gone;
      await cut.waitFor();
    };
    const choose = async (button: string) => {
      await press(button);
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('dialog').getByRole('button', { name: 'Choose files' }).click();
      await (await chooser).setFiles(chosen!);
    };
    // By itself, when the service is back; not begun anew because a proxy before it answered meanwhile.
    const begun: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/uploads'))
        begun.push(request.url());
    });
    // What a file contains is said beside it, whatever is recorded next.
    await press('Source and options');
    await press('Upload files…');
    await page.getByText('One person speaking').click();
    await page.keyboard.press('Escape');
    await cutAfter(400_000, async () => await drop(page, dropped!));
    await checkLook(page, 'home-upload-cut');
    proxy.lead(await badGateway(t));
    const refused = page.waitForResponse((response) => response.request().method() === 'HEAD');
    await press('Resume now');
    assert.equal((await refused).status(), 502);
    // A disk that is full is named, and the upload goes on when there is room.
    const full = { type: '/problems/disk-full', title: 'The disk is full', status: 503 };
    await page.route(/\/uploads\//, async (route) =>
      route.request().method() === 'PATCH'
        ? await route.fulfill({ status: 503, json: full })
        : await route.fallback(),
    );
    proxy.lead(service.url);
    await page.getByText('The server’s disk is full.').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await arrived('dropped');
    type Taken = { recordings: { source: string; kind: string }[] };
    const { recordings: taken } = await api.get<Taken>('/recordings');
    assert.equal(taken.find(({ source }) => source === 'dropped.wav')?.kind, 'solo');
    assert.equal(begun.length, 1);

    // The page was left meanwhile: the same file wants to be chosen again.
    await cutAfter(800_000, async () => {
      await press('Source and options');
      await choose('Upload files…');
    });
    await page.goto(`${service.url}/account`);
    proxy.lead(service.url);
    await page.goto(proxy.url);
    await page.getByText('Choose the same file again').waitFor();
    const resumed = page.waitForRequest((request) =>
      new URL(request.url()).pathname.startsWith('/uploads'),
    );
    await choose('Choose the file');
    assert.equal((await resumed).method(), 'HEAD', 'asked how much is there, not begun again');
    await arrived('chosen');
    // This service has no engine: what fails says so, and goes when it is dismissed.
    const failed = page
      .getByRole('region', { name: 'Now' })
      .getByText('Speech recognition is not set up yet.');
    await failed.nth(1).waitFor();
    await checkLook(page, 'home-failed');
    await page.getByRole('button', { name: 'Dismiss' }).first().click();
    await failed.nth(1).waitFor({ state: 'detached' });
  });

  await t.test(
    'the computer’s microphone: a voice named, paused, gone on with, discarded',
    async () => {
      await page.locator('h1').focus();
      await page.keyboard.press('r');
      await page.waitForURL(/\/notes\//);
      const bar = recordingBar(page);
      await bar.getByText(/^Recording in /).waitFor();
      await recordedFor(page, 1);
      await checkLook(page, 'room-recording');
      await page.locator('h1').focus();
      await page.keyboard.press('Shift+P');
      await bar.getByRole('button', { name: 'Resume' }).waitFor();
      await page.keyboard.press('Shift+P');
      await bar.getByRole('button', { name: 'Pause' }).waitFor();
      await nameVoice(page);
      await page.goto(proxy.url);
      await bar.getByText(/^Recording in /).waitFor();
      // By the key it opens its note, whose menu deletes.
      await page.locator('h1').focus();
      await page.keyboard.press('r');
      await page.waitForURL(/\/notes\//);
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('button', { name: 'Delete…' }).click();
      await page.locator('dialog[open] .danger').click();
      await bar.waitFor({ state: 'detached' });
      assert.equal((await api.get<{ recording: null }>('/status')).recording, null);
    },
  );

  await t.test('empty, on a phone, in German', async (t) => {
    const ben = { ...login, username: 'ben' };
    const theirs = await openPage(t, browser, {
      url: service.url,
      session: await apiOf(service.url).post<object>('/login', ben),
      locale: 'de-DE',
      ...phone,
    });
    await theirs.getByText('Noch keine Notizen').waitFor();
    // The tabs below share the width, however many there are.
    const { right } = await theirs.evaluate<{ right: number }>(
      `document.querySelector('.tabbar').lastElementChild.getBoundingClientRect().toJSON()`,
    );
    assert.ok(right > phone.viewport.width - 2, `the last one ends at ${right}`);
    // What is missing is said, and who mends it.
    await theirs.getByText('Die Spracherkennung ist noch nicht eingerichtet.').waitFor();
    await theirs.getByText('Wenden Sie sich dafür an einen Administrator.').waitFor();
    await checkLook(theirs, 'home-empty-phone-de');
    await theirs.context().close();
  });

  await t.test('a model is fetched, with its progress; given up, and fetched again', async () => {
    await page.goto(proxy.url);
    await page.getByRole('link', { name: 'Choose a model' }).first().click();
    await page.getByRole('heading', { name: 'Models', level: 1 }).waitFor();
    // Half of it, then a few bytes a second.
    mirror.faults.set('espeak-en.tar.gz', ['cut', 'drip']);
    const model = page.getByRole('listitem').filter({ hasText: 'espeak' });
    const download = model.getByRole('button', { name: /^Download/ });
    await download.click();
    const some = page.locator('[aria-valuenow]:not([aria-valuenow="0"])');
    await model.getByRole('progressbar').and(some).waitFor();
    await checkLook(page, 'settings-model-coming');
    await model.getByRole('button', { name: /^Cancel/ }).click();
    await download.click();
    await model.getByText('installed', { exact: true }).waitFor();
    await page.getByRole('navigation').getByText('Notes').first().click();
    await page.getByRole('link', { name: 'Choose a model' }).first().waitFor({ state: 'detached' });
  });
});

/** From now on the page has a library of 5,000 notes, each as the one that is there. @returns what is asked for */
async function manyNotes(page: Page): Promise<string[]> {
  const asked: string[] = [];
  await page.route(/\/transcripts\?/, async (route) => {
    const url = new URL(route.request().url());
    const cursor = url.searchParams.get('cursor') ?? '0';
    asked.push(cursor);
    url.searchParams.delete('cursor');
    const real = await route.fetch({ url: url.href });
    const { transcripts } = (await real.json()) as { transcripts: object[] };
    const begin = Number(cursor);
    const made = Array.from({ length: pageSize }, (_, at) => ({
      ...transcripts[0],
      recording_id: `r${begin + at}`,
      title: `Note ${begin + at + 1}`,
      created_at: new Date(Date.parse('2026-11-20T12:00:00Z') - (begin + at) * 3_600_000),
    }));
    const next = begin + pageSize;
    const next_cursor = next < noteCount ? String(next) : null;
    await route.fulfill({ json: { transcripts: made, next_cursor } });
  });
  return asked;
}

/** As if two had been heard in what is recorded: one of them is given a name. */
async function nameVoice(page: Page): Promise<void> {
  const heard = ['Shall we begin with the roof?', 'With the lift, I would say.'];
  const names = new Map<string, string>();
  await page.route(/\/recordings\/\w+(\/speakers)?$/, async (route) => {
    if (route.request().method() === 'PATCH') {
      const { speakers } = route.request().postDataJSON() as { speakers: Record<string, string> };
      for (const [label, name] of Object.entries(speakers)) names.set(label, name);
      return await route.fulfill({ json: {} });
    }
    const real = await route.fetch();
    const utterances = heard.map((text, at) => {
      const speaker = `VOICE_${at + 1}`;
      return { index: at, start: at, end: at + 1, text, speaker, block: null, words: [] };
    });
    const speakers = utterances.map(({ speaker: label }) => {
      const name = names.get(label) ?? null;
      return { label, name, seconds: 1, shown: name ?? label };
    });
    await route.fulfill({ json: { ...((await real.json()) as object), utterances, speakers } });
  });
  await page.reload();
  const live = page.getByRole('log', { name: 'Live transcript' });
  await live.getByRole('button', { name: 'Speaker 2 add name' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Ben Beispiel');
  await checkLook(page, 'note-voice-named');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.reload();
  await live.getByRole('button', { name: 'Ben Beispiel add name' }).waitFor();
  await checkLook(page, 'note-live-voices');
  await page.unrouteAll({ behavior: 'wait' });
}

/** A proxy with nothing behind it. @returns its address */
async function badGateway(t: TestContext): Promise<string> {
  const server = createServer((_, response) => response.writeHead(502).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Two files of 1.3 MB: a sentence, and silence. */
async function talks(folder: string): Promise<string[]> {
  const spoken = join(folder, 'spoken.wav');
  await speak('The door is painted in the spring.', spoken);
  return await Promise.all(
    ['dropped', 'chosen'].map(async (name, at) => {
      const path = join(folder, `${name}.wav`);
      await make('sox', spoken, '-r', '44100', '-c', '2', path, 'pad', '0', String(5 + at / 10));
      return path;
    }),
  );
}

/** As if a file were dropped on the page from the desktop. */
async function drop(page: Page, path: string): Promise<void> {
  await page.evaluate(`(() => {
    const input = Object.assign(document.createElement('input'), { type: 'file', id: 'carried' });
    document.body.append(input);
  })()`);
  await page.locator('#carried').setInputFiles(path);
  await page.evaluate(`(() => {
    const input = document.querySelector('#carried');
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(input.files[0]);
    input.remove();
    for (const type of ['dragenter', 'dragover', 'drop']) {
      const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
      document.body.dispatchEvent(event);
    }
  })()`);
}
