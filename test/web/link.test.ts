import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { speak } from '../support/espeak.ts';
import { eventually } from '../support/eventually.ts';
import { sentences } from '../support/pulse-speech.ts';
import { apiOf } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import {
  accessibilityFaults,
  checkLook,
  openPage,
  phone,
  record,
  recordingBar,
  recordsAlone,
  screenshot,
  startChromium,
  startWebService,
  untilHolds,
} from './browser.ts';
import { microphoneThatSpeaks } from './fake-microphone.ts';

const german320 = { ...phone, viewport: { width: 320, height: 640 }, locale: 'de-DE' };
/** What a link that is over, or asks for a password, is answered. */
const expected = /status of (?:401|404|429)|ERR_|WebSocket/;

/** `ada` speaks; her notes are opened by pages that nobody has logged in at. */
async function adaAndStrangers(t: TestContext) {
  const service = await startWebService(t);
  const session = await service.login();
  const browser = await startChromium(t, await microphoneThatSpeaks(t, sentences.mic));
  const ada = async (path: string) => {
    const page = await openPage(t, browser, {
      url: service.url + path,
      session,
      expected,
      permissions: ['microphone', 'clipboard-read', 'clipboard-write'],
      prepare: async (opened) => void (await opened.context().addInitScript(recordsAlone)),
    });
    return page;
  };
  const stranger = async (url: string, more: object = {}) => {
    const page = await openPage(t, browser, { url, expected, ...more });
    return page;
  };
  return { service, session, ada, stranger, api: apiOf(service.url, session.token) };
}

async function isNoWider(page: Page): Promise<void> {
  const wide = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  assert.ok(wide <= 0, `${wide} pixels wider than the screen`);
}

