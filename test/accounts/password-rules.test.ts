import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertGoodPassword } from '../../src/accounts/password-rules.ts';
import { accountsOfAnna, accountsOn, anna, here } from './open-accounts.ts';

const refused = { code: 'INVALID_PASSWORD' };

test('passwords have 8 to 1024 characters of any kind', async () => {
  for (const good of [
    '🙂🙂🙂🙂🙂🙂🙂🙃',
    '         x',
    'xy'.repeat(512),
    'anna war in rom',
    '20261123-x',
  ]) {
    await assertGoodPassword(good, 'anna');
  }
  for (const bad of ['', 'abcdefg', '🙂🙂🙂🙃', `${'xy'.repeat(512)}x`]) {
    await assert.rejects(assertGoodPassword(bad, 'anna'), refused, bad);
  }
});

test('what is guessed first is no password: common ones, one character, the names', async () => {
  const common = [
    'password',
    '12345678',
    'Passwort',
    'QWERTYUI',
    'iloveyou',
    'aaaaaaaa',
    ' '.repeat(8),
  ];
  for (const guessed of [...common, '\0'.repeat(8), '1234567890', 'ｐａｓｓｗｏｒｄ']) {
    await assert.rejects(assertGoodPassword(guessed, 'anna'), /most common ones/u, guessed);
  }
  for (const named of [
    'Zacharias.',
    'zacharias1',
    'ZACHARIAS-2026',
    'mitschrift',
    'Mitschrift!',
    'ZachariasMitschrift',
  ]) {
    await assert.rejects(assertGoodPassword(named, 'Zacharias'), /must not consist of/u, named);
  }
  await assert.rejects(assertGoodPassword('20261123', '20261123'), /must not consist of/u);
});

test('every way to a password keeps to it, and a new one is not the old one', async (t) => {
  const before = await accountsOn(t);
  await assert.rejects(before.accounts.setup({ ...anna, password: 'mitschrift' }, here), refused);
  const { accounts } = await accountsOfAnna(t);
  const by = { by: 'system' };
  const bert = { username: 'bert', password: 'iloveyou', isAdmin: false };
  await assert.rejects(accounts.createUser(bert, by), refused);
  await accounts.createUser({ ...bert, password: 'battery staple' }, by);
  const id = accounts.findUser('bert')!.userId;
  await assert.rejects(accounts.changeUser('bert', { password: 'bertbert' }, by), refused);
  await assert.rejects(
    accounts.changePassword({ userId: id }, 'battery staple', 'passwort'),
    refused,
  );
  await assert.rejects(
    accounts.changePassword({ userId: id }, 'battery staple', 'battery staple'),
    {
      ...refused,
      message: 'The new password must differ from the current one.',
    },
  );
  await accounts.changePassword({ userId: id }, 'battery staple', 'another staple');
  assert.ok(await accounts.login({ username: 'bert', password: 'another staple' }, here));
});
