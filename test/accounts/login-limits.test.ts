import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryKept } from '../support/memory-kept.ts';
import { loginLimits } from '../../src/accounts/login-limits.ts';
import { accountsOfAnna, afar, anna } from './open-accounts.ts';

const start = Date.UTC(2026, 10, 21);

function at() {
  let now = start;
  const limits = loginLimits(memoryKept(() => new Date(now)));
  return { limits, pass: (seconds: number) => (now += seconds * 1000) };
}

test('from the fourth failure on an account waits twice as long each time, at most 15 minutes', async () => {
  const { limits, pass } = at();
  const waits: number[] = [];
  for (let failure = 0; failure < 16; failure += 1) {
    pass(60);
    let wait = await limits.attempt('anna', '192.0.2.1');
    waits.push(wait);
    while (wait > 0) {
      pass(wait);
      wait = await limits.attempt('anna', '192.0.2.1');
    }
  }
  // Waits 1, 2, 4, … 512, 900 seconds, less the 60 that had passed.
  assert.deepEqual(waits, [0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 68, 196, 452, 840, 840, 840]);
});

test('a wait is as long for who does not keep to it', async () => {
  const { limits, pass } = at();
  for (let failure = 0; failure < 3; failure += 1)
    assert.equal(await limits.attempt('anna', 'a'), 0);
  assert.equal(await limits.attempt('anna', 'a'), 1);
  assert.equal(await limits.attempt('anna', 'a'), 1);
  pass(1);
  assert.equal(await limits.attempt('anna', 'a'), 0);
  assert.equal(await limits.attempt('anna', 'a'), 2);
});

test('a stranger who guesses does not lock out the owner at another address', async () => {
  const { limits } = at();
  for (let guess = 0; guess < 5; guess += 1) await limits.attempt('anna', '192.0.2.1');
  assert.ok((await limits.attempt('anna', '192.0.2.1')) > 0);
  assert.equal(await limits.attempt('anna', '192.0.2.2'), 0);
});

test('an address has ten attempts a minute for all accounts together', async () => {
  const { limits, pass } = at();
  for (let name = 0; name < 10; name += 1) {
    assert.equal(await limits.attempt(`user${name}`, '192.0.2.1'), 0);
    pass(2);
  }
  assert.equal(await limits.attempt('other', '192.0.2.1'), 40);
  pass(40);
  assert.equal(await limits.attempt('other', '192.0.2.1'), 0);
  assert.equal(await limits.attempt('other', '192.0.2.1'), 2);
});

test('the addresses of one IPv6 network count as one, and an IPv4 address in either form', async () => {
  for (const [one, other] of [
    ['2001:db8:0:1::5', '2001:0db8::1:aaaa:0:0:9'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['fe80::1%eth0', 'fe80::2'],
  ] as const) {
    const { limits } = at();
    for (let failure = 0; failure < 3; failure += 1) await limits.attempt('anna', one);
    assert.equal(await limits.attempt('anna', other), 1, `${one} and ${other}`);
  }
  const { limits } = at();
  for (let failure = 0; failure < 3; failure += 1) await limits.attempt('anna', '2001:db8:0:1::5');
  assert.equal(await limits.attempt('anna', '2001:db8:0:2::5'), 0);
});

test('a success, and an hour without failure, forget the failures', async () => {
  const { limits, pass } = at();
  for (let failure = 0; failure < 3; failure += 1) await limits.attempt('anna', 'a');
  await limits.succeeded('anna', 'a');
  for (let failure = 0; failure < 3; failure += 1)
    assert.equal(await limits.attempt('anna', 'a'), 0);
  pass(3600);
  for (let failure = 0; failure < 3; failure += 1)
    assert.equal(await limits.attempt('anna', 'a'), 0);
});

test('where an account logged in before, others do not use up its attempts', async () => {
  const { limits } = at();
  assert.equal(await limits.isKnown('anna', '192.0.2.1'), false);
  assert.equal(await limits.attempt('anna', '192.0.2.1'), 0);
  await limits.succeeded('anna', '192.0.2.1');
  assert.equal(await limits.isKnown('anna', '192.0.2.1'), true);
  assert.equal(await limits.isKnown('anna', '192.0.2.2'), false);
  assert.equal(await limits.isKnown('ben', '192.0.2.1'), false);
  for (let name = 0; name < 10; name += 1) {
    assert.equal(
      await limits.attempt(`user${name}`, '192.0.2.1'),
      0,
      'her login took none of the ten',
    );
  }
  assert.equal(await limits.attempt('ben', '192.0.2.1'), 60);
  for (let failure = 0; failure < 3; failure += 1) {
    assert.equal(await limits.attempt('anna', '192.0.2.1'), 0);
  }
  assert.equal(
    await limits.attempt('anna', '192.0.2.1'),
    1,
    'guessing at her is slowed down there too',
  );
});

test('an attempt that was not looked at does not count', async () => {
  const { limits } = at();
  for (let busy = 0; busy < 50; busy += 1) {
    assert.equal(await limits.attempt('anna', '192.0.2.1'), 0);
    await limits.takeBack('anna', '192.0.2.1');
  }
});

test('an account is known at the 32 addresses it logged in from last', async () => {
  const { limits } = at();
  const address = (host: number) => `192.0.2.${host}`;
  for (let host = 0; host < 33; host += 1) await limits.succeeded('anna', address(host));
  assert.equal(await limits.isKnown('anna', address(0)), false);
  assert.equal(await limits.isKnown('anna', address(1)), true);
});

test('ten thousand others are remembered, then the one seen longest ago is forgotten', async () => {
  const { limits } = at();
  for (let failure = 0; failure < 3; failure += 1) await limits.attempt('anna', 'first');
  for (let other = 0; other < 9_999; other += 1) await limits.attempt('anna', `other ${other}`);
  assert.equal(await limits.attempt('anna', 'first'), 1);
  await limits.attempt('anna', 'one more');
  assert.equal(await limits.attempt('anna', 'first'), 0);
});

test('who used a link is known where they did, by the id alone, until they are deleted', async (t) => {
  const { accounts, watched } = await accountsOfAnna(t);
  const limits = loginLimits(watched.kept);
  const { token } = await accounts.invite(
    { note: '', isAdmin: false, days: 7 },
    { by: 'system', isRepeatable: false },
  );
  const { password } = anna;
  const used = { token, username: 'Cleo', password };
  await accounts.useLink(used, { address: afar.address, agent: undefined });
  const { userId } = accounts.findUser('Cleo')!;
  assert.equal(await limits.isKnown(userId, afar.address), true);
  assert.equal(await limits.isKnown('cleo', afar.address), false);
  await accounts.deleteUser('Cleo', { by: 'system' });
  assert.equal(await limits.isKnown(userId, afar.address), false);
});
