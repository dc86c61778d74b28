import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cachedReads } from '../../src/http/cached-reads.ts';
import { eventually } from '../support/eventually.ts';
import { withAda } from '../support/http-client.ts';
import { runningRecording } from '../support/running-recording.ts';

function projectionAt(position: number) {
  const now = { position };
  return { now, projections: { positionOf: () => now.position } };
}

test('a read is kept until the projection has applied another fact', async () => {
  const { now, projections } = projectionAt(3);
  const kept = cachedReads<number>(projections, ['view'], 10);
  let reads = 0;
  const read = async () => (reads += 1);
  assert.equal(await kept('a', read), 1);
  assert.equal(await kept('a', read), 1);
  assert.equal(await kept('b', read), 2);
  now.position = 4;
  assert.equal(await kept('a', read), 3);
});

test('what was read while the projection moved on is not kept, nor what may not be, nor too much', async () => {
  const { now, projections } = projectionAt(3);
  const kept = cachedReads<string>(projections, ['view'], 2);
  let release = (_answer: string): void => {};
  const slow = kept('a', () => new Promise((resolve) => (release = resolve)));
  now.position = 4;
  assert.equal(await kept('b', async () => 'b at 4'), 'b at 4');
  release('a at 3');
  assert.equal(await slow, 'a at 3');
  assert.equal(await kept('a', async () => 'a at 4'), 'a at 4');

  assert.equal(
    await kept(
      'c',
      async () => 'c',
      () => false,
    ),
    'c',
  );
  assert.equal(await kept('c', async () => 'c again'), 'c again');
  // Two are kept: the third has pushed the least used out.
  assert.equal(await kept('b', async () => 'b again'), 'b again');
});

test('status and library are those of now and of the caller, however often they were asked before', async (t) => {
  const { service, token: ada } = await withAda(t);
  const ben = await service.addUser('ben');
  const statusOf = async (token: string) =>
    (await service.call('GET', '/status', { token })).body['status'];
  const libraryOf = async (token: string) => {
    type Page = { transcripts: { recording_id: string }[] };
    const { body } = await service.call<Page>('GET', '/transcripts', { token });
    return body.transcripts.map(({ recording_id }) => recording_id);
  };
  for (let time = 0; time < 3; time += 1) {
    assert.equal(await statusOf(ada), 'IDLE');
    assert.deepEqual(await libraryOf(ada), []);
  }
  service.engines.hold('summarise');
  const { recording_id: id } = (await service.upload(ada)).body;
  assert.equal(await statusOf(ada), 'TRANSCRIBING');
  assert.equal(await statusOf(ben), 'IDLE');
  service.engines.release('summarise');
  await service.reaches(id, 'idle.saved');
  await service.projections.applied('all', await service.store.head());
  assert.equal(await statusOf(ada), 'IDLE');
  assert.deepEqual(await libraryOf(ada), [id]);
  assert.deepEqual(await libraryOf(ben), []);
});

test('what others record that one may follow is that of now, however often it was asked before', async (t) => {
  const { service, token: ada } = await withAda(t);
  const owen = await service.addUser('owen');
  const ben = await service.addUser('ben');
  const done = async (token: string, method: string, path: string, json?: object) => {
    const { status, body } = await service.call<{ id: string }>(method, path, {
      token,
      ...(json && { json }),
    });
    assert.ok(status < 300, `${method} ${path}: ${status}`);
    return body;
  };
  const followed = async () => {
    type Status = { following: { recording_id: string }[] };
    const { following } = (await service.call<Status>('GET', '/status', { token: ben })).body;
    return following.map(({ recording_id }) => recording_id);
  };
  const id = await runningRecording(service, owen);
  const { id: group } = await done(ada, 'POST', '/groups', { name: 'Choir' });
  await done(owen, 'PUT', `/recordings/${id}/access`, { group: 'Choir' });
  assert.deepEqual(await followed(), []);
  for (let time = 0; time < 5; time += 1) {
    await done(ada, 'PUT', `/groups/${group}/members/ben`);
    assert.deepEqual([await followed(), await followed()], [[id], [id]], 'a member');
    await done(ada, 'PUT', '/config', { sharing: { users: false } });
    assert.deepEqual([await followed(), await followed()], [[], []], 'nobody shares');
    await done(ada, 'PUT', '/config', { sharing: { users: true } });
    assert.deepEqual(await followed(), [id], 'people share again');
    await done(ada, 'DELETE', `/groups/${group}/members/ben`);
    assert.deepEqual([await followed(), await followed()], [[], []], 'no member any more');
  }
});

test('a page of the library says of protection and links what holds now, also when no fact ends them', async (t) => {
  const { service, token } = await withAda(t);
  const id = await service.settled(token);
  const until = new Date(Date.now() + 4000).toISOString();
  await service.call('PATCH', `/recordings/${id}`, { token, json: { hold: { until } } });
  type Page = { transcripts: { hold: { until: string } | null }[] };
  const held = async () =>
    (await service.call<Page>('GET', '/transcripts', { token })).body.transcripts[0]!.hold;
  assert.deepEqual((await held())?.until, until);
  await eventually('it is over', async () => (await held()) === null, 15_000);
});
