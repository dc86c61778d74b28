import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { OpenRecordingService } from '../../src/recordings/service.ts';
import { inChannels } from '../../src/capture/browser/in-channels.ts';
import { browserClient } from '../support/browser-client.ts';
import { connect, withAda } from '../support/http-client.ts';
import { seed, seeded } from '../support/seeded.ts';
import { setUp, startServiceProcess, apiOf } from '../support/service-process.ts';
import { eventually } from '../support/eventually.ts';
import { tempDir } from '../support/temp-dir.ts';

const rate = 16_000;
const frameSamples = 800;

type Recording = {
  status: string;
  version: number;
  duration: number;
  notes: { code: string; params?: unknown; text: string }[];
};
type Fact = { type: string; data: Record<string, unknown> };

test('what a browser still holds of a recording that has ended is added, and recognised with the rest', async (t) => {
  const { service, token, pcm, id, browser } = await ended(t, 2 * rate, rate);
  const folder = join(service.dataDir, 'recordings', id);
  const recording = async () =>
    (await service.call<Recording>('GET', `/recordings/${id}`, { token })).body;
  assert.deepEqual([(await recording()).version, (await recording()).notes], [1, []]);

  // Whoever else comes is refused, and so is another rate; nothing of it stays.
  const start = { type: 'audio.start', kind: 'solo', sample_rate: rate, recording_id: id };
  const refusal = async (who: string, message: object) => {
    const client = connect(service.url, who);
    t.after(() => client.close());
    await client.until(({ type }) => type === 'status');
    client.socket.send(JSON.stringify(message));
    return (await client.until(({ type }) => type === 'warning'))['code'];
  };
  assert.equal(await refusal(await service.addUser('ben'), start), 'not-found');
  assert.equal(await refusal(token, { ...start, sample_rate: 48_000 }), 'rate-differs');
  const imported = await service.settled(token);
  const other = { ...start, recording_id: imported };
  assert.equal(await refusal(token, other), 'not-recording');

  // Who was away when it was stopped hears that then, and is to record no more.
  const away = connect(service.url, token);
  await away.until(({ type }) => type === 'status');
  away.socket.send(JSON.stringify(start));
  const { samples, stopped } = await away.until(({ type }) => type === 'audio.ready');
  assert.deepEqual([samples, stopped], [rate, true]);
  away.close();

  // It goes on where it was acknowledged, also when its connection is lost in between.
  const first = browser(id);
  await first.sendTo(rate * 1.5);
  first.vanish();
  const late = browser(id);
  await late.sendTo(2 * rate);
  const last = await late.stop();
  assert.deepEqual([last['reason'], last.samples], ['stopped', 2 * rate]);
  await service.reaches(id, 'idle.saved');
  const { version, duration, notes, status } = await recording();
  assert.deepEqual([status, version, duration], ['IDLE', 2, 2]);
  assert.deepEqual(
    notes.map(({ code, params }) => [code, params]),
    [['audio-added', { length: 1 }]],
  );

  const { events } = (
    await service.call<{ events: Fact[] }>('GET', `/recordings/${id}/events`, { token })
  ).body;
  const [extended, ...more] = events.filter(({ type }) => type === 'audio.extended');
  assert.deepEqual(more, []);
  const path = String(extended!.data['path']);
  const file = await readFile(join(folder, path));
  assert.deepEqual(file.subarray(44), pcm);
  assert.equal(extended!.data['sha256'], createHash('sha256').update(file).digest('hex'));
  assert.equal(extended!.data['before'], 1);
  const audio = await service.call<string>('GET', `/recordings/${id}/audio`, { token });
  assert.equal(audio.headers.get('content-length'), String(file.length));
  await eventually('there is one file, and nothing beside it', async () => {
    const kept = (await readdir(folder)).filter((name) => /^audio|^late/.test(name));
    return kept.length === 1 && kept[0] === path;
  });
  const exported = `/recordings/${id}/export?format=md`;
  const transcript = await service.call<string>('GET', exported, { token });
  assert.match(transcript.body, /\S/);

  // A browser that comes back with nothing changes nothing.
  assert.equal((await browser(id).stop()).samples, 2 * rate);
  assert.equal((await recording()).version, 2);
});

