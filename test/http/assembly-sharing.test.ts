import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MadeOfOthers } from '../../src/recordings/made-of-others.ts';
import { eventually } from '../support/eventually.ts';
import type { ProblemAnswer } from '../support/http-client.ts';
import { ask, meeting, read, record, spelledWorld, textOf } from '../support/spelled-world.ts';

/* Joining, cutting and shortening where a recording is shared, or protected: nothing is handed out, nothing protected goes. */

type Held = { hold: { until: string | null; reason: string | null } | null };

test('what is joined with a note that others read is joined only where its owner says that they may', async (t) => {
  const at = await spelledWorld(t);
  const { service, token } = at;
  await service.addUser('rita');
  const [id, other] = [await meeting(at, [2, 1]), await meeting(at, [4, 3])];
  const { id: folder } = await ask<{ id: string }>(at, 'POST', '/folders', { name: 'Family' });
  await ask(at, 'PUT', `/folders/${folder}/access`, { user: 'rita' });
  const join = async (json: object) =>
    await service.call<ProblemAnswer>('POST', `/recordings/${id}/join`, {
      token,
      json: { with: other, ...json },
    });
  const refused = async () => {
    const { status, body } = await join({});
    assert.deepEqual([status, body.errors?.map(({ path }) => path)], [422, ['shared']]);
  };
  const to = `u-${service.accounts.findUser('rita')!.userId}`;
  await ask(at, 'PUT', `/recordings/${id}/access`, { user: 'rita' });
  await refused();
  await ask(at, 'DELETE', `/recordings/${id}/access/${to}`);
  const { link } = await ask<{ link: string }>(at, 'POST', `/recordings/${id}/links`, {
    name: 'Choir',
  });
  await refused();
  await ask(at, 'DELETE', `/recordings/${id}/links/${link}`);
  await ask(at, 'PATCH', `/recordings/${id}`, { folder });
  await service.reaches(id, 'idle.saved');
  await refused();
  // Its documents are written with the folder first.
  await eventually('joined', async () => (await join({ shared: true })).status === 202);
  await service.reaches(id, 'idle.saved');
  assert.equal(textOf(await read(service, token, id)), 'w2 w1 w4 w3');
});

test('a recording that is taken up hands out nothing of the other: its links end, its shared folder is not taken, its protection is', async (t) => {
  const at = await spelledWorld(t);
  const { service, token } = at;
  await service.addUser('rita');
  const id = await record(at, [2, 4]);
  await service.reaches(id, 'idle.saved');
  const { id: folder } = await ask<{ id: string }>(at, 'POST', '/folders', { name: 'Family' });
  await ask(at, 'PUT', `/folders/${folder}/access`, { user: 'rita' });
  let url = '';
  const part = await record(at, [6], { continues: id }, async (running) => {
    const path = `/recordings/${running}`;
    ({ url } = await ask<{ url: string }>(at, 'POST', `${path}/links`, { name: 'Choir' }));
    await ask(at, 'PUT', `${path}/access`, { user: 'rita', audio: true });
    await ask(at, 'PATCH', path, { folder, hold: { reason: 'evidence' } });
  });
  await service.reaches(part, 'idle.erased');
  await service.reaches(id, 'idle.saved');
  const whole = (await read(service, token, id)) as Awaited<ReturnType<typeof read>> & Held;
  assert.deepEqual(
    [textOf(whole), whole.folder, whole.hold?.until, whole.hold?.reason],
    ['w2 w4 w6', null, null, 'evidence'],
  );
  const json = { token: new URL(url).hash.slice(1) };
  assert.equal((await service.call('POST', '/shared', { json })).status, 404);
  const rita = await service.login('rita');
  for (const one of [id, part])
    assert.equal((await service.call('GET', `/recordings/${one}`, { token: rita })).status, 404);
});

test('nothing is removed of a protected note, and both parts of one that is cut are protected', async (t) => {
  const at = await spelledWorld(t);
  const { service, token } = at;
  const id = await meeting(at, [2, 4, 1, 3]);
  const until = new Date(Date.now() + 86_400_000).toISOString();
  await ask(at, 'PATCH', `/recordings/${id}`, { hold: { until, reason: 'evidence' } });
  for (const forGood of [false, true]) {
    const { status, body } = await service.call<ProblemAnswer>('POST', `/recordings/${id}/remove`, {
      token,
      json: { from: 0, to: 1, for_good: forGood },
    });
    assert.deepEqual([status, body.type, body['until']], [409, '/problems/on-hold', until]);
  }
  const { into } = await ask(at, 'POST', `/recordings/${id}/cut`, { at: 2 });
  await service.reaches(into!, 'idle.saved');
  await service.reaches(id, 'idle.saved');
  for (const one of [id, into!]) {
    const { hold } = await ask<Held>(at, 'GET', `/recordings/${one}`);
    assert.deepEqual([hold?.until, hold?.reason], [until, 'evidence']);
  }
});

test('what is protected while it is taken up stays protected in what took it up', async (t) => {
  const at = await spelledWorld(t);
  const { service } = at;
  const [id, part] = [await meeting(at, [2, 1]), await meeting(at, [4, 3])];
  const until = new Date(Date.now() + 86_400_000).toISOString();
  // After it was put together, and before the other is erased, as the stage that writes does.
  await ask(at, 'PATCH', `/recordings/${part}`, { hold: { until, reason: 'evidence' } });
  const { absorb } = service.recordingService as unknown as MadeOfOthers;
  await absorb(part, id);
  await service.reaches(part, 'idle.erased');
  const { hold } = await ask<Held>(at, 'GET', `/recordings/${id}`);
  assert.deepEqual([hold?.until, hold?.reason], [until, 'evidence']);
});
