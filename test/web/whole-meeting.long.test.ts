import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { speechOf } from '../bench/long-speech.ts';
import { eventually } from '../support/eventually.ts';
import { apiOf } from '../support/service-process.ts';
import { type TcpProxy, tcpProxy } from '../support/tcp-proxy.ts';
import { tempDir } from '../support/temp-dir.ts';
import {
  openPage,
  phone,
  record,
  recordedFor,
  recordingBar,
  screenshot,
  startChromium,
  startWebService,
  untilHolds,
} from './browser.ts';

/** Of the meeting; `MEETING_MINUTES` (4 or more) makes it shorter while somebody works on it. */
const minutes = Number(process.env['MEETING_MINUTES'] ?? 60);
const [rate, headerBytes] = [16_000, 44];

type Detail = {
  state: string;
  status: string;
  duration: number;
  sidenotes: { text: string; at: number; mark: boolean }[];
  utterances: { text: string; speaker: string | null }[];
  interruptions: { at: number; from: string; to: string }[];
};

/** Every block that the worklet delivers goes to the test at once; what was not heard is silence. */
const tellBlocks = `(() => {
  for (const [name, value] of [['kind', 'meeting'], ['source', 'microphone']])
    localStorage.setItem('mitschrift.' + name, value);
  if (typeof AudioWorkletNode === 'undefined') return;
  const [Node, Context] = [AudioWorkletNode, AudioContext];
  globalThis.AudioContext = class extends Context {
    constructor(...args) {
      super(...args);
      globalThis.listening = this;
    }
  };
  const tell = (pcm) => globalThis.tellBlock(btoa(String.fromCharCode(...new Uint8Array(pcm))));
  globalThis.AudioWorkletNode = class extends Node {
    constructor(...args) {
      super(...args);
      this.port.addEventListener('message', ({ data }) => {
        if (data === 'flushed') return;
        if (data.before) void tell(data.before);
        void tell(data instanceof ArrayBuffer ? data : new ArrayBuffer(Math.round(data.missedMs * 16) * 2));
      });
    }
  };
})()`;

