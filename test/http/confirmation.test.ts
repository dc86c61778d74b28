import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { sessionIdOf, sessionRows } from '../../src/accounts/sessions.ts';
import { type ProblemAnswer, password, startService, withAda } from '../support/http-client.ts';

test('users, rights, API keys and backups ask for the password again after five minutes', async (t) => {
  const { service } = await withAda(t);
  const ben = await service.addUser('ben');
  const token = await service.login('ada');
  await beganEarlier(service, token, 6);
  await beganEarlier(service, ben, 6);
  const ask = (method: string, path: string, json?: unknown, of = token) =>
    service.call<ProblemAnswer>(method, path, { token: of, json });
  const asking: [string, string, object?][] = [
    ['POST', '/users', { username: 'cleo', password }],
    ['PATCH', '/users/ben', { is_admin: true }],
    ['DELETE', '/users/ben'],
    ['POST', '/backup', { path: join(service.dataDir, '..', 'backup') }],
    ['PUT', '/config', { llm: { api_key: 'sk-1' } }],
    ['PUT', '/config', { metrics: { token: null } }],
    ['PUT', '/config', { oidc: { issuer: 'https://login.example', client_id: 'x' } }],
    ['PUT', '/config', { oidc: { admin_group: 'x' } }],
    ['PUT', '/config', { auth: { totp: 'everybody' } }],
    ['PUT', '/config', { auth: { local_login: 'none' } }],
  ];
  for (const [method, path, json] of asking) {
    const { status, body } = await ask(method, path, json);
    assert.deepEqual([status, body.type], [403, '/problems/confirmation-required'], path);
  }
  assert.equal((await ask('GET', '/users')).status, 200);
  assert.equal((await ask('PUT', '/config', { llm: { api_key: '••••' } })).status, 200);
  const same = { ui: { language: 'en' }, auth: { totp: 'optional' }, oidc: { admin_group: null } };
  assert.equal((await ask('PUT', '/config', same)).status, 200, 'as it is');
  assert.equal((await ask('PATCH', '/users/cleo', {}, ben)).body.type, '/problems/not-admin');

  const german = await service.call<ProblemAnswer>('DELETE', '/users/ben', {
    token,
    headers: { 'Accept-Language': 'de' },
  });
  assert.match(german.body.detail, /Passwort noch einmal/u);
  const confirm = (current_password: string) =>
    ask('POST', '/users/me/confirm', { current_password });
  const wrong = await confirm('not her password');
  assert.deepEqual(
    [wrong.status, wrong.body.errors?.[0]],
    [
      422,
      {
        path: 'current_password',
        message: 'The current password is wrong.',
        code: 'current-password-wrong',
      },
    ],
  );
  assert.equal((await ask('DELETE', '/users/ben')).status, 403, 'a wrong one confirms nothing');
  assert.equal((await confirm(password)).status, 204);
  const [create, , remove, , keys] = asking;
  for (const [expected, one] of [
    [201, create],
    [204, remove],
    [200, keys],
  ] as const) {
    assert.equal((await ask(...one!)).status, expected, one![1]);
  }
  const other = await service.login('ada');
  await beganEarlier(service, other, 6);
  assert.equal(
    (await ask('DELETE', '/users/cleo', undefined, other)).status,
    403,
    'a session by itself',
  );
  for (let guess = 0; guess < 2; guess += 1)
    await ask('POST', '/users/me/confirm', { current_password: `${guess}` });
  const more = [];
  for (let guess = 0; guess < 3; guess += 1) more.push((await confirm(`guess ${guess}`)).status);
  assert.ok(more.includes(429), `guessing is slowed: ${more.join()}`);
});

/** Moves the login of a session that has not been used yet into the past. */
async function beganEarlier(
  { services }: Awaited<ReturnType<typeof startService>>,
  token: string,
  minutes: number,
): Promise<void> {
  await services.kept.of(sessionRows).change([sessionIdOf(token)], ([row]) => ({
    keep: [row && { ...row, created_at: row.created_at - minutes * 60_000 }],
    result: undefined,
  }));
}
