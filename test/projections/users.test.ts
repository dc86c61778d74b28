import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRefusal } from '../../events/command-handler.ts';
import type { UserFact } from '../../events/facts/catalogue.ts';
import type { StoredFact } from '../../events/facts/envelope.ts';
import {
  type Users,
  decideDeletion,
  decidePasswordChange,
  decideRegistration,
  decideRehash,
  decideSetup,
  decideUserChange,
  userByName,
} from '../../projections/users.ts';
import { usersAggregate } from '../../projections/users-fold.ts';

const register = (user_id: string, username: string, is_admin = false): UserFact => ({
  type: 'user.registered',
  data: { user_id, is_admin },
  content: { username, password_hash: `hash of ${username}` },
});
const anna = register('u1', 'anna', true);
const bert = register('u2', 'Bert');
const of = (type: UserFact['type'], user_id: string) => ({ type, data: { user_id } }) as UserFact;
const wanted = (id: string, username: string, isAdmin = false) => ({
  id,
  username,
  isAdmin,
  passwordHash: `hash of ${username}`,
});

/** The users after these facts, each of a command of its own: c1, c2, … */
const usersAfter = (facts: readonly UserFact[]): Users =>
  facts.reduce<Users>(
    (users, fact, index) =>
      usersAggregate.evolve(users, {
        ...fact,
        version: index + 1,
        command: `c${index + 1}`,
      } as StoredFact<UserFact>),
    usersAggregate.initial('users'),
  );
const given = (...facts: UserFact[]) => ({
  when: (decide: (users: Users) => ReturnType<ReturnType<typeof decideDeletion>>) => ({
    expect(expected: unknown) {
      const decision = decide(usersAfter(facts));
      assert.deepEqual(isRefusal(decision) ? decision.refused : decision, expected);
    },
  }),
});

test('users are found by id and by name without case', () => {
  const users = usersAfter([anna, register('u3', 'Zoë')]);
  assert.equal(userByName(users, 'zoË'.normalize('NFD'))?.id, 'u3');
  assert.equal(userByName(users, 'bert'), undefined);
  assert.deepEqual([...users.byId.keys()], ['u1', 'u3']);
  assert.equal(users.idsByCommand.get('c2'), 'u3');
});

test('a name that is used again inherits nothing, and one that is erased is nowhere', () => {
  const again = register('u3', 'bert', true);
  const { content: _erased, ...nameless } = register('u4', 'carl');
  const users = usersAfter([anna, bert, of('user.deleted', 'u2'), again, nameless]);
  assert.equal(userByName(users, 'BERT')?.id, 'u3');
  assert.deepEqual([...users.byId.keys()], ['u1', 'u3']);
  assert.deepEqual([...users.deleted], ['u2']);
  assert.equal(users.idsByCommand.get('c2'), 'u2');
});

test('a user who is registered again under another name leaves no name behind', () => {
  const users = usersAfter([anna, register('u1', 'anne', true), of('user.deleted', 'u1')]);
  assert.deepEqual([...users.byId], []);
  assert.deepEqual([...users.idsByName], []);
});

test('what ends sessions says since when; a new hash of the same password does not', () => {
  const changed = (reason: 'changed' | 'rehashed', password_hash: string): UserFact => ({
    type: 'user.password_changed',
    data: { user_id: 'u2', reason },
    content: { password_hash },
  });
  const since = (...facts: UserFact[]) => {
    const user = usersAfter([anna, bert, ...facts]).byId.get('u2');
    return [user?.passwordHash, user?.passwordSince, user?.sessionsSince];
  };
  assert.deepEqual(since(), ['hash of Bert', 2, 2]);
  assert.deepEqual(since(changed('rehashed', 'h2')), ['h2', 2, 2]);
  assert.deepEqual(since(changed('changed', 'h3')), ['h3', 3, 3]);
  assert.deepEqual(since(of('user.admin_granted', 'u2')), ['hash of Bert', 2, 2]);
  assert.deepEqual(since(of('user.admin_revoked', 'u2')), ['hash of Bert', 2, 3]);
  assert.deepEqual(since(of('user.disabled', 'u2')), ['hash of Bert', 2, 3]);
});