test('a link is made with a password, opens the note for a stranger, and closes where it is open', async (t) => {
  const { service, session, ada, stranger, api } = await adaAndStrangers(t);
  const spoken = join(await tempDir(t), 'spoken.wav');
  await speak(sentences.mic, spoken);
  const form = new FormData();
  form.set('kind', 'solo');
  form.set('file', new Blob([await readFile(spoken)]), 'talk.wav');
  const { recording_id: id } = await api.post<{ recording_id: string }>('/recordings', form);
  await eventually('the note is there', async () => {
    const { status } = await api.get<{ status: string }>(`/recordings/${id}`);
    return status === 'IDLE';
  });
  const change = async (path: string, json: object) =>
    await fetch(`${service.url}/recordings/${id}${path}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${session.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    });
  await change('', { title: 'The reading room' });
  const task = { text: 'asks the choir', kind: 'task', person: 'Cleo', due: 'Friday' };
  await change('/summary', { edits: [{ add: task }] });

  const page = await ada(`/notes/${id}`);
  await page.getByRole('heading', { name: 'The reading room' }).waitFor();
  await page.keyboard.press('Shift+S');
  const drawer = page.getByRole('dialog', { name: 'Share note' });
  await drawer.getByText('No links.').waitFor();
  await drawer.getByRole('button', { name: 'Create link' }).press('Enter');
  await untilHolds(page, "document.activeElement.labels[0].textContent.startsWith('Name')");
  await page.keyboard.type('For the printers');
  await drawer.getByRole('button', { name: 'Suggest' }).press('Enter');
  const password = await drawer.getByLabel('Password (optional)').inputValue();
  assert.match(password, /^(?:[a-z]{4}-){3}[a-z]{4}$/u);
  await drawer.getByLabel('With audio', { exact: true }).check();
  await checkLook(page, 'link-new');
  await drawer.getByRole('button', { name: 'Create link' }).press('Enter');
  await untilHolds(page, "document.activeElement.textContent === 'Copy the link now'");
  const url = await drawer.locator('output').textContent();
  assert.match(url ?? '', /\/s#[\w-]{43}$/u);
  await drawer.getByText('No QR code: a phone can’t open this link.').waitFor();
  assert.equal(await drawer.getByRole('img', { name: 'The link as a QR code' }).count(), 0);
  await drawer.getByRole('button', { name: 'Copy with password' }).press('Enter');
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), `${url}\n${password}`);
  await checkLook(page, 'link-made');
  await drawer.getByRole('button', { name: 'Done' }).press('Enter');
  await drawer.getByText('For the printers').waitFor();
  await drawer.getByText('password · with audio').waitFor();

  await api.put('/config', { server: { public_url: 'https://notes.example.org' } });
  await drawer.getByRole('button', { name: 'Create link' }).press('Enter');
  await drawer.getByLabel('Name, only you see it').fill('For the room');
  await page.keyboard.press('Enter');
  await drawer.getByRole('img', { name: 'The link as a QR code' }).waitFor();
  await checkLook(page, 'link-made-elsewhere');
  await drawer.getByRole('button', { name: 'Done' }).press('Enter');

  // Nothing of the note is said before the password is right.
  const guest = await stranger(url!, phone);
  await guest.getByRole('heading', { name: 'A note for you' }).waitFor();
  await checkLook(guest, 'link-password-phone');
  await guest.getByLabel('Password').fill('wrong-password');
  await guest.getByRole('button', { name: 'Open note' }).tap();
  await guest.getByRole('alert').getByText('Wrong password.').waitFor();
  await guest.getByLabel('Password').fill(password);
  await guest.keyboard.press('Enter');
  await guest.getByRole('heading', { name: 'The reading room' }).waitFor();
  await guest.getByText(/^Shared by ada, until/u).waitFor();
  await guest.getByRole('heading', { name: 'Transcript' }).waitFor();
  // Who is to do it, and by when.
  await guest.getByRole('listitem').getByText('Cleo asks the choir').waitFor();
  await guest
    .getByRole('listitem')
    .getByText(/^by \d/u)
    .waitFor();
  await isNoWider(guest);
  await checkLook(guest, 'link-note-phone');
  const saved = guest.waitForEvent('download');
  await guest.getByRole('button', { name: 'Save text' }).tap();
  assert.match(await readFile(await (await saved).path(), 'utf8'), /\p{L}{3,}/u);
  await guest.getByRole('button', { name: 'Play', exact: true }).tap();
  await guest.getByRole('button', { name: 'Pause' }).waitFor();
  // The way past the navigation leaves the link in the address.
  await guest.locator('.skip').focus();
  await guest.keyboard.press('Enter');
  await eventually('the address is kept', () => Promise.resolve(guest.url() === url));

  const narrow = await stranger(url!, german320);
  await narrow.getByLabel('Passwort').fill(password);
  await narrow.getByRole('button', { name: 'Notiz öffnen' }).tap();
  await narrow.getByText(/^Geteilt von ada, bis/u).waitFor();
  await narrow.emulateMedia({ colorScheme: 'dark' });
  await isNoWider(narrow);
  await screenshot(narrow, 'link-note-phone-320-dark');
  assert.deepEqual(await accessibilityFaults(narrow), []);

  await page.reload();
  await page.getByRole('heading', { name: 'The reading room' }).waitFor();
  await page.keyboard.press('Shift+S');
  await drawer.getByText('Who opened the note').click();
  await drawer.getByRole('row', { name: /Link “For the printers”/u }).waitFor();
  await checkLook(page, 'link-seen');
  for (const name of ['For the printers', 'For the room']) {
    await drawer.getByRole('button', { name: `Delete… ${name}` }).press('Enter');
    await page.getByRole('button', { name: 'Delete link' }).press('Enter');
    // Once it is deleted, the focus goes there.
    await drawer.locator('h3:focus', { hasText: 'Links' }).waitFor();
  }
  await drawer.getByText('No links.').waitFor();
  for (const open of [guest, narrow]) {
    await open.getByText(/no longer valid|nicht mehr gültig/u).waitFor();
    assert.doesNotMatch(await open.content(), /reading room/u);
  }
  await checkLook(guest, 'link-over-phone');
});

test('a link with captions follows a talk on a phone, and becomes the note; one without waits', async (t) => {
  const { ada, stranger, api } = await adaAndStrangers(t);
  const page = await ada('/');
  await record(page, 'This device’s microphone');
  const id = new URL(page.url()).pathname.split('/').at(-1)!;
  const linked = async (live: boolean) =>
    (await api.post<{ url: string }>(`/recordings/${id}/links`, { name: `live ${live}`, live }))
      .url;
  const guest = await stranger(await linked(true), phone);
  const captions = guest.getByRole('log', { name: 'What is being said' });
  await captions.waitFor();
  await guest.getByText('Live', { exact: true }).waitFor();
  const waiting = await stranger(await linked(false), german320);
  await waiting.getByText('Die Notiz ist noch nicht fertig.').waitFor();
  await checkLook(waiting, 'link-waiting-phone');

  await captions.getByText(/single word/iu).waitFor();
  await isNoWider(guest);
  await checkLook(guest, 'link-live-phone');
  const sizeOf = () =>
    guest.evaluate<number>(
      "parseFloat(getComputedStyle(document.querySelector('[role=log]')).fontSize)",
    );
  const before = await sizeOf();
  await guest.getByRole('button', { name: 'A+ larger text' }).tap();
  await eventually('it is larger', async () => (await sizeOf()) > before);
  await guest.getByRole('button', { name: 'Light or dark' }).tap();
  await screenshot(guest, 'link-live-phone-dark');
  assert.deepEqual(await accessibilityFaults(guest), []);
  assert.doesNotMatch(await waiting.content(), /class="turn/u);

  await recordingBar(page).getByRole('button', { name: 'Pause' }).click();
  await guest.getByText('Paused', { exact: true }).waitFor();
  await recordingBar(page).getByRole('button', { name: 'Resume' }).click();
  await guest.getByText('Live', { exact: true }).waitFor();

  await recordingBar(page).getByRole('button', { name: 'Stop' }).click();
  await guest.getByRole('heading', { name: 'Transcript' }).waitFor();
  await guest.getByRole('button', { name: 'Save text' }).waitFor();
  await waiting.getByRole('heading', { name: 'Transkript' }).waitFor();
  await checkLook(guest, 'link-note-without-audio-phone');
  assert.equal(await guest.getByRole('button', { name: 'Play', exact: true }).count(), 0);
  await api.delete(`/recordings/${id}`);
  await guest.getByRole('heading', { name: /no longer valid|was deleted/u }).waitFor();
});
