import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ProblemAnswer,
  type TestService,
  connect,
  startService,
  withAda,
} from '../support/http-client.ts';
import { runningRecording } from '../support/running-recording.ts';

type Named = { id: string };
type Access = {
  grants: { to: string; name: string | null; role: string; audio: boolean; by_folder?: boolean }[];
};

const asking =
  (service: TestService, token: string) =>
  async <T = ProblemAnswer>(method: string, path: string, json?: object) =>
    await service.call<T>(method, path, { token, ...(json && { json }) });

test('a note is shared by itself and by its folder, with people and groups, and ends with the next request', async (t) => {
  const service = await startService(t);
  const ada = asking(service, await service.setUp());
  const ownersToken = await service.addUser('owen');
  const owen = asking(service, ownersToken);
  const bensToken = await service.addUser('ben');
  const ben = asking(service, bensToken);
  const cleo = asking(service, await service.addUser('cleo'));
  const id = await service.settled(ownersToken);
  const path = `/recordings/${id}`;
  const reads = async (who: typeof ben) => (await who('GET', path)).status;

  assert.equal(
    (await owen('PUT', `${path}/access`, { user: 'nobody' })).body.type,
    '/problems/unknown-user',
  );
  assert.equal((await owen('PUT', `${path}/access`, { user: 'OWEN' })).status, 422);
  const given = await owen<Access>('PUT', `${path}/access`, { user: 'BEN', audio: true });
  assert.deepEqual(
    given.body.grants.map(({ name, role, audio, by_folder }) => ({ name, role, audio, by_folder })),
    [{ name: 'ben', role: 'read', audio: true, by_folder: false }],
  );
  assert.deepEqual([await reads(ben), await reads(cleo)], [200, 404]);
  assert.equal((await ben('GET', `${path}/audio`)).status, 200);
  await owen('PUT', `${path}/access`, { user: 'ben' });
  assert.equal((await ben('GET', `${path}/audio`)).status, 403, 'without audio from now on');
  assert.equal((await ben('DELETE', `${path}/access/me`)).status, 204);
  assert.deepEqual(
    [await reads(ben), (await ben('DELETE', `${path}/access/me`)).status],
    [404, 404],
  );

  const { id: group } = (await ada<Named>('POST', '/groups', { name: 'Choir' })).body;
  await ada('PUT', `/groups/${group}/members/ben`);
  const { id: folder } = (await owen<Named>('POST', '/folders', { name: 'Board' })).body;
  await owen('PATCH', path, { folder });
  const shared = await owen<Access>('PUT', `/folders/${folder}/access`, {
    group: 'Choir',
    role: 'correct',
  });
  assert.equal(shared.body.grants[0]?.name, 'Choir');
  assert.equal(await reads(ben), 200);
  await owen('POST', `${path}/sidenotes`, { at: 0, text: 'Ask for the key' });
  const exportedTo = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return await (await fetch(`${service.url}${path}/export?format=txt`, { headers })).text();
  };
  assert.match(await exportedTo(ownersToken), /^My side notes\n.*Ask for the key$/mu);
  assert.match(await exportedTo(bensToken), /^Side notes\n.*Ask for the key$/mu);
  const seen = (await owen<Access>('GET', `${path}/access`)).body.grants;
  assert.deepEqual(
    seen.map(({ name, by_folder }) => [name, by_folder]),
    [['Choir', true]],
  );
  assert.equal((await ben('PATCH', path, { title: 'As Ben has it' })).status, 200);
  assert.equal((await ben('DELETE', `/folders/${folder}/access/me`)).status, 404, 'by the group');
  await ada('DELETE', `/groups/${group}/members/ben`);
  assert.equal(await reads(ben), 404, 'in the group no more');
  await ada('PUT', `/groups/${group}/members/ben`);
  await owen('PATCH', path, { folder: null });
  assert.equal(await reads(ben), 404, 'in the folder no more');
  await owen('PATCH', path, { folder });
  assert.equal(await reads(ben), 200);
  await ada('PUT', '/config', { sharing: { users: false } });
  assert.equal(await reads(ben), 404, 'switched off');
  assert.equal(
    (await owen('PUT', `${path}/access`, { user: 'ben' })).body.type,
    '/problems/sharing-off',
  );
  await ada('PUT', '/config', { sharing: { users: true } });

  await service.close();
  const later = await startService(t, { dataDir: service.dataDir });
  const again = asking(later, await later.login('ben'));
  const owner = asking(later, ownersToken);
  assert.equal((await again('GET', path)).status, 200);
  await owner('DELETE', `/folders/${folder}`);
  assert.equal((await again('GET', path)).status, 404, 'the folder is gone');
  await owner('PUT', `${path}/access`, { group });
  assert.equal((await again('GET', path)).status, 200);
  const admin = asking(later, await later.login('ada'));
  await admin('DELETE', `/groups/${group}`);
  assert.equal((await again('GET', path)).status, 404, 'the group is gone');
  await owner('PUT', `${path}/access`, { user: 'ben' });
  await admin('PATCH', '/users/owen', { disabled: true });
  assert.equal((await again('GET', path)).status, 200, 'what was given stays given');
  await admin('DELETE', '/users/owen');
  assert.equal((await again('GET', path)).status, 404, 'its owner is gone');
  assert.equal((await admin('PATCH', path, { owner: 'cleo' })).status, 200);
  assert.equal((await again('GET', path)).status, 404, 'the new owner decides');
  const next = asking(later, await later.login('cleo'));
  assert.deepEqual((await next<Access>('GET', `${path}/access`)).body.grants, []);
  await next('PUT', `${path}/access`, { user: 'ben' });
  assert.equal((await again('GET', path)).status, 200);
  assert.equal((await next('DELETE', path)).status, 204);
  assert.equal((await again('GET', path)).status, 404, 'erased');
});

