import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { eventually } from '../support/eventually.ts';
import { type ProblemAnswer, password, withAda } from '../support/http-client.ts';

type One = Record<string, string | number | boolean | null> & {
  id: string;
  type: string;
  at: string;
};
type Page = { happened: One[]; next_cursor: string | null };

test('administrators see what happened to users, rights, shares and settings, and what was erased; not a word', async (t) => {
  const said = 'zqsaidword';
  const { service, token: ada } = await withAda(t, { marker: () => said });
  const ben = await service.addUser('ben');
  const change = async (token: string, method: string, path: string, json?: object) => {
    const { status, body } = await service.call<{ id: string }>(method, path, { token, json });
    assert.ok(status < 300, `${method} ${path}: ${status}`);
    return body;
  };
  const id = await service.settled(ben, { title: 'zqtitle' });
  await change(ben, 'POST', `/recordings/${id}/sidenotes`, { text: 'zqsidenote', at: 0 });
  await change(ben, 'PUT', `/recordings/${id}/access`, { user: 'ada', audio: true });
  await change(
    ben,
    'DELETE',
    `/recordings/${id}/access/u-${service.accounts.findUser('ada')!.userId}`,
  );
  const { id: folder } = await change(ben, 'POST', '/folders', { name: 'zqfolder' });
  await change(ben, 'PUT', `/folders/${folder}/access`, { user: 'ada', role: 'correct' });
  await change(ben, 'DELETE', `/recordings/${id}`);
  const { id: group } = await change(ada, 'POST', '/groups', { name: '=Readers' });
  await change(ada, 'PUT', `/groups/${group}/members/ben`);
  await change(ada, 'PATCH', `/users/ben`, { is_admin: true });
  await change(ada, 'PUT', '/config', { llm: { model: 'zqvalue', api_key: 'zqsecret' } });
  await change(ada, 'PATCH', `/users/ben`, { disabled: true });
  await service.projections.applied('happened', await service.store.head());

  const asked = async (query = '') =>
    (await service.call<Page>('GET', `/happened?${query}`, { token: ada })).body;
  const { happened } = await asked('limit=200');
  const types = happened.map(({ type }) => type);
  assert.deepEqual(
    happened.map(({ at }) => at),
    happened.map(({ at }) => at).toSorted((a, b) => b.localeCompare(a)),
    'newest first',
  );
  for (const type of [
    'user.registered',
    'access.granted',
    'access.withdrawn',
    'folder.shared',
    'recording.erased',
    'group.created',
    'group.member_added',
    'user.admin_granted',
    'user.disabled',
  ])
    assert.ok(types.includes(type), `${type} of ${types.join(', ')}`);
  const granted = happened.find(({ type }) => type === 'access.granted')!;
  assert.deepEqual(
    [granted['by_name'], granted['user'], granted['recording_id'], granted['audio']],
    ['ben', 'ada', id, true],
  );

  const kinds = async (query: string) => (await asked(query)).happened.map(({ kind }) => kind);
  assert.deepEqual([...new Set(await kinds('kind=shares'))], ['shares']);
  assert.equal((await kinds('kind=erasures&user=ben')).length, 1);
  assert.equal((await kinds('kind=erasures&user=ada')).length, 0);
  assert.equal((await kinds('user=nobody')).length, 0);
  assert.equal((await kinds('to=2001-01-01T00:00:00Z')).length, 0);
  assert.equal((await kinds('from=2001-01-01T00:00:00Z&limit=200')).length, happened.length);
  const pages: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page: Page = await asked(`limit=3${cursor && `&cursor=${cursor}`}`);
    pages.push(...page.happened.map(({ id: place }) => place));
    cursor = page.next_cursor;
  }
  assert.deepEqual(
    pages,
    happened.map(({ id: place }) => place),
  );

  const file = async (format: string) => {
    const path = `/happened/export?kind=groups&format=${format}`;
    const headers = { Authorization: `Bearer ${ada}` };
    return await (await fetch(service.url + path, { headers })).text();
  };
  const csv = await file('csv');
  const lines = csv.trim().split('\r\n');
  assert.match(lines[0]!, /^id,n,at,kind,type,by,/);
  assert.equal(lines.length, (await kinds('kind=groups')).length + 1);
  assert.ok(lines[1]!.includes(",'=Readers,"), 'no formula of a spreadsheet');
  const json = JSON.parse(await file('json')) as One[];
  assert.equal(json.length, lines.length - 1);

  const all = JSON.stringify([happened, csv, json]);
  for (const word of [
    said,
    'zqtitle',
    'zqsidenote',
    'zqfolder',
    'zqvalue',
    'zqsecret',
    password,
    '$',
  ])
    assert.ok(!all.includes(word), word);
  const rows: unknown[] = [];
  for await (const row of service.storage.range('happened', { gte: '', lt: '~' })) rows.push(row);
  const kept = JSON.stringify(rows);
  for (const word of [
    said,
    'zqtitle',
    'zqsidenote',
    'zqfolder',
    'zqvalue',
    'zqsecret',
    'ben',
    'Readers',
  ])
    assert.ok(!kept.includes(word), `${word} in a row`);
});