test('the first user is an administrator, set up once', () => {
  given()
    .when(decideRegistration([wanted('u2', 'Bert')]))
    .expect('ADMINISTRATOR_FIRST');
  given()
    .when(decideRegistration([wanted('u2', 'Bert'), wanted('u1', 'anna', true)]))
    .expect([bert, anna]);
  given()
    .when(decideSetup({ id: 'u1', username: 'anna', passwordHash: 'hash of anna' }))
    .expect([anna]);
  given(anna)
    .when(decideSetup({ id: 'u3', username: 'carl', passwordHash: 'h' }))
    .expect('ALREADY_SET_UP');
  given(anna, of('user.disabled', 'u1'))
    .when(decideRegistration([wanted('u2', 'Bert')]))
    .expect('ADMINISTRATOR_FIRST');
});

test('names differ in more than case, those created together too', () => {
  given(anna)
    .when(decideRegistration([wanted('u2', 'ANNA')]))
    .expect('USERNAME_TAKEN');
  given(anna)
    .when(decideRegistration([wanted('u2', 'Bert'), wanted('u3', 'bert')]))
    .expect('USERNAME_TAKEN');
});

test('rights and passwords change by one fact each, and not where they are so already', () => {
  const change = (id: string, wanted: Parameters<typeof decideUserChange>[1], by = 'u1') =>
    decideUserChange(id, wanted, by);
  given(anna, bert)
    .when(change('u2', { isAdmin: true, disabled: true, passwordHash: 'h2' }))
    .expect([
      of('user.admin_granted', 'u2'),
      of('user.disabled', 'u2'),
      {
        type: 'user.password_changed',
        data: { user_id: 'u2', reason: 'reset' },
        content: { password_hash: 'h2' },
      },
      of('user.password_set', 'u2'),
    ]);
  given(anna, bert)
    .when(change('u2', { isAdmin: false, disabled: false }))
    .expect([]);
  given(anna, bert)
    .when(change('u9', { isAdmin: true }))
    .expect('UNKNOWN_USER');
  given(anna, bert)
    .when(change('u2', { disabled: true }, 'u2'))
    .expect('OWN_ACCOUNT');
});

test('the last administrator who can log in stays one', () => {
  const bertToo = [anna, bert, of('user.admin_granted', 'u2')] as const;
  for (const change of [
    decideDeletion('u1'),
    decideUserChange('u1', { isAdmin: false }, 'u2'),
    decideUserChange('u1', { disabled: true }, 'u2'),
  ]) {
    given(anna, bert).when(change).expect('LAST_ADMINISTRATOR');
    given(...bertToo, of('user.disabled', 'u2'))
      .when(change)
      .expect('LAST_ADMINISTRATOR');
  }
  given(...bertToo)
    .when(decideDeletion('u1'))
    .expect([of('user.deleted', 'u1')]);
  given(anna, bert).when(decideDeletion('u9')).expect('UNKNOWN_USER');
});

test('a password is hashed again only while it is the one that was checked', () => {
  const changed = (reason: string, password_hash: string) => ({
    type: 'user.password_changed',
    data: { user_id: 'u2', reason },
    content: { password_hash },
  });
  const checked = { id: 'u2', passwordHash: 'hash of Bert' };
  given(anna, bert)
    .when(decideRehash(checked, 'h2'))
    .expect([changed('rehashed', 'h2')]);
  given(anna, bert, changed('changed', 'other') as UserFact)
    .when(decideRehash(checked, 'h2'))
    .expect([]);
  given(anna, bert)
    .when(decidePasswordChange('u2', 'h2'))
    .expect([changed('changed', 'h2')]);
  given(anna).when(decidePasswordChange('u2', 'h2')).expect('UNKNOWN_USER');
});
