/**
 * Renews the pictures of the README (`test/fixtures/screenshots/`) with today's pages: `npx tsx
 * test/web/write-screenshots.ts` (`npm run pictures`), after `npm run build`.
 */
import { openAsBlob } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { linesOf, synthesise, writeDialogue } from '../support/dialogues.ts';
import { make } from '../support/espeak.ts';
import { modelsDir } from '../support/models.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { dataWithAda, openPage, phone, recordedFor, startChromium } from './browser.ts';
import { microphoneThatSpeaks } from './fake-microphone.ts';
import {
  type ToldMeeting,
  choirBoard,
  readingRoom,
  tellMeetings,
  turnsOf,
} from './told-meetings.ts';

const folder = join(import.meta.dirname, '../fixtures/screenshots');
const day = 24 * 60 * 60 * 1000;

/** Notes of these days, so that the list reads as one of somebody's. */
const library: readonly ToldMeeting[] = [
  { ...readingRoom, startedAt: daysAgo(0, 9) },
  short(
    'The organ builder, part two',
    'Why the great bellows were moved to the north wall.',
    1,
    17,
  ),
  short(
    'Jubiläum der Donaudampfschifffahrtsgesellschaft: erste Ideen',
    'Zum Jubiläum soll es eine Ausstellung im Güterschuppen geben. Dora fragt bis Dienstag nach.',
    1,
    10,
  ),
  short('Index of the town chronicle', 'Names of houses deserve entries of their own.', 3, 14),
];

test('the pictures of the README', async (t) => {
  const { dataDir, session } = await dataWithAda(t);
  const [read = '', organ = '', jubilee = ''] = await tellMeetings(dataDir, [
    ...library,
    { ...choirBoard, startedAt: daysAgo(0, 11) },
  ]);
  const service = await startServiceProcess(dataDir, { MITSCHRIFT_MODELS: modelsDir });
  t.after(async () => await service.end('SIGTERM'));
  await putInOrder(service.url, session.token, [read, organ, jubilee]);
  await mkdir(folder, { recursive: true });
  const browser = await startChromium(t, await microphoneThatSpeaks(t, 'good morning everyone'));
  const open = async (path: string, more: object = {}) =>
    await openPage(t, browser, {
      url: service.url + path,
      session,
      viewport: { width: 1280, height: 860 },
      // A thousand pixels wide.
      deviceScaleFactor: 0.78125,
      permissions: ['microphone'],
      expected: /WebSocket|status of 40/,
      ...more,
    });
  const taken = async (page: Page, name: string, shown: string) => {
    await page.locator(shown).first().waitFor();
    await page.waitForLoadState('networkidle');
    await small(t, page, name);
    await page.context().close();
  };

  await taken(await open(`/notes/${read}`), 'note', '[data-turn="0"]');
  await taken(await open('/speakers'), 'speakers', '.voice');
  await taken(
    await open('/settings?part=speech'),
    'settings',
    'select[id="setting-stt-local_model"]',
  );
  await taken(await open(`/debug?recording=${read}`), 'statechart', '.fact');
  const recording = await open('/', {
    ...phone,
    viewport: { width: 390, height: 680 },
    deviceScaleFactor: 1,
  });
  await recording.locator('.tab-rec').tap();
  await recording.waitForURL(/\/notes\//);
  await recordedFor(recording, 3);
  await small(t, recording, 'recording');
  await recording.locator('.recbar .stop').tap();
  await recording.locator('.recbar').waitFor({ state: 'detached' });
  const erased = /\/notes\/([^/?#]+)/.exec(recording.url())![1]!;
  await recording.context().close();
  const json = { recording_ids: [erased], count: 1 };
  await apiOf(service.url, session.token).post('/recordings/bulk/erase', json);

  // One at a time is transcribed; the other waits for it.
  const said = join(await tempDir(t), 'said.wav');
  await writeDialogue(said, (await synthesise(linesOf(3, 300))).samples);
  for (const name of ['Budget talk with the printers', 'Interview at the mill'])
    await upload(service.url, session.token, said, name);
  const homes = await Promise.all([open('/'), open('/', { locale: 'de-DE' })]);
  for (const [at, page] of homes.entries()) {
    await page.locator('article.note').first().waitFor();
    await page.locator('[role=progressbar][aria-valuenow]').first().waitFor();
    await small(t, page, at === 0 ? 'home' : 'home.de');
  }
});

/** The first three are in two folders, and tagged. */
async function putInOrder(url: string, token: string, ids: readonly string[]): Promise<void> {
  const api = apiOf(url, token);
  const made = async (path: string, json: object) =>
    (await api.post<{ id: string }>(path, json)).id;
  const [library, town] = [
    await made('/folders', { name: 'Library' }),
    await made('/folders', { name: 'Town history' }),
  ];
  const tags = [
    await made('/tags', { name: 'opening', colour: 2 }),
    await made('/tags', { name: 'to publish', colour: 5 }),
  ];
  const [read = '', organ = '', jubilee = ''] = ids;
  const changes = [
    { recording_id: read, folder: library, tags: tags.slice(0, 1) },
    { recording_id: organ, folder: town, tags: tags.slice(1) },
    { recording_id: jubilee, folder: town },
  ];
  await api.post('/recordings/bulk', { changes });
}

async function upload(url: string, token: string, path: string, name: string): Promise<void> {
  const form = new FormData();
  form.set('kind', 'meeting');
  form.set('file', await openAsBlob(path), `${name}.wav`);
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/recordings`, { method: 'POST', headers, body: form });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
}

/** With a palette of its own a picture is a third of the size. */
async function small(t: TestContext, page: Page, name: string): Promise<void> {
  const whole = join(await tempDir(t), `${name}.png`);
  await page.screenshot({ path: whole, animations: 'disabled' });
  const palette = 'split[a][b];[a]palettegen=max_colors=128[p];[b][p]paletteuse=dither=none';
  await make('ffmpeg', '-i', whole, '-vf', palette, join(folder, `${name}.png`));
}

function daysAgo(days: number, hour: number): string {
  const date = new Date(Date.now() - days * day);
  date.setHours(hour, 7, 0, 0);
  return date.toISOString();
}

/** A note that is only a line of the list. */
function short(title: string, abstract: string, days: number, hour: number): ToldMeeting {
  return {
    title,
    abstract,
    startedAt: daysAgo(days, hour),
    upTo: 'written',
    names: { SPEAKER_00: 'Ada Muster', SPEAKER_01: 'Dora Beispiel' },
    turns: turnsOf([
      [1, 0, 'Shall we begin with what was left open the last time?'],
      [6, 1, 'Yes, and then with the dates.'],
    ]),
  };
}
