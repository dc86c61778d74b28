import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routes } from '../../src/http/routes.ts';
import { type ProblemAnswer, withAda } from '../support/http-client.ts';

/** Who may call a route of one recording at the least, and what such a request sends. */
type Row = {
  by: 'read' | 'audio' | 'correct' | 'owner';
  json?: object;
  path?: string;
  left?: true;
};

/** Every route of one recording. A new one has to say here who may call it. */
const table: Record<string, Row> = {
  'get /recordings/{id}': { by: 'read' },
  'get /recordings/{id}/events': { by: 'owner' },
  'get /recordings/{id}/audio': { by: 'audio' },
  'get /recordings/{id}/peaks': { by: 'audio' },
  'get /recordings/{id}/export': { by: 'read', path: '?format=md' },
  'post /recordings/{id}/ticket': { by: 'read', json: {} },
  'get /recordings/{id}/versions': { by: 'correct' },
  'get /recordings/{id}/versions/{version}': { by: 'correct' },
  'get /recordings/{id}/access': { by: 'correct' },
  'put /recordings/{id}/access': { by: 'owner', json: { user: 'cleo' } },
  'delete /recordings/{id}/access/{to}': { by: 'owner' },
  'post /recordings/{id}/links': { by: 'owner', json: { name: 'Choir' } },
  'delete /recordings/{id}/links/{link}': { by: 'owner' },
  'patch /recordings/{id}': { by: 'correct', json: { title: 'Another' } },
  'patch /recordings/{id}/speakers': { by: 'correct', json: { speakers: {} } },
  'patch /recordings/{id}/utterances': {
    by: 'correct',
    json: { edits: [{ index: 0, text: 'Words.' }] },
  },
  'patch /recordings/{id}/utterances/{index}': { by: 'correct', json: { text: 'Other words.' } },
  'post /recordings/{id}/utterances/{index}/split': { by: 'correct', json: { word: 1 } },
  'post /recordings/{id}/utterances/{index}/merge': { by: 'correct', json: {} },
  'patch /recordings/{id}/summary': {
    by: 'correct',
    json: { edits: [{ add: { kind: 'point', text: 'A point' } }] },
  },
  'post /recordings/{id}/sidenotes': { by: 'owner', json: { text: 'A thought', at: 0 } },
  'patch /recordings/{id}/sidenotes/{n}': { by: 'owner', json: { text: 'Another' } },
  'delete /recordings/{id}/sidenotes/{n}': { by: 'owner' },
  'post /recordings/{id}/versions/{version}/restore': { by: 'owner', json: {} },
  'post /recordings/{id}/reprocess': { by: 'owner', json: {} },
  'post /recordings/{id}/pause': { by: 'owner', json: {} },
  'post /recordings/{id}/resume': { by: 'owner', json: {} },
  'post /recordings/{id}/stop': { by: 'owner', json: {} },
  'post /recordings/{id}/discard': { by: 'owner', json: {} },
  'post /recordings/{id}/cancel': { by: 'owner', json: {} },
  'post /recordings/{id}/retry': { by: 'owner', json: {} },
  'post /recordings/{id}/clear': { by: 'owner', json: {} },
  'post /recordings/{id}/join': { by: 'owner', json: { with: 'OWN' } },
  'post /recordings/{id}/continue': { by: 'owner', json: {} },
  'post /recordings/{id}/cut': { by: 'owner', json: { at: 1 } },
  'post /recordings/{id}/remove': { by: 'owner', json: { from: 0, to: 1 } },
  'delete /recordings/{id}': { by: 'owner' },
};

/** Requests that name a recording elsewhere than in their path. */
const elsewhere: Record<string, Row & { path: string }> = {
  'post /speakers': { by: 'correct', path: '/speakers', json: { recording_id: 'ID', skip: true } },
  'post /questions': {
    by: 'read',
    path: '/questions',
    json: { question: 'What was said?', recording_id: 'ID' },
  },
  'post /recordings/bulk/export': {
    by: 'read',
    path: '/recordings/bulk/export',
    json: { recording_ids: ['ID'] },
  },
};

const rank = ['stranger', 'read', 'correct', 'owner'];

test('every route of a recording has its row, and none that is not there', () => {
  const there = routes
    .map(({ method, path }) => `${method} ${path}`)
    .filter((one) => one.split(' ')[1]?.startsWith('/recordings/{id}'));
  assert.deepEqual(Object.keys(table).toSorted(), there.toSorted());
});

