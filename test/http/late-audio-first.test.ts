import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { joinRecording } from '../../projections/recording/assembling.ts';
import type { StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { browserClient } from '../support/browser-client.ts';
import { eventually } from '../support/eventually.ts';
import { type ProblemAnswer, connect } from '../support/http-client.ts';
import { rate, spelled } from '../support/spelled-audio.ts';
import { type World, ask, heard, read, spelledWorld } from '../support/spelled-world.ts';

/*
 * Audio that a browser sends after its recording has ended, while people join, cut, shorten and remove: what was
 * acknowledged is in the recording, or stays to be added.
 */

test('while audio still comes the recording is neither joined, cut nor shortened, and says what to do; then it is', async (t) => {
  const { at, id, browser } = await ended(t, [2, 4, 6, 8]);
  const other = await uploaded(at, [1, 3, 5, 7, 1, 3, 5]);
  const late = browser();
  await late.sendTo(4 * rate);
  const asked = [
    ['join', { with: other }],
    ['cut', { at: 1 }],
    ['remove', { from: 0, to: 1 }],
    ['remove', { from: 0, to: 1, for_good: true }],
  ] as const;
  for (const [what, json] of asked) {
    const refused = await refusal(at, `/recordings/${id}/${what}`, json);
    assert.deepEqual([refused.status, refused.body.type], [409, '/problems/not-accepted'], what);
    assert.match(refused.body.detail, /audio .* still coming .* Try again/, what);
    const german = await refusal(at, `/recordings/${id}/${what}`, json, 'de');
    assert.match(german.body.detail, /sendet noch Audio .* Versuchen Sie es erneut/, what);
  }
  assert.equal((await late.stop())['reason'], 'stopped');
  await at.service.reaches(id, 'idle.saved');
  assert.deepEqual(await heard(at.service, at.token, id), [2, 4, 6, 8]);
  await ask(at, 'POST', `/recordings/${id}/join`, { with: other });
  await at.service.reaches(id, 'idle.saved');
  assert.deepEqual(await heard(at.service, at.token, id), [2, 4, 6, 8, 1, 3, 5, 7, 1, 3, 5]);
});

test('the recording that a join brings in may still get audio; it keeps that', async (t) => {
  const { at, id, browser } = await ended(t, [2, 4, 6, 8]);
  const other = await uploaded(at, [1, 3, 5]);
  const late = browser();
  await late.sendTo(4 * rate);
  await ask(at, 'POST', `/recordings/${other}/join`, { with: id });
  await late.stop();
  await at.service.reaches(id, 'idle.saved');
  assert.deepEqual(await heard(at.service, at.token, id), [2, 4, 6, 8]);
});

test('what would be counted in other audio is not taken, so that its browser keeps it', async (t) => {
  const { at, id, start } = await ended(t, [2, 4, 6, 8]);
  const other = await uploaded(at, [1, 3, 5, 7, 1]);
  await ask(at, 'POST', `/recordings/${id}/join`, { with: other });
  await at.service.reaches(id, 'idle.saved');
  const refused = await start();
  assert.deepEqual([refused['type'], refused['code']], ['warning', 'not-recording']);
  assert.match(refused['detail'] as string, /joined or cut .* Upload it/);
  // Nothing came of it that would have to be waited for.
  await ask(at, 'POST', `/recordings/${id}/cut`, { at: 2 });
  await at.service.reaches(id, 'idle.saved');
  assert.deepEqual(await heard(at.service, at.token, id), [2, 4]);
  assert.equal((await start())['code'], 'not-recording');
});

test('behind a passage that was removed it is added, as that is silence', async (t) => {
  const { at, id, browser } = await ended(t, [2, 4, 6, 8]);
  await ask(at, 'POST', `/recordings/${id}/remove`, { from: 0, to: 1 });
  await at.service.reaches(id, 'idle.saved');
  const late = browser();
  await late.sendTo(4 * rate);
  await late.stop();
  await at.service.reaches(id, 'idle.saved');
  assert.deepEqual(await heard(at.service, at.token, id), [0, 4, 6, 8]);
});

test('while the audio is being made another nothing is taken: the browser comes back', async (t) => {
  const assemble: StageActivity = async ({ signal }) => void (await once(signal, 'abort'));
  const { at, id, start } = await ended(t, [2, 4, 6, 8], { assemble });
  const other = await uploaded(at, [1, 3, 5]);
  const { recordingService } = at.service;
  const { recording } = await recordingService.read(other);
  const by = (await at.service.call<{ owner: string }>('GET', `/recordings/${id}`, at)).body.owner;
  await recordingService.decide(id, { by, command: 'join' }, joinRecording(recording));
  assert.equal((await start())['code'], 'recorded-elsewhere');
});

test('what cannot be added stays: nothing that was acknowledged goes before its recording is erased', async (t) => {
  const { at, id, browser, start } = await ended(t, [2, 4, 6, 8]);
  const other = await uploaded(at, [1, 3, 5, 7, 1, 3, 5]);
  const late = browser();
  await late.sendTo(4 * rate);
  late.vanish();
  const { client } = await comeBack(t, at, id);
  // As a process of an earlier release does, which asks nobody.
  const { recordingService } = at.service;
  const { recording } = await recordingService.read(other);
  const by = (await at.service.call<{ owner: string }>('GET', `/recordings/${id}`, at)).body.owner;
  await recordingService.decide(id, { by, command: 'join' }, joinRecording(recording));
  await eventually('it is joined', async () => {
    const { state, duration } = await read(at.service, at.token, id);
    return state === 'idle.saved' && duration === 9;
  });
  client.socket.send(JSON.stringify({ type: 'audio.stop' }));
  assert.equal((await client.until(({ type }) => type === 'audio.ended'))['reason'], 'left');
  // Nothing else would have it ask again: then it is added, or it hears why not.
  assert.equal(await client.closed, 1013);
  assert.equal((await start())['reason'], 'late-audio-elsewhere');
  const folder = join(at.service.dataDir, 'recordings', id);
  assert.deepEqual(await heard(at.service, at.token, id), [2, 4, 1, 3, 5, 7, 1, 3, 5]);
  assert.ok((await readdir(join(folder, 'late'))).includes('audio.wav'));
  await ask(at, 'DELETE', `/recordings/${id}`);
  await eventually('nothing of it is left', async () =>
    (await readdir(join(at.service.dataDir, 'recordings'))).every((one) => one !== id),
  );
});

test('the browser of a deleted recording is told so, whether it is just sending the rest or comes back with it', async (t) => {
  const { at, id, browser, start } = await ended(t, [2, 4, 6, 8]);
  const late = browser();
  await late.sendTo(4 * rate);
  await ask(at, 'DELETE', `/recordings/${id}`);
  assert.equal((await late.stop())['reason'], 'discarded');
  const refused = await start();
  assert.deepEqual([refused['code'], refused['reason']], ['not-recording', 'recording-erased']);
});

test('audio that is not to be kept stays as long as more of it comes', async (t) => {
  const { at, id, browser } = await ended(t, [2, 4, 6, 8]);
  const { service, token } = at;
  const other = await uploaded(at, [1, 3, 5]);
  const late = browser();
  await late.sendTo(4 * rate);
  const json = { audio: { keep: 'none' } };
  assert.equal((await service.call('PUT', '/config', { token, json })).status, 200);
  const isKept = async (one: string) =>
    (await service.call('GET', `/recordings/${one}/audio`, { token })).status === 200;
  // One is dealt with after the other.
  for (const one of [id, other]) await ask(at, 'PATCH', `/recordings/${one}`, { title: 'Other' });
  await eventually('the other one is removed', async () => !(await isKept(other)));
  assert.deepEqual(await heard(service, token, id), [2, 4]);
  await late.stop();
  await eventually('all of it is recognised', async () => {
    const { duration } = await read(service, token, id);
    return duration === 4;
  });
  await eventually('then it is removed', async () => !(await isKept(id)));
});

/** A browser's recording of the first two of these words, and its documents. */
async function ended(t: TestContext, numbers: number[], stages: { assemble?: StageActivity } = {}) {
  const at = await spelledWorld(t, stages);
  const { service, token } = at;
  const pcm = Buffer.from(spelled(numbers)).subarray(44);
  const browser = (recordingId?: string) =>
    browserClient({
      url: () => service.url,
      token,
      pcm,
      rate,
      frameSamples: 800,
      ...(recordingId === undefined ? {} : { recordingId }),
    });
  const first = browser();
  await first.sendTo(2 * rate);
  const id = (await first.stop()).recording_id!;
  await service.reaches(id, 'idle.saved');
  assert.equal((await read(service, token, id)).duration, 2);
  return {
    at,
    id,
    /** The browser comes back, with all of them. */
    browser: () => browser(id),
    /** What is said to one that comes back. */
    start: async () => (await comeBack(t, at, id)).said,
  };
}

/** A browser that comes back with a recording, and what is said to it. */
async function comeBack(t: TestContext, { service, token }: World, id: string) {
  const client = connect(service.url, token);
  t.after(() => client.close());
  await client.until(({ type }) => type === 'status');
  const start = { type: 'audio.start', kind: 'solo', sample_rate: rate, recording_id: id };
  client.socket.send(JSON.stringify(start));
  const said = await client.until(({ type }) => type === 'warning' || type === 'audio.ready');
  return { client, said };
}

const uploaded = ({ service, token }: World, numbers: number[]) =>
  service.settled(token, { kind: 'solo' }, { audio: spelled(numbers) });

const refusal = ({ service, token }: World, path: string, json: object, language = 'en') =>
  service.call<ProblemAnswer>('POST', path, {
    token,
    json,
    headers: { 'Accept-Language': language },
  });
