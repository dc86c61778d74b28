import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { apiOf } from '../support/service-process.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import {
  type WebService,
  accessibilityFaults,
  checkLook,
  noteAnnouncements,
  openPage,
  password,
  phone,
  record,
  recordedFor,
  recordsAlone,
  saidIn,
  startChromium,
  startWebService,
  untilHolds,
  untilIdle,
} from './browser.ts';

/**
 * Every context and microphone that the page opens, and a system that keeps contexts back as long as `inCall`.
 */
const watch = `(() => {
  globalThis.contexts = [];
  globalThis.tracks = [];
  if (typeof AudioContext === 'undefined') return;
  const Context = AudioContext;
  const resume = Context.prototype.resume;
  Context.prototype.resume = function () {
    return globalThis.inCall ? new Promise(() => {}) : resume.call(this);
  };
  globalThis.AudioContext = class extends Context {
    constructor(...args) {
      super(...args);
      globalThis.contexts.push(this);
    }
  };
  const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = async (wanted) => {
    const stream = await open(wanted);
    globalThis.tracks.push(...stream.getAudioTracks());
    return stream;
  };
})()`;

const live = (page: Page) =>
  page.evaluate<number>(`tracks.filter(({ readyState }) => readyState === 'live').length`);
const bar = (page: Page) => page.getByRole('region', { name: 'Current recording' });

type Status = { recording: { recording_id: string; paused: boolean } | null };
const runningOf = async (service: WebService, token: string) =>
  (await apiOf(service.url, token).get<Status>('/status')).recording;
const running = async (service: WebService, token: string) => {
  type Lines = { recordings: { status: string }[] };
  const { recordings } = await apiOf(service.url, token).get<Lines>('/recordings');
  return recordings.filter(({ status }) => status === 'RECORDING');
};
const notes = async (service: WebService, token: string) =>
  (await apiOf(service.url, token).get<{ recordings: object[] }>('/recordings')).recordings.length;
const nothingRuns = (service: WebService, token: string) =>
  eventually('nothing runs', async () => (await runningOf(service, token)) === null);

