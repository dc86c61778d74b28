import assert from 'node:assert/strict';
import { pbkdf2Sync } from 'node:crypto';
import { test } from 'node:test';
import type { EventStore } from '../../events/store.ts';
import { sessionIdOf } from '../../src/accounts/sessions.ts';
import { accountsOfAnna, accountsOn, afar, anna, here } from './open-accounts.ts';

test('login: the name in any case, the password exactly, the same refusal for both', async (t) => {
  const { accounts } = await accountsOfAnna(t);
  assert.equal((await accounts.login({ ...anna, username: 'ANNA' }, here)).username, 'Anna');
  const refusals: string[] = [];
  for (const wrong of [
    { ...anna, password: 'Correct horse' },
    { ...anna, username: 'nobody' },
    { username: 'guest', password: 'correct horse' },
    { ...anna, password: 'x'.repeat(100_000) },
  ]) {
    await assert.rejects(accounts.login(wrong, { ...here, address: wrong.username }), (error) => {
      assert.ok(error instanceof Error);
      refusals.push(`${error.message} ${JSON.stringify(error)}`);
      return true;
    });
  }
  assert.equal(new Set(refusals).size, 1);
  assert.match(refusals[0]!, /WRONG_CREDENTIALS/u);
});

test('a name that nobody has costs what an imported hash costs, while there are only such', async (t) => {
  const { accounts } = await accountsOn(t);
  const salt = Buffer.alloc(16, 1);
  const iterations = 2_000_000;
  const hash = pbkdf2Sync(anna.password, salt, iterations, 32, 'sha256');
  const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  const passwordHash = `$pbkdf2-sha256$i=${iterations}$${base64(salt)}$${base64(hash)}`;
  await accounts.importUsers([{ username: 'Anna', passwordHash, isAdmin: true }], { by: 'system' });
  // Processor time: others run on this machine, too.
  const cost = async (username: string): Promise<number> => {
    const { user, system } = process.cpuUsage();
    await assert.rejects(accounts.login({ username, password: 'a wrong one' }, here), {
      code: 'WRONG_CREDENTIALS',
    });
    const after = process.cpuUsage();
    return after.user + after.system - user - system;
  };
  const known = await cost('Anna');
  for (const username of ['bert', 'cleo', 'dora']) {
    assert.ok((await cost(username)) > known / 2, username);
  }
});

test('whoever guesses has to wait, and waits before anything is hashed', async (t) => {
  const { accounts, pass } = await accountsOfAnna(t);
  const wrong = { ...anna, password: 'not the one' };
  for (let failure = 0; failure < 3; failure += 1) {
    await assert.rejects(accounts.login(wrong, afar), { code: 'WRONG_CREDENTIALS' });
  }
  await assert.rejects(accounts.login(anna, afar), { code: 'TOO_MANY_ATTEMPTS', retryAfter: 1 });
  assert.equal((await accounts.login(anna, here)).username, 'Anna');
  pass(1);
  assert.equal((await accounts.login(anna, afar)).username, 'Anna');
});

test('a token is known by its hash only, and dead at once after logout', async (t) => {
  const { accounts, rows } = await accountsOfAnna(t);
  const { token } = await accounts.login(anna, here);
  const other = await accounts.login(anna, here);
  assert.equal(JSON.stringify(await rows.list('')).includes(token), false);
  assert.ok(await rows.get(sessionIdOf(token)));
  const ended: string[] = [];
  const stop = accounts.onSessionEnded((sessionId) => ended.push(sessionId));
  await accounts.logout(token);
  assert.equal(await accounts.authenticate(token), null);
  assert.deepEqual(ended, [sessionIdOf(token)]);
  stop();
  assert.equal((await accounts.authenticate(other.token))?.username, 'Anna');
  await accounts.logout('not a token');
  for (const none of ['', 'x', `${other.token}x`, other.token.toLowerCase(), sessionIdOf(token)]) {
    assert.equal(await accounts.authenticate(none), null);
  }
});

test('a session that is used while it is ended stays ended', async (t) => {
  const { accounts, pass, rows } = await accountsOfAnna(t);
  const { token } = await accounts.login(anna, here);
  pass(600);
  await Promise.all([accounts.logout(token), accounts.authenticate(token)]);
  assert.equal(await rows.get(sessionIdOf(token)), undefined);
  assert.equal(await accounts.authenticate(token), null);
});

test('a session that ends while it is read stays ended', async (t) => {
  const { accounts, watch } = await accountsOfAnna(t);
  const { token } = await accounts.login(anna, here);
  watch.afterRead = async () => {
    watch.afterRead = async () => {};
    await accounts.logout(token);
  };
  assert.ok(await accounts.authenticate(token), 'it was good when it was read');
  assert.equal(await accounts.authenticate(token), null);
});

