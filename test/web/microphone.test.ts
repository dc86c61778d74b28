import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { browserClient } from '../support/browser-client.ts';
import { wordErrorRate } from '../support/espeak.ts';
import { eventually } from '../support/eventually.ts';
import { apiOf } from '../support/service-process.ts';
import { type TcpProxy, tcpProxy } from '../support/tcp-proxy.ts';
import {
  type WebService,
  accessibilityFaults,
  checkLook,
  openPage,
  record,
  recordingBar,
  recordsAlone,
  startChromium,
  startWebService,
  untilHolds,
  untilIdle,
} from './browser.ts';
import { microphoneThatSpeaks } from './fake-microphone.ts';

const said =
  'The first thing we have to talk about is the garden. The second thing is the house by the river. ' +
  'We want to paint the door in the spring, and somebody has to look after the windows as well.';

/** Notes every block that the worklet delivers, in order, where it outlives the page at once. */
const noteBlocks = `(() => {
  if (typeof AudioWorkletNode === 'undefined') return;
  const Node = AudioWorkletNode;
  const note = (pcm) => {
    const count = Number(localStorage.getItem('test.blocks') ?? 0);
    localStorage.setItem('test.block.' + count, btoa(String.fromCharCode(...new Uint8Array(pcm))));
    localStorage.setItem('test.blocks', count + 1);
  };
  globalThis.AudioWorkletNode = class extends Node {
    constructor(...args) {
      super(...args);
      this.port.addEventListener('message', ({ data }) => {
        if (data === 'flushed') return;
        if (data.before) note(data.before);
        // What was not heard is silence.
        note(data instanceof ArrayBuffer ? data : new ArrayBuffer(Math.round(data.missedMs * 16) * 2));
      });
    }
  };
})()`;

/** A transaction that does not end while the page is there: everything behind it waits. */
const holdDatabase = `new Promise((resolve) => {
  indexedDB.open('mitschrift-audio').onsuccess = ({ target }) => {
    const blocks = target.result.transaction('blocks', 'readwrite').objectStore('blocks');
    const again = () => void (blocks.count('none').onsuccess = again);
    again();
    resolve();
  };
})`;

const countBlocks = (page: Page) =>
  page.evaluate<number>(`Number(localStorage.getItem('test.blocks') ?? 0)`);

const pausedSeconds = async (page: Page): Promise<number> => {
  const said = await recordingBar(page).getByText('Paused for').textContent();
  return Number(/Paused for (\d+) s/.exec(said ?? '')?.[1]);
};

