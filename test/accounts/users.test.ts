import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeyStore } from '../../events/key-store.ts';
import { openUserStream } from '../../src/accounts/user-stream.ts';
import { memoryKeys, memoryStore } from '../support/memory-store.ts';
import { accountsOfAnna, accountsOn, anna, here } from './open-accounts.ts';

test('users are told apart by folded names; some names are nobody’s', async (t) => {
  const { accounts } = await accountsOfAnna(t);
  const create = (username: string) =>
    accounts.createUser({ username, password: 'battery staple', isAdmin: false }, { by: 'anna' });
  assert.deepEqual((await create('jürgen.s-1_x')).username, 'jürgen.s-1_x');
  for (const taken of ['anna', 'ANNA', 'JU\u0308RGEN.S-1_X']) {
    await assert.rejects(create(taken), { code: 'USERNAME_TAKEN' });
  }
  for (const bad of [
    '',
    'a',
    'x'.repeat(33),
    'a b',
    'a/b',
    '..',
    '-_',
    'Guest',
    'ME',
    'a\u0000b',
    'a\u202Eb',
  ]) {
    await assert.rejects(create(bad), { code: 'INVALID_USERNAME' }, bad);
  }
  assert.deepEqual(
    accounts.listUsers().map(({ username, isAdmin }) => [username, isAdmin]),
    [
      ['Anna', true],
      ['jürgen.s-1_x', false],
    ],
  );
});

