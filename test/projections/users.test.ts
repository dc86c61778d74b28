import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usersStream } from '../../events/user-facts.ts';
import {
  allUsers,
  passwordHashOf,
  userById,
  userByName,
  userCounts,
  users,
} from '../../projections/users.ts';
import type { FactTeller } from '../support/fact-teller.ts';
import { rowsOf } from '../support/memory-projection-storage.ts';
import { projected } from '../support/projected.ts';

test('users are found by id and by name without case; the hash is nowhere but in its own query', async (t) => {
  const { teller, storage, settled } = projected(t, users);
  await register(teller, 'u2', 'Zoë', false);
  const last = await register(teller, 'u1', 'anna', true);
  await settled(last.position);
  const zoe = await userByName(storage, 'zoË'.normalize('NFD'));
  assert.deepEqual(zoe, {
    user_id: 'u2',
    username: 'Zoë',
    is_admin: false,
    disabled: false,
    created_at: zoe?.created_at,
  });
  assert.deepEqual(await userById(storage, 'u2'), zoe);
  const listed = [];
  for await (const user of allUsers(storage)) listed.push(user);
  assert.deepEqual(
    listed.map(({ username }) => username),
    ['anna', 'Zoë'],
  );
  assert.doesNotMatch(JSON.stringify(listed), /hash of/);
  assert.equal(await passwordHashOf(storage, 'u2'), 'hash of Zoë');
  assert.deepEqual(await userCounts(storage), { users: 2, admins: 1 });
});

test('rights, passwords and deletion; a name used again inherits nothing', async (t) => {
  const { teller, storage, settled, keys, replayed } = projected(t, users);
  await register(teller, 'u1', 'anna', true);
  await register(teller, 'u2', 'bert', false);
  await tell(teller, { type: 'user.admin_granted', data: { user_id: 'u2' } });
  await tell(teller, { type: 'user.admin_granted', data: { user_id: 'u2' } });
  await tell(teller, { type: 'user.admin_revoked', data: { user_id: 'u1' } });
  const changed = await tell(teller, {
    type: 'user.password_changed',
    data: { user_id: 'u2', reason: 'changed' },
    content: { password_hash: 'new hash' },
  });
  await settled(changed.position);
  assert.deepEqual(await userCounts(storage), { users: 2, admins: 1 });
  const off = await tell(teller, { type: 'user.disabled', data: { user_id: 'u2' } });
  await settled(off.position);
  assert.equal((await userById(storage, 'u2'))?.disabled, true);
  assert.deepEqual(await userCounts(storage), { users: 2, admins: 0 });
  const on = await tell(teller, { type: 'user.enabled', data: { user_id: 'u2' } });
  await settled(on.position);
  assert.deepEqual(await userCounts(storage), { users: 2, admins: 1 });
  assert.equal(await passwordHashOf(storage, 'u2'), 'new hash');

  await tell(teller, { type: 'user.deleted', data: { user_id: 'u2' } });
  await keys.forget('u2');
  const again = await register(teller, 'u3', 'Bert', false);
  await settled(again.position);
  assert.equal((await userByName(storage, 'bert'))?.user_id, 'u3');
  assert.equal(await userById(storage, 'u2'), undefined);
  assert.equal(await passwordHashOf(storage, 'u2'), undefined);
  assert.deepEqual(await userCounts(storage), { users: 2, admins: 0 });
  assert.deepEqual(await rowsOf(await replayed(), 'users'), await rowsOf(storage, 'users'));
});

type UserFact = Parameters<FactTeller['tell']>[1];
const tell = (teller: FactTeller, fact: UserFact) => teller.tell(usersStream, fact);
const register = (teller: FactTeller, user_id: string, username: string, is_admin: boolean) =>
  tell(teller, {
    type: 'user.registered',
    data: { user_id, is_admin },
    content: { username, password_hash: `hash of ${username}` },
  });
