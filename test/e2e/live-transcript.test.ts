import assert from 'node:assert/strict';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { browserClient } from '../support/browser-client.ts';
import { wordErrorRate } from '../support/espeak.ts';
import { eventually } from '../support/eventually.ts';
import { settled } from '../support/first-document.ts';
import { modelsDir } from '../support/models.ts';
import { apiOf, setUp, startServiceProcess, uploadForm } from '../support/service-process.ts';
import { spokenRate, spokenSentences } from '../support/spoken-sentences.ts';
import { tempDir } from '../support/temp-dir.ts';

type Detail = {
  status: string;
  utterances: { index: number; text: string; words: object[] }[];
};
type Frame = { type: string; recording_id: string; index: number; text: string; final: boolean };

test('what is said is there while it is recorded, also after a kill, and is what the documents are made of', async (t) => {
  const dataDir = await tempDir(t);
  await mkdir(join(dataDir, 'models'));
  await cp(join(modelsDir, 'espeak-en'), join(dataDir, 'models', 'espeak-en'), { recursive: true });
  const { pcm, wav } = await spokenSentences(dataDir, 10);
  const samples = pcm.length / 2;
  const start = () => startServiceProcess(dataDir, { MITSCHRIFT_UI_LANGUAGE: 'en' });
  let service = await start();
  t.after(() => service.end('SIGKILL'));
  const token = await setUp(service.url);
  const detailOf = (id: string) => apiOf(service.url, token).get<Detail>(`/recordings/${id}`);
  const rate = spokenRate;
  const browser = browserClient({ url: () => service.url, token, pcm, rate, frameSamples: 2205 });
  t.after(() => browser.vanish());

  await browser.sendTo(Math.floor(samples / 2));
  const id = browser.recordingId()!;
  const before = await eventually('words are there while it is recorded', async () => {
    const detail = await detailOf(id);
    assert.equal(detail.status, 'RECORDING');
    return detail.utterances.length > 0 && detail;
  });
  assert.match(before.utterances[0]!.text, /weekly planning meeting/u);

  await service.end('SIGKILL');
  service = await start();
  const frames: Frame[] = [];
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/ws?token=${token}`);
  t.after(() => socket.terminate());
  socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString()) as Frame;
    if (frame.type === 'utterance') frames.push(frame);
  });
  await browser.sendTo(samples);
  await eventually('it goes on after the kill', () => frames.length > 0);
  // It went on behind what was there, and said nothing twice.
  assert.ok(frames[0]!.index >= before.utterances.length && frames[0]!.final);
  assert.deepEqual(
    frames.map(({ index }) => index),
    [...frames.keys()].map((at) => frames[0]!.index + at),
  );
  await browser.stop();
  const live = await finished(id);
  assert.ok(
    before.utterances.every(({ text }) => live.includes(text.slice(0, 20))),
    `${live}\n${JSON.stringify(before.utterances)}`,
  );

  const form = uploadForm(wav, { kind: 'solo' });
  const upload = await apiOf(service.url, token).post<{ recording_id: string }>(
    '/recordings',
    form,
  );
  const batch = await finished(upload.recording_id);
  const difference = wordErrorRate(batch, live);
  // A word in fifty: the small model mishears one when a stretch begins elsewhere.
  assert.ok(difference <= 0.04, `${difference}\n${batch}\n${live}`);

  // A further run asks the engine for everything again.
  const path = `/recordings/${id}`;
  await apiOf(service.url, token).post(`${path}/reprocess`, { from: 'speech-to-text' });
  const again = await finished(id);
  assert.ok(wordErrorRate(batch, again) <= 0.04, again);
  type Events = { events: { type: string; run?: number; data: { live?: object } }[] };
  const { events } = await apiOf(service.url, token).get<Events>(`${path}/events`);
  const plans = events.filter(({ type }) => type === 'speech.detected');
  assert.deepEqual(
    plans.map(({ data }) => data.live !== undefined),
    [true, false],
  );
  assert.ok(events.some(({ type, run }) => type === 'utterance.recognised' && run === 2));

  async function finished(recordingId: string): Promise<string> {
    const { utterances } = await settled(service.url, token, recordingId);
    return utterances.map(({ text }) => text).join(' ');
  }
});
