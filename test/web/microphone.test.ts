import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { make, speak, wordErrorRate } from '../support/espeak.ts';
import { eventually } from '../support/eventually.ts';
import { apiOf } from '../support/service-process.ts';
import { type TcpProxy, tcpProxy } from '../support/tcp-proxy.ts';
import { tempDir } from '../support/temp-dir.ts';
import { type WebService, openPage, startChromium, startWebService } from './browser.ts';

const said =
  'The first thing we have to talk about is the garden. The second thing is the house by the river. ' +
  'We want to paint the door in the spring, and somebody has to look after the windows as well.';

/** Notes every block that the worklet delivers, in order, where it outlives the page at once. */
const noteBlocks = `(() => {
  if (typeof AudioWorkletNode === 'undefined') return;
  const Node = AudioWorkletNode;
  globalThis.AudioWorkletNode = class extends Node {
    constructor(...args) {
      super(...args);
      this.port.addEventListener('message', ({ data }) => {
        if (!(data instanceof ArrayBuffer)) return;
        const count = Number(localStorage.getItem('test.blocks') ?? 0);
        const text = String.fromCharCode(...new Uint8Array(data));
        localStorage.setItem('test.block.' + count, btoa(text));
        localStorage.setItem('test.blocks', count + 1);
      });
    }
  };
})()`;

const countBlocks = (page: Page) =>
  page.evaluate<number>(`Number(localStorage.getItem('test.blocks') ?? 0)`);

/** Waits until the worklet has delivered so many blocks (a tenth of a second each) more. */
async function moreBlocks(page: Page, count: number): Promise<void> {
  const wanted = (await countBlocks(page)) + count;
  await eventually(`${wanted} blocks`, async () => (await countBlocks(page)) >= wanted);
}

/** What the worklet delivered since the last time this was asked. */
async function delivered(page: Page): Promise<Buffer> {
  const blocks = await page.evaluate<string[]>(`(() => {
    const blocks = [];
    for (let n = 0; n < Number(localStorage.getItem('test.blocks')); n += 1) {
      blocks.push(localStorage.getItem('test.block.' + n));
      localStorage.removeItem('test.block.' + n);
    }
    localStorage.removeItem('test.blocks');
    return blocks;
  })()`);
  return Buffer.concat(blocks.map((block) => Buffer.from(block, 'base64')));
}

test('every sample the worklet delivers is on the service’s disk, in order, once, whatever happens to page and network', async (t) => {
  const service = await startWebService(t);
  const proxy = await tcpProxy(t, service.url);
  const browser = await startChromium(t, await microphoneThatSpeaks(t));
  const session = await service.login();
  const page = await openPage(t, browser, {
    url: `${proxy.url}/account`,
    session,
    permissions: ['microphone'],
    expected: /WebSocket|ERR_/,
  });
  const context = page.context();
  await context.addInitScript(noteBlocks);

  await t.test('over a reload and a lost network', async () => {
    await page.goto(proxy.url);
    await record(page);
    await moreBlocks(page, 15);
    await page.reload();
    // It goes on by itself.
    await page.getByText('Recording you', { exact: true }).waitFor();
    await moreBlocks(page, 30);
    await loseNetwork(proxy);
    await page.getByText('wait in this browser').waitFor();
    await moreBlocks(page, 10);
    proxy.lead(service.url);
    await page.getByText('Nothing is missing.').waitFor();
    await moreBlocks(page, 60);
    await page.getByRole('button', { name: 'Stop and write notes' }).click();
    await page.getByRole('button', { name: 'Record' }).waitFor();
    const text = await sameOnDisk(service, session.token, await delivered(page));
    assert.ok(wordErrorRate(said, text) < 0.35, text);
  });
});

/** Chromium's switches for a microphone that says `said` once, behind a second of silence. */
async function microphoneThatSpeaks(t: TestContext): Promise<string[]> {
  const folder = await tempDir(t);
  const spoken = join(folder, 'spoken.wav');
  const heard = join(folder, 'heard.wav');
  await speak(said, spoken);
  await make('sox', spoken, '-b', '16', '-c', '1', heard, 'rate', '16000', 'pad', '1', '0.5');
  return [
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    `--use-file-for-fake-audio-capture=${heard}%noloop`,
  ];
}

async function record(page: Page): Promise<void> {
  await page.getByText('Just me').click();
  await page.locator('#source').selectOption('microphone');
  await page.getByRole('button', { name: 'Record' }).click();
  await page.getByText('Recording you', { exact: true }).waitFor();
}

/** Nothing answers any more, and what is open breaks. */
async function loseNetwork(proxy: TcpProxy): Promise<void> {
  proxy.lead('http://127.0.0.1:9');
  proxy.cut();
}

const checked = new Set<string>();

/** The newest recording is one that was not seen yet, and its file holds just these samples. @returns its words */
async function sameOnDisk(service: WebService, token: string, pcm: Buffer): Promise<string> {
  type Line = { recording_id: string; status: string; state: string };
  const api = apiOf(service.url, token);
  const newest = async () => {
    const { recordings } = await api.get<{ recordings: Line[] }>('/recordings');
    assert.ok(recordings.length <= checked.size + 1, 'one recording, however often it was sent');
    return recordings.find(({ recording_id: id }) => !checked.has(id));
  };
  await eventually('it is written up', async () => {
    const line = await newest();
    assert.notEqual(line?.status, 'ERROR', JSON.stringify(line));
    return line?.state === 'idle.saved';
  });
  const { recording_id: id } = (await newest())!;
  checked.add(id);
  const file = await readFile(join(service.dataDir, 'recordings', id, 'audio.wav'));
  const onDisk = file.subarray(44);
  assert.equal(onDisk.length, pcm.length, 'samples, twice their bytes');
  assert.ok(onDisk.equals(pcm), 'in the same order');
  const { utterances } = await api.get<{ utterances: { text: string }[] }>(`/recordings/${id}`);
  return utterances.map(({ text }) => text).join(' ');
}
