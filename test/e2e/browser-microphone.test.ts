import assert from 'node:assert/strict';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { browserClient } from '../support/browser-client.ts';
import { speak, wordErrorRate } from '../support/espeak.ts';
import { settled } from '../support/first-document.ts';
import { modelsDir } from '../support/models.ts';
import { seed, seeded } from '../support/seeded.ts';
import { apiOf, setUp, startServiceProcess } from '../support/service-process.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { tempDir } from '../support/temp-dir.ts';

const said =
  'good morning everyone and welcome to the weekly planning meeting ' +
  'the server was down for twenty minutes last night';
/** espeak-ng speaks at this rate. */
const rate = 22_050;
const errorRateMax = 0.3;

test('a browser whose network is cut and whose service is killed loses and doubles no sample', async (t) => {
  const dataDir = await tempDir(t);
  await mkdir(join(dataDir, 'models'));
  await cp(join(modelsDir, 'espeak-en'), join(dataDir, 'models', 'espeak-en'), { recursive: true });
  const spoken = join(dataDir, 'spoken.wav');
  await speak(said, spoken);
  const pcm = (await readFile(spoken)).subarray(44);
  const samples = pcm.length / 2;

  // All of it is recognised after the stop: what is recognised meanwhile, live-transcript.test.ts shows.
  const env = { MITSCHRIFT_UI_LANGUAGE: 'en', MITSCHRIFT_STT_LIVE: 'after-the-stop' };
  let service = await startServiceProcess(dataDir, env);
  t.after(() => service.end('SIGKILL'));
  const token = await setUp(service.url);
  const network = await tcpProxy(t, service.url);
  const browser = browserClient({ url: () => network.url, token, pcm, rate, frameSamples: 2205 });
  t.after(() => browser.vanish());

  // Three cuts and two kills, each somewhere in the next sixth, also within a frame.
  const random = seeded(seed);
  for (let sixth = 1; sixth <= 5; sixth += 1) {
    const to = Math.floor((samples * sixth) / 6);
    const bytes = random.below(Math.floor(samples / 6) * 2);
    if (sixth % 2 === 1) {
      const cut = network.cutAfter(bytes);
      await Promise.all([cut, browser.sendTo(to)]);
      continue;
    }
    const killed = network.cutAfter(bytes).then(async () => {
      await service.end('SIGKILL');
      service = await startServiceProcess(dataDir, env);
      network.lead(service.url);
    });
    await Promise.all([killed, browser.sendTo(to)]);
  }
  await browser.sendTo(samples);
  assert.ok(browser.connections() >= 6, String(browser.connections()));
  const id = browser.recordingId()!;
  const file = join(dataDir, 'recordings', id, 'audio.wav');
  assert.ok((await readFile(file)).subarray(44).equals(pcm), `seed ${seed}`);

  // What was acknowledged is there whatever happens now.
  await service.end('SIGKILL');
  assert.ok((await readFile(file)).subarray(44).equals(pcm), `seed ${seed}`);
  service = await startServiceProcess(dataDir, env);
  network.lead(service.url);
  const ended = await browser.stop();
  assert.deepEqual([ended['reason'], ended.samples], ['stopped', samples]);

  const api = apiOf(service.url, token);
  const detail = await settled(service.url, token, id);
  assert.ok(Math.abs(detail.duration - samples / rate) < 0.01, String(detail.duration));
  const heard = detail.utterances.map(({ text }) => text).join(' ');
  const errors = wordErrorRate(said, heard);
  assert.ok(errors <= errorRateMax, `${errors}: ${heard}`);
  const { events } = await api.get<{ events: { type: string; data: { stage?: string } }[] }>(
    `/recordings/${id}/events`,
  );
  assert.ok(events.some(({ type }) => type === 'speech.detected'));
  assert.ok(
    !events.some(({ type, data }) => type === 'speech.followed' || data.stage === 'follow'),
  );
});