test('who may not call a route of a recording is refused, and who may is not', async (t) => {
  const { service, token: ada } = await withAda(t);
  await service.addUser('gone');
  const people: { name: string; token: string; role: string; audio: boolean }[] = [];
  for (const [name, role, audio] of [
    ['rita', 'read', false],
    ['hans', 'read', true],
    ['cora', 'correct', false],
    ['stan', 'stranger', false],
    ['adam', 'stranger', false],
    ['dora', 'disabled', true],
  ] as const)
    people.push({ name, token: await service.addUser(name, name === 'adam'), role, audio });
  await service.addUser('cleo');
  const token = await service.addUser('owen');
  const id = await service.settled(token, { kind: 'meeting' });
  for (const { name, role, audio } of people) {
    if (role === 'stranger') continue;
    const json = { user: name, role: role === 'disabled' ? 'correct' : role, audio };
    const given = await service.call('PUT', `/recordings/${id}/access`, { token, json });
    assert.equal(given.status, 200);
  }
  const own = await service.settled(people[0]!.token);
  const disabled = { token: ada, json: { disabled: true } };
  assert.equal((await service.call('PATCH', '/users/dora', disabled)).status, 200);

  const asked = async (one: string, { json, path = '' }: Row, as: string) => {
    const [method = '', route = ''] = one.split(' ');
    const filled = path.startsWith('/')
      ? path
      : route
          .replace('{id}', id)
          .replace('{version}', '1')
          .replace('{index}', '0')
          .replace('{n}', '1')
          .replace('{to}', 'u-nobody')
          .replace('{link}', 'nobody') + path;
    const body =
      json && (JSON.parse(JSON.stringify(json).replace('ID', id).replace('OWN', own)) as object);
    return await service.call<ProblemAnswer>(method.toUpperCase(), filled, {
      token: as,
      ...(body && { json: body }),
    });
  };
  const walk = async (only: (allowed: boolean) => boolean) => {
    for (const [one, row] of Object.entries({ ...elsewhere, ...table })) {
      for (const { name, token: as, role, audio } of people) {
        const isHearing = row.by === 'audio' && role !== 'disabled';
        const allowed = isHearing ? audio : rank.indexOf(role) >= rank.indexOf(row.by);
        if (!only(allowed)) continue;
        const { status, body } = await asked(one, row, as);
        const said = `${one} by ${name}: ${status} ${body.type}`;
        if (allowed) assert.ok(status !== 404 && body.type !== '/problems/not-yours', said);
        else if (role === 'disabled') assert.equal(status, 401, said);
        else if (role === 'stranger') assert.equal(status, 404, said);
        else
          assert.deepEqual(
            [status, body.type, body['owner']],
            [403, '/problems/not-yours', 'owen'],
            said,
          );
      }
    }
  };
  await walk((allowed) => !allowed);
  await service.reaches(id, 'awaiting-speakers');
  await service.named(token, id);
  await walk((allowed) => !allowed);
  const line = async (as: string) =>
    (await service.call<Line>('GET', `/recordings/${id}`, { token: as })).body;
  assert.deepEqual((await line(token)).shared, 4);
  const [rita, hans, cora] = people;
  assert.deepEqual((await line(rita!.token)).access, { role: 'read', audio: false, by: 'owen' });
  assert.deepEqual((await line(hans!.token)).access, { role: 'read', audio: true, by: 'owen' });
  const seen = await line(cora!.token);
  assert.deepEqual([seen.documents, seen.folder, seen.tags, seen.shared], [null, null, [], 0]);
  await walk((allowed) => allowed);

  const half = await service.call<ProblemAnswer>('PATCH', `/recordings/${id}`, {
    token: cora!.token,
    json: { title: 'Mine now', kind: 'solo' },
  });
  assert.deepEqual([half.status, half.body.errors?.[0]?.path], [403, 'kind']);
  assert.notEqual((await line(token)).title, 'Mine now');
});

type Line = {
  title: string;
  access: object | null;
  shared: number;
  documents: object | null;
  folder: string | null;
  tags: string[];
};

