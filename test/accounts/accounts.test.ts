import assert from 'node:assert/strict';
import { pbkdf2Sync } from 'node:crypto';
import { access, mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileSetupCodes } from '../../src/accounts/setup-code.ts';
import type { KeyStore } from '../../events/key-store.ts';
import type { EventStore } from '../../events/store.ts';
import { type Accounts, openAccounts } from '../../src/accounts/accounts.ts';
import { sessionIdOf } from '../../src/accounts/sessions.ts';
import type { SessionRow, SessionRows } from '../../src/storage/session-rows.ts';
import { memoryKeys, memoryStore } from '../support/memory-store.ts';
import { tempDir } from '../support/temp-dir.ts';

const here = { address: '127.0.0.1', local: true };
const afar = { address: '192.0.2.9', local: false };
const anna = { username: 'Anna', password: 'correct horse' };

test('the first administrator is set up once and is logged in', async (t) => {
  const { accounts } = await service(t);
  assert.deepEqual(await accounts.setupState(here), {
    setup_required: true,
    setup_code_required: false,
  });
  const session = await accounts.setup(anna, here);
  assert.equal(session.username, 'Anna');
  assert.equal(session.is_admin, true);
  assert.match(session.token, /^[\w-]{43}$/u);
  assert.equal((await accounts.authenticate(session.token))?.username, 'Anna');
  assert.deepEqual(await accounts.setupState(afar), {
    setup_required: false,
    setup_code_required: false,
  });
  await assert.rejects(accounts.setup({ ...anna, username: 'Eve' }, here), {
    code: 'ALREADY_SET_UP',
    status: 409,
  });
});

test('of several setups at once exactly one wins', async (t) => {
  const { accounts } = await service(t);
  const names = ['anna', 'bert', 'cleo', 'dora'];
  const all = await Promise.allSettled(
    names.map((username) => accounts.setup({ ...anna, username }, here)),
  );
  assert.equal(all.filter((one) => one.status === 'fulfilled').length, 1);
  for (const one of all) {
    if (one.status === 'rejected') assert.equal(one.reason.code, 'ALREADY_SET_UP');
  }
  assert.equal(accounts.listUsers().length, 1);
});