/** Counts the screen's locks that the page holds. */
const countLocks = `(() => {
  globalThis.awake = 0;
  const { wakeLock } = navigator;
  if (wakeLock === undefined) return;
  const request = wakeLock.request.bind(wakeLock);
  wakeLock.request = async (kind) => {
    const lock = await request(kind);
    globalThis.awake += 1;
    lock.addEventListener('release', () => (globalThis.awake -= 1));
    return lock;
  };
})()`;

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
  const browser = await startChromium(t, [
    ...(await microphoneThatSpeaks(t, said)),
    '--auto-select-tab-capture-source-by-title=A talk',
    '--autoplay-policy=no-user-gesture-required',
  ]);
  const session = await service.login();
  const page = await openPage(t, browser, {
    url: `${proxy.url}/account`,
    session,
    permissions: ['microphone', 'screen-wake-lock'],
    expected: /WebSocket|ERR_/,
  });
  const context = page.context();
  await context.addInitScript(recordsAlone);
  await context.addInitScript(noteBlocks);
  await context.addInitScript(countLocks);

  await t.test('over a reload and a lost network', async () => {
    await page.goto(proxy.url);
    await begin(page);
    await moreBlocks(page, 15);
    // Nor is anything lost that the browser’s database has not taken yet when the page goes.
    await page.evaluate(holdDatabase);
    await moreBlocks(page, 7);
    await page.reload();
    // It goes on by itself.
    await recordingBar(page).getByText('Recording', { exact: true }).waitFor();
    await moreBlocks(page, 30);
    await loseNetwork(proxy);
    await page.getByText('still in this browser').waitFor();
    await moreBlocks(page, 10);
    proxy.lead(service.url);
    await page.getByText('Everything recorded so far is saved.').waitFor();
    await untilHolds(page, 'globalThis.awake === 1');
    await moreBlocks(page, 60);
    await recordingBar(page).getByRole('button', { name: 'Stop' }).click();
    await untilIdle(page);
    await untilHolds(page, 'globalThis.awake === 0');
    const { text } = await sameOnDisk(service, session.token, await delivered(page));
    // After the reload the microphone begins to speak again; the word that it ended is heard as one with the first of these.
    const last = text.split(' ').slice(-said.split(' ').length).join(' ');
    assert.ok(wordErrorRate(said, last) < 0.35, text);
  });

  await t.test('paused and gone on with, then stopped while the network is away', async () => {
    await begin(page);
    await moreBlocks(page, 10);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await recordingBar(page).getByText('Paused for').waitFor();
    await checkLook(page, 'bar-paused');
    const paused = await countBlocks(page);
    // Takes as long as several blocks.
    await accessibilityFaults(page);
    assert.equal(await countBlocks(page), paused, 'what is said in a pause is not recorded');
    const before = await pausedSeconds(page);
    await page.reload();
    await recordingBar(page).getByText('Paused for').waitFor();
    await accessibilityFaults(page);
    assert.ok(
      (await pausedSeconds(page)) >= before,
      'the pause goes on in the page that is opened again',
    );
    assert.equal(await countBlocks(page), paused, 'nor does the page that is opened again record');
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    await recordingBar(page).getByText('Recording', { exact: true }).waitFor();
    await moreBlocks(page, 10);

    // A pause that the service has not heard of before the reload is told after it; somebody resumes elsewhere.
    const api = apiOf(service.url, session.token);
    type Running = { recordings: { recording_id: string; paused: boolean }[] };
    const running = async () => (await api.get<Running>('/status')).recordings[0];
    await page.route('**/pause', (route) => route.abort());
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await recordingBar(page).getByText('Paused for').waitFor();
    assert.equal((await running())?.paused, false);
    await page.unroute('**/pause');
    const frames: string[] = [];
    page.once('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => frames.push(String(payload))),
    );
    await page.reload();
    await eventually('the service hears of it', async () => (await running())?.paused === true);
    await recordingBar(page).getByText('Paused for').waitFor();
    const { recording_id: id } = (await running())!;
    await api.post(`/recordings/${id}/resume`, {});
    await recordingBar(page).getByText('Recording', { exact: true }).waitFor();
    await moreBlocks(page, 10);

    // Also where the service answers the page after it has told of both.
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/pause', async (route) => {
      const response = await route.fetch();
      await answered;
      await route.fulfill({ response });
    });
    frames.length = 0;
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await recordingBar(page).getByText('Paused for').waitFor();
    const toldOf = async (paused: boolean) =>
      await eventually(`the page is told that it is paused: ${paused}`, () =>
        frames.some((frame) => frame.includes(`"paused":${paused}`)),
      );
    await toldOf(true);
    frames.length = 0;
    await api.post(`/recordings/${id}/resume`, {});
    await toldOf(false);
    answer();
    await recordingBar(page).getByText('Recording', { exact: true }).waitFor();
    await page.unroute('**/pause');
    await moreBlocks(page, 10);

    await loseNetwork(proxy);
    await moreBlocks(page, 20);
    await recordingBar(page).getByRole('button', { name: 'Stop' }).click();
    await recordingBar(page).getByText('left to send').waitFor();
    proxy.lead(service.url);
    await sameOnDisk(service, session.token, await delivered(page));
  });

  await t.test('the sound of another tab', async () => {
    const other = await openAgain(context, `${service.url}/login`);
    await other.evaluate(`(() => {
      document.title = 'A talk';
      const sound = new AudioContext();
      const tone = new OscillatorNode(sound);
      tone.connect(sound.destination);
      tone.start();
    })()`);
    await page.bringToFront();
    await begin(page, 'A browser tab');
    await page.getByRole('meter').and(page.locator(':not([aria-valuetext=silent])')).waitFor();
    await moreBlocks(page, 10);
    await recordingBar(page).getByRole('button', { name: 'Stop' }).click();
    await untilIdle(page);
    const { loudest } = await sameOnDisk(service, session.token, await delivered(page));
    assert.ok(loudest > 1000, `the loudest sample is ${loudest}`);
    await other.close();
  });

  await t.test(
    'the microphone and a tab’s sound, a channel each; then the tab’s is over',
    async () => {
      // With a fake microphone Chromium shares no other tab's sound: what it would give is made here.
      await page.evaluate(`(() => {
      navigator.mediaDevices.getDisplayMedia = async () => {
        const sound = new AudioContext();
        const into = sound.createMediaStreamDestination();
        const tone = new OscillatorNode(sound, { frequency: ${toneHertz} });
        const quieter = new GainNode(sound, { gain: 0.2 });
        tone.connect(quieter).connect(into);
        tone.start();
        const [track] = into.stream.getAudioTracks();
        globalThis.endTab = () => (track.stop(), track.dispatchEvent(new Event('ended')));
        const picture = document.createElement('canvas').captureStream();
        return new MediaStream([track, ...picture.getVideoTracks()]);
      };
    })()`);
      await begin(page, 'Microphone and a browser tab');
      // Each has a level of its own on the note's page.
      const levelOf = (name: string, how: string) =>
        page.locator(`[role=meter][aria-label="${name}"][aria-valuetext="${how}"]`).waitFor();
      await levelOf('Browser tab', 'good');
      await page.getByRole('meter', { name: 'Microphone', exact: true }).waitFor();
      await checkLook(page, 'talk-two-levels');
      await moreBlocks(page, 30);
      await page.evaluate('endTab()');
      await page.getByText('The tab is no longer shared').waitFor();
      await levelOf('Browser tab', 'silent');
      await moreBlocks(page, 10);
      await recordingBar(page).getByRole('button', { name: 'Stop' }).click();
      await untilIdle(page);
      const pcm = await delivered(page);
      await sameOnDisk(service, session.token, pcm);
      const [own, tab] = [loudnessOf(channelOf(pcm, 0)), loudnessOf(channelOf(pcm, 1))];
      const loud = own.filter(({ rest }) => rest > 300);
      assert.ok(loud.length > 5, JSON.stringify(own));
      assert.ok(
        own.every(({ tone }) => tone < 1000),
        JSON.stringify(own),
      );
      const toned = tab.filter(({ tone, rest }) => tone > 1000 && rest < 300);
      assert.ok(toned.length > 5, JSON.stringify(tab));
      assert.ok(
        tab.slice(-5).every(({ tone, rest }) => tone < 300 && rest < 300),
        JSON.stringify(tab.slice(-5)),
      );
      await page.reload();
    },
  );

  await t.test('in a tab that was closed', async () => {
    await begin(page);
    await moreBlocks(page, 10);
    await loseNetwork(proxy);
    await moreBlocks(page, 20);
    await page.close();
    proxy.lead(service.url);
    const next = await openAgain(context, proxy.url);
    await next.getByText('Recording interrupted').waitFor();
    await recordingBar(next).getByRole('button', { name: 'Stop' }).click();
    await sameOnDisk(service, session.token, await delivered(next));
    await eventually('nothing is kept that has arrived', async () => (await heldIn(next)) === 0);
    await next.close();
  });

  await t.test('in a tab that comes back after its recording was ended without it', async () => {
    const first = await openAgain(context, proxy.url);
    await begin(first);
    await moreBlocks(first, 20);
    await loseNetwork(proxy);
    await moreBlocks(first, 20);
    await first.close();
    const early = await endElsewhere(service, session.token);
    proxy.lead(service.url);
    const next = await openAgain(context, proxy.url);
    const api = apiOf(service.url, session.token);
    type Note = { version: number; state: string; notes: { code: string; text: string }[] };
    const note = () => api.get<Note>(`/recordings/${early.id}`);
    await eventually('there is a version with the rest', async () => {
      const { version, state } = await note();
      return version === 2 && state === 'idle.saved';
    });
    const pcm = await delivered(next);
    await sameOnDisk(service, session.token, pcm);
    assert.ok(early.samples * 2 < pcm.length, 'something came late');
    assert.ok((await note()).notes.some(({ code }) => code === 'audio-added'));
    await eventually('nothing is kept that has arrived', async () => (await heldIn(next)) === 0);
    // It is no recording that could go on.
    await untilIdle(next);
    await next.goto(`${proxy.url}/notes/${early.id}`);
    await next.getByText('arrived from the browser only after it had ended').waitFor();
  });
});

