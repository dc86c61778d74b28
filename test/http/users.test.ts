import assert from 'node:assert/strict';
import { access, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileSetupCodes } from '../../src/accounts/setup-code.ts';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { openAccounts } from '../../src/accounts/accounts.ts';
import { accountsParts } from '../support/accounts-parts.ts';
import { archiveSpace } from '../../src/accounts/user-removal.ts';
import { dataFolder } from '../../src/shared/data-directory.ts';
import {
  type ProblemAnswer,
  type TestService,
  connect,
  password,
  withAda,
} from '../support/http-client.ts';
import { slowUpload } from '../support/slow-upload.ts';

type User = {
  user_id: string;
  username: string;
  is_admin: boolean;
  disabled: boolean;
  built_in: boolean;
};

test('administrators create, list, promote and demote users', async (t) => {
  const { service, token } = await withAda(t);
  const created = await service.call<User>('POST', '/users', {
    token,
    json: { username: 'Björn', password, is_admin: false },
  });
  assert.equal(created.status, 201);
  assert.deepEqual(
    [created.body.username, created.body.is_admin, created.body.built_in],
    ['Björn', false, false],
  );
  assert.deepEqual(await names(service, token), ['Björn', 'ada (administrator)', 'guest']);
  const chosen = 'he chose this one';
  const first = await service.login('björn');
  const own = { current_password: password, password: chosen };
  assert.equal((await service.call('PATCH', '/users/me', { token: first, json: own })).status, 204);
  const entered = await service.call<{ token: string }>('POST', '/login', {
    json: { username: 'björn', password: chosen },
  });
  const logged = entered.body.token;
  assert.equal((await service.call('GET', '/users', { token: logged })).status, 403);

  const promoted = await service.call<User>('PATCH', `/users/${encodeURIComponent('BJÖRN')}`, {
    token,
    json: { is_admin: true },
  });
  assert.deepEqual([promoted.status, promoted.body.is_admin], [200, true]);
  assert.equal((await service.call('GET', '/users', { token: logged })).status, 200);

  await service.call('PATCH', '/users/ada', { token: logged, json: { is_admin: false } });
  assert.equal((await service.call('GET', '/status', { token })).status, 401, 'logs in again');
  const last = await service.call<ProblemAnswer>('PATCH', `/users/${encodeURIComponent('björn')}`, {
    token: logged,
    json: { is_admin: false },
  });
  assert.deepEqual([last.status, last.body.type], [409, '/problems/last-administrator']);
});

test('users see where they are logged in and end it there; administrators see who was here, and what they keep', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  const phone = (
    await service.call<{ token: string }>('POST', '/login', {
      json: { username: 'ben', password },
      headers: { 'User-Agent': 'A phone' },
    })
  ).body.token;
  const list = async (of: string) =>
    (await service.call<{ sessions: Session[] }>('GET', '/users/me/sessions', { token: of })).body
      .sessions;
  const sessions = await list(ben);
  assert.deepEqual(
    sessions.map(({ current }) => current).toSorted(),
    [false, true],
    'his own two, not those of others',
  );
  const other = sessions.find(({ agent }) => agent === 'A phone')!;
  assert.equal(other.current, false);
  assert.ok(!JSON.stringify(sessions).includes(phone));
  const socket = connect(service.url, phone);
  await socket.until(({ type }) => type === 'status');
  const end = (of: string) =>
    service.call('DELETE', `/users/me/sessions/${other.id}`, { token: of });
  assert.equal((await end(token)).status, 404, 'another user has no such session');
  assert.equal((await end(ben)).status, 204);
  assert.equal(await socket.closed, 1008);
  assert.equal((await service.call('GET', '/status', { token: phone })).status, 401);
  assert.equal((await end(ben)).status, 404);
  assert.deepEqual(
    (await list(ben)).map(({ current }) => current),
    [true],
  );

  await service.settled(ben);
  const users = (await service.call<{ users: Listed[] }>('GET', '/users', { token })).body.users;
  const row = (name: string) => users.find(({ username }) => username === name)!;
  assert.deepEqual([row('ben').recordings, row('ada').recordings], [1, 0]);
  assert.ok(row('ben').bytes > 3200, `${row('ben').bytes} bytes`);
  assert.ok(row('ben').last_seen_at! >= row('ben').created_at!);
  assert.deepEqual([row('guest').created_at, row('guest').last_seen_at], [null, null]);
});

type Session = { id: string; agent: string | null; current: boolean };
type Listed = User & {
  created_at: string | null;
  last_seen_at: string | null;
  recordings: number;
  bytes: number;
};