test('who comes back while its recording is being finished asks again, and is then taken', async (t) => {
  const { service, token } = await withAda(t, { stages: { capture: undefined } });
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => (release = resolve));
  let ask = () => {};
  const isAsked = new Promise<void>((resolve) => (ask = resolve));
  const append = service.store.append.bind(service.store);
  t.mock.method(service.store, 'append', async (...of: Parameters<typeof append>) => {
    if (of[1][0]?.type !== 'audio.captured') return await append(...of);
    ask();
    await isReleased;
    return await append(...of);
  });
  const said = async (more: object) => {
    const client = connect(service.url, token);
    t.after(() => client.close());
    await client.until(({ type }) => type === 'status');
    const start = { type: 'audio.start', kind: 'solo', sample_rate: rate, ...more };
    client.socket.send(JSON.stringify(start));
    const isAnswer = (type: string) => type === 'audio.ready' || type === 'warning';
    return { client, answer: await client.until(({ type }) => isAnswer(type)) };
  };
  const { client, answer } = await said({});
  const id = String(answer['recording_id']);
  client.socket.send(randomBytes(2 * rate));
  await client.until(({ type, samples }) => type === 'audio.ack' && samples === rate);
  const stopped = service.call('POST', `/recordings/${id}/stop`, { token });
  await isAsked;
  const early = await said({ recording_id: id });
  release();
  assert.equal(early.answer['code'], 'recorded-elsewhere');
  assert.equal((await stopped).status, 200);
  await service.reaches(id, 'idle.saved');
  const late = await said({ recording_id: id });
  assert.deepEqual([late.answer.type, late.answer['samples']], ['audio.ready', rate]);
});

test('a service closes whole although the disk takes no more of late audio', async (t) => {
  const { service, token } = await withAda(t, { stages: { capture: undefined } });
  const start = { type: 'audio.start', kind: 'solo', sample_rate: rate };
  const sent = async (more: object, upTo: number) => {
    const client = connect(service.url, token);
    await client.until(({ type }) => type === 'status');
    client.socket.send(JSON.stringify({ ...start, ...more }));
    const { recording_id: id } = await client.until(({ type }) => type === 'audio.ready');
    client.socket.send(randomBytes(2 * rate));
    await client.until(({ type, samples }) => type === 'audio.ack' && samples === upTo);
    return String(id);
  };
  const id = await sent({}, rate);
  await service.call('POST', `/recordings/${id}/stop`, { token });
  await service.reaches(id, 'idle.saved');
  await sent({ recording_id: id }, 2 * rate);
  const file = await open(import.meta.filename);
  t.mock.method(Object.getPrototypeOf(file) as FileHandle, 'datasync', async () => {
    throw Object.assign(new Error('i/o error'), { code: 'EIO' });
  });
  await file.close();
  await service.close();
  assert.ok(
    service.logged.some((line) => line.includes('late audio from a browser could not be closed')),
  );
});

test('what comes late has the channels of what there is', async (t) => {
  const { service, token, pcm, id, browser } = await ended(t, 2 * rate, rate, 'solo', 2);
  const late = browser(id);
  await late.sendTo(2 * rate);
  assert.equal((await late.stop()).samples, 2 * rate);
  await service.reaches(id, 'idle.saved');
  const of = `/recordings/${id}/events`;
  const { events } = (await service.call<{ events: Fact[] }>('GET', of, { token })).body;
  const { data } = events.find(({ type }) => type === 'audio.extended')!;
  assert.deepEqual([data['split'], data['before'], data['duration']], [true, 1, 2]);
  const folder = join(service.dataDir, 'recordings', id);
  const file = await readFile(join(folder, String(data['path'])));
  assert.deepEqual([file.readUInt16LE(22), file.subarray(44)], [2, pcm]);
});

test('a sender of one channel adds to a recording of two what is its microphone', async (t) => {
  const { service, token, pcm, id } = await ended(t, 2 * rate, rate, 'solo', 2);
  const sent = randomBytes(2 * rate * 2);
  const late = browserClient({
    url: () => service.url,
    token,
    pcm: sent,
    rate,
    frameSamples,
    recordingId: id,
  });
  await late.sendTo(2 * rate);
  assert.equal((await late.stop()).samples, 2 * rate);
  await service.reaches(id, 'idle.saved');
  const of = `/recordings/${id}/events`;
  const { events } = (await service.call<{ events: Fact[] }>('GET', of, { token })).body;
  const { data } = events.find(({ type }) => type === 'audio.extended')!;
  assert.deepEqual([data['before'], data['duration']], [1, 2]);
  const file = await readFile(join(service.dataDir, 'recordings', id, String(data['path'])));
  const added = inChannels(sent.subarray(rate * 2), 1, 2);
  assert.ok(file.subarray(44).equals(Buffer.concat([pcm.subarray(0, rate * 4), added])));
});