test('what is shared is listed, found and followed by whom it is shared with, and by nobody else', async (t) => {
  const { service } = await withAda(t, { marker: () => 'zebra' });
  const ownersToken = await service.addUser('owen');
  const bensToken = await service.addUser('ben');
  const [owen, ben] = [asking(service, ownersToken), asking(service, bensToken)];
  const cleo = asking(service, await service.addUser('cleo'));
  const [one, two, own] = [
    await service.settled(ownersToken),
    await service.settled(ownersToken),
    await service.settled(bensToken),
  ];
  type Page = {
    transcripts: { recording_id: string; filename: string | null; access: object | null }[];
  };
  const listed = async (who: typeof ben, shared: string) =>
    (await who<Page>('GET', `/transcripts?shared=${shared}`)).body.transcripts
      .map(({ recording_id }) => recording_id)
      .toSorted();
  type Found = { hits: { recording_id: string; by: string | null; filename: string | null }[] };
  const found = async (who: typeof ben) =>
    (await who<Found>('GET', '/search?q=zebra')).body.hits
      .map(({ recording_id, by }) => [recording_id, by] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
  assert.deepEqual(await found(ben), [[own, null]]);

  await owen('PUT', `/recordings/${one}/access`, { user: 'ben', role: 'correct' });
  const { id: folder } = (await owen<Named>('POST', '/folders', { name: 'Board' })).body;
  await owen('PATCH', `/recordings/${two}`, { folder });
  assert.deepEqual([await listed(ben, 'with-me'), await listed(ben, 'mine')], [[one], [own]]);
  await owen('PUT', `/folders/${folder}/access`, { user: 'ben' });
  assert.deepEqual(await listed(ben, 'with-me'), [one, two].toSorted());
  assert.deepEqual(await listed(ben, 'all'), [one, two, own].toSorted());
  assert.deepEqual([await listed(cleo, 'with-me'), await found(cleo)], [[], []]);
  for (const id of [one, two]) {
    const around = await ben<Page>('GET', `/transcripts?shared=with-me&around=${id}&limit=1`);
    assert.deepEqual(
      around.body.transcripts.map(({ recording_id }) => recording_id),
      [id],
    );
  }
  const { transcripts } = (await ben<Page>('GET', '/transcripts?shared=with-me')).body;
  const order = [one, two].map((id) => transcripts.find((item) => item.recording_id === id));
  assert.deepEqual(
    order.map((item) => [item?.filename, item?.access]),
    [
      [null, { role: 'correct', audio: false, by: 'owen' }],
      [null, { role: 'read', audio: false, by: 'owen' }],
    ],
  );
  const all = [
    [one, 'owen'],
    [two, 'owen'],
    [own, null],
  ] as const;
  assert.deepEqual(
    await found(ben),
    all.toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
  const inFolder = async (who: typeof ben) =>
    (await who<Found>('GET', `/search?q=zebra&folder=${folder}`)).body.hits.map(
      ({ recording_id }) => recording_id,
    );
  assert.deepEqual([await inFolder(owen), await inFolder(ben)], [[two], [two]]);
  assert.deepEqual(await inFolder(cleo), [], 'it is not shared with her');
  type Folders = { with_me: { id: string; name: string; by: string; role: string }[] };
  assert.deepEqual((await ben<Folders>('GET', '/folders')).body.with_me, [
    { id: folder, name: 'Board', by: 'owen', role: 'read', audio: false },
  ]);

  const running = await runningRecording(service, ownersToken);
  await owen('PUT', `/recordings/${running}/access`, { user: 'ben' });
  type Followed = { recording_id: string; owner: string; folder: string | null };
  type Status = { status: string; following: Followed[] };
  const followed = async () => {
    const { status, following } = (await ben<Status>('GET', '/status')).body;
    return [status, ...following.map((one) => [one.recording_id, one.owner, one.folder])];
  };
  assert.deepEqual(await followed(), ['IDLE', [running, 'owen', null]]);
  const hidden = (await owen<{ id: string }>('POST', '/folders', { name: 'Mine alone' })).body.id;
  await owen('PATCH', `/recordings/${running}`, { folder: hidden });
  assert.deepEqual(await followed(), ['IDLE', [running, 'owen', null]]);
  await owen('PATCH', `/recordings/${running}`, { folder });
  assert.deepEqual(await followed(), ['IDLE', [running, 'owen', 'Board']]);
  assert.deepEqual((await cleo<Status>('GET', '/status')).body.following, []);

  await owen('DELETE', `/recordings/${one}/access/u-${service.accounts.findUser('ben')?.userId}`);
  await owen('PATCH', `/recordings/${two}`, { folder: null });
  assert.deepEqual([await listed(ben, 'with-me'), await found(ben)], [[], [[own, null]]]);
});

test('who may read a running recording follows it until that is withdrawn, and hears of nothing afterwards', async (t) => {
  const { service } = await withAda(t);
  const ownersToken = await service.addUser('owen');
  const owen = asking(service, ownersToken);
  const bensToken = await service.addUser('ben');
  const id = await runningRecording(service, ownersToken);
  const [ben, cleo] = [bensToken, await service.addUser('cleo')].map((token) =>
    connect(service.url, token),
  );
  t.after(() => [ben, cleo].forEach((one) => one?.close()));
  await ben!.until(({ type }) => type === 'position');
  await cleo!.until(({ type }) => type === 'position');
  const moved = (event: string) => (frame: { type: string; event?: unknown }) =>
    frame.type === 'transition' && frame.event === event;
  type Status = { type: string; following?: { recording_id: string }[] };
  const follows = (count: number) => (frame: Status) =>
    frame.type === 'status' && frame.following?.length === count;
  await owen('PUT', `/recordings/${id}/access`, { user: 'ben' });
  await ben!.until(follows(1));
  await owen('POST', `/recordings/${id}/pause`, {});
  await ben!.until(moved('recording.paused'));
  const to = `u-${service.accounts.findUser('ben')?.userId}`;
  const before = ben!.frames.length;
  await owen('DELETE', `/recordings/${id}/access/${to}`);
  await owen('POST', `/recordings/${id}/resume`, {});
  const told = await ben!.until(
    (frame) => ben!.frames.indexOf(frame) >= before && follows(0)(frame),
  );
  assert.ok(told);
  await owen('PUT', `/recordings/${id}/access`, { user: 'ben' });
  await ben!.until(
    (frame) => ben!.frames.indexOf(frame) > ben!.frames.indexOf(told) && follows(1)(frame),
  );
  assert.equal(ben!.frames.some(moved('recording.resumed')), false);
  const beforeDeletion = ben!.frames.length;
  await owen('DELETE', `/recordings/${id}`);
  await ben!.until(moved('recording.discarded'));
  await ben!.until((frame) => ben!.frames.indexOf(frame) >= beforeDeletion && follows(0)(frame));
  assert.equal(
    cleo!.frames.some(({ type }) => type === 'transition'),
    false,
  );
});
