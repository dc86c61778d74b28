import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProblemAnswer, type TestService, withAda } from '../support/http-client.ts';

type Recording = { status: string; speakers: { label: string; name: string | null }[] };

const meeting = (service: TestService, token: string) =>
  service.settled(token, { kind: 'meeting' });

test('POST /speakers resolves the pause, and the labels get the given names', async (t) => {
  const { service, token } = await withAda(t);
  const id = await meeting(service, token);
  type Status = {
    status: string;
    speakers_pending: { recording_id: string; speakers: { label: string }[] }[];
  };
  const { body } = await service.call<Status>('GET', '/status', { token });
  assert.equal(body.status, 'AWAITING_SPEAKERS');
  assert.equal(body.speakers_pending[0]?.recording_id, id);
  assert.deepEqual(
    body.speakers_pending[0]?.speakers.map(({ label }) => label),
    ['SPEAKER_1', 'SPEAKER_2'],
  );

  const json = { speakers: { SPEAKER_1: '  Ada   Lovelace ', SPEAKER_2: '' } };
  const named = await service.call('POST', '/speakers', { token, json });
  assert.deepEqual(
    [named.status, named.body],
    [200, { status: 'TRANSCRIBING', recording_id: id, unlike: [] }],
  );
  await service.reaches(id, 'idle.saved');
  const one = await service.call<Recording>('GET', `/recordings/${id}`, { token });
  assert.deepEqual(
    one.body.speakers.map(({ label, name }) => [label, name]),
    [
      ['SPEAKER_1', 'Ada Lovelace'],
      ['SPEAKER_2', null],
    ],
  );
});

test('an unknown label is 422 and the pause remains', async (t) => {
  const { service, token } = await withAda(t);
  const id = await meeting(service, token);
  const json = { recording_id: id, speakers: { SPEAKER_1: 'Ada', SPEAKER_9: 'Nobody' } };
  const { status, body } = await service.call<ProblemAnswer>('POST', '/speakers', { token, json });
  assert.equal(status, 422);
  assert.deepEqual(
    body.errors?.map(({ path }) => path),
    ['speakers.SPEAKER_9'],
  );
  const one = await service.call<Recording>('GET', `/recordings/${id}`, { token });
  assert.equal(one.body.status, 'AWAITING_SPEAKERS');
});

test('without a recording named exactly one has to wait', async (t) => {
  const { service, token } = await withAda(t);
  const nobody = await service.call<ProblemAnswer>('POST', '/speakers', { token, json: {} });
  assert.deepEqual([nobody.status, nobody.body.type], [409, '/problems/nobody-waiting']);
  const ids = [await meeting(service, token), await meeting(service, token)];
  const json = { skip: true };
  const both = await service.call<ProblemAnswer>('POST', '/speakers', { token, json });
  assert.deepEqual([both.status, both.body.type], [409, '/problems/several-waiting']);
  assert.deepEqual((both.body['recording_ids'] as string[]).toSorted(), ids.toSorted());
  for (const recording_id of ids) {
    const skipped = await service.call('POST', '/speakers', {
      token,
      json: { recording_id, skip: true },
    });
    assert.equal(skipped.status, 200);
    await service.reaches(recording_id, 'idle.saved');
  }
  const late = await service.call<ProblemAnswer>('POST', '/speakers', {
    token,
    json: { recording_id: ids[0], speakers: { SPEAKER_1: 'Ada' } },
  });
  assert.deepEqual([late.status, late.body.type], [409, '/problems/not-accepted']);
});

test('a repetition with the same key gets the first answer, though nothing waits any more', async (t) => {
  const { service, token } = await withAda(t);
  const id = await meeting(service, token);
  const repeat = () =>
    service.call('POST', '/speakers', {
      token,
      json: { speakers: { SPEAKER_1: 'Ada' } },
      headers: { 'Idempotency-Key': 'names' },
    });
  const first = await repeat();
  await service.reaches(id, 'idle.saved');
  const again = await repeat();
  assert.deepEqual([again.status, again.body], [first.status, first.body]);
  const events = await service.call('GET', `/recordings/${id}/events`, { token });
  const named = (events.body['events'] as { type: string }[]).filter(
    ({ type }) => type === 'speakers.named',
  );
  assert.equal(named.length, 1);
});

