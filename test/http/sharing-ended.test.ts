import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unzip } from '../support/unzip.ts';
import {
  type ProblemAnswer,
  type TestService,
  connect,
  rawRequest,
  startService,
  withAda,
} from '../support/http-client.ts';

test('a remembered answer is repeated to nobody who may not read the recording any more', async (t) => {
  const { service } = await withAda(t);
  const owen = await service.addUser('owen');
  const cora = await service.addUser('cora');
  const id = await service.settled(owen, { kind: 'meeting' });
  const asked = (token: string, path: string, key: string, json: object) => async () =>
    await service.call<ProblemAnswer & { text?: string }>('POST', path, {
      token,
      json,
      headers: { 'Idempotency-Key': key },
    });
  const share = async () =>
    await service.call('PUT', `/recordings/${id}/access`, {
      token: owen,
      json: { user: 'cora', role: 'correct' },
    });
  const withdraw = async () => {
    const to = `u-${service.accounts.findUser('cora')?.userId}`;
    await service.call('DELETE', `/recordings/${id}/access/${to}`, { token: owen });
  };
  await share();
  const named = asked(cora, '/speakers', 'named', { recording_id: id, skip: true });
  const split = asked(cora, `/recordings/${id}/utterances/0/split`, 'split', { word: 1 });
  for (const again of [named, named]) assert.equal((await again()).status, 200);
  await service.reaches(id, 'idle.saved');
  for (const again of [split, split]) assert.equal((await again()).status, 200);
  await withdraw();
  for (const again of [named, split]) assert.equal((await again()).status, 404);
  await share();
  for (const again of [named, split]) assert.equal((await again()).status, 200);

  const note = asked(owen, `/recordings/${id}/sidenotes`, 'note', { text: 'Zebra', at: 0 });
  for (const again of [note, note]) assert.equal((await again()).body.text, 'Zebra');
  await service.call('DELETE', `/recordings/${id}`, { token: owen });
  for (const again of [named, split, note]) assert.equal((await again()).status, 404);
});

const asking =
  (service: TestService, token: string) =>
  async <T = ProblemAnswer>(method: string, path: string, json?: object) =>
    await service.call<T>(method, path, { token, ...(json && { json }) });