test('a disabled user: sessions and sockets end, the login says so, recordings go on', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  service.engines.hold('transcribe');
  const { recording_id: id } = (await service.upload(ben)).body;
  const client = connect(service.url, ben);
  await client.until(({ type }) => type === 'status');
  const patch = (name: string, json: unknown, who = token) =>
    service.call<User & ProblemAnswer>('PATCH', `/users/${name}`, { token: who, json });

  const self = await patch('ada', { disabled: true });
  assert.equal(self.status, 409, 'the last administrator');
  const disabled = await patch('BEN', { disabled: true });
  assert.deepEqual([disabled.status, disabled.body.disabled], [200, true]);
  assert.equal(await client.closed, 1008);
  assert.equal((await service.call('GET', '/status', { token: ben })).status, 401);
  const login = (word: string) =>
    service.call<ProblemAnswer>('POST', '/login', { json: { username: 'ben', password: word } });
  const right = await login(password);
  assert.deepEqual([right.status, right.body.type], [403, '/problems/user-disabled']);
  const wrong = await login('not this one');
  assert.deepEqual([wrong.status, wrong.body.type], [401, '/problems/wrong-credentials']);
  const row = (await listed(service, token)).find(({ username }) => username === 'ben');
  assert.deepEqual([row?.disabled, row?.built_in], [true, false]);

  service.engines.releaseAll();
  await service.reaches(id, 'idle.saved');
  assert.equal((await patch('ben', { disabled: false })).body.disabled, false);
  const back = await service.login('ben');
  assert.equal((await service.call('GET', `/recordings/${id}`, { token: back })).status, 200);

  const cleo = await service.addUser('cleo', true);
  const own = await patch('cleo', { disabled: true }, cleo);
  assert.deepEqual([own.status, own.body.type], [409, '/problems/own-account']);
  assert.equal((await patch('guest', { disabled: true })).status, 409);
});

test('names and passwords that do not do are refused with their reason', async (t) => {
  const { service, token } = await withAda(t);
  const post = (json: unknown) => service.call<ProblemAnswer>('POST', '/users', { token, json });
  for (const [json, status, what] of [
    [{ username: 'ADA', password }, 409, '/problems/username-taken'],
    [{ username: 'guest', password }, 422, 'username'],
    [{ username: 'Me', password }, 422, 'username'],
    [{ username: 'a', password }, 422, 'username'],
    [{ username: 'a/b', password }, 422, 'username'],
    [{ username: 'ben', password: 'short' }, 422, 'password'],
    [{ username: 'ben' }, 422, 'password'],
    [{ username: 'ben', password, is_admin: 'yes' }, 422, 'is_admin'],
    [{ username: 'ben', password, space: '/' }, 422, '(body)'],
  ] as const) {
    const answer = await post(json);
    assert.equal(answer.status, status, JSON.stringify(json));
    assert.equal(status === 409 ? answer.body.type : answer.body.errors?.[0]?.path, what);
  }
  // A password that does not do keeps the other change from being made too.
  await service.addUser('ben');
  const half = await service.call('PATCH', '/users/ben', {
    token,
    json: { is_admin: true, password: 'short' },
  });
  assert.equal(half.status, 422);
  assert.deepEqual(await names(service, token), ['ada (administrator)', 'ben', 'guest']);
  assert.ok(!service.logged.join('\n').includes(password));
});

test('of many creations of one name at once one succeeds; a repetition gets the same answer', async (t) => {
  const { service, token } = await withAda(t);
  const json = { username: 'ben', password };
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => service.call('POST', '/users', { token, json })),
  );
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409, 409, 409, 409]);
  const headers = { 'Idempotency-Key': 'k1' };
  const cleo = { username: 'cleo', password };
  const first = await service.call('POST', '/users', { token, json: cleo, headers });
  const again = await service.call('POST', '/users', { token, json: cleo, headers });
  assert.deepEqual([again.status, again.body], [201, first.body]);
});

test('one’s own password: the present one is asked for, and every other session ends', async (t) => {
  const { service } = await withAda(t);
  const ben = await service.addUser('ben');
  const other = await service.login('ben');
  const patch = (current: string, to: string, token = ben) =>
    service.call<ProblemAnswer>('PATCH', '/users/me', {
      token,
      json: { current_password: current, password: to },
    });
  const wrong = await patch('not it at all', 'another password');
  assert.deepEqual([wrong.status, wrong.body.errors?.[0]?.path], [422, 'current_password']);
  assert.deepEqual((await patch(password, 'short')).body.errors?.[0]?.path, 'password');
  assert.equal((await patch(password, 'another password')).status, 204);
  const status = async (token: string) => (await service.call('GET', '/status', { token })).status;
  assert.deepEqual([await status(ben), await status(other)], [200, 401]);
  const login = (word: string) =>
    service.call('POST', '/login', { json: { username: 'ben', password: word } });
  assert.equal((await login(password)).status, 401);
  assert.equal((await login('another password')).status, 200);
});

test('with somebody’s open session one cannot guess their password for long', async (t) => {
  const { service } = await withAda(t);
  const token = await service.addUser('ben');
  const statuses: number[] = [];
  for (let guess = 0; guess < 4; guess += 1) {
    const json = { current_password: `guess ${guess}`, password: 'another password' };
    statuses.push((await service.call('PATCH', '/users/me', { token, json })).status);
  }
  assert.deepEqual(statuses, [422, 422, 422, 429]);
});

