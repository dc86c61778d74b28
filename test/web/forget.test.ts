import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLook, openPage, startChromium, startWebService } from './browser.ts';

/** Two and a half minutes that the server has half a minute of, of another person; half an upload; a draft. */
const leave = `new Promise((resolve, reject) => {
  localStorage.setItem('mitschrift.uploads', '{"one":{"name":"Interview with Jo.m4a"}}');
  localStorage.setItem('tus::tus-1', '{"metadata":{"filename":"Interview with Jo.m4a"}}');
  localStorage.setItem('mitschrift.draft.ada.R', '[{"text":"nobody else should read this"}]');
  sessionStorage.setItem('mitschrift.recording', 'one');
  const opening = indexedDB.open('mitschrift-audio', 1);
  opening.onerror = reject;
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore('recordings', { keyPath: 'id' });
    opening.result.createObjectStore('blocks');
  };
  opening.onsuccess = () => {
    const change = opening.result.transaction(['recordings', 'blocks'], 'readwrite');
    change.objectStore('recordings').put({
      id: 'one', user: 'ben', recordingId: null, kind: 'solo', source: 'microphone', rate: 16000,
      startedAt: '2026-11-01T10:00:00Z', acknowledged: 16000 * 30, isOver: false,
    });
    change.objectStore('blocks').put(new ArrayBuffer(3200), ['one', 16000 * 150]);
    change.oncomplete = () => { opening.result.close(); resolve(); };
  };
})`;

const held = `new Promise((resolve) => {
  indexedDB.open('mitschrift-audio', 1).onsuccess = async ({ target: { result: db } }) => {
    const read = db.transaction(['recordings', 'blocks']);
    const count = (name) => new Promise((counted) => {
      read.objectStore(name).count().onsuccess = ({ target }) => counted(target.result);
    });
    const texts = JSON.stringify([{ ...localStorage }, { ...sessionStorage }]);
    resolve({ stored: await count('recordings') + await count('blocks'), texts });
  };
})`;

test('a computer that others use can be made to forget: what is not saved yet is named first', async (t) => {
  const service = await startWebService(t);
  const browser = await startChromium(t);
  const session = await service.login();
  const expected = /401|WebSocket/;
  // Given by hand: what gives a page its session does so again where it was forgotten.
  const page = await openPage(t, browser, { url: `${service.url}/login`, expected });
  const given = JSON.stringify(JSON.stringify(session));
  await page.evaluate(`localStorage.setItem('mitschrift.session', ${given})`);
  await page.goto(`${service.url}/account`);
  await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
  await page.evaluate(leave);
  type Held = { stored: number; texts: string };
  const forget = page.getByRole('button', { name: 'Delete data in this browser…' });
  await forget.click();
  await page.getByText('Audio in this browser (2 min) isn’t saved on the server yet').waitFor();
  await checkLook(page, 'forget');
  await page.getByRole('button', { name: 'Cancel' }).click();
  // Where the store cannot be opened, that is said, not that there is nothing.
  await page.evaluate(`localStorage.setItem('mitschrift.audio-held', 'yes')`);
  await page.reload();
  await page.evaluate(`{
    globalThis.open = IDBFactory.prototype.open;
    IDBFactory.prototype.open = () => { throw new DOMException('', 'UnknownError'); };
  }`);
  await forget.click();
  await page.getByText('can’t check whether this browser still keeps audio').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.evaluate(`IDBFactory.prototype.open = globalThis.open`);
  // Nor is more than that of it put aside where the disk was full, and is.
  await page.evaluate(`{
    localStorage.setItem('mitschrift.block.one.' + 16000 * 270, btoa('\\0'.repeat(3200)));
    globalThis.put = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function (...args) {
      const request = put.apply(this, args);
      this.transaction.abort();
      return request;
    };
  }`);
  await forget.click();
  await page.getByText('Audio in this browser (4 min) isn’t saved on the server yet').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  const before = await page.evaluate<Held>(held);
  assert.equal(before.stored, 2);
  assert.match(before.texts, /Interview with Jo/);

  await forget.click();
  await page.getByRole('button', { name: 'Log out and delete', exact: true }).click();
  await page.waitForURL(`${service.url}/login`);
  await page.getByRole('heading', { level: 1, name: 'Log in' }).waitFor();
  const after = await page.evaluate<Held>(held);
  assert.equal(after.stored, 0);
  assert.doesNotMatch(after.texts, /Interview|nobody else|mitschrift\.recording|token/);
  const answer = await fetch(`${service.url}/status`, {
    headers: { authorization: `Bearer ${session.token}` },
  });
  assert.equal(answer.status, 401, 'the session has ended');
});
