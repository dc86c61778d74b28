import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { eventually, onThisMachine } from '../support/eventually.ts';
import { connect } from '../support/http-client.ts';
import { privatePulse } from '../support/pulse.ts';
import { apiOf, inviteUser, setUp, startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';

type Toggled = { action: string; recording_id: string };
type Status = {
  status: string;
  recording: { duration: number; paused: boolean } | null;
  others_record: string[];
};

test('whoever wants a device that is taken, gone or not theirs to combine is told so, and what to do', async (t) => {
  const pulse = await privatePulse(t);
  const dataDir = await tempDir(t);
  const service = await startServiceProcess(dataDir, {
    ...(pulse.env as Record<string, string>),
  });
  t.after(() => service.end('SIGTERM'));
  t.after(() => pulse.wake());
  const password = 'correct horse battery';
  const open = apiOf(service.url);
  const admin = await open.post<{ token: string }>('/setup', { username: 'anna', password });
  const anna = apiOf(service.url, admin.token);
  await inviteUser(service.url, admin.token, { username: 'ben', password });
  const bens = await open.post<{ token: string }>('/login', { username: 'ben', password });
  const ben = apiOf(service.url, bens.token);
  // What Ben's page shows: that somebody else records with the machine of the service.
  const page = connect(service.url, bens.token);
  t.after(() => page.close());
  const shown = () => page.frames.findLast(({ type }) => type === 'status')?.['others_record'];
  await eventually('nobody records', () => isDeepStrictEqual(shown(), []));
  const start = (who: typeof anna) =>
    who.post<Toggled>('/toggle', { action: 'start', people: ['Ada', 'Ben'] });

  // Two starts at once, and another user's: one records.
  const both = await Promise.allSettled([start(anna), start(anna)]);
  const started = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  assert.equal(started.length, 1);
  const refused = both.find((one) => one.status === 'rejected');
  assert.match(String(refused?.reason), /: 409 .*already-recording/);
  await assert.rejects(start(ben), /: 409 .*“Desk Mic” is already being recorded/);
  assert.equal((await ben.get<Status>('/status')).status, 'IDLE');
  await eventually('Ben sees that somebody records', () =>
    isDeepStrictEqual(shown(), ['Desk Mic']),
  );
  assert.deepEqual((await anna.get<Status>('/status')).others_record, []);

  // Paused, nothing is added; resumed, it goes on; discarded, there is nothing left.
  const id = started[0]!.recording_id;
  const { events } = await anna.get<{ events: { content: unknown }[] }>(`/recordings/${id}/events`);
  assert.deepEqual(events[0]?.content, { people: ['Ada', 'Ben'] });
  const now = async () => (await anna.get<Status>('/status')).recording;
  await eventually('it records', async () => ((await now())?.duration ?? 0) > 0);
  await anna.post(`/recordings/${id}/pause`);
  const paused = await eventually('it is paused', async () => {
    const [first, second] = [await now(), await now()];
    return first?.paused && first.duration === second?.duration ? first : null;
  });
  await anna.post(`/recordings/${id}/resume`);
  await eventually('it goes on', async () => {
    const later = await now();
    return later?.paused === false && later.duration > paused.duration;
  });
  await anna.post(`/recordings/${id}/discard`);
  await eventually('Ben sees that nobody records', () => isDeepStrictEqual(shown(), []));
  assert.equal((await anna.get<Status>('/status')).status, 'IDLE');
  await eventually('the device is free', () =>
    start(ben).then(
      () => true,
      (error: Error) => {
        assert.match(error.message, /: 409 .*is already being recorded/);
        return false;
      },
    ),
  );
  const { recording_id } = await eventually('it records', () =>
    ben.post<Toggled>('/toggle', {}).catch((error: Error) => {
      // Stopped before there was a sound: nothing is kept, and that is said.
      assert.match(error.message, /ended before any audio was recorded/);
      return { recording_id: '' };
    }),
  );
  assert.notEqual(recording_id, id);

  // What is gone is named with what is there, and never replaced.
  const tokenOf = async (username: string) =>
    (await open.post<{ token: string }>('/login', { username, password })).token;
  const token = await tokenOf('anna');

  // A device can be heard without a recording: until it is enough, or a recording wants it.
  const [hers, his] = [connect(service.url, token), connect(service.url, await tokenOf('ben'))];
  t.after(() => [hers, his].forEach((client) => client.close()));
  const say = async (client: typeof hers, message: object, answer: string) => {
    await client.until(({ type }) => type === 'status');
    const before = client.frames.length;
    client.socket.send(JSON.stringify(message));
    return await client.until((frame) => {
      return client.frames.indexOf(frame) >= before && frame.type === answer;
    });
  };
  const hear = (device: string, answer: string, client = hers) =>
    say(client, { type: 'level.start', device }, answer);
  assert.equal((await hear('Desk Mic', 'warning', his))['code'], 'not-admin');
  assert.match(
    String((await hear('Headset', 'warning'))['detail']),
    /is not connected.*“?Desk Mic/,
  );
  assert.deepEqual(Object.keys(await hear('Desk Mic', 'level')).toSorted(), [
    'device',
    'peak',
    'rms',
    'type',
  ]);
  assert.equal((await anna.get<Status>('/status')).recording, null);
  await say(hers, { type: 'level.stop' }, 'level.ended');
  assert.deepEqual(await readdir(join(dataDir, 'uploads')), [], 'nothing of it stays');
  await hear('Desk Mic', 'level');
  const ends = hers.frames.filter(({ type }) => type === 'level.ended').length;
  const { recording_id: wanting } = await start(anna);
  await eventually('it is not heard any more', () => {
    return hers.frames.filter(({ type }) => type === 'level.ended').length > ends;
  });
  assert.equal((await hear('Desk Mic', 'warning'))['code'], 'device-taken');
  await anna.post(`/recordings/${wanting}/discard`);

  const changed = await fetch(`${service.url}/config`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ audio: { device: 'Headset' } }),
  });
  assert.equal(changed.status, 200);
  await assert.rejects(start(anna), /: 409 .*“Headset” is not connected.*Desk Mic/);
  await assert.rejects(
    anna.post('/audio/combined', { microphone: 'lost', monitor: 'speakers.monitor' }),
    /microphone “lost” is no longer connected/,
  );
  await assert.rejects(
    anna.post('/audio/combined', { microphone: 'speakers.monitor', monitor: 'speakers.monitor' }),
    /must be another source than the speakers/,
  );
  await assert.rejects(
    ben.post('/audio/combined', { microphone: 'desk_mic', monitor: 'speakers.monitor' }),
    /: 403 /,
  );
  await assert.rejects(ben.get('/audio/sources'), /: 403 /);

  // An audio server that hangs costs 3 seconds, not more.
  pulse.hang();
  const asked = performance.now();
  await assert.rejects(anna.get('/audio/devices'), /: 503 .*audio system isn’t responding/);
  const tookMs = performance.now() - asked;
  assert.ok(tookMs < onThisMachine(4000), `${tookMs} ms`);
});