test('what readers get and take away has nothing of the owner’s folder, tags and devices', async (t) => {
  const { service } = await withAda(t);
  const ownersToken = await service.addUser('owen');
  const ritasToken = await service.addUser('rita');
  const [owen, rita] = [asking(service, ownersToken), asking(service, ritasToken)];
  const id = await service.settled(ownersToken);
  const path = `/recordings/${id}`;
  const folder = (await owen<{ id: string }>('POST', '/folders', { name: 'Zebrafolder' })).body.id;
  const tag = (await owen<{ id: string }>('POST', '/tags', { name: 'zebratag' })).body.id;
  await owen('PATCH', path, { folder, add_tags: [tag], title: 'Zebratitle' });
  await owen('PATCH', path, { title: 'Another' });
  await owen('PUT', `${path}/access`, { user: 'rita' });
  await owen('POST', `${path}/sidenotes`, { text: 'Beside it', at: 0 });
  const taken = async (token: string) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const files = ['md', 'json', 'txt'].map(
      async (format) =>
        (await rawRequest(service.url, { path: `${path}/export?format=${format}`, headers })).body,
    );
    return (await Promise.all(files)).join('\n');
  };
  await service.reaches(id, 'idle.saved');
  assert.match(await taken(ownersToken), /Zebrafolder[^]*zebratag/);
  const seen = await taken(ritasToken);
  assert.match(seen, /Another/);
  assert.doesNotMatch(seen, /zebra/iu);
  const whole = await rawRequest(service.url, {
    path: `${path}/export?format=json`,
    headers: { Authorization: `Bearer ${ritasToken}` },
  });
  const json = JSON.parse(whole.body) as Record<string, unknown>;
  const { device, origins, ledger, speakers_pending: pending } = json;
  assert.deepEqual([device, origins, ledger, pending], [null, [], null, []]);
  const zip = await rawRequest(service.url, {
    method: 'POST',
    path: '/recordings/bulk/export',
    headers: { Authorization: `Bearer ${ritasToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ recording_ids: [id] }),
  });
  assert.equal(zip.status, 200);
  const documents = [...(await unzip(zip.bytes)).values()].join('\n');
  assert.match(documents, /## Side notes[^]*Beside it/);
  assert.doesNotMatch(documents, /My side notes/);

  type Page = { transcripts: { recording_id: string }[] };
  const near = await rita<Page>('GET', `/transcripts?shared=with-me&around=${id}&limit=1`);
  assert.deepEqual(
    near.body.transcripts.map((one) => one.recording_id),
    [id],
  );
  assert.equal((await rita('GET', `/transcripts?shared=with-me&tag=${tag}`)).status, 422);
  assert.deepEqual(
    (await rita<Page>('GET', `/transcripts?shared=all&tag=${tag}`)).body.transcripts,
    [],
  );
});

test('files that others take away are called by the title of today, not by the first one', async (t) => {
  const service = await startService(t);
  await service.setUp();
  const ownersToken = await service.addUser('owen');
  const ritasToken = await service.addUser('rita');
  const owen = asking(service, ownersToken);
  const started_at = '2026-03-01T10:00:00Z';
  const ids: string[] = [];
  for (let n = 0; n < 2; n += 1) {
    const { recording_id: id } = (await service.upload(ownersToken, { started_at })).body;
    await service.reaches(id, 'idle.saved');
    const { documents } = (await owen<{ documents: object }>('GET', `/recordings/${id}`)).body;
    assert.match(JSON.stringify(documents), /10\.00 A plan/u);
    await owen('PATCH', `/recordings/${id}`, { title: 'Another' });
    await owen('PUT', `/recordings/${id}/access`, { user: 'rita' });
    ids.push(id);
  }
  const path = `/recordings/${ids[0]}`;
  const link = (await owen<{ url: string }>('POST', `${path}/links`, { name: 'Choir' })).body;
  const token = new URL(link.url).hash.slice(1);
  const opened = await service.call<{ ticket: string }>('POST', '/shared', { json: { token } });
  const { ticket } = opened.body;
  const headers = { Authorization: `Bearer ${ritasToken}`, 'Content-Type': 'application/json' };
  const exported = `${path}/export?format=`;
  const files = [
    ...['txt', 'md', 'srt', 'json', 'zip'].map((format) => ({ path: exported + format, headers })),
    ...['md', 'txt'].map((format) => ({ path: `${exported}${format}&ticket=${ticket}` })),
    {
      method: 'POST',
      path: '/recordings/bulk/export',
      headers,
      body: JSON.stringify({ recording_ids: ids }),
    },
  ];
  for (const file of files) {
    const { status, headers: got, bytes } = await rawRequest(service.url, file);
    assert.equal(status, 200, file.path);
    const isZip = got['content-type'] === 'application/zip';
    const inside = isZip ? [...(await unzip(bytes))] : [bytes.toString()];
    const all = JSON.stringify([got['content-disposition'], inside]);
    assert.match(all, /Another/u, file.path);
    assert.doesNotMatch(all, /\d A plan/iu, file.path);
    // Of two notes of one time and title each has its files.
    if (isZip) assert.equal(inside.length, 'body' in file ? 6 : 3);
  }
});

test('open pages of others learn that their right has ended, and hear of nothing from before it', async (t) => {
  const service = await startService(t);
  const ada = asking(service, await service.setUp());
  const ownersToken = await service.addUser('owen');
  const owen = asking(service, ownersToken);
  const ritasToken = await service.addUser('rita');
  const id = await service.settled(ownersToken);
  const path = `/recordings/${id}`;
  const { note } = (
    await owen<{ note: number }>('POST', `${path}/sidenotes`, { text: 'Zebra', at: 0 })
  ).body;
  assert.equal((await owen('DELETE', `${path}/sidenotes/${note}`)).status, 204);
  await owen('PUT', `${path}/access`, { user: 'rita' });
  const rita = connect(service.url, ritasToken, { after: 0 });
  const stan = connect(service.url, await service.addUser('stan'), { after: 0 });
  t.after(() => [rita, stan].forEach((one) => one.close()));
  await rita.until(({ type }) => type === 'position');
  await stan.until(({ type }) => type === 'position');
  assert.doesNotMatch(JSON.stringify(rita.frames), /Zebra|"utterance"|"saved"/u);

  const next = async (fits: (frame: (typeof rita.frames)[number]) => boolean, from: number) =>
    await rita.until((frame) => rita.frames.indexOf(frame) >= from && fits(frame));
  const moved = (event: string) => (frame: { type: string; event?: unknown }) =>
    frame.type === 'transition' && frame.event === event;
  const group = (await ada<{ id: string }>('POST', '/groups', { name: 'Choir' })).body.id;
  for (const method of ['PUT', 'DELETE']) {
    const from = rita.frames.length;
    await ada(method, `/groups/${group}/members/rita`);
    await next(({ type }) => type === 'status', from);
  }
  const to = `u-${service.accounts.findUser('rita')?.userId}`;
  await owen('DELETE', `${path}/access/${to}`);
  await next(moved('access.withdrawn'), 0);
  const from = rita.frames.length;
  await owen('PATCH', path, { title: 'Zebra' });
  await owen('PUT', `${path}/access`, { user: 'rita' });
  await next(moved('access.granted'), from);
  await owen('DELETE', path);
  await next(moved('recording.erased'), from);
  assert.deepEqual(
    rita.frames.slice(from).flatMap((one) => (moved('title.changed')(one) ? [one] : [])),
    [],
  );
  assert.equal(
    stan.frames.some(({ type }) => type === 'transition'),
    false,
  );
});

test('who gave a note away learns it on their open page, and who was away of a hand-over or erasure when they are back', async (t) => {
  const { service, token: adasToken } = await withAda(t);
  const ada = asking(service, adasToken);
  const ownersToken = await service.addUser('owen');
  const owen = asking(service, ownersToken);
  const ritasToken = await service.addUser('rita');
  const { recording_id: given } = (await service.upload(adasToken)).body;
  const { recording_id: erased } = (await service.upload(ownersToken)).body;
  for (const id of [given, erased]) await service.reaches(id, 'idle.saved');
  await owen('PUT', `/recordings/${erased}/access`, { user: 'rita' });
  const open: ReturnType<typeof connect>[] = [];
  t.after(() => open.forEach((one) => one.close()));
  const opened = async (token: string, after?: number) => {
    const socket = connect(service.url, token, after === undefined ? {} : { after });
    open.push(socket);
    const { position = 0 } = await socket.until(({ type }) => type === 'position');
    return { socket, position };
  };
  const movesIn = ({ frames }: ReturnType<typeof connect>) =>
    frames.flatMap((one) => (one.type === 'transition' ? [one['event']] : []));
  const there = await opened(adasToken);
  const [away, rita] = [await opened(adasToken), await opened(ritasToken)];
  for (const { socket } of [away, rita]) socket.close();

  assert.equal((await ada('PATCH', `/recordings/${given}`, { owner: 'owen' })).status, 200);
  await there.socket.until(({ event }) => event === 'recording.handed_over');
  await owen('DELETE', `/recordings/${erased}`);
  const back = await opened(adasToken, away.position);
  assert.deepEqual(movesIn(back.socket), ['recording.handed_over']);
  const ritaBack = await opened(ritasToken, rita.position);
  assert.deepEqual(movesIn(ritaBack.socket), ['recording.erased']);
  const stan = await opened(await service.addUser('stan'), 0);
  for (const { socket } of [there, back, ritaBack, stan])
    assert.doesNotMatch(JSON.stringify(socket.frames), /secret plan|"saved"/u);
  assert.deepEqual(movesIn(stan.socket), []);
  assert.deepEqual(movesIn(there.socket), ['recording.handed_over']);
});
