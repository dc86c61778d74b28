import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { limits } from '../../src/http/limits.ts';
import type { StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { eventually } from '../support/eventually.ts';
import { type Frame, connect, withAda } from '../support/http-client.ts';
import { runningRecording } from '../support/running-recording.ts';

/** As many as the service takes from one address, so that this tests another limit. */
const perAddress = 200;

test(`${limits.linkListenersMax} listen by links, who all get each caption once and in order`, async (t) => {
  const says = new EventEmitter();
  const follow: StageActivity = async (job) => {
    await job.acquireSlot({ name: 'follow', concurrency: 8 });
    for (let index = 0; ; index += 1) {
      const [text] = (await once(says, 'say', { signal: job.signal })) as [string];
      const [start, end] = [index, index + 1];
      const stretches: [number, number][] = [[start, end]];
      await job.append({ type: 'speech.followed', data: { detector: 'scripted', stretches } });
      await job.append({
        type: 'utterance.recognised',
        data: { index, start, end, words: 2, language: 'en' },
        content: { segments: [{ start, end, text, words: [] }] },
      });
    }
  };
  const { service } = await withAda(t, { stages: { follow } });
  const token = await service.addUser('owen');
  const id = await runningRecording(service, token);
  await eventually('followed', () => says.listenerCount('say') > 0);
  const owner = connect(service.url, token);
  t.after(() => owner.close());
  await owner.until(({ type }) => type === 'position');

  const tickets: string[] = [];
  const links = Math.ceil(limits.linkListenersMax / limits.listenersPerLinkMax);
  for (let n = 0; n < links; n += 1) {
    const json = { name: `Hall ${n}`, live: true };
    const path = `/recordings/${id}/links`;
    const { url } = (await service.call<{ url: string }>('POST', path, { token, json })).body;
    const asked = { json: { token: new URL(url).hash.slice(1) } };
    tickets.push((await service.call<{ ticket: string }>('POST', '/shared', asked)).body.ticket);
  }
  const open = (n: number) => {
    const ticket = tickets[Math.floor(n / limits.listenersPerLinkMax)] ?? tickets.at(-1);
    const localAddress = `127.0.1.${1 + Math.floor(n / perAddress)}`;
    const address = `${service.url.replace('http', 'ws')}/ws?ticket=${ticket}`;
    const socket = new WebSocket(address, { localAddress });
    const heard: { text: string; at: number }[] = [];
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as Frame;
      if (frame.type === 'utterance')
        heard.push({ text: String(frame['text']), at: performance.now() });
    });
    return { socket, heard };
  };
  const all = Array.from({ length: limits.linkListenersMax }, (_, n) => open(n));
  t.after(() => all.forEach(({ socket }) => socket.terminate()));
  await Promise.all(all.map(async ({ socket }) => await once(socket, 'message')));
  const more = open(limits.linkListenersMax);
  more.socket.on('error', () => {});
  const [, refused] = (await once(more.socket, 'unexpected-response')) as [
    unknown,
    { statusCode: number },
  ];
  assert.equal(refused.statusCode, 429);

  const lines = ['Zebras are welcome.', 'The lift works.', 'Tea is at four.'];
  let latest = 0;
  for (const line of lines) {
    says.emit('say', line);
    await owner.until((frame) => frame.type === 'utterance' && frame['text'] === line);
    const seen = performance.now();
    await eventually('all heard it', () => all.every(({ heard }) => heard.at(-1)?.text === line));
    latest = Math.max(latest, ...all.map(({ heard }) => heard.at(-1)!.at - seen));
  }
  for (const { heard } of all)
    assert.deepEqual(
      heard.map(({ text }) => text),
      lines,
    );
  t.diagnostic(`the last of ${all.length} had it ${Math.round(latest)} ms after the owner`);
});