test('a session lives on by being used, is written at most every five minutes, and ends', async (t) => {
  const { accounts, pass, rows, watch } = await accountsOfAnna(t);
  const { token } = await accounts.login(anna, here);
  const { writes } = watch;
  for (let minute = 1; minute < 5; minute += 1) {
    pass(60);
    assert.ok(await accounts.authenticate(token));
  }
  assert.equal(watch.writes, writes);
  pass(60);
  assert.ok(await accounts.authenticate(token));
  assert.equal(watch.writes, writes + 1);
  pass(336 * 3600 - 1);
  assert.ok(await accounts.authenticate(token));
  pass(336 * 3600);
  assert.equal(await accounts.authenticate(token), null);
  await accounts.sweepSessions();
  assert.deepEqual(await rows.list(''), []);
});

test('a session is good although its expiry cannot be moved: a full disk logs nobody out', async (t) => {
  const { accounts, pass, rows, watch } = await accountsOfAnna(t);
  const { token } = await accounts.login(anna, here);
  const { expires_at } = (await rows.get(sessionIdOf(token)))!;
  watch.beforeWrite = () => Promise.reject(new Error('ENOSPC: the disk is full'));
  pass(600);
  const caller = await accounts.authenticate(token);
  assert.equal(caller?.username, 'Anna');
  assert.equal(caller.expiresAt.getTime(), expires_at);
  await assert.rejects(accounts.login(anna, here), /ENOSPC/u);
  watch.beforeWrite = async () => {};
  assert.ok(await accounts.authenticate(token));
  assert.equal((await rows.get(sessionIdOf(token)))?.expires_at, expires_at + 600_000);
});

test('a password hashed by the other scheme is hashed anew at the next login', async (t) => {
  const parts = await accountsOfAnna(t);
  parts.settings['auth.password_hash'] = 'pbkdf2';
  const [one, other] = await Promise.all([
    parts.accounts.login(anna, here),
    parts.accounts.login(anna, here),
  ]);
  assert.ok(await parts.accounts.authenticate(one.token));
  assert.ok(await parts.accounts.authenticate(other.token));
  const hashes = await passwordHashes(parts.store);
  assert.equal(hashes.length, 2);
  assert.match(hashes[0]!, /^\$argon2id\$/u);
  assert.match(hashes[1]!, /^\$pbkdf2-sha256\$/u);
  await parts.accounts.login(anna, here);
  assert.equal((await passwordHashes(parts.store)).length, 2);
});

test('a changed or reset password ends the user’s sessions and no others', async (t) => {
  const { accounts } = await accountsOfAnna(t);
  const admin = await accounts.login(anna, here);
  const by = { by: 'anna' };
  const bert = { username: 'bert', password: 'battery staple' };
  const { userId } = await accounts.createUser({ ...bert, isAdmin: false }, by);
  const session = await accounts.login(bert, here);
  await assert.rejects(accounts.changePassword({ userId }, 'guessed it', 'a new password'), {
    code: 'WRONG_CREDENTIALS',
  });
  assert.ok(await accounts.authenticate(session.token));
  await accounts.changePassword({ userId }, bert.password, 'a new password');
  assert.equal(await accounts.authenticate(session.token), null);
  await assert.rejects(accounts.login(bert, here), { code: 'WRONG_CREDENTIALS' });
  const again = await accounts.login({ ...bert, password: 'a new password' }, here);
  await accounts.changeUser('BERT', { password: 'the third one' }, by);
  assert.equal(await accounts.authenticate(again.token), null);
  assert.ok(await accounts.login({ ...bert, password: 'the third one' }, here));
  assert.ok(await accounts.authenticate(admin.token));
});

test('a disabled user is logged out and kept out until enabled; only the right password tells it', async (t) => {
  const parts = await accountsOfAnna(t);
  const { accounts } = parts;
  const by = { by: 'anna' };
  const bert = { username: 'bert', password: 'battery staple' };
  const { userId } = await accounts.createUser({ ...bert, isAdmin: true }, by);
  const session = await accounts.login(bert, here);
  const ended: string[] = [];
  accounts.onSessionEnded((id) => ended.push(id));
  assert.equal((await accounts.changeUser('BERT', { disabled: true }, by)).disabled, true);
  assert.equal(await accounts.authenticate(session.token), null);
  assert.deepEqual(ended, [sessionIdOf(session.token)]);
  await assert.rejects(accounts.login(bert, here), { code: 'USER_DISABLED' });
  const wrong = { ...bert, password: 'a wrong one' };
  await assert.rejects(accounts.login(wrong, here), { code: 'WRONG_CREDENTIALS' });
  // An administrator who cannot log in is none that could help: Anna is the last one.
  const last = { code: 'LAST_ADMINISTRATOR' };
  await assert.rejects(accounts.changeUser('anna', { disabled: true }, by), last);
  await assert.rejects(accounts.changeUser('anna', { isAdmin: false }, by), last);
  await assert.rejects(accounts.deleteUser('anna', by), last);

  const restarted = await accountsOn(t, parts);
  await assert.rejects(restarted.accounts.login(bert, here), { code: 'USER_DISABLED' });
  await restarted.accounts.changeUser('bert', { disabled: false }, by);
  assert.equal(await restarted.accounts.authenticate(session.token), null, 'ended is ended');
  const again = await restarted.accounts.login(bert, here);
  assert.equal(again.is_admin, true);
  const self = { code: 'OWN_ACCOUNT' };
  const bySelf = { by: userId };
  await assert.rejects(restarted.accounts.changeUser('bert', { disabled: true }, bySelf), self);
});