test('two services on one log set up one administrator: the version of the stream decides', async (t) => {
  const store = memoryStore();
  const [one, other] = [await service(t, { store }), await service(t, { store })];
  const all = await Promise.allSettled([
    one.accounts.setup(anna, here),
    other.accounts.setup({ ...anna, username: 'Bert' }, here),
  ]);
  assert.deepEqual(all.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
});

test('from elsewhere the setup code is needed, which stands in a file only the owner reads', async (t) => {
  const { accounts, dataDir, logged } = await service(t);
  const path = join(dataDir, 'setup-code');
  const code = (await readFile(path, 'utf8')).trim();
  assert.match(code, /^[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}$/u);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.ok(logged.some((line) => line.includes(code)));
  assert.equal((await accounts.setupState(afar)).setup_code_required, true);

  const refused = { code: 'SETUP_CODE_REQUIRED', status: 403 };
  await assert.rejects(accounts.setup(anna, afar), refused);
  await assert.rejects(accounts.setup({ ...anna, setup_code: '' }, afar), refused);
  await assert.rejects(accounts.setup({ ...anna, setup_code: 'wrong' }, here), refused);
  const typed = ` ${code.toLowerCase().replaceAll('-', ' ')}`;
  assert.equal((await accounts.setup({ ...anna, setup_code: typed }, afar)).is_admin, true);
  await assert.rejects(access(path), { code: 'ENOENT' });
});

test('guessing the setup code is slowed down', async (t) => {
  const { accounts } = await service(t);
  const guess = () => accounts.setup({ ...anna, setup_code: 'AAAA-AAAA-AAAA-AAAA' }, afar);
  for (let guesses = 0; guesses < 3; guesses += 1) {
    await assert.rejects(guess(), { code: 'SETUP_CODE_REQUIRED' });
  }
  await assert.rejects(guess(), { code: 'TOO_MANY_ATTEMPTS', status: 429, retryAfter: 1 });
});

test('the setup code survives a restart and is gone after one with users', async (t) => {
  const first = await service(t);
  const path = join(first.dataDir, 'setup-code');
  const code = await readFile(path, 'utf8');
  const second = await service(t, first);
  assert.equal(await readFile(path, 'utf8'), code);
  await second.accounts.setup(anna, here);
  const third = await service(t, { ...first, dataDir: second.dataDir });
  await assert.rejects(access(path), { code: 'ENOENT' });
  assert.equal((await third.accounts.setupState(afar)).setup_required, false);
});

test('login: the name in any case, the password exactly, the same refusal for both', async (t) => {
  const { accounts } = await ready(t);
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
  const { accounts } = await service(t);
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
  const { accounts, pass } = await ready(t);
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
  const { accounts, rows } = await ready(t);
  const { token } = await accounts.login(anna, here);
  const other = await accounts.login(anna, here);
  assert.equal(JSON.stringify([...rows.table]).includes(token), false);
  assert.ok(rows.table.has(sessionIdOf(token)));
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
  const { accounts, pass, rows } = await ready(t);
  const { token } = await accounts.login(anna, here);
  pass(600);
  await Promise.all([accounts.logout(token), accounts.authenticate(token)]);
  assert.equal(rows.table.has(sessionIdOf(token)), false);
  assert.equal(await accounts.authenticate(token), null);
});

test('a session lives on by being used, is written at most every five minutes, and ends', async (t) => {
  const { accounts, pass, rows } = await ready(t);
  const { token } = await accounts.login(anna, here);
  const writes = rows.puts;
  for (let minute = 1; minute < 5; minute += 1) {
    pass(60);
    assert.ok(await accounts.authenticate(token));
  }
  assert.equal(rows.puts, writes);
  pass(60);
  assert.ok(await accounts.authenticate(token));
  assert.equal(rows.puts, writes + 1);
  pass(336 * 3600 - 1);
  assert.ok(await accounts.authenticate(token));
  pass(336 * 3600);
  assert.equal(await accounts.authenticate(token), null);
  await accounts.sweepSessions();
  assert.equal(rows.table.size, 0);
});

test('a session is good although its expiry cannot be moved: a full disk logs nobody out', async (t) => {
  const { accounts, pass, rows } = await ready(t);
  const { token } = await accounts.login(anna, here);
  const { expires_at } = rows.table.get(sessionIdOf(token))!;
  const put = rows.put.bind(rows);
  rows.put = () => Promise.reject(new Error('ENOSPC: the disk is full'));
  pass(600);
  const caller = await accounts.authenticate(token);
  assert.equal(caller?.username, 'Anna');
  assert.equal(caller.expiresAt.getTime(), expires_at);
  await assert.rejects(accounts.login(anna, here), /ENOSPC/u);
  rows.put = put;
  assert.ok(await accounts.authenticate(token));
  assert.equal(rows.table.get(sessionIdOf(token))!.expires_at, expires_at + 600_000);
});

test('a password hashed by the other scheme is hashed anew at the next login', async (t) => {
  const parts = await ready(t);
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

test('users are told apart by folded names; some names are nobody’s', async (t) => {
  const { accounts } = await ready(t);
  const create = (username: string) =>
    accounts.createUser({ username, password: 'battery staple', isAdmin: false }, { by: 'anna' });
  assert.deepEqual((await create('jürgen.s-1_x')).username, 'jürgen.s-1_x');
  for (const taken of ['anna', 'ANNA', 'JU\u0308RGEN.S-1_X']) {
    await assert.rejects(create(taken), { code: 'USERNAME_TAKEN', status: 409 });
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
    await assert.rejects(create(bad), { code: 'INVALID_USERNAME', status: 422 }, bad);
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
  const { accounts } = await ready(t);
  const by = { by: 'anna' };
  const last = { code: 'LAST_ADMINISTRATOR', status: 409 };
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

test('a changed or reset password ends the user’s sessions and no others', async (t) => {
  const { accounts } = await ready(t);
  const admin = await accounts.login(anna, here);
  const by = { by: 'anna' };
  const bert = { username: 'bert', password: 'battery staple' };
  const { userId } = await accounts.createUser({ ...bert, isAdmin: false }, by);
  const session = await accounts.login(bert, here);
  await assert.rejects(accounts.changePassword(userId, 'guessed it', 'a new password'), {
    code: 'WRONG_CREDENTIALS',
  });
  assert.ok(await accounts.authenticate(session.token));
  await accounts.changePassword(userId, bert.password, 'a new password');
  assert.equal(await accounts.authenticate(session.token), null);
  await assert.rejects(accounts.login(bert, here), { code: 'WRONG_CREDENTIALS' });
  const again = await accounts.login({ ...bert, password: 'a new password' }, here);
  await accounts.changeUser('BERT', { password: 'the third one' }, by);
  assert.equal(await accounts.authenticate(again.token), null);
  assert.ok(await accounts.login({ ...bert, password: 'the third one' }, here));
  assert.ok(await accounts.authenticate(admin.token));
});

test('a disabled user is logged out and kept out until enabled; only the right password tells it', async (t) => {
  const parts = await ready(t);
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
  await assert.rejects(accounts.login(bert, here), { code: 'USER_DISABLED', status: 403 });
  const wrong = { ...bert, password: 'a wrong one' };
  await assert.rejects(accounts.login(wrong, here), { code: 'WRONG_CREDENTIALS' });
  // An administrator who cannot log in is none that could help: Anna is the last one.
  const last = { code: 'LAST_ADMINISTRATOR', status: 409 };
  await assert.rejects(accounts.changeUser('anna', { disabled: true }, by), last);
  await assert.rejects(accounts.changeUser('anna', { isAdmin: false }, by), last);
  await assert.rejects(accounts.deleteUser('anna', by), last);

  const restarted = await service(t, parts);
  await assert.rejects(restarted.accounts.login(bert, here), { code: 'USER_DISABLED' });
  await restarted.accounts.changeUser('bert', { disabled: false }, by);
  assert.equal(await restarted.accounts.authenticate(session.token), null, 'ended is ended');
  const again = await restarted.accounts.login(bert, here);
  assert.equal(again.is_admin, true);
  const self = { code: 'OWN_ACCOUNT', status: 409 };
  const bySelf = { by: userId };
  await assert.rejects(restarted.accounts.changeUser('bert', { disabled: true }, bySelf), self);
});

test('a change of a user is made as a whole or not at all', async (t) => {
  const { accounts } = await ready(t);
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

test('sessions that a crash left behind a change that ends them are no good', async (t) => {
  const rows = mapRows();
  const cut: MapRows = { ...rows, deleteOf: () => Promise.reject(new Error('power cut')) };
  const parts = await ready(t, { rows: cut });
  const by = { by: 'anna' };
  const bert = { username: 'bert', password: 'battery staple' };
  const { userId } = await parts.accounts.createUser({ ...bert, isAdmin: true }, by);
  const power = /power cut/u;
  for (const change of [
    () => parts.accounts.changeUser('bert', { disabled: true }, by),
    () => parts.accounts.changeUser('bert', { password: bert.password }, by),
    () => parts.accounts.changeUser('bert', { isAdmin: false }, by),
    () => parts.accounts.changePassword(userId, bert.password, bert.password),
  ]) {
    const { token } = await parts.accounts.login(bert, here);
    await assert.rejects(change(), power);
    const restarted = await service(t, { ...parts, rows });
    await restarted.accounts.changeUser('bert', { disabled: false }, by);
    assert.equal(await restarted.accounts.authenticate(token), null, String(change));
    assert.ok(rows.table.size > 0, 'the row is there');
    await parts.accounts.changeUser('bert', { disabled: false }, by);
  }
});

test('a command that created a user before gives the same answer after a restart', async (t) => {
  const parts = await ready(t);
  const onBehalf = { by: 'anna', command: 'anna:k' };
  const bert = { username: 'bert', password: 'battery staple', isAdmin: false };
  const first = await parts.accounts.createUser(bert, onBehalf);
  const restarted = await service(t, parts);
  assert.deepEqual(await restarted.accounts.createUser(bert, onBehalf), first);
  const other = { by: 'anna', command: 'anna:k2' };
  await assert.rejects(restarted.accounts.createUser(bert, other), { code: 'USERNAME_TAKEN' });
  await restarted.accounts.deleteUser('bert', { by: 'anna' });
  await assert.rejects(restarted.accounts.createUser(bert, onBehalf), { code: 'UNKNOWN_USER' });
  assert.equal(restarted.accounts.listUsers().length, 1);
});

test('a deleted user is gone from memory, sessions and log, and the name inherits nothing', async (t) => {
  const keys = memoryKeys();
  const parts = await ready(t, { keys });
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

  const restarted = await service(t, parts);
  assert.deepEqual(
    restarted.accounts.listUsers().map(({ username }) => username),
    ['Anna', 'Bert'],
  );
  assert.ok(await restarted.accounts.login(anna, here));
});

test('a deletion that was interrupted before the key was destroyed is finished at the next start', async (t) => {
  const keys = memoryKeys();
  const broken: KeyStore = { ...keys, forget: () => Promise.reject(new Error('power cut')) };
  const parts = await ready(t, { keys: broken, store: memoryStore({ keys }) });
  const by = { by: 'anna' };
  const bert = { username: 'Bert', password: 'battery staple', isAdmin: false };
  const { userId } = await parts.accounts.createUser(bert, by);
  await assert.rejects(parts.accounts.deleteUser('Bert', by), /power cut/u);
  assert.notEqual(await keys.find(userId), 'erased');
  await service(t, { ...parts, keys });
  assert.equal(await keys.find(userId), 'erased');
});

test('neither passwords nor tokens nor names reach the service’s log', async (t) => {
  const { accounts, logged } = await ready(t);
  const { token } = await accounts.login(anna, here);
  await assert.rejects(accounts.login({ username: 'my secret', password: 'hunter2!' }, afar));
  const all = logged.join('\n');
  for (const secret of [token, anna.password, 'my secret', 'hunter2!', 'Anna', '$argon2']) {
    assert.equal(all.includes(secret), false, secret);
  }
  assert.match(all, /login refused/u);
});

type Given = { store?: EventStore; keys?: KeyStore; rows?: MapRows; dataDir?: string };

/** Accounts over a log in memory, with a clock that moves only by `pass` (seconds). */
async function service(t: TestContext, given: Given = {}) {
  let now = Date.UTC(2026, 10, 21);
  const clock = () => new Date(now);
  const keys = given.keys ?? memoryKeys();
  const store = given.store ?? memoryStore({ clock, keys });
  const rows = given.rows ?? mapRows();
  const dataDir = given.dataDir ?? join(await tempDir(t), 'data');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const logged: string[] = [];
  const write = (...parts: unknown[]) => void logged.push(JSON.stringify(parts));
  const settings: { 'auth.password_hash': 'argon2id' | 'pbkdf2'; 'auth.session_hours': number } = {
    'auth.password_hash': 'argon2id',
    'auth.session_hours': 336,
  };
  const accounts: Accounts = await openAccounts({
    store,
    keys,
    sessions: rows,
    settings: () => settings,
    clock,
    setupCodes: fileSetupCodes(join(dataDir, 'setup-code')),
    log: { info: write, warn: write },
  });
  const pass = (seconds: number) => (now += seconds * 1000);
  return { accounts, store, keys, rows, dataDir, settings, logged, pass };
}

/** As `service`, with Anna as its administrator. */
async function ready(t: TestContext, given: Given = {}) {
  const parts = await service(t, given);
  await parts.accounts.setup(anna, here);
  parts.rows.table.clear();
  return parts;
}

type MapRows = SessionRows & { table: Map<string, SessionRow>; puts: number };

function mapRows(): MapRows {
  const table = new Map<string, SessionRow>();
  const deleteIf = (over: (row: SessionRow) => boolean) => {
    const hashes = [...table].filter(([, row]) => over(row)).map(([hash]) => hash);
    for (const hash of hashes) table.delete(hash);
    return hashes;
  };
  return {
    table,
    puts: 0,
    isShared: false,
    async move(hash, moved) {
      const row = table.get(hash);
      if (row) await this.put(hash, { ...row, ...moved });
      return table.get(hash);
    },
    get: async (hash) => table.get(hash),
    async put(hash, row) {
      this.puts += 1;
      table.set(hash, row);
    },
    delete: async (hash) => void table.delete(hash),
    all: async () => [...table].map(([id, row]) => ({ id, row })),
    deleteOf: async (userId) => deleteIf((row) => row.user_id === userId),
    sweep: async (now) => void deleteIf((row) => row.expires_at <= now),
  };
}

async function passwordHashes(store: EventStore): Promise<string[]> {
  const hashes: string[] = [];
  for await (const fact of store.read('users')) {
    if (fact.type === 'user.registered' || fact.type === 'user.password_changed') {
      if (fact.content) hashes.push(fact.content.password_hash);
    }
  }
  return hashes;
}