test('others than administrators see nothing of it', async (t) => {
  const { service } = await withAda(t);
  const ben = await service.addUser('ben');
  for (const path of ['/happened', '/happened/export']) {
    const { status, body } = await service.call<ProblemAnswer>('GET', path, { token: ben });
    assert.deepEqual([status, body.type], [403, '/problems/not-admin']);
  }
});

test('logins are counted by day and person, failed ones of nobody known as one', async (t) => {
  const { service, token: ada } = await withAda(t);
  await service.addUser('ben');
  const login = async (username: string, given: string) =>
    await service.call('POST', '/login', { json: { username, password: given } });
  assert.equal((await login('ben', password)).status, 200);
  assert.equal((await login('ben', 'wrong password')).status, 401);
  for (const name of ['carol', 'dan', 'eve'])
    assert.equal((await login(name, 'wrong password')).status, 401);
  const asked = async (query: string) =>
    (await service.call<Page>('GET', `/happened?${query}`, { token: ada })).body.happened;
  const figures = (all: One[]) =>
    all.map(({ type, by_name: by, user, count }) => [type, by ?? null, user, count]).toSorted();
  const expected = [
    ['login.failed', null, 'ben', 1],
    ['login.failed', null, null, 3],
    ['login.succeeded', 'ada', 'ada', 1],
  ];
  await eventually('the failed logins', async () =>
    (await asked('kind=logins')).some(({ count }) => count === 3),
  );
  const logins = await asked('kind=logins');
  for (const one of expected)
    assert.ok(
      figures(logins).some((found) => isDeepStrictEqual(found, one)),
      `${JSON.stringify(one)} of ${JSON.stringify(figures(logins))}`,
    );
  assert.deepEqual(
    [...new Set((await asked('user=ben&kind=logins')).map(({ user }) => user))],
    ['ben'],
  );
  assert.deepEqual(figures(await asked('user=unknown')), [['login.failed', null, null, 3]]);
  assert.equal((await asked('kind=logins&to=2001-01-01T00:00:00Z')).length, 0);
  assert.equal((await asked('kind=logins&from=2001-01-01T00:00:00Z')).length, logins.length);
  assert.ok((await asked('limit=200')).some(({ type }) => type === 'login.failed'));
  const headers = { Authorization: `Bearer ${ada}` };
  const csv = await (await fetch(`${service.url}/happened/export?kind=logins`, { headers })).text();
  assert.equal(csv.trim().split('\r\n').length, logins.length + 1);
  const all = JSON.stringify([logins, csv]);
  for (const word of ['carol', 'eve']) assert.ok(!all.includes(word), word);
});