test('what is recorded has its control on every page, tells what it is worth, and stops from anywhere', async (t) => {
  const service = await startWebService(t);
  const proxy = await tcpProxy(t, service.url);
  const browser = await startChromium(t, [
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
  ]);
  const session = await service.login();
  await service.login('ben');
  const page = await openPage(t, browser, {
    url: `${proxy.url}/login`,
    permissions: ['microphone'],
    expected: /WebSocket|ERR_|401|404|409/,
  });
  const context = page.context();
  await context.addInitScript(recordsAlone);
  await context.addInitScript(watch);
  await context.addInitScript(noteAnnouncements);
  const logIn = async (username: string) => {
    await page.getByLabel('User name').or(page.getByLabel('Name')).first().fill(username);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
  };
  const logOut = async () => {
    await page.getByLabel(/, account$/).click();
    await page.getByText('Log out', { exact: true }).click();
  };
  /** At the beginning, logged in, with nothing that runs: whatever the part before came to. */
  const fresh = async () => {
    proxy.lead(service.url);
    const { token } = await service.login();
    const running = await runningOf(service, token);
    if (running)
      await apiOf(service.url, token).post(`/recordings/${running.recording_id}/discard`, {});
    await page.goto(`${proxy.url}/login`);
    await logIn('ada');
    await untilIdle(page);
  };
  await fresh();
  await t.test('after a navigation the focus is on the heading', async () => {
    await untilHolds(page, `document.activeElement.tagName === 'H1'`);
    await page.getByRole('link', { name: 'Speakers' }).first().click();
    await untilHolds(
      page,
      `document.activeElement.textContent === document.querySelector('h1')?.textContent`,
    );
    await page.goto(proxy.url);
  });

  await t.test(
    'a system that keeps the sound back is noticed, said once, and the time is kept',
    async () => {
      await fresh();
      await record(page);
      await bar(page).getByText('Everything recorded so far is saved.').waitFor();
      await page.getByRole('link', { name: 'Settings' }).first().click();
      await bar(page).getByText('Recording', { exact: true }).waitFor();
      await checkLook(page, 'bar-recording');
      await page.evaluate('inCall = true; contexts.at(-1).suspend()');
      await bar(page)
        .getByText(/^Interrupted since/)
        .waitFor();
      assert.equal(await page.getByText('Everything recorded so far is saved.').count(), 0);
      assert.deepEqual(await accessibilityFaults(page), []);
      // As long as it takes until it is sure that the missing time is counted.
      await untilHolds(page, `(globalThis.since ??= Date.now(), Date.now() - since > 4000)`);
      await page.evaluate(`inCall = false; dispatchEvent(new Event('focus'))`);
      await bar(page).getByText('not recorded').waitFor();
      await bar(page).getByText('Everything recorded so far is saved.').waitFor();
      const said = await saidIn(page);
      assert.equal(
        said.filter((text) => /alert: The recording is interrupted/.test(text)).length,
        1,
      );
      assert.equal(
        said.filter((text) => /status: The recording continues\. .+ was not/.test(text)).length,
        1,
        JSON.stringify(said),
      );
      const { recording_id: id } = (await runningOf(service, session.token))!;
      await bar(page).getByRole('link').first().click();
      await page.getByText(/^\d\d:\d\d–\d\d:\d\d not recorded$/u).waitFor();
      await checkLook(page, 'talk-interrupted');
      await bar(page).getByRole('button', { name: 'Stop' }).click();
      await nothingRuns(service, session.token);
      await untilHolds(page, `tracks.every(({ readyState }) => readyState === 'ended')`);
      type Fact = {
        type: string;
        data: { ledger?: { gaps: [number, number][] }; duration?: number };
      };
      const { events } = await apiOf(service.url, session.token).get<{ events: Fact[] }>(
        `/recordings/${id}/events`,
      );
      const { ledger, duration } = events.find(({ type }) => type === 'audio.captured')!.data;
      const told = events.filter(({ type }) => type === 'audio.interrupted');
      assert.equal(told.length, 1, JSON.stringify(told));
      assert.equal(ledger!.gaps.length, 1, JSON.stringify(ledger));
      assert.ok(ledger!.gaps[0]![1] >= 4, JSON.stringify(ledger));
      assert.ok(duration! > ledger!.gaps[0]![1] + 1);
      // Who takes the note along takes that, too.
      const missing = /\d\d:\d\d–\d\d:\d\d not recorded/u;
      await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
      assert.match((await page.locator('.paper').textContent())!, missing);
      await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
      await page.context().grantPermissions(['microphone', 'clipboard-read', 'clipboard-write']);
      await page.getByText('Copy', { exact: true }).click();
      await page.getByRole('button', { name: 'Copy transcript' }).click();
      await eventually('it is copied', async () =>
        missing.test(await page.evaluate<string>('navigator.clipboard.readText()')),
      );
    },
  );

  await t.test(
    'a pause closes the microphone at once, also while the service is away, and it is told later',
    async () => {
      await fresh();
      await record(page);
      await eventually('it runs', async () => (await runningOf(service, session.token)) !== null);
      proxy.lead('http://127.0.0.1:9');
      proxy.cut();
      await page.getByRole('button', { name: 'Pause', exact: true }).click();
      await bar(page).getByText('Paused for').waitFor();
      await eventually('the microphone is off', async () => (await live(page)) === 0);
      proxy.lead(service.url);
      await eventually('the service knows', async () => {
        return (await runningOf(service, session.token))?.paused === true;
      });
      await page.getByRole('button', { name: 'Resume', exact: true }).click();
      await eventually('it is on', async () => (await live(page)) === 1);
      await eventually('the service knows', async () => {
        return (await runningOf(service, session.token))?.paused === false;
      });
      proxy.lead('http://127.0.0.1:9');
      proxy.cut();
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('button', { name: 'Delete…' }).click();
      await page.locator('dialog[open] .danger').click();
      await untilIdle(page);
      assert.equal(await live(page), 0);
      proxy.lead(service.url);
      await nothingRuns(service, session.token);
    },
  );

  await t.test(
    'another page of the same person stops it, and keeps every sample; nobody deletes it from there',
    async () => {
      await fresh();
      await record(page);
      const other = await openPage(t, browser, { url: service.url, session, ...phone });
      await bar(other)
        .getByText(/^Recording (?:on|in another)/)
        .waitFor();
      const before = await notes(service, session.token);
      await bar(other).getByRole('button', { name: 'Stop' }).tap();
      await untilIdle(page);
      assert.equal(await live(page), 0);
      assert.equal(await notes(service, session.token), before, 'what it heard since is no note');
      await untilIdle(other);
      await nothingRuns(service, session.token);
      await other.context().close();
    },
  );

  await t.test(
    'a page that has no network when it is stopped elsewhere ends when it is back',
    async () => {
      await fresh();
      await record(page);
      await eventually('it runs', async () => (await runningOf(service, session.token)) !== null);
      const { recording_id: id } = (await runningOf(service, session.token))!;
      proxy.lead('http://127.0.0.1:9');
      proxy.cut();
      await apiOf(service.url, session.token).post(`/recordings/${id}/stop`, {});
      await nothingRuns(service, session.token);
      assert.equal(await live(page), 1);
      proxy.lead(service.url);
      await untilIdle(page);
      assert.equal(await live(page), 0);
    },
  );

  await t.test(
    'the next one is recorded while the rest of the last waits for the service, and both are notes',
    async () => {
      await fresh();
      const before = await notes(service, session.token);
      await record(page);
      await eventually('it runs', async () => (await runningOf(service, session.token)) !== null);
      const first = page.url();
      proxy.lead('http://127.0.0.1:9');
      proxy.cut();
      await recordedFor(page, 3);
      await bar(page).getByRole('button', { name: 'Stop' }).click();
      await bar(page).getByText('left to send').waitFor();
      await page.keyboard.press('r');
      await bar(page).getByRole('button', { name: 'Stop' }).waitFor();
      await recordedFor(page, 1);
      assert.equal(await live(page), 1);
      proxy.lead(service.url);
      await eventually('both are there', async () => {
        return (await notes(service, session.token)) === before + 2;
      });
      await eventually('the first has ended', async () => {
        const all = await running(service, session.token);
        return all.length === 1;
      });
      await bar(page).getByRole('link').first().click();
      assert.notEqual(page.url(), first);
      await bar(page).getByRole('button', { name: 'Stop' }).click();
      await nothingRuns(service, session.token);
      await untilIdle(page);
      assert.equal(await live(page), 0);
    },
  );

  await t.test('logging out asks; the safe answer has the focus', async () => {
    await fresh();
    await record(page);
    await logOut();
    await page.getByRole('heading', { name: 'Recording in progress' }).waitFor();
    assert.equal(
      await page.evaluate('document.activeElement.textContent.trim()'),
      'Stay logged in',
    );
    await page.getByRole('button', { name: 'Stay logged in' }).click();
    assert.equal(await live(page), 1);
    await logOut();
    await page.getByRole('button', { name: 'Stop and log out' }).click();
    await page.getByLabel('Password').waitFor();
    assert.equal(await live(page), 0);
    await nothingRuns(service, session.token);
    await logIn('ada');
    await untilIdle(page);
  });

  await t.test(
    'a session that ends leaves the control, and its owner’s login sends what was said',
    async () => {
      await fresh();
      await record(page);
      await page.evaluate(`fetch('/logout', { method: 'POST', headers: {
      authorization: 'Bearer ' + JSON.parse(localStorage.getItem('mitschrift.session')).token,
    } })`);
      await page.getByLabel('Password').waitFor();
      await bar(page).getByRole('button', { name: 'Stop' }).waitFor();
      await checkLook(page, 'bar-login');
      assert.equal(await live(page), 1);
      await logIn('ada');
      await page.getByLabel('ada, account').waitFor();
      await bar(page).getByRole('button', { name: 'Stop' }).waitFor();
      await page.getByText('Everything recorded so far is saved.').waitFor();
      assert.equal(await live(page), 1, 'it was never closed');
      // Another person may only stop it.
      await page.evaluate(`fetch('/logout', { method: 'POST', headers: {
      authorization: 'Bearer ' + JSON.parse(localStorage.getItem('mitschrift.session')).token,
    } })`);
      await logIn('ben');
      await page.getByText('Recording of another account').waitFor();
      assert.equal(await live(page), 1);
      assert.equal(await page.getByRole('button', { name: 'Pause' }).count(), 0);
      await page.getByRole('button', { name: /^Stop/ }).click();
      await untilIdle(page);
      await untilHolds(page, 'globalThis.tracks.length === 0');
      await logOut();
      await logIn('ada');
      await untilIdle(page);
      await nothingRuns(service, (await service.login()).token);
    },
  );

  await t.test('a browser’s disk that is full sends what is said all the same', async () => {
    await fresh();
    const token = (await service.login()).token;
    const developer = await context.newCDPSession(page);
    await record(page);
    const origin = new URL(proxy.url).origin;
    await developer.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1 });
    await page.evaluate(`globalThis.put = IDBObjectStore.prototype.put;
      IDBObjectStore.prototype.put = function (...args) {
        const request = put.apply(this, args);
        if (this.name === 'blocks') this.transaction.abort();
        return request;
      }`);
    await page.getByText('Recording · sent directly').first().waitFor();
    await recordedFor(page, 5);
    assert.ok((await saidIn(page)).some((text) => /alert: .*no storage space left/.test(text)));
    await bar(page).getByRole('button', { name: 'Stop' }).click();
    await untilIdle(page);
    await nothingRuns(service, token);
    type Line = { duration: number };
    const { recordings } = await apiOf(service.url, token).get<{ recordings: Line[] }>(
      '/recordings',
    );
    assert.ok(recordings[0]!.duration >= 5, JSON.stringify(recordings[0]));
  });

  await t.test('on a phone one tap records, from any page', async () => {
    await page.close();
    const session = await service.login();
    const small = await openPage(t, browser, {
      url: `${service.url}/account`,
      session,
      permissions: ['microphone'],
      ...phone,
    });
    // A second tap does no harm: one recording, which is opened.
    await small.evaluate(`(() => {
      const press = () => document.querySelector('.tab-rec').click();
      press();
      press();
    })()`);
    await small.waitForURL(/\/notes\//);
    await recordedFor(small, 1);
    assert.equal((await runningOf(service, session.token))?.paused, false);
    await checkLook(small, 'bar-phone-note');
    await small.locator('a.back').tap();
    await small.locator('.tabbar').getByText('Live').tap();
    await small.waitForURL(/\/notes\//);
    assert.equal((await running(service, session.token)).length, 1, 'nothing was stopped or begun');
    await small.locator('a.back').tap();
    await small.locator('.tabbar').getByText('Speakers').tap();
    await bar(small).getByRole('button', { name: 'Stop' }).waitFor();
    await checkLook(small, 'bar-phone');
    await bar(small).getByRole('button', { name: 'Stop' }).tap();
    await nothingRuns(service, session.token);
    await bar(small).waitFor({ state: 'detached' });
  });
});
