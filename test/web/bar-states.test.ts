import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { tcpProxy } from '../support/tcp-proxy.ts';
import {
  accessibilityFaults,
  openPage,
  recordingBar,
  recordsAlone,
  screenshot,
  startChromium,
  startWebService,
  untilHolds,
  untilIdle,
} from './browser.ts';

/** A microphone that the test makes: it hums, is silent, is taken away, is kept back, or is never given. */
const madeMicrophone = `(() => {
  if (navigator.mediaDevices === undefined) return;
  globalThis.contexts = [];
  const Context = AudioContext;
  globalThis.AudioContext = class extends Context {
    constructor(...args) {
      super(...args);
      globalThis.contexts.push(this);
    }
  };
  navigator.mediaDevices.getUserMedia = async () => {
    if (globalThis.asks) await new Promise((resolve) => (globalThis.allow = resolve));
    if (globalThis.refuses) throw new DOMException('', 'NotAllowedError');
    const sound = new Context();
    const into = sound.createMediaStreamDestination();
    globalThis.volume = new GainNode(sound, { gain: 0.3 });
    const tone = new OscillatorNode(sound);
    tone.connect(volume).connect(into);
    tone.start();
    globalThis.track = into.stream.getAudioTracks()[0];
    return into.stream;
  };
})()`;

/** As another tab would tell of it: the language of the page is another. */
const language = (code: 'de' | 'en') =>
  `(() => {
    const [key, newValue] = ['mitschrift.language', '${code}'];
    localStorage.setItem(key, newValue);
    dispatchEvent(new StorageEvent('storage', { key, newValue, storageArea: localStorage }));
  })()`;

const wide = (page: Page) =>
  page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );

/** Without a fault for axe in both themes, on a desk and on a phone; in German on the narrowest nothing is wider. */
async function looked(page: Page, name: string): Promise<void> {
  for (const [theme, width] of [
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 700 });
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await screenshot(page, `bar-${name}-${width}-${theme}`);
    assert.deepEqual(await accessibilityFaults(page), [], `${name}, ${width}, ${theme}`);
    assert.ok((await wide(page)) <= 0, `${name} is wider than ${width}`);
  }
  await page.setViewportSize({ width: 320, height: 640 });
  await page.evaluate(language('de'));
  await page.getByRole('region', { name: 'Laufende Aufnahme' }).waitFor();
  await screenshot(page, `bar-${name}-320-de`);
  assert.ok((await wide(page)) <= 0, `${name} is wider than 320 in German`);
  await page.evaluate(language('en'));
  await recordingBar(page).waitFor();
  await page.setViewportSize({ width: 1280, height: 700 });
}