/** What a tab plays, and samples a second and in a block. */
const [toneHertz, rate, blockSamples] = [3000, 16_000, 1600];

/** Of two channels in turn the samples of one. */
function channelOf(pcm: Buffer, channel: 0 | 1): Buffer {
  const alone = Buffer.alloc(Math.floor(pcm.length / 4) * 2);
  for (let at = 0; at < alone.length; at += 2)
    alone.writeInt16LE(pcm.readInt16LE(at * 2 + channel * 2), at);
  return alone;
}

/** Of each block the amplitude of the tab's tone (Goertzel) and of all else, in steps of 16 bit. */
function loudnessOf(pcm: Buffer): { tone: number; rest: number }[] {
  const blocks: { tone: number; rest: number }[] = [];
  for (let from = 0; from + blockSamples * 2 <= pcm.length; from += blockSamples * 2) {
    let [cosine, sine, power] = [0, 0, 0];
    for (let n = 0; n < blockSamples; n += 1) {
      const sample = pcm.readInt16LE(from + n * 2);
      const angle = (2 * Math.PI * toneHertz * n) / rate;
      cosine += sample * Math.cos(angle);
      sine += sample * Math.sin(angle);
      power += sample ** 2;
    }
    const tone = (2 * Math.hypot(cosine, sine)) / blockSamples;
    const rest = Math.sqrt(Math.max(0, (2 * power) / blockSamples - tone ** 2));
    blocks.push({ tone: Math.round(tone), rest: Math.round(rest) });
  }
  return blocks;
}

