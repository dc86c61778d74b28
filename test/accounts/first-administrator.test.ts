import assert from 'node:assert/strict';
import { access, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { memoryStore } from '../support/memory-store.ts';
import { accountsOn, afar, anna, here } from './open-accounts.ts';

test('the first administrator is set up once and is logged in', async (t) => {
  const { accounts } = await accountsOn(t);
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
  });
});

test('of several setups at once exactly one wins', async (t) => {
  const { accounts } = await accountsOn(t);
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
  const [one, other] = [await accountsOn(t, { store }), await accountsOn(t, { store })];
  const all = await Promise.allSettled([
    one.accounts.setup(anna, here),
    other.accounts.setup({ ...anna, username: 'Bert' }, here),
  ]);
  assert.deepEqual(all.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
});

test('from elsewhere the setup code is needed, which stands in a file only the owner reads', async (t) => {
  const { accounts, dataDir, logged } = await accountsOn(t);
  const path = join(dataDir, 'setup-code');
  const code = (await readFile(path, 'utf8')).trim();
  assert.match(code, /^[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}$/u);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.ok(logged.some((line) => line.includes(code)));
  assert.equal((await accounts.setupState(afar)).setup_code_required, true);

  const refused = { code: 'SETUP_CODE_REQUIRED' };
  await assert.rejects(accounts.setup(anna, afar), refused);
  await assert.rejects(accounts.setup({ ...anna, setup_code: '' }, afar), refused);
  await assert.rejects(accounts.setup({ ...anna, setup_code: 'wrong' }, here), refused);
  const typed = ` ${code.toLowerCase().replaceAll('-', ' ')}`;
  assert.equal((await accounts.setup({ ...anna, setup_code: typed }, afar)).is_admin, true);
  await assert.rejects(access(path), { code: 'ENOENT' });
});

test('guessing the setup code is slowed down', async (t) => {
  const { accounts } = await accountsOn(t);
  const guess = () => accounts.setup({ ...anna, setup_code: 'AAAA-AAAA-AAAA-AAAA' }, afar);
  for (let guesses = 0; guesses < 3; guesses += 1) {
    await assert.rejects(guess(), { code: 'SETUP_CODE_REQUIRED' });
  }
  await assert.rejects(guess(), { code: 'TOO_MANY_ATTEMPTS', retryAfter: 1 });
});

test('the setup code survives a restart and is gone after one with users', async (t) => {
  const first = await accountsOn(t);
  const path = join(first.dataDir, 'setup-code');
  const code = await readFile(path, 'utf8');
  const second = await accountsOn(t, first);
  assert.equal(await readFile(path, 'utf8'), code);
  await second.accounts.setup(anna, here);
  const third = await accountsOn(t, { ...first, dataDir: second.dataDir });
  await assert.rejects(access(path), { code: 'ENOENT' });
  assert.equal((await third.accounts.setupState(afar)).setup_required, false);
});