test('each state of the bar: its words and buttons, without a fault in both themes, as wide as the screen', async (t) => {
  const service = await startWebService(t);
  const proxy = await tcpProxy(t, service.url);
  const browser = await startChromium(t, ['--autoplay-policy=no-user-gesture-required']);
  const session = await service.login();
  const page = await openPage(t, browser, {
    url: `${proxy.url}/account`,
    session,
    expected: /WebSocket|ERR_|40[0-9]/,
    prepare: async (fresh) => {
      await fresh.addInitScript(recordsAlone);
      await fresh.addInitScript(madeMicrophone);
    },
  });
  const bar = recordingBar(page);
  const press = (name: string | RegExp) => bar.getByRole('button', { name }).click();
  const says = (text: string | RegExp) => bar.getByText(text).first().waitFor();
  const elsewhere = async () => {
    await page.getByRole('link', { name: 'Speakers' }).first().click();
    await page.getByRole('heading', { level: 1 }).waitFor();
  };

  await t.test('what cannot be loaded, or kept, is said where Record was pressed', async () => {
    const recordPressed = async () =>
      await page.getByRole('button', { name: 'Record', exact: true }).click();
    await page.route('**/assets/microphone-*.js', (route) => route.abort());
    await recordPressed();
    await says('Part of this page could not be loaded.');
    await page.unrouteAll({ behavior: 'wait' });
    await page.reload();
    // Playwright does not see what worklets load.
    await page.evaluate(
      `AudioWorklet.prototype.addModule = () => Promise.reject(new DOMException('', 'AbortError'))`,
    );
    await recordPressed();
    await says('Part of this page could not be loaded.');
    await page.reload();
    await page.evaluate(`{
      const put = IDBObjectStore.prototype.put;
      IDBObjectStore.prototype.put = function (...args) {
        const request = put.apply(this, args);
        this.transaction.abort();
        return request;
      };
    }`);
    await recordPressed();
    await says('This browser has no storage space left.');
    await page.reload();
  });

  await t.test('opening, then denied: no note is made, and one stays where one is', async () => {
    await page.evaluate('globalThis.asks = true; globalThis.refuses = true;');
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await says('Starting the microphone…');
    await looked(page, 'opening');
    await page.evaluate('allow(); globalThis.asks = false');
    await says('The microphone is not allowed');
    assert.match(page.url(), /\/account$/);
    await looked(page, 'denied');
    await page.evaluate('globalThis.refuses = false');
    await press('Try again');
    await page.waitForURL(/\/notes\//);
    await says('Everything recorded so far is saved.');
    await elsewhere();
    await looked(page, 'recording');
  });

  await t.test('silent', async () => {
    await page.evaluate(`(() => {
      volume.gain.value = 0;
      const now = Date.now;
      globalThis.later = 0;
      Date.now = () => now() + globalThis.later;
    })()`);
    await untilHolds(
      page,
      `(globalThis.since ??= performance.now(), performance.now() - since > 1500)`,
    );
    await page.evaluate('later = 130_000');
    await says('Silent for 2 min');
    await looked(page, 'silent');
    await page.evaluate('later = 0; volume.gain.value = 0.3');
    await says('Recording');
  });

  await t.test('paused, network and ending', async () => {
    await press('Pause');
    await says(/^Paused for/);
    await looked(page, 'paused');
    await press('Resume');
    await bar.getByRole('button', { name: 'Pause' }).waitFor();
    proxy.lead('http://127.0.0.1:9');
    proxy.cut();
    await says(/^Recording · \d+ s still in this browser/);
    await looked(page, 'network');
    await press(/^Stop/);
    await says(/^Finishing… \d+ s left to send/);
    await looked(page, 'ending');
    proxy.lead(service.url);
    await untilIdle(page);
  });

  await t.test(
    'a database that the browser has closed is opened again, and it goes on',
    async () => {
      await page.evaluate(`{
      const { transaction } = IDBDatabase.prototype;
      IDBDatabase.prototype.transaction = function (...args) {
        globalThis.used = this;
        return transaction.apply(this, args);
      };
    }`);
      await page.getByRole('button', { name: 'Record', exact: true }).click();
      await says('Everything recorded so far is saved.');
      await page.evaluate('globalThis.closed = used; used.close();');
      await untilHolds(page, 'used !== closed');
      await says('Everything recorded so far is saved.');
      await page.evaluate('used.close()');
      await press(/^Stop/);
      await untilIdle(page);
      assert.equal(await bar.count(), 0, 'nothing is the matter');
    },
  );

  await t.test(
    'what only the memory of the page has keeps it open, also after a stop',
    async () => {
      /** Whether the browser would ask before it leaves the page. */
      const asks = () =>
        page.evaluate<boolean>(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`);
      await page.getByRole('button', { name: 'Record', exact: true }).click();
      await says('Everything recorded so far is saved.');
      proxy.lead('http://127.0.0.1:9');
      proxy.cut();
      await page.evaluate(`{
      globalThis.put = IDBObjectStore.prototype.put;
      IDBObjectStore.prototype.put = function (...args) {
        const request = put.apply(this, args);
        if (this.name === 'blocks') this.transaction.abort();
        return request;
      };
    }`);
      await says('Recording · sent directly');
      await press('Pause');
      await says(/Keep this page open/);
      assert.equal(await asks(), true);
      await press(/^Stop/);
      await says(/^Finishing…/);
      await says(/Keep this page open/);
      assert.equal(await asks(), true);
      proxy.lead(service.url);
      await untilIdle(page);
      assert.equal(await asks(), false);
    },
  );
});