test('the last administrator stays one, also when two are demoted at once', async (t) => {
  const { accounts } = await accountsOfAnna(t);
  const by = { by: 'anna' };
  const last = { code: 'LAST_ADMINISTRATOR' };
  await assert.rejects(accounts.deleteUser('anna', by), last);
  await assert.rejects(accounts.changeUser('anna', { isAdmin: false }, by), last);
  await accounts.createUser({ username: 'bert', password: 'battery staple', isAdmin: true }, by);
  const all = await Promise.allSettled([
    accounts.changeUser('anna', { isAdmin: false }, by),
    accounts.deleteUser('bert', by),
  ]);
  assert.deepEqual(all.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  assert.equal(accounts.listUsers().filter(({ isAdmin }) => isAdmin).length, 1);
  await assert.rejects(accounts.changeUser('zoe', { isAdmin: true }, by), { code: 'UNKNOWN_USER' });
});

test('a change of a user is made as a whole or not at all', async (t) => {
  const { accounts } = await accountsOfAnna(t);
  const by = { by: 'anna' };
  const bert = { username: 'bert', password: 'battery staple' };
  await accounts.createUser({ ...bert, isAdmin: false }, by);
  const half = { isAdmin: true, disabled: true, password: 'short' };
  await assert.rejects(accounts.changeUser('bert', half, by), { code: 'INVALID_PASSWORD' });
  assert.deepEqual(
    accounts.listUsers().map(({ isAdmin, disabled }) => [isAdmin, disabled]),
    [
      [true, false],
      [false, false],
    ],
  );
  const whole = { isAdmin: true, disabled: true, password: 'another one' };
  const { isAdmin, disabled } = await accounts.changeUser('bert', whole, by);
  assert.deepEqual([isAdmin, disabled], [true, true]);
});

test('a command that created a user before gives the same answer after a restart', async (t) => {
  const parts = await accountsOfAnna(t);
  const onBehalf = { by: 'anna', command: 'anna:k' };
  const bert = { username: 'bert', password: 'battery staple', isAdmin: false };
  const first = await parts.accounts.createUser(bert, onBehalf);
  const restarted = await accountsOn(t, parts);
  assert.deepEqual(await restarted.accounts.createUser(bert, onBehalf), first);
  const other = { by: 'anna', command: 'anna:k2' };
  await assert.rejects(restarted.accounts.createUser(bert, other), { code: 'USERNAME_TAKEN' });
  await restarted.accounts.deleteUser('bert', { by: 'anna' });
  await assert.rejects(restarted.accounts.createUser(bert, onBehalf), { code: 'UNKNOWN_USER' });
  assert.equal(restarted.accounts.listUsers().length, 1);
});

test('a deleted user is gone from memory, sessions and log, and the name inherits nothing', async (t) => {
  const keys = memoryKeys();
  const parts = await accountsOfAnna(t, { keys });
  const { accounts, store } = parts;
  const by = { by: 'anna' };
  const bert = { username: 'Bert', password: 'battery staple' };
  const { userId } = await accounts.createUser({ ...bert, isAdmin: false }, by);
  const { token } = await accounts.login(bert, here);
  await accounts.deleteUser('bert', by);
  assert.equal(await accounts.authenticate(token), null);
  await assert.rejects(accounts.login(bert, here), { code: 'WRONG_CREDENTIALS' });
  const facts: unknown[] = [];
  for await (const fact of store.read('users')) facts.push(fact);
  assert.equal(JSON.stringify(facts).includes('Bert'), false);
  assert.equal(await keys.find(userId), 'erased');
  const heir = await accounts.createUser({ ...bert, isAdmin: false }, by);
  assert.notEqual(heir.userId, userId);

  const restarted = await accountsOn(t, parts);
  assert.deepEqual(
    restarted.accounts.listUsers().map(({ username }) => username),
    ['Anna', 'Bert'],
  );
  assert.ok(await restarted.accounts.login(anna, here));
});

test('a deletion that was interrupted before the key was destroyed is finished at the next start', async (t) => {
  const keys = memoryKeys();
  const broken: KeyStore = { ...keys, forget: () => Promise.reject(new Error('power cut')) };
  const parts = await accountsOfAnna(t, { keys: broken, store: memoryStore({ keys }) });
  const by = { by: 'anna' };
  const bert = { username: 'Bert', password: 'battery staple', isAdmin: false };
  const { userId } = await parts.accounts.createUser(bert, by);
  await assert.rejects(parts.accounts.deleteUser('Bert', by), /power cut/u);
  assert.notEqual(await keys.find(`user-${userId}`), 'erased');
  await accountsOn(t, { ...parts, keys });
  assert.equal(await keys.find(`user-${userId}`), 'erased');
});

test('an account of 0.1, whose subject is its id alone, goes on and is erased as a whole', async (t) => {
  const keys = memoryKeys();
  const old = { by: 'system', command: 'c', subject: 'U1' };
  const store = memoryStore({ keys });
  const { accounts: first } = await accountsOfAnna(t, { store, keys });
  const { passwordHash } = (await openUserStream(store)).users.byId.values().next().value!;
  await store.append(
    'users',
    [
      {
        type: 'user.registered',
        data: { user_id: 'U1', is_admin: false },
        content: { username: 'Bo', password_hash: passwordHash! },
        ...old,
      },
    ],
    1,
  );
  assert.equal(first.findUser('bo'), undefined);
  const { accounts } = await accountsOn(t, { store, keys });
  await accounts.login({ username: 'bo', password: anna.password }, here);
  await accounts.changePassword({ userId: 'U1' }, anna.password, 'battery staple');
  await accounts.login({ username: 'bo', password: 'battery staple' }, here);
  await accounts.deleteUser('bo', { by: 'anna' });
  assert.deepEqual((await keys.erasures()).map(({ subject }) => subject).toSorted(), [
    'U1',
    'user-U1',
  ]);
});

test('a link that is over opens nothing, and nothing is left of whom it was for', async (t) => {
  const { accounts, store, pass } = await accountsOfAnna(t);
  const by = { by: accounts.findUser('anna')!.userId };
  const wanted = { note: 'Bert, library', isAdmin: false, days: 7 };
  const [one, other] = [await accounts.invite(wanted, by), await accounts.invite(wanted, by)];
  pass(7 * 24 * 3600 - 1);
  assert.equal(accounts.listLinks().length, 2);
  const bert = { username: 'bert', password: 'battery staple' };
  assert.equal((await accounts.useLink({ ...bert, token: one.token }, here)).username, 'bert');
  pass(1);
  const late = { username: 'cleo', password: 'battery staple', token: other.token };
  await assert.rejects(accounts.useLink(late, here), { code: 'LINK_OVER' });
  assert.deepEqual(accounts.listLinks(), []);
  await accounts.sweepSessions();
  const notes: unknown[] = [];
  for await (const fact of store.read('users')) {
    if (fact.type === 'user.invited') notes.push(fact.content?.note);
  }
  assert.deepEqual(notes, ['Bert, library', undefined]);

  // So is one whose maker lost the rights: given again, they bring nothing back.
  const host = { by: 'system' };
  await accounts.changeUser('bert', { isAdmin: true }, host);
  const { token } = await accounts.invite(wanted, { by: accounts.findUser('bert')!.userId });
  await accounts.changeUser('bert', { isAdmin: false }, host);
  await accounts.sweepSessions();
  await accounts.changeUser('bert', { isAdmin: true }, host);
  await assert.rejects(accounts.useLink({ ...late, token }, here), { code: 'LINK_OVER' });
});