test('who removes the combined source records with the usual device again', async (t) => {
  const { pulse, api } = await oneAdministrator(t);
  await api.post('/audio/combined', joined);
  const chosen = async () => (await api.get<Recorders>('/recorders')).default;
  assert.equal(await chosen(), 'mitschrift-combined');
  await api.delete('/audio/combined');
  assert.doesNotMatch(await pulse.pactl('list', 'short', 'modules'), /mitschrift/);
  const { recorders, default: usual } = await api.get<Recorders>('/recorders');
  assert.ok(
    recorders.some(({ id }) => id === usual),
    `${usual}`,
  );
  const { recording_id } = await api.post<Toggled>('/toggle', { action: 'start' });
  await api.post(`/recordings/${recording_id}/discard`);

  // Another device that was chosen meanwhile stays chosen.
  await api.post('/audio/combined', joined);
  await api.put('/config', { audio: { device: 'Desk Mic' } });
  await api.delete('/audio/combined');
  assert.equal(await chosen(), 'Desk Mic');
});

for (const device of ['Desk Mic', 'mitschrift-combined']) {
  test(`where the environment says ${device}, sources are joined only if that is what it says`, async (t) => {
    const { pulse, dataDir, api } = await oneAdministrator(t, { MITSCHRIFT_AUDIO_DEVICE: device });
    const modules = await pulse.pactl('list', 'short', 'modules');
    const joining = api.post('/audio/combined', joined);
    if (device === 'mitschrift-combined') {
      await joining;
      await api.delete('/audio/combined');
    } else {
      await assert.rejects(joining, /: 409 .*overridden/);
    }
    assert.equal(await pulse.pactl('list', 'short', 'modules'), modules);
    assert.ok(!(await readdir(dataDir)).includes('combined.json'));
    assert.equal((await api.get<Recorders>('/recorders')).default, device);
  });
}

const joined = { microphone: 'mic.monitor', monitor: 'speakers.monitor' };

type Recorders = { recorders: { id: string }[]; default: string | null };

async function oneAdministrator(t: TestContext, env: Record<string, string> = {}) {
  const pulse = await privatePulse(t);
  const dataDir = await tempDir(t);
  const service = await startServiceProcess(dataDir, {
    ...(pulse.env as Record<string, string>),
    ...env,
  });
  t.after(() => service.end('SIGTERM'));
  const token = await setUp(service.url);
  return { pulse, dataDir, api: apiOf(service.url, token) };
}
