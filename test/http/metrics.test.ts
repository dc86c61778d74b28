import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, rawRequest, type ProblemAnswer, withAda } from '../support/http-client.ts';

type Samples = Map<string, number>;

/** Lines of the text format as `name{labels}` → value. */
function samplesOf(text: string): Samples {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [, name = '', value] = /^(.+) (\S+)$/.exec(line) ?? [];
      return [name, Number(value)];
    }),
  );
}

test('figures tell of recordings, stages, facts, views, requests and clients', async (t) => {
  const { service, token } = await withAda(t);
  await service.settled(token);
  service.engines.hold('transcribe');
  const { recording_id: held } = (await service.upload(token)).body;
  await service.reaches(held, 'transcribing');
  const client = connect(service.url, token);
  await client.until(({ type }) => type === 'position');
  await service.call('GET', `/transcripts/nothing-here`, { token });

  const answer = await service.call<string>('GET', '/metrics', { token });
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  const samples = samplesOf(answer.body);
  const told = (name: string) => samples.get(`mitschrift_${name}`);
  assert.equal(told('recordings{status="idle"}'), 1);
  assert.equal(told('recordings{status="transcribing"}'), 1);
  assert.equal(told('stages{stage="transcribe",waiting="no"}'), 1);
  assert.equal(told('facts_total{type="documents.saved"}'), 1);
  assert.equal(told('facts_total{type="audio.imported"}'), 2);
  for (const stage of ['transcribe', 'punctuate', 'summarise', 'entitle', 'write']) {
    assert.equal(told(`stage_seconds_count{stage="${stage}"}`), 1, stage);
  }
  assert.equal(told('log_head'), await service.store.head());
  assert.equal(told('projection_running{projection="recordings"}'), 1);
  assert.equal(told('projection_behind{projection="recordings"}'), 0);
  assert.equal(told('websocket_clients'), 1);
  const counted = 'http_request_seconds_count';
  assert.equal(told(`${counted}{method="POST",route="/recordings",status="202"}`), 2);
  assert.equal(told(`${counted}{method="GET",route="/transcripts/:path",status="404"}`), 1);

  client.close();
  await client.closed;
  await service.services.recordingService.command(
    held,
    { type: 'processing.cancelled', data: {} },
    { by: 'ada', command: 'c1' },
  );
});

test('no figure has anything in its labels that somebody could have chosen', async (t) => {
  const { service, token } = await withAda(t);
  const id = await service.settled(token, { title: 'Marker' });
  for (const path of [
    `/recordings/${id}`,
    '/Marker/x',
    '/transcripts/Marker.md',
    '/users/Marker',
  ]) {
    await service.call('GET', path, { token });
  }
  await service.call('GET', '/Marker');
  const { body } = await service.call<string>('GET', '/metrics', { token });
  for (const told of ['Marker', id, 'ada', token]) assert.ok(!body.includes(told), told);
});

test('figures are for administrators, and for who has the token of the settings', async (t) => {
  const token = 'scrape-me-please';
  const { service, token: admin } = await withAda(t, { env: { MITSCHRIFT_METRICS_TOKEN: token } });
  const user = await service.addUser('ben');
  const statusOf = async (bearer: string | null, path = '/metrics') =>
    (await service.call<ProblemAnswer>('GET', path, { token: bearer })).status;
  assert.equal(await statusOf(null), 401);
  assert.equal(await statusOf('wrong'), 401);
  assert.equal(await statusOf(user), 403);
  assert.equal(await statusOf(admin), 200);
  assert.equal(await statusOf(token), 200);
  for (const path of ['/status', '/events', '/config', '/doctor']) {
    assert.equal(await statusOf(token, path), 401, `${path} is not opened by it`);
  }
  const query = await rawRequest(service.url, { path: `/metrics?token=${token}` });
  assert.equal(query.status, 401);
});

test('without a token in the settings none opens the figures', async (t) => {
  const { service } = await withAda(t);
  for (const token of ['', 'null', 'undefined']) {
    const headers = { Authorization: `Bearer ${token}` };
    assert.equal((await service.call('GET', '/metrics', { headers })).status, 401, token);
  }
});