test('a meeting that waits for its names, and one that is worked on, take what comes late and begin again', async (t) => {
  const { service, token, id, browser } = await ended(t, 3 * rate, rate, 'meeting');
  const late = browser(id);
  await late.sendTo(2 * rate);
  service.engines.hold('transcribe');
  await late.stop();
  await service.reaches(id, 'transcribing.recognising');
  const again = browser(id);
  await again.sendTo(3 * rate);
  assert.equal((await again.stop()).samples, 3 * rate);
  service.engines.release('transcribe');
  await service.reaches(id, 'awaiting-speakers');
  const { events } = (
    await service.call<{ events: Fact[] }>('GET', `/recordings/${id}/events`, { token })
  ).body;
  assert.deepEqual(
    events
      .filter(({ type }) => type === 'audio.extended')
      // Where several nodes keep, names have a part that is no other's.
      .map(({ data }) => [
        String(data['path']).replace(/-[0-9a-f]{16}(?=\.)/, ''),
        data['before'],
        data['duration'],
      ]),
    [
      ['audio-2.wav', 1, 2],
      ['audio-3.wav', 2, 3],
    ],
  );
});

test('what late audio replaces stays as long as a backup copies files, and goes then', async (t) => {
  const { service, id, browser } = await ended(t, 2 * rate, rate);
  const folder = join(service.dataDir, 'recordings', id);
  const { whileFilesStay } = service.recordingService as OpenRecordingService;
  await whileFilesStay(async () => {
    const late = browser(id);
    await late.sendTo(2 * rate);
    await late.stop();
    await service.reaches(id, 'idle.saved');
    const names = await readdir(folder);
    assert.ok(names.includes('audio.wav'), 'facts copied before name it');
    assert.equal(names.filter((name) => name.startsWith('audio')).length, 2);
  });
  await eventually('it is gone', async () => !(await readdir(folder)).includes('audio.wav'));
});

test('killed at any moment, what was acknowledged late is in the audio, in order, once', async (t) => {
  const random = seeded(seed);
  const dataDir = await tempDir(t);
  const env = { MITSCHRIFT_DATA: dataDir };
  let service = await startServiceProcess(dataDir, env);
  t.after(() => service.end('SIGKILL'));
  const token = await setUp(service.url, { username: 'ada' });
  const pcm = randomBytes(2 * 4 * rate);
  const open = (recordingId?: string) =>
    browserClient({
      url: () => service.url,
      token,
      pcm,
      rate,
      frameSamples,
      ...(recordingId === undefined ? {} : { recordingId }),
    });
  const restart = async () => {
    await service.end('SIGKILL');
    service = await startServiceProcess(dataDir, env);
  };
  const first = open();
  await first.sendTo(rate);
  const id = (await first.stop()).recording_id!;
  const late = open(id);
  for (const _kill of [1, 2]) {
    await late.sendTo(2 * rate + random.below(2 * rate));
    await restart();
  }
  await late.sendTo(4 * rate);
  // In the middle of making one file of both, or before, or after.
  const stopped = late.stop();
  await new Promise((resolve) => setTimeout(resolve, random.below(60)));
  await restart();
  await stopped;
  const facts = async () =>
    (await apiOf(service.url, token).get<{ events: Fact[] }>(`/recordings/${id}/events`)).events;
  const extended = await eventually('it is added', async () =>
    (await facts()).findLast(
      ({ type, data }) => type === 'audio.extended' && data['duration'] === 4,
    ),
  );
  const folder = join(dataDir, 'recordings', id);
  const file = await readFile(join(folder, String(extended.data['path'])));
  assert.deepEqual(file.subarray(44), pcm);
  // What it replaced goes with the documents, which need an engine.
  await eventually('nothing late is left beside it', async () =>
    (await readdir(folder)).every((name) => !name.startsWith('late')),
  );
});

/** A service with a browser's recording of so many samples out of more, and its documents. */
async function ended(
  t: TestContext,
  samples: number,
  sent: number,
  kind: 'solo' | 'meeting' = 'solo',
  channels: 1 | 2 = 1,
) {
  const { service, token } = await withAda(t, { stages: { capture: undefined } });
  const pcm = randomBytes(samples * channels * 2);
  const browser = (recordingId?: string) =>
    browserClient({
      url: () => service.url,
      token,
      pcm,
      rate,
      channels,
      frameSamples,
      kind,
      ...(recordingId === undefined ? {} : { recordingId }),
    });
  const first = browser();
  await first.sendTo(sent);
  const id = (await first.stop()).recording_id!;
  await service.reaches(id, kind === 'solo' ? 'idle.saved' : 'awaiting-speakers');
  return { service, token, pcm, id, browser };
}
