import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  connect,
  password,
  rawRequest,
  startService,
  type ProblemAnswer,
  type TestService,
  withAda,
} from '../support/http-client.ts';

test('the first administrator is made over HTTP, once', async (t) => {
  const service = await startService(t);
  const credentials = { username: 'ada', password };
  const state = await service.call('GET', '/setup/state');
  assert.deepEqual(state.body, { setup_required: true, setup_code_required: false });

  const weak = await service.call<ProblemAnswer>('POST', '/setup', {
    json: { username: 'ada', password: 'short' },
  });
  assert.equal(weak.status, 422);
  assert.equal(weak.body.errors?.[0]?.path, 'password');

  const setUp = await service.call('POST', '/setup', { json: credentials });
  assert.equal(setUp.status, 201);
  assert.deepEqual(Object.keys(setUp.body).toSorted(), [
    'expires_at',
    'is_admin',
    'token',
    'user_id',
    'username',
  ]);
  assert.equal(setUp.body['is_admin'], true);

  const again = await service.call<ProblemAnswer>('POST', '/setup', { json: credentials });
  assert.deepEqual([again.status, again.body.type], [409, '/problems/already-set-up']);
  assert.deepEqual((await service.call('GET', '/setup/state')).body, {
    setup_required: false,
    setup_code_required: false,
  });
});

test('a forwarded request has to know the setup code', async (t) => {
  const service = await startService(t);
  const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': '203.0.113.5' };
  const setUp = (setup_code?: string) =>
    rawRequest(service.url, {
      method: 'POST',
      path: '/setup',
      headers,
      body: JSON.stringify({ username: 'ada', password, ...(setup_code ? { setup_code } : {}) }),
    });
  const state = await rawRequest(service.url, { path: '/setup/state', headers });
  assert.deepEqual(JSON.parse(state.body), { setup_required: true, setup_code_required: true });
  const refused = await setUp();
  assert.equal(refused.status, 403);
  assert.equal((JSON.parse(refused.body) as ProblemAnswer).type, '/problems/setup-code-required');
  assert.deepEqual(security(service), ['setup refused']);
  const code = await service.setupCode();
  assert.equal((await setUp(code)).status, 201);
});

test('a login gives a token that logging out kills at once, with its WebSockets', async (t) => {
  const { service, token: first } = await withAda(t);
  const second = await service.login('ada');
  const { body } = await service.call('GET', '/status', { token: second });
  assert.equal(body['username'], 'ada');
  assert.equal(body['is_admin'], true);
  assert.equal(body['status'], 'IDLE');

  const dying = connect(service.url, second);
  const staying = connect(service.url, first);
  await dying.until(({ type }) => type === 'status');
  await staying.until(({ type }) => type === 'position');
  assert.equal((await service.call('POST', '/logout', { token: second })).status, 204);
  assert.deepEqual(security(service), ['user logged out']);
  assert.equal((await service.call('GET', '/status', { token: second })).status, 401);
  assert.equal(await dying.closed, 1008);
  assert.equal((await service.call('GET', '/status', { token: first })).status, 200);
  assert.equal(staying.socket.readyState, staying.socket.OPEN);

  await service.login('ada');
  const { body: own } = await service.call<{ sessions: { id: string; current: boolean }[] }>(
    'GET',
    '/users/me/sessions',
    { token: first },
  );
  const { id } = own.sessions.find(({ current }) => !current)!;
  const path = `/users/me/sessions/${id}`;
  assert.equal((await service.call('DELETE', path, { token: first })).status, 204);
  assert.deepEqual(security(service), ['user logged out', 'session ended by its user']);
  assert.ok(!service.logged.some((line) => line.includes(second) || line.includes(id)));
});

/** What the log says of ended sessions and refused setup codes, for those who watch for intruders. */
const security = (service: TestService): string[] =>
  service.logged
    .map((line) => JSON.parse(line) as { category?: string; msg: string })
    .filter(({ category, msg }) => category === 'security' && /logged out|ended|setup/.test(msg))
    .map(({ msg }) => msg);

test('a wrong password and an unknown name get the same answer', async (t) => {
  const { service } = await withAda(t);
  const answers = [];
  for (const username of ['ada', 'nobody']) {
    const json = { username, password: 'wrong password' };
    answers.push(await service.call<ProblemAnswer>('POST', '/login', { json }));
  }
  assert.deepEqual(
    answers.map(({ status }) => status),
    [401, 401],
  );
  assert.deepEqual(answers[0]!.body, answers[1]!.body);
  assert.equal(answers[0]!.body.type, '/problems/wrong-credentials');
});

test('attempts to log in are limited, and told how long to wait', async (t) => {
  const { service } = await withAda(t);
  let last;
  for (let attempt = 0; attempt < 12; attempt += 1) {
    const json = { username: 'ada', password: 'wrong password' };
    last = await service.call<ProblemAnswer>('POST', '/login', { json });
    if (last.status === 429) break;
  }
  assert.equal(last?.status, 429);
  assert.equal(last?.body.type, '/problems/too-many-attempts');
  assert.ok(Number(last?.headers.get('retry-after')) > 0);
});

test('a body that is no JSON, too large or of another shape is told apart', async (t) => {
  // Refused bodies are attempts of their address: each comes from another.
  const env = { MITSCHRIFT_SERVER_TRUSTED_PROXIES: '127.0.0.1' };
  const service = await startService(t, { env });
  let address = 0;
  const post = (body: string) => {
    const from = { 'X-Forwarded-For': `203.0.113.${(address += 1)}` };
    const headers = { 'Content-Type': 'application/json', ...from };
    return service.call<ProblemAnswer>('POST', '/login', { body, headers });
  };
  const broken = await post('{"username":');
  assert.deepEqual([broken.status, broken.body.type], [400, '/problems/malformed-body']);
  const large = await post(JSON.stringify({ username: 'x'.repeat(1024 * 1024), password }));
  assert.deepEqual([large.status, large.body.type], [413, '/problems/too-large']);
  const other = await post(JSON.stringify({ username: 3, surprise: true }));
  assert.equal(other.status, 422);
  assert.deepEqual(other.body.errors?.map(({ path }) => path).toSorted(), [
    '(body)',
    'password',
    'username',
  ]);
  assert.equal((await post('{"__proto__": {"username": "x"}}')).status, 400);
});