test(
  `a meeting of ${minutes} minutes on a phone, through a phone call and a lost network: its note holds everything`,
  { timeout: (minutes + 30) * 60_000 },
  async (t) => {
    const service = await startWebService(t);
    const proxy = await tcpProxy(t, service.url);
    const spoken = await speechOf(60, join(await tempDir(t), 'minute.wav'));
    // The minute again and again.
    const browser = await startChromium(t, [
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-audio-capture=${spoken}`,
    ]);
    const session = await service.login();
    const api = apiOf(service.url, session.token);
    const delivered: Buffer[] = [];
    const page = await openPage(t, browser, {
      url: `${proxy.url}/account`,
      session,
      ...phone,
      permissions: ['microphone'],
      expected: /WebSocket|ERR_|Failed to load|status of 50[23]/,
      prepare: async (fresh) => {
        await fresh.exposeFunction('tellBlock', (block: string) => {
          delivered.push(Buffer.from(block, 'base64'));
        });
        await fresh.addInitScript(tellBlocks);
      },
    });
    await page.goto(proxy.url);
    await record(page);
    const id = page.url().split('/').at(-1)!;
    const written: string[] = [];
    const write = async (text: string) => {
      await page.locator('#sidenote').fill(text);
      await page.getByRole('button', { name: 'Add', exact: true }).tap();
      await page.locator('.jot').filter({ hasText: text }).waitFor();
      written.push(text);
    };

    for (let minute = 1; minute < minutes; minute += 1) {
      // In steps that are shorter than what a wait may take.
      await recordedFor(page, minute * 60 - 50);
      await recordedFor(page, minute * 60 - 30);
      await write(`Noted in minute ${minute}`);
      if (minute === Math.floor(minutes / 4)) await phoneCall(page, () => write('During the call'));
      if (minute === Math.floor(minutes / 2)) {
        await withoutNetwork(page, proxy, service.url, () => write('Without a network'));
      }
      if (minute === Math.floor((minutes * 3) / 4)) await lookAround(page, id);
    }
    await recordedFor(page, minutes * 60 - 45);
    await recordedFor(page, minutes * 60);
    await screenshot(page, 'whole-meeting-before-stop');
    await recordingBar(page).getByRole('button', { name: 'Stop' }).tap();
    await recordingBar(page).waitFor({ state: 'detached' });
    await write('After the end');

    const detail = () => api.get<Detail>(`/recordings/${id}`);
    await eventually(
      'the voices wait for their names',
      async () => {
        const { status } = await detail();
        assert.notEqual(status, 'ERROR');
        return status === 'AWAITING_SPEAKERS';
      },
      minutes * 60_000,
    );
    await page.goto(`${proxy.url}/speakers?recording=${id}`);
    await page.getByLabel('Name of Speaker 1').fill('Ada Muster');
    for (let presses = 0; page.url().includes('/speakers') && presses < 8; presses += 1) {
      await page.keyboard.press('Enter');
    }
    await page.waitForURL(/\/notes\//);
    await eventually(
      'it is written up',
      async () => (await detail()).state === 'idle.saved',
      minutes * 60_000,
    );

    const { duration, sidenotes, utterances, interruptions } = await detail();
    const pcm = Buffer.concat(delivered);
    await t.test('every sample is there once, in order', async () => {
      const folder = join(service.dataDir, 'recordings', id);
      const [name, ...more] = (await readdir(folder)).filter((file) => file.startsWith('audio'));
      assert.deepEqual(more, []);
      const onDisk = (await readFile(join(folder, name!))).subarray(headerBytes);
      assert.equal(onDisk.length, pcm.length);
      assert.ok(onDisk.equals(pcm));
      assert.ok(Math.abs(duration - pcm.length / 2 / rate) < 0.1);
      assert.ok(duration >= minutes * 60 - 1, `${duration} s`);
    });
    await t.test('every side note is there once, in the order of its time', () => {
      assert.deepEqual(
        sidenotes.map(({ text }) => text),
        written,
      );
      for (const [at, { at: second }] of sidenotes.entries())
        assert.ok(second >= (sidenotes[at - 1]?.at ?? 0));
    });
    await t.test('the call is told of, at its second', () => {
      assert.equal(interruptions.length, 1);
      const [{ at, from, to }] = interruptions as [Detail['interruptions'][number]];
      assert.ok(Date.parse(to) > Date.parse(from), `${from} to ${to}`);
      assert.ok(at > Math.floor(minutes / 4) * 60 - 30 && at < Math.floor(minutes / 4) * 60 + 60);
    });
    await t.test('what was said is there from the first minute to the last', () => {
      const text = utterances.map((one) => one.text).join(' ');
      const times = text.match(/deadline to the end of march/giu)?.length ?? 0;
      // Said four to five times a minute.
      assert.ok(times >= minutes * 3.5 && times <= minutes * 6, `${times} times`);
      assert.ok(utterances.every(({ speaker }) => speaker !== null));
    });
    await t.test('page and documents hold all of it', async () => {
      await page
        .getByText(`Noted in minute ${minutes - 1}`)
        .first()
        .waitFor();
      await screenshot(page, 'whole-meeting-note');
      await page.getByRole('tab', { name: 'Transcript' }).tap();
      await page.locator('[data-turn="0"]').waitFor();
      await screenshot(page, 'whole-meeting-transcript');
      const answer = await fetch(`${service.url}/recordings/${id}/export?format=md`, {
        headers: { Authorization: `Bearer ${session.token}` },
      });
      const document = await answer.text();
      for (const text of written) assert.ok(document.includes(text), text);
      assert.ok(document.includes('Ada Muster'));
      assert.match(document, /^\*\d\d:\d\d–\d\d:\d\d not recorded/mu);
    });
  },
);

/** The system takes the sound away for as long as a call lasts, and gives it back by itself. */
async function phoneCall(page: Page, during: () => Promise<void>): Promise<void> {
  await page.evaluate(`(() => {
    globalThis.resume = listening.resume;
    listening.resume = () => Promise.reject(new DOMException('', 'InvalidStateError'));
    return listening.suspend();
  })()`);
  await recordingBar(page)
    .getByText(/^Interrupted since/u)
    .waitFor();
  await screenshot(page, 'whole-meeting-interrupted');
  await during();
  // Its line says minutes, its fact seconds.
  await untilHolds(
    page,
    '(globalThis.rang ??= performance.now(), performance.now() - rang > 3000)',
  );
  await page.evaluate('listening.resume = resume');
  await recordingBar(page).getByRole('button', { name: 'Resume' }).tap();
  await recordingBar(page).getByText('Recording', { exact: true }).waitFor();
}

/** Nothing answers for half a minute. */
async function withoutNetwork(
  page: Page,
  proxy: TcpProxy,
  url: string,
  during: () => Promise<void>,
): Promise<void> {
  proxy.lead('http://127.0.0.1:9');
  proxy.cut();
  await page.getByText('still in this browser').first().waitFor();
  await during();
  await untilHolds(
    page,
    '(globalThis.away ??= performance.now(), performance.now() - away > 30_000)',
  );
  await screenshot(page, 'whole-meeting-without-network');
  proxy.lead(url);
  await recordingBar(page).getByText('Recording', { exact: true }).waitFor();
}

/** The library, and back to the note by the bar. */
async function lookAround(page: Page, id: string): Promise<void> {
  await page.locator('a.back').tap();
  await page.waitForURL((url) => url.pathname === '/');
  await recordingBar(page).getByRole('link').first().tap();
  await page.waitForURL(new RegExp(`/notes/${id}`, 'u'));
  await page.locator('#sidenote').waitFor();
}