test('names given to labels of a transcript that was made again meanwhile are refused, and the pause remains', async (t) => {
  const { service, token } = await withAda(t);
  const id = await meeting(service, token);
  type Waiting = { speakers_pending: { revision: string }[] };
  const asked = async () =>
    (await service.call<Waiting>('GET', '/status', { token })).body.speakers_pending[0]?.revision;
  const before = await asked();
  const name = async (revision: string | undefined) => {
    const json = { recording_id: id, speakers: { SPEAKER_1: 'Ada' }, revision };
    const { status, body } = await service.call<ProblemAnswer>('POST', '/speakers', {
      token,
      json,
    });
    return [status, body.type];
  };
  await service.call('POST', `/recordings/${id}/cancel`, { token, json: {} });
  const again = { from: 'speech-to-text' };
  await service.call('POST', `/recordings/${id}/reprocess`, { token, json: again });
  await service.reaches(id, 'awaiting-speakers');
  assert.deepEqual(await name(before), [412, '/problems/changed-meanwhile']);
  const one = await service.call<Recording & { pending_revision: string }>(
    'GET',
    `/recordings/${id}`,
    { token },
  );
  assert.deepEqual(
    [one.body.status, one.body.pending_revision],
    ['AWAITING_SPEAKERS', await asked()],
  );
  assert.deepEqual(await name(one.body.pending_revision), [200, undefined]);
});

test('names and skip together are refused, and others’ meetings are not there', async (t) => {
  const { service, token: ada } = await withAda(t);
  const ben = await service.addUser('ben');
  const id = await meeting(service, ben);
  const json = { recording_id: id, skip: true, speakers: { SPEAKER_1: 'x' } };
  assert.equal((await service.call('POST', '/speakers', { token: ben, json })).status, 422);
  const foreign = { recording_id: id, skip: true };
  assert.equal(
    (await service.call('POST', '/speakers', { token: ada, json: foreign })).status,
    404,
  );
});

test('a meeting that waits again has one title everywhere, and a name like a label stays a name', async (t) => {
  const { service, token } = await withAda(t);
  const get = async <T>(path: string) => (await service.call<T>('GET', path, { token })).body;
  const id = await service.settled(token, { kind: 'meeting', title: 'Asked for' });
  type Titled = { title: string };
  const pending = async () =>
    (await get<{ speakers_pending: Titled[] }>('/status')).speakers_pending;
  await service.call('POST', '/speakers', { token, json: { recording_id: id, later: true } });
  assert.deepEqual(await pending(), []);
  await service.named(token, id, { SPEAKER_1: 'SPEAKER_07', SPEAKER_2: 'Ben' });
  const { transcripts } = await get<{ transcripts: { speakers: string[] }[] }>('/transcripts');
  const { speakers } = await get<{ speakers: { shown: string }[] }>(`/recordings/${id}`);
  assert.deepEqual(transcripts[0]?.speakers, ['SPEAKER_07', 'Ben']);
  assert.deepEqual(
    speakers.map(({ shown }) => shown),
    ['SPEAKER_07', 'Ben'],
  );

  await service.call('PATCH', `/recordings/${id}`, { token, json: { title: 'Given' } });
  await service.reaches(id, 'idle.saved');
  const again = { from: 'speech-to-text' };
  await service.call('POST', `/recordings/${id}/reprocess`, { token, json: again });
  await service.reaches(id, 'awaiting-speakers');
  // It was put off once; now it is asked for again.
  const { title } = await get<Titled>(`/recordings/${id}`);
  const { recordings } = await get<{ recordings: Titled[] }>('/recordings');
  assert.deepEqual([(await pending())[0]?.title, recordings[0]?.title], [title, title]);
  // And of whom it is no more it is asked no more, though that was read just now.
  await service.addUser('ben');
  await service.call('PATCH', `/recordings/${id}`, { token, json: { owner: 'ben' } });
  assert.deepEqual(await pending(), []);
});
