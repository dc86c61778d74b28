import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { stepOf } from '../../src/accounts/second-factor.ts';
import { accountsOfAnna, afar, anna } from './open-accounts.ts';

test('codes are those of RFC 6238 (SHA-1, last six digits), one step either way', async () => {
  const secret = Secret.fromLatin1('12345678901234567890').base32;
  for (const [seconds, code] of [
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ] as const) {
    const step = Math.floor(seconds / 30);
    for (const late of [-30, 0, 30]) {
      assert.equal(await stepOf(secret, code, (seconds + late) * 1000), step, code);
    }
    for (const late of [-61, 61]) {
      assert.equal(await stepOf(secret, code, (seconds + late) * 1000), undefined, code);
    }
  }
  for (const none of ['', '28708', '2870820', 'abcdef', '２８７０８２']) {
    assert.equal(await stepOf(secret, none, 59_000), undefined);
  }
});

const of = (error: unknown): string => (error as { code: string }).code;

test('with two-step login a code is asked for, is good once, and wrong ones count as wrong passwords', async (t) => {
  const { accounts, pass, logged } = await accountsOfAnna(t);
  const id = accounts.listUsers()[0]!.userId;
  let now = Date.UTC(2026, 10, 21);
  const wait = (seconds: number) => {
    pass(seconds);
    now += seconds * 1000;
  };
  const login = (code?: string) =>
    accounts.login({ ...anna, ...(code === undefined ? {} : { code }) }, afar).then(() => 'in', of);
  await assert.rejects(accounts.twoStep.begin(id, 'wrong'), { code: 'WRONG_CREDENTIALS' });
  const { secret, uri } = await accounts.twoStep.begin(id, anna.password);
  assert.match(uri, /^otpauth:\/\/totp\/Mitschrift:Anna\?/u);
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const code = (late = 0) => totp.generate({ timestamp: now + late * 1000 });
  assert.equal(await login(), 'in', 'not before it is confirmed');
  await assert.rejects(accounts.twoStep.confirm(id, '000000'), { code: 'WRONG_CODE' });
  const codes = await accounts.twoStep.confirm(id, code());
  assert.equal(new Set(codes).size, 10);
  for (const one of codes) assert.match(one, /^[0-9a-z]{5}-[0-9a-z]{5}$/u);

  for (let time = 0; time < 8; time += 1) assert.equal(await login(), 'CODE_REQUIRED');
  assert.equal(await login(code()), 'WRONG_CODE', 'the one that switched it on');
  wait(30);
  assert.equal(await login(code(-30)), 'WRONG_CODE', 'used, though still good by the clock');
  assert.equal(await login(code(30)), 'in', 'a clock that is ahead');
  assert.equal(await login(code()), 'WRONG_CODE', 'older than the last');
  wait(60);
  assert.equal(await login(code(-30)), 'WRONG_CODE', 'that one was the last');
  assert.equal(await login(code()), 'in');
  const [first = '', second = ''] = codes;
  assert.equal(await login(first.toUpperCase()), 'in');
  assert.equal(await login(first), 'WRONG_CODE', 'used up');
  assert.equal(await login(second.replace('-', ' ')), 'in');
  assert.equal(accounts.twoStep.state(id).recoveryLeft, 8);

  const guesses = [];
  for (let guess = 0; guess < 5; guess += 1) guesses.push(await login('123456'));
  assert.deepEqual(guesses.slice(0, 3), ['WRONG_CODE', 'WRONG_CODE', 'WRONG_CODE']);
  assert.ok(guesses.includes('TOO_MANY_ATTEMPTS'), guesses.join());
  wait(3600);
  assert.equal(await login('x'.repeat(40)), 'WRONG_CODE');
  const end = (given: string) => accounts.twoStep.end(id, anna.password, given);
  await assert.rejects(end('123456'), { code: 'WRONG_CODE' });
  const renewed = await accounts.twoStep.renew(id, anna.password, code());
  await assert.rejects(end(codes[2]!), { code: 'WRONG_CODE' }, 'one of before');
  await end(renewed[0]!);
  assert.equal(await login(), 'in');
  const written = logged.join('\n');
  for (const one of [secret, ...codes, ...renewed]) assert.ok(!written.includes(one));
});