async function begin(page: Page, source?: string): Promise<void> {
  await record(page, source);
  // The service has begun one, and the page knows which.
  await eventually('the service has begun it', async () =>
    page.evaluate<boolean>(`new Promise((resolve) => {
      indexedDB.open('mitschrift-audio').onsuccess = ({ target }) => {
        target.result.transaction('recordings').objectStore('recordings').getAll().onsuccess =
          ({ target: { result } }) => resolve(result.some(({ recordingId }) => recordingId !== null));
      };
    })`),
  );
}

/** Nothing answers any more, and what is open breaks. */
async function loseNetwork(proxy: TcpProxy): Promise<void> {
  proxy.lead('http://127.0.0.1:9');
  proxy.cut();
}

async function openAgain(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

/** Another connection of the user takes over what is recorded, and ends it with what the service has. */
async function endElsewhere(
  service: WebService,
  token: string,
): Promise<{ id: string; samples: number }> {
  const { recording } = await apiOf(service.url, token).get<{
    recording: { recording_id: string };
  }>('/status');
  const client = browserClient({
    url: () => service.url,
    token,
    pcm: Buffer.alloc(0),
    rate: 16_000,
    frameSamples: 1600,
    recordingId: recording.recording_id,
  });
  const { samples } = await client.stop();
  return { id: recording.recording_id, samples: samples! };
}

/** Blocks in the browser's IndexedDB. */
const heldIn = (page: Page) =>
  page.evaluate<number>(`new Promise((resolve) => {
    indexedDB.open('mitschrift-audio').onsuccess = ({ target }) => {
      target.result.transaction('blocks').objectStore('blocks').count().onsuccess =
        ({ target: { result } }) => resolve(result);
    };
  })`);

const checked = new Set<string>();

/** The newest recording is one that was not seen yet, and its audio is just these samples. @returns what it says */
async function sameOnDisk(
  service: WebService,
  token: string,
  pcm: Buffer,
): Promise<{ text: string; loudest: number }> {
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
  const folder = join(service.dataDir, 'recordings', id);
  const [name, ...more] = (await readdir(folder)).filter((file) => file.startsWith('audio'));
  assert.deepEqual(more, [], 'one file');
  const onDisk = (await readFile(join(folder, name!))).subarray(44);
  assert.equal(onDisk.length, pcm.length, 'samples, twice their bytes');
  assert.ok(onDisk.equals(pcm), 'in the same order');
  const { utterances } = await api.get<{ utterances: { text: string }[] }>(`/recordings/${id}`);
  const samples = Array.from({ length: pcm.length / 2 }, (_, at) =>
    Math.abs(pcm.readInt16LE(2 * at)),
  );
  return {
    text: utterances.map(({ text }) => text).join(' '),
    loudest: samples.reduce((a, b) => Math.max(a, b), 0),
  };
}