test('what is for administrators is refused to users, to strangers and to who has a link; what is for users to strangers', async (t) => {
  const { service, token: ada } = await withAda(t);
  const token = await service.addUser('owen');
  const id = await service.settled(token);
  await service.addUser('gone', true);
  const gone = await service.login('gone');
  const disabled = { token: ada, json: { disabled: true } };
  assert.equal((await service.call('PATCH', '/users/gone', disabled)).status, 200);
  const { url } = (
    await service.call<{ url: string }>('POST', `/recordings/${id}/links`, {
      token,
      json: { name: 'Hall', audio: true },
    })
  ).body;
  const { ticket } = (
    await service.call<{ ticket: string }>('POST', '/shared', {
      json: { token: new URL(url).hash.slice(1) },
    })
  ).body;
  const others = routes.filter(
    ({ access, path, hidden }) =>
      // Who has the address of an upload may go on with it.
      access !== 'public' &&
      !hidden &&
      !path.startsWith('/recordings/{id}') &&
      path !== '/uploads/{upload}',
  );
  const forAdministrators = others.filter(({ access }) => access === 'admin');
  for (const path of ['/happened', '/happened/export', '/events', '/config', '/users', '/doctor'])
    assert.ok(
      forAdministrators.some((one) => one.path === path && one.method === 'get'),
      path,
    );
  for (const { method, path, access } of others) {
    const at = path.replaceAll(/\{\w+\}/gu, 'nobody');
    const asked = async (how: { token?: string }, query = '') => {
      const { status, body } = await service.call<ProblemAnswer>(
        method.toUpperCase(),
        at + query,
        how,
      );
      return [status, method === 'head' ? undefined : body.type];
    };
    const none = [401, method === 'head' ? undefined : '/problems/not-authenticated'];
    const said = `${method} ${path}`;
    assert.deepEqual(await asked({}), none, `${said} by a stranger`);
    assert.deepEqual(await asked({}, `?ticket=${ticket}`), none, `${said} by a link`);
    assert.deepEqual(await asked({ token: gone }), none, `${said} by who is disabled`);
    if (access !== 'admin') continue;
    assert.deepEqual(
      await asked({ token }),
      [403, method === 'head' ? undefined : '/problems/not-admin'],
      `${said} by a user`,
    );
  }
});

test('who has a link comes to what its ticket opens, and is nobody everywhere else', async (t) => {
  const { service } = await withAda(t);
  const token = await service.addUser('owen');
  const [id, other] = [
    (await service.upload(token)).body.recording_id,
    (await service.upload(token)).body.recording_id,
  ];
  for (const one of [id, other]) await service.reaches(one, 'idle.saved');
  const ticketOf = async (audio: boolean) => {
    const json = { name: 'Hall', audio };
    const { url } = (
      await service.call<{ url: string }>('POST', `/recordings/${id}/links`, { token, json })
    ).body;
    const asked = { json: { token: new URL(url).hash.slice(1) } };
    return (await service.call<{ ticket: string }>('POST', '/shared', asked)).body.ticket;
  };
  const [silent, audible] = [await ticketOf(false), await ticketOf(true)];
  const opened: Record<string, [silent: number, audible: number]> = {
    'get /recordings/{id}/audio': [403, 200],
    'get /recordings/{id}/peaks': [403, 200],
    'get /recordings/{id}/export': [200, 200],
  };
  for (const [one, { json, path = '' }] of Object.entries({ ...elsewhere, ...table })) {
    const [method = '', route = ''] = one.split(' ');
    const filled = (of: string) =>
      (path.startsWith('/') ? path : route + path).replace('{id}', of).replaceAll(/\{\w+\}/g, '1');
    const status = async (of: string, ticket: string, as?: string) => {
      const at = filled(of);
      const asked = `${at}${at.includes('?') ? '&' : '?'}ticket=${ticket}`;
      const how = { ...(as && { token: as }), ...(json && { json }) };
      return (await service.call(method.toUpperCase(), as ? at : asked, how)).status;
    };
    const statuses = [await status(id, silent), await status(id, audible)];
    assert.deepEqual(statuses, opened[one] ?? [401, 401], one);
    assert.deepEqual([await status(other, audible), await status(id, '', silent)], [401, 401], one);
  }
  for (const path of ['/transcripts', '/search?q=plan', '/status', '/recordings'])
    assert.equal(
      (await service.call('GET', `${path}${path.includes('?') ? '&' : '?'}ticket=${silent}`))
        .status,
      401,
    );
});