test('the last administrator and guest stay; `me` is nobody’s name', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  const calls: [method: string, path: string, token: string, status: number][] = [
    ['DELETE', '/users/ada', token, 409],
    ['DELETE', '/users/guest', token, 409],
    ['PATCH', '/users/GUEST', token, 409],
    ['DELETE', '/users/me', token, 404],
    ['DELETE', '/users/me', ben, 403],
    ['DELETE', '/users/ME', ben, 403],
    ['DELETE', '/users/nobody', token, 404],
    ['PATCH', '/users/nobody', token, 404],
    ['DELETE', '/users/ben', ben, 403],
    ['PATCH', '/users/ben', ben, 403],
    ['POST', '/users', ben, 403],
  ];
  for (const [method, path, who, status] of calls) {
    const json = method === 'DELETE' ? undefined : { is_admin: true };
    const answer = await service.call(method, path, { token: who, json });
    assert.equal(answer.status, status, `${method} ${path}`);
  }
  assert.deepEqual(await names(service, token), ['ada (administrator)', 'ben', 'guest']);
  const guest = { username: 'guest', password };
  assert.equal((await service.call('POST', '/login', { json: guest })).status, 401);
});

test('a deleted user: sessions and sockets end, the key is gone, documents are put aside', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  const { user_id: id } = (await listed(service, token)).find(
    ({ username }) => username === 'ben',
  )!;
  const space = join(service.dataDir, 'spaces', id);
  await mkdir(space, { recursive: true });
  await writeFile(join(space, 'note.md'), 'what ben said');
  const client = connect(service.url, ben);
  await client.until(({ type }) => type === 'status');

  const deleted = await service.call('DELETE', '/users/BEN', { token });
  assert.equal(deleted.status, 204);
  assert.equal(await client.closed, 1008);
  assert.equal((await service.call('GET', '/status', { token: ben })).status, 401);
  assert.equal(
    (await service.call('POST', '/login', { json: { username: 'ben', password } })).status,
    401,
  );
  await assert.rejects(access(space), { code: 'ENOENT' });
  const kept = join(service.dataDir, 'quarantine', 'spaces');
  const [folder = ''] = await readdir(kept);
  assert.match(folder, new RegExp(`^${id}-\\d{8}T\\d{9}Z$`));
  assert.equal(await readFile(join(kept, folder, 'note.md'), 'utf8'), 'what ben said');
  await assert.rejects(access(join(service.dataDir, 'keys', `user-${id}`)), { code: 'ENOENT' });

  // The name used again is somebody else, who inherits nothing.
  await service.addUser('ben');
  const again = (await listed(service, token)).find(({ username }) => username === 'ben')!;
  assert.notEqual(again.user_id, id);
  const security = service.logged
    .map((line) => JSON.parse(line) as { category?: string; msg: string; user_id?: string })
    .filter(({ category }) => category === 'security');
  assert.ok(security.some(({ msg, user_id }) => msg === 'user deleted' && user_id === id));
});

test('a deletion that was interrupted after its fact is finished at the next start', async (t) => {
  const { service, token } = await withAda(t);
  await service.addUser('ben');
  const { user_id: id } = (await listed(service, token)).find(
    ({ username }) => username === 'ben',
  )!;
  const data = dataFolder(service.dataDir);
  // As a process leaves it that dies right after the fact.
  const dying = await openAccounts({
    ...(await partsOf(service)),
    keys: { forget: () => Promise.reject(new Error('killed')), isErased: () => false },
  });
  await assert.rejects(dying.deleteUser('ben', { by: 'ada' }), /killed/);
  await mkdir(join(data.spaces, id), { recursive: true });
  await writeFile(join(data.spaces, id, 'note.md'), 'left');
  await access(join(data.keys, `user-${id}`));

  const next = await openAccounts({
    ...(await partsOf(service)),
    keys: await openFileKeys(data.keys),
    archiveSpace: archiveSpace(data, () => new Date()),
  });
  await assert.rejects(access(join(data.keys, `user-${id}`)), { code: 'ENOENT' });
  await next.finishDeletions();
  await assert.rejects(access(join(data.spaces, id)), { code: 'ENOENT' });
  assert.equal((await readdir(join(data.quarantine, 'spaces'))).length, 1);
});

test('an upload goes on when its session ends', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  const upload = await slowUpload(service, ben);
  await service.call('PATCH', '/users/ben', { token, json: { password: 'a new password' } });
  assert.equal((await service.call('GET', '/status', { token: ben })).status, 401);
  assert.equal(await upload.finish(), 202);
});

const listed = async (service: TestService, token: string): Promise<User[]> =>
  (await service.call<{ users: User[] }>('GET', '/users', { token })).body.users;

const names = async (service: TestService, token: string): Promise<string[]> =>
  (await listed(service, token))
    .map(({ username, is_admin }) => username + (is_admin ? ' (administrator)' : ''))
    .toSorted();

const partsOf = async (service: TestService) => ({
  ...(await accountsParts(service.store)),
  kept: service.services.kept,
  settings: () => service.services.config.settings(),
  setupCodes: fileSetupCodes(dataFolder(service.dataDir).setupCode),
  log: service.services.log,
});
