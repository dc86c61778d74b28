import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { type ProblemAnswer, connect, password, withAda } from '../support/http-client.ts';

type Entered = ProblemAnswer & { token: string; limited?: string };
type Begun = { secret: string; uri: string };
type Confirmed = { recovery_codes: string[] };

const codeOf = (secret: string, ahead = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: Date.now() + ahead * 1000,
  });

test('who must have two-step login sets it up, and nothing else opens before', async (t) => {
  const { service, token: admin } = await withAda(t);
  const ben = await service.addUser('ben');
  const ask = <T = ProblemAnswer>(method: string, path: string, token: string, json?: object) =>
    service.call<T>(method, path, { token, json });
  const enter = async (code?: string) =>
    await service.call<Entered>('POST', '/login', { json: { username: 'ben', password, code } });
  const demand = (who: string) => ask('PUT', '/config', admin, { auth: { totp: who } });

  assert.equal((await demand('administrators')).status, 200);
  assert.equal((await ask('GET', '/status', ben)).status, 200, 'ben is none');
  const own = await ask('GET', '/status', admin);
  assert.deepEqual([own.status, own.body.type], [403, '/problems/two-step-required']);
  const { secret: ofAdmin } = (
    await ask<Begun>('POST', '/users/me/totp', admin, { current_password: password })
  ).body;
  const on = await ask('POST', '/users/me/totp/confirm', admin, { code: codeOf(ofAdmin) });
  assert.equal(on.status, 201);
  assert.equal((await demand('everybody')).status, 200);

  const { token, limited } = (await enter()).body;
  assert.equal(limited, 'totp');
  for (const [method, path] of [
    ['GET', '/status'],
    ['POST', '/recordings'],
    ['POST', '/users/me/confirm'],
    ['GET', '/users/me/sessions'],
  ] as const) {
    const no = await ask(method, path, token);
    assert.deepEqual([no.status, no.body.type], [403, '/problems/two-step-required'], path);
  }
  assert.equal(
    (await connect(service.url, token).refusal).body.type,
    '/problems/two-step-required',
  );
  const wrong = await ask('POST', '/users/me/totp', token, { current_password: 'not his' });
  assert.deepEqual([wrong.status, wrong.body.errors?.[0]?.path], [422, 'current_password']);
  const begun = await ask<Begun>('POST', '/users/me/totp', token, { current_password: password });
  const { secret } = begun.body;
  const bad = await ask('POST', '/users/me/totp/confirm', token, { code: '000000' });
  assert.deepEqual([bad.status, bad.body.errors?.[0]?.path], [422, 'code']);
  // Another half minute may begin at any line.
  const used = codeOf(secret);
  const { recovery_codes: codes } = (
    await ask<Confirmed>('POST', '/users/me/totp/confirm', token, { code: used })
  ).body;
  assert.equal((await ask('GET', '/status', token)).status, 200, 'at once');
  const state = (await ask<Record<string, unknown>>('GET', '/users/me/totp', token)).body;
  assert.deepEqual(
    [state['enabled'], state['recovery_codes_left'], state['required']],
    [true, 10, true],
  );
  const again = await ask('POST', '/users/me/totp', token, { current_password: password });
  assert.deepEqual([again.status, again.body.type], [409, '/problems/two-step-changed']);

  const missing = await enter();
  assert.deepEqual([missing.status, missing.body.type], [401, '/problems/code-required']);
  const replayed = await enter(used);
  assert.deepEqual([replayed.status, replayed.body.type], [401, '/problems/wrong-code']);
  const next = await enter(codeOf(secret, 30));
  assert.deepEqual([next.status, next.body.limited], [200, undefined]);
  const wrongPassword = await service.call<ProblemAnswer>('POST', '/login', {
    json: { username: 'ben', password: 'not his', code: codes[0] },
  });
  assert.equal(wrongPassword.body.type, '/problems/wrong-credentials');
  assert.equal((await enter(codes[0])).status, 200, 'not used up by a wrong password');

  const link = await ask<{ url: string }>('POST', '/users/ben/password-link', admin, {});
  const accept = (code?: string) =>
    service.call<Entered>('POST', '/invitations/accept', {
      json: { token: link.body.url.split('=')[1], password: 'another of ben', code },
    });
  assert.equal((await accept()).body.type, '/problems/code-required');
  assert.equal((await accept('zzzzz-zzzzz')).body.type, '/problems/wrong-code');
  assert.equal((await accept(codes[1])).status, 201);
});

test('an administrator switches it off for who lost the phone', async (t) => {
  const { service, token: admin } = await withAda(t);
  const ben = await service.addUser('ben');
  const ask = <T = ProblemAnswer>(method: string, path: string, token: string, json?: object) =>
    service.call<T>(method, path, { token, json });
  const { secret } = (
    await ask<Begun>('POST', '/users/me/totp', ben, { current_password: password })
  ).body;
  await ask('POST', '/users/me/totp/confirm', ben, { code: codeOf(secret) });
  const listed = async () =>
    (
      await ask<{ users: { username: string; totp: boolean }[] }>('GET', '/users', admin)
    ).body.users.find(({ username }) => username === 'ben')?.totp;
  assert.equal(await listed(), true);
  assert.equal((await ask('PATCH', '/users/ben', ben, { totp: null })).status, 403);
  assert.equal((await ask('PATCH', '/users/ben', admin, { totp: null })).status, 200);
  assert.equal(await listed(), false);
  const login = await service.call('POST', '/login', { json: { username: 'ben', password } });
  assert.equal(login.status, 200);
});