test('sessions that a crash left behind a change that ends them are no good', async (t) => {
  const parts = await accountsOfAnna(t);
  const { watch } = parts;
  const by = { by: 'anna' };
  const bert = { username: 'bert', password: 'battery staple' };
  const { userId } = await parts.accounts.createUser({ ...bert, isAdmin: true }, by);
  const power = /power cut/u;
  for (const change of [
    () => parts.accounts.changeUser('bert', { disabled: true }, by),
    () => parts.accounts.changeUser('bert', { password: bert.password }, by),
    () => parts.accounts.changeUser('bert', { isAdmin: false }, by),
    () => parts.accounts.changePassword({ userId }, bert.password, 'a new password'),
  ]) {
    const { token } = await parts.accounts.login(bert, here);
    watch.beforeWrite = () => Promise.reject(new Error('power cut'));
    await assert.rejects(change(), power);
    watch.beforeWrite = async () => {};
    const restarted = await accountsOn(t, parts);
    await restarted.accounts.changeUser('bert', { disabled: false }, by);
    assert.equal(await restarted.accounts.authenticate(token), null, String(change));
    assert.ok((await parts.rows.list('')).length > 0, 'the row is there');
    await parts.accounts.changeUser('bert', { disabled: false }, by);
  }
});

test('a shorter session length also holds for sessions that were not used since', async (t) => {
  const { accounts, settings, pass } = await accountsOfAnna(t);
  const { token } = await accounts.login(anna, here);
  pass(4 * 60);
  assert.ok(await accounts.authenticate(token), 'used, and not yet written');
  settings['auth.session_hours'] = 1;
  pass(3600 - 1);
  assert.equal((await accounts.sessions()).length, 1, 'an hour after its last use');
  pass(61);
  assert.deepEqual(await accounts.sessions(), []);
  assert.equal(await accounts.authenticate(token), null);
});

test('a session ends 90 days after its login, however much it is used and however old its row is', async (t) => {
  const { accounts, rows, settings, pass } = await accountsOfAnna(t);
  settings['auth.session_hours'] = 87_600;
  const day = 24 * 3600;
  const { token, expires_at } = await accounts.login(anna, here);
  assert.equal(Date.parse(expires_at) - Date.UTC(2026, 10, 21), 90 * day * 1000);
  pass(60 * day);
  assert.ok(await accounts.authenticate(token));
  pass(29 * day);
  const caller = await accounts.authenticate(token);
  assert.equal(caller?.expiresAt.toISOString(), expires_at);
  const [listed] = await accounts.sessions(caller.userId);
  assert.equal(listed!.lastSeenAt.getTime() - listed!.createdAt.getTime(), 89 * day * 1000);
  const newer = await accounts.login(anna, here);
  // As a release wrote it that knew no latest end.
  await rows.change([sessionIdOf(newer.token)], ([row]) => ({
    keep: [row && { ...row, created_at: row.created_at - 91 * day * 1000, expires_at: 2 ** 50 }],
    result: undefined,
  }));
  assert.equal(await accounts.authenticate(newer.token), null);
  assert.ok(await accounts.authenticate(token));
  pass(day);
  assert.equal(await accounts.authenticate(token), null);
  assert.deepEqual(await accounts.sessions(caller.userId), []);
});

test('a password counts for five minutes, at the login or given again', async (t) => {
  const { accounts, pass } = await accountsOfAnna(t);
  const caller = (await accounts.authenticate((await accounts.login(anna, here)).token))!;
  pass(299);
  assert.equal(await accounts.isConfirmed(caller), true);
  pass(1);
  assert.equal(await accounts.isConfirmed(caller), false);
  await assert.rejects(accounts.confirm(caller, 'not hers'), { code: 'WRONG_CREDENTIALS' });
  assert.equal(await accounts.isConfirmed(caller), false);
  await accounts.confirm(caller, anna.password);
  pass(299);
  assert.equal(await accounts.isConfirmed(caller), true);
  pass(1);
  assert.equal(await accounts.isConfirmed(caller), false);
});

test('neither passwords nor tokens nor names reach the service’s log', async (t) => {
  const { accounts, logged } = await accountsOfAnna(t);
  const { token } = await accounts.login(anna, here);
  await assert.rejects(accounts.login({ username: 'my secret', password: 'hunter2!' }, afar));
  const all = logged.join('\n');
  for (const secret of [token, anna.password, 'my secret', 'hunter2!', 'Anna', '$argon2']) {
    assert.equal(all.includes(secret), false, secret);
  }
  assert.match(all, /login failed/u);
});

async function passwordHashes(store: EventStore): Promise<string[]> {
  const hashes: string[] = [];
  for await (const fact of store.read('users')) {
    if (fact.type === 'user.registered' || fact.type === 'user.password_changed') {
      if (fact.content?.password_hash) hashes.push(fact.content.password_hash);
    }
  }
  return hashes;
}
