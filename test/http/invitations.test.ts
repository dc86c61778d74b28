import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ProblemAnswer,
  type TestService,
  connect,
  password,
  startService,
  withAda,
} from '../support/http-client.ts';

type Link = { id: string; url: string; expires_at: string };
type Listed = { invitations: { id: string; purpose: string; note: string; by: string }[] };

/** What a browser takes out of the fragment. */
const tokenIn = ({ url }: Link): string => new URL(url).hash.replace(/^#\w+=/u, '');

test('an invitation: shown once, used once, and one answer for all that is wrong with it', async (t) => {
  const env = { MITSCHRIFT_SERVER_TRUSTED_PROXIES: '127.0.0.1' };
  const { service, token } = await withAda(t, { env });
  const ben = await service.addUser('ben');
  const ask = <T>(method: string, path: string, json?: object, of = token) =>
    service.call<T>(method, path, { token: of, json });
  let strangers = 0;
  const accept = (json: object) =>
    service.call<ProblemAnswer & { token: string }>('POST', '/invitations/accept', {
      json,
      headers: { 'X-Forwarded-For': `198.51.100.${(strangers += 1)}` },
    });
  assert.equal((await ask('POST', '/users/invitations', {}, ben)).status, 403);
  const made = await ask<Link>('POST', '/users/invitations', { note: 'Cleo, library' });
  assert.equal(made.status, 201);
  assert.match(made.body.url, /^http:\/\/127\.0\.0\.1:\d+\/login#invitation=[\w-]{43}$/u);
  const days = (Date.parse(made.body.expires_at) - Date.now()) / 86_400_000;
  assert.ok(days > 6.9 && days < 7.1);
  const given = tokenIn(made.body);
  const { body } = await ask<Listed>('GET', '/users/invitations');
  assert.deepEqual(
    body.invitations.map(({ purpose, note, by }) => [purpose, note, by]),
    [['invitation', 'Cleo, library', 'ada']],
  );
  assert.ok(!JSON.stringify(body).includes(given), 'the link is not shown again');
  assert.ok(!service.logged.some((line) => line.includes(given)), 'nor logged');
  for await (const fact of service.store.read('users')) {
    assert.ok(!JSON.stringify(fact).includes(given), 'nor stored');
  }
  assert.ok(!service.logged.some((line) => line.includes('Cleo, library')));
  const look = await service.call('POST', '/invitations/look', { json: { token: given } });
  assert.deepEqual(
    [look.body['purpose'], look.body['by'], look.body['username']],
    ['invitation', 'ada', null],
  );

  // What is refused uses nothing up.
  for (const [wrong, path] of [
    [{ username: 'cleo', password: 'passwort' }, 'password'],
    [{ username: 'c', password }, 'username'],
    [{ password }, 'username'],
  ] as const) {
    const { status, body: problem } = await accept({ token: given, ...wrong });
    assert.deepEqual([status, problem.errors?.[0]?.path], [422, path]);
  }
  const taken = await accept({ token: given, username: 'BEN', password });
  assert.deepEqual([taken.status, taken.body.type], [409, '/problems/username-taken']);
  const both = await Promise.all(
    ['cleo', 'dora'].map((username) => accept({ token: given, username, password })),
  );
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [201, 404], 'once');
  const { token: own } = both.find(({ status }) => status === 201)!.body;
  const status = await ask<Record<string, unknown>>('GET', '/status', undefined, own);
  assert.deepEqual([status.status, status.body['is_admin']], [200, false]);

  const withdrawn = (await ask<Link>('POST', '/users/invitations', { is_admin: true })).body;
  assert.equal((await ask('DELETE', `/users/invitations/${withdrawn.id}`)).status, 204);
  assert.equal((await ask('DELETE', `/users/invitations/${withdrawn.id}`)).status, 404);
  const refusals = new Set<string>();
  for (const one of [given, tokenIn(withdrawn), 'x', 'A'.repeat(43)]) {
    const { status: no, body: problem } = await accept({ token: one, username: 'emil', password });
    const { request_id: _, ...same } = problem;
    refusals.add(JSON.stringify([no, same]));
  }
  assert.equal(refusals.size, 1, [...refusals].join('\n'));
  assert.match([...refusals].join(), /link-over/u);
  assert.deepEqual((await ask<Listed>('GET', '/users/invitations')).body.invitations, []);

  const guesses = [];
  for (let guess = 0; guess < 6; guess += 1) {
    const answer = await service.call('POST', '/invitations/look', {
      json: { token: `guess ${guess}` },
      headers: { 'X-Forwarded-For': '203.0.113.7' },
    });
    guesses.push(answer.status);
  }
  assert.deepEqual(guesses, [404, 404, 404, 429, 429, 429]);
});

test('links lead to where people open the pages, as the settings say', async (t) => {
  const env = { MITSCHRIFT_SERVER_PUBLIC_URL: 'https://notes.example.org' };
  const { service, token } = await withAda(t, { env });
  for (const path of ['/users/invitations', '/users/ada/password-link']) {
    const { url } = (await service.call<Link>('POST', path, { token, json: {} })).body;
    assert.equal(new URL('/login', url).href, 'https://notes.example.org/login', path);
  }
});

test('an invitation outlives a restart, and makes an administrator where it says so', async (t) => {
  const { service: first, token } = await withAda(t);
  const make = async (days: number) =>
    (
      await first.call<Link>('POST', '/users/invitations', {
        token,
        json: { note: 'Cleo', is_admin: true, days },
      })
    ).body;
  const kept = await make(30);
  const tooLong = { token, json: { days: 31 } };
  assert.equal((await first.call('POST', '/users/invitations', tooLong)).status, 422);
  await first.close();
  const service = await startService(t, { dataDir: first.dataDir });
  const accepted = await service.call('POST', '/invitations/accept', {
    json: { token: tokenIn(kept), username: 'cléo', password },
  });
  assert.deepEqual([accepted.status, accepted.body['is_admin']], [201, true]);
});

test('a password that somebody else set opens nothing until it is changed', async (t) => {
  const { service, token } = await withAda(t);
  const ask = <T = ProblemAnswer>(method: string, path: string, of: string, json?: object) =>
    service.call<T>(method, path, { token: of, json });
  const enter = async (given: string) =>
    (
      await service.call<{ token: string; limited?: string }>('POST', '/login', {
        json: { username: 'ben', password: given },
      })
    ).body;
  const { status } = await ask('POST', '/users', token, { username: 'ben', password });
  assert.equal(status, 201);
  for (const [given, chosen] of [
    [password, 'ben chose this one'],
    ['an administrator’s', 'ben chose another'],
  ] as const) {
    const ben = await enter(given);
    assert.equal(ben.limited, 'password');
    for (const [method, path] of [
      ['GET', '/status'],
      ['GET', '/recordings'],
      ['POST', '/recordings'],
      ['POST', '/toggle'],
      ['GET', '/users/me/sessions'],
      ['POST', '/users/me/confirm'],
      ['GET', '/nothing'],
    ] as const) {
      const no = await ask(method, path, ben.token);
      assert.deepEqual(
        [no.status, no.body.type],
        [403, '/problems/password-change-required'],
        path,
      );
    }
    const socket = connect(service.url, ben.token);
    assert.equal((await socket.refusal).body.type, '/problems/password-change-required');
    const change = (to: string) =>
      ask('PATCH', '/users/me', ben.token, { current_password: given, password: to });
    assert.equal((await change(given)).status, 422, 'another one');
    assert.equal((await change(chosen)).status, 204);
    const own = await enter(chosen);
    assert.equal(own.limited, undefined);
    assert.equal((await ask('GET', '/status', own.token)).status, 200);
    await ask('PATCH', '/users/ben', token, { password: 'an administrator’s' });
    assert.equal((await ask('GET', '/status', own.token)).status, 401, 'a reset ends sessions');
  }
  const last = await enter('an administrator’s');
  assert.equal((await ask('POST', '/logout', last.token)).status, 204);
  assert.equal(
    (await ask('PATCH', '/users/ada', token, { password: 'her own by PATCH' })).status,
    200,
  );
  const ada = { username: 'ada', password: 'her own by PATCH' };
  const own = await service.call('POST', '/login', { json: ada });
  assert.equal(own.body['limited'], undefined, 'nobody else knows it');
});

test('a link for a new password: the user chooses, sessions end, the one before is good no more', async (t) => {
  const { service, token } = await withAda(t);
  const ben = await service.addUser('ben');
  const make = () => service.call<Link>('POST', '/users/ben/password-link', { token, json: {} });
  const accept = (link: Link, chosen: string) =>
    service.call('POST', '/invitations/accept', {
      json: { token: tokenIn(link), password: chosen },
    });
  const [before, link] = [(await make()).body, (await make()).body];
  assert.match(link.url, /\/login#password=/u);
  assert.equal((await accept(before, 'a new password')).status, 404);
  const look = await service.call('POST', '/invitations/look', { json: { token: tokenIn(link) } });
  assert.deepEqual([look.body['purpose'], look.body['username']], ['password', 'ben']);
  assert.equal(
    (await service.call('GET', '/status', { token: ben })).status,
    200,
    'until it is used',
  );
  assert.equal((await accept(link, password)).status, 422, 'another one');
  const used = await accept(link, 'a new password');
  assert.deepEqual(
    [used.status, used.body['username'], used.body['limited']],
    [201, 'ben', undefined],
  );
  assert.equal((await service.call('GET', '/status', { token: ben })).status, 401);
  assert.equal((await accept(link, 'one more password')).status, 404);

  const other = (await make()).body;
  await service.call('PATCH', '/users/ben', { token, json: { disabled: true } });
  assert.equal((await accept(other, 'one more password')).status, 404, 'disabled');
  assert.equal((await service.call('POST', '/users/guest/password-link', { token })).status, 409);
  assert.equal((await service.call('POST', '/users/nobody/password-link', { token })).status, 404);
  assert.equal((await service.call('DELETE', '/users/ben', { token })).status, 204);
  assert.deepEqual((await service.call('GET', '/users/invitations', { token })).body, {
    invitations: [],
  });
});

test('a link is good only as long as who made it is an administrator', async (t) => {
  const { service, token } = await withAda(t, {
    env: { MITSCHRIFT_SERVER_TRUSTED_PROXIES: '127.0.0.1' },
  });
  const ben = await service.addUser('ben', true);
  const ask = <T = ProblemAnswer>(method: string, path: string, json?: object, of = token) =>
    service.call<T>(method, path, { token: of, json });
  const invited = { is_admin: true, days: 30 };
  const invitation = (await ask<Link>('POST', '/users/invitations', invited, ben)).body;
  const forAda = (await ask<Link>('POST', '/users/ada/password-link', {}, ben)).body;
  const onHost = await service.accounts.linkForPassword('ada', 7, { by: 'system' });
  const mine = (await ask<Link>('POST', '/users/invitations', {})).body;
  let strangers = 0;
  const asStranger = (path: string, json: object) =>
    service.call<ProblemAnswer>('POST', `/invitations/${path}`, {
      json,
      headers: { 'X-Forwarded-For': `198.51.100.${(strangers += 1)}` },
    });
  const statusOf = async (one: string) => (await asStranger('look', { token: one })).status;
  assert.equal(await statusOf(tokenIn(invitation)), 200);
  assert.equal((await ask('PATCH', '/users/ben', { is_admin: false })).status, 200);
  const dora = { token: tokenIn(invitation), username: 'dora', password };
  const accepted = await asStranger('accept', dora);
  assert.deepEqual([accepted.status, accepted.body.type], [404, '/problems/link-over']);
  assert.equal(await statusOf(tokenIn(forAda)), 404);
  assert.equal(await statusOf(onHost.token), 200);
  assert.equal(await statusOf(tokenIn(mine)), 200);
  const listed = (await ask<Listed>('GET', '/users/invitations')).body.invitations;
  assert.deepEqual(listed.map(({ id }) => id).includes(invitation.id), false);

  await ask('PATCH', '/users/ben', { is_admin: true });
  const again = (await ask<Link>('POST', '/users/invitations', {}, await service.login('ben')))
    .body;
  assert.equal(await statusOf(tokenIn(again)), 200);
  assert.equal((await ask('DELETE', '/users/ben')).status, 204);
  assert.equal(await statusOf(tokenIn(again)), 404);
});

test('an invitation and a password link that are asked for again with the same key after a restart are the same', async (t) => {
  const { service: before, token } = await withAda(t);
  await before.addUser('ben');
  await before.addUser('cleo');
  type Given = { id: string; url: string; expires_at: string } & ProblemAnswer;
  const give = async (service: TestService, path: string, json: object = {}) =>
    await service.call<Given>('POST', path, {
      token,
      headers: { 'Idempotency-Key': path.replaceAll('/', '-') },
      json,
    });
  const paths = ['/users/invitations', '/users/ben/password-link'];
  const first = await Promise.all(paths.map(async (path) => (await give(before, path)).body));
  await before.close();
  const after = await startService(t, { dataDir: before.dataDir });
  for (const [n, path] of paths.entries()) {
    const { url, ...given } = first[n]!;
    const repeated = await give(after, path);
    assert.equal(repeated.status, 201, JSON.stringify(repeated.body));
    const { url: again, ...same } = repeated.body;
    assert.deepEqual(same, given);
    assert.equal(new URL(again).hash, new URL(url).hash);
    const other = await give(after, path, { days: 3 });
    assert.deepEqual([other.status, other.body.type], [409, '/problems/key-used-differently']);
    const lookedAt = new URL(url).hash.split('=')[1];
    const look = () => after.call('POST', '/invitations/look', { json: { token: lookedAt } });
    assert.equal((await look()).status, 200);
    const secret = new RegExp(lookedAt!, 'u');
    const { body } = await after.call<object>('GET', '/users/invitations', { token });
    assert.doesNotMatch(JSON.stringify(body), secret);
    await after.call('DELETE', `/users/invitations/${given.id}`, { token });
    assert.equal((await look()).status, 404);
  }
  // Withdrawn: a repetition in a process that remembers nothing says so.
  await after.close();
  const last = await startService(t, { dataDir: before.dataDir });
  for (const path of paths) {
    const over = await give(last, path);
    assert.deepEqual([over.status, over.body.type], [404, '/problems/link-over']);
  }
});
