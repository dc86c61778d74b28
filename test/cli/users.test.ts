import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { pbkdf2Sync, scryptSync } from 'node:crypto';
import { lchown, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import argon2 from 'argon2';
import { startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { program } from '../support/program.ts';

const root = join(import.meta.dirname, '../..');
const password = 'correct horse battery';

test('alone over the log, then beside a running service: add, import, reset, list', async (t) => {
  const dataDir = await tempDir(t);
  const users = (args: string[], input = '') => command(dataDir, ['users', ...args], input);

  const early = await users(['add', 'ben'], `${password}\n`);
  assert.deepEqual([early.code, early.out], [1, '']);
  assert.match(early.err, /first user must be an administrator/);
  assert.equal((await users(['add', 'anna', '--admin'], `${password}\n`)).code, 0);
  assert.equal((await users(['add', 'ben'], '')).code, 1, 'without a password nobody is made');

  const file = join(await tempDir(t), 'users.jsonl');
  const weak = { memoryCost: 8192, timeCost: 2, parallelism: 1 };
  const lines = [
    { username: 'cleo', password_hash: await argon2.hash(password, weak), is_admin: true },
    { username: 'dora', password_hash: pbkdf2(password) },
  ];
  await writeFile(file, `${lines.map((line) => JSON.stringify(line)).join('\n\n')}\n`);
  const imported = await users(['import', file]);
  assert.deepEqual([imported.code, imported.out], [0, '2 users imported.\n']);
  assert.equal((await users(['import', file])).code, 1, 'twice is refused');

  const service = await startServiceProcess(dataDir);
  t.after(() => service.end('SIGKILL'));
  const login = async (username: string, word = password): Promise<number> => {
    const answer = await fetch(`${service.url}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: word }),
    });
    return answer.status;
  };
  assert.deepEqual(
    [await login('anna'), await login('cleo'), await login('dora')],
    [200, 200, 200],
    'hashes made elsewhere are good here',
  );
  const beside = await users(['add', 'emil'], `${password}\r\nsecond line`);
  assert.deepEqual([beside.code, beside.err], [0, '']);
  assert.equal((await users(['reset-password', 'ANNA'], 'another password\n')).code, 0);
  assert.deepEqual(
    [await login('emil'), await login('anna'), await login('anna', 'another password')],
    [200, 401, 200],
  );
  assert.equal((await users(['disable', 'emil'])).code, 0);
  assert.equal(await login('emil'), 403);
  assert.match((await users(['list'])).out, /^emil \(disabled\)$/m);
  assert.equal((await users(['enable', 'Emil'])).code, 0);
  assert.equal(await login('emil'), 200);
  const list = JSON.parse((await users(['list', '--json'])).out) as { username: string }[];
  assert.deepEqual(
    list.map(({ username }) => username),
    ['anna', 'cleo', 'dora', 'emil', 'guest'],
  );

  const asked = await users(['remove', 'dora']);
  assert.deepEqual([asked.code, asked.out], [1, '']);
  assert.match(asked.err, /Add --yes/);
  assert.equal(await login('dora'), 200);
  assert.equal((await users(['remove', 'Dora', '--yes'])).code, 0);
  assert.equal(await login('dora'), 401);
  assert.doesNotMatch((await users(['list'])).out, /dora/);

  const unknown = await users(['reset-password', 'nobody'], 'another password\n');
  assert.deepEqual([unknown.code, unknown.err.trim()], [1, 'There is no user with this name.']);
  assert.ok(!service.logged.join('\n').includes(password));
});

test('no command of root writes into the log of another user’s service', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root may give a folder to another user');
  const dataDir = await tempDir(t);
  const admin = ['users', 'add', 'anna', '--admin'];
  assert.equal((await command(dataDir, admin, `${password}\n`)).code, 0);
  const all = [
    dataDir,
    ...(await readdir(dataDir, { recursive: true })).map((one) => join(dataDir, one)),
  ];
  const daemon = 1;
  for (const path of all) await lchown(path, daemon, daemon);
  for (const args of [
    ['users', 'list'],
    ['models', 'list'],
    ['verify'],
    ['doctor'],
    ['replay', '--check'],
    ['replay', '--recording', '01JCZY0000000000000000000B', '--from', 'speech-to-text'],
  ]) {
    const { code, err } = await command(dataDir, args);
    assert.equal(code, 1, args.join(' '));
    assert.match(err, /belongs to another user.*sudo -u '#1' MITSCHRIFT_DATA=/u, args.join(' '));
  }
  const log = join(dataDir, 'log');
  for (const name of await readdir(log))
    assert.equal((await stat(join(log, name))).uid, daemon, name);
});

test('invitations and links for a new password: beside a service and without one, each says where it leads', async (t) => {
  const dataDir = await tempDir(t);
  const users = (args: string[], env = {}) =>
    command(dataDir, ['users', ...args], `${password}\n`, env);
  const early = await users(['invite', '--admin']);
  assert.deepEqual([early.code, early.out], [1, ''], 'nobody is there to invite');
  assert.match(early.err, /Create an administrator first/);
  assert.equal((await users(['add', 'anna', '--admin'])).code, 0);
  const there = { MITSCHRIFT_PORT: '9321', TZ: 'Asia/Kolkata' };
  const alone = await users(['invite', '--note', 'Ben, library'], there);
  assert.equal(alone.code, 0, alone.err);
  assert.match(alone.err, /, until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+05:30, and is not shown/u);
  assert.match(alone.out, /^http:\/\/localhost:9321\/login#invitation=[\w-]{43}\n$/u);
  assert.match(alone.err, /opens only on this computer.*server\.public_url/su);
  const public_ = { MITSCHRIFT_SERVER_PUBLIC_URL: 'https://notes.example.org/' };
  const elsewhere = await users(['invite', '--days', '1'], public_);
  assert.match(elsewhere.out, /^https:\/\/notes\.example\.org\/login#invitation=[\w-]{43}\n$/u);
  assert.match(elsewhere.err, /notes\.example\.org.*once/su);
  assert.doesNotMatch(elsewhere.err, /this machine only/);

  const service = await startServiceProcess(dataDir);
  t.after(() => service.end('SIGKILL'));
  const accept = async (link: string, body: object): Promise<[number, string]> => {
    const token = new URL(link.trim()).hash.replace(/^#\w+=/u, '');
    const answer = await fetch(`${service.url}/invitations/accept`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, ...body }),
    });
    const { username, is_admin } = (await answer.json()) as {
      username?: string;
      is_admin?: boolean;
    };
    return [answer.status, `${username} ${is_admin}`];
  };
  assert.deepEqual(await accept(alone.out, { username: 'ben', password }), [201, 'ben false']);
  const beside = await users(['invite', '--admin']);
  assert.ok(beside.out.startsWith(`${service.url}/login#invitation=`), beside.out + beside.err);
  assert.deepEqual(await accept(beside.out, { username: 'cleo', password }), [201, 'cleo true']);
  const unknown = await users(['password-link', 'nobody']);
  assert.deepEqual([unknown.code, unknown.err.trim()], [1, 'There is no user with this name.']);
  const fresh = await users(['password-link', 'BEN']);
  assert.ok(fresh.out.startsWith(`${service.url}/login#password=`), fresh.out + fresh.err);
  assert.deepEqual(await accept(fresh.out, { password: 'another password' }), [201, 'ben false']);
  assert.equal((await accept(fresh.out, { password: 'a third password' }))[0], 404, 'once');
  assert.equal((await users(['invite', '--days', '31'])).code, 2);
  const secrets = [alone, beside, fresh].map(({ out }) => out.trim().split('=')[1]!);
  assert.ok(!secrets.some((secret) => service.logged.join('\n').includes(secret)));
});

test('hashes of werkzeug are taken: a user of a Flask application keeps the password', async (t) => {
  const dataDir = await tempDir(t);
  const file = join(await tempDir(t), 'users.jsonl');
  const salt = 'Kq3vXz8T1mWbR5yA';
  const pbkdf2Hash = pbkdf2Sync(password, salt, 600_000, 32, 'sha256').toString('hex');
  const costs = { N: 32_768, r: 8, p: 1, maxmem: 2 ** 27 };
  const scryptHash = scryptSync(password, salt, 64, costs).toString('hex');
  const lines = [
    {
      username: 'anna',
      password_hash: `pbkdf2:sha256:600000$${salt}$${pbkdf2Hash}`,
      is_admin: true,
    },
    { username: 'ben', password_hash: `scrypt:32768:8:1$${salt}$${scryptHash}` },
  ];
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  const imported = await command(dataDir, ['users', 'import', file]);
  assert.deepEqual([imported.code, imported.out], [0, '2 users imported.\n'], imported.err);
  const service = await startServiceProcess(dataDir);
  t.after(() => service.end('SIGKILL'));
  const login = async (username: string, word: string): Promise<number> => {
    const answer = await fetch(`${service.url}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: word }),
    });
    return answer.status;
  };
  for (const username of ['anna', 'ben']) {
    assert.equal(await login(username, 'another password'), 401, username);
    assert.equal(await login(username, password), 200, username);
    assert.equal(await login(username, password), 200, 'and once it was hashed again');
  }
  for (const costly of ['scrypt:1048576:8:16', 'scrypt:1024:8:1', 'scrypt:32767:8:1']) {
    const line = { username: 'cleo', password_hash: `${costly}$${salt}$${scryptHash}` };
    await writeFile(file, JSON.stringify(line));
    assert.equal((await command(dataDir, ['users', 'import', file])).code, 1, costly);
  }
});

test('a file with faults imports nobody, and names its lines without quoting them', async (t) => {
  const dataDir = await tempDir(t);
  const file = join(await tempDir(t), 'users.jsonl');
  const hash = pbkdf2(password);
  const faulty = [
    JSON.stringify({ username: 'anna', password_hash: hash, is_admin: true }),
    `{"username": "ben", "password_hash": "${hash}"`,
    JSON.stringify({ username: 'cleo', password: 'geheim' }),
    JSON.stringify({ username: 'dora', password_hash: hash, is_admin: 'yes' }),
  ];
  await writeFile(file, faulty.join('\n'));
  const { code, err } = await command(dataDir, ['users', 'import', file]);
  assert.equal(code, 1);
  assert.deepEqual(err.split('\n').slice(0, 4), [
    'No users were imported.',
    'line 2: The line is not a JSON object.',
    'line 3: "password_hash" is missing.',
    'line 4: "is_admin" must be true or false.',
  ]);
  assert.ok(!err.includes('geheim') && !err.includes(hash));

  // What only the accounts can see refuses the whole file as well.
  for (const wrong of [
    { username: 'guest', password_hash: hash },
    { username: 'ANNA', password_hash: hash },
    { username: 'ben', password_hash: '$2b$12$abcdefghijklmnopqrstuv' },
    { username: 'ben', password_hash: hash.replace('i=600000', 'i=90000000') },
    { username: 'ben', password_hash: '$argon2id$v=19$m=9999999,t=2,p=1$c2FsdHNhbHQ$aGFzaGhhc2g' },
  ]) {
    await writeFile(file, `${faulty[0]}\n${JSON.stringify(wrong)}\n`);
    assert.equal((await command(dataDir, ['users', 'import', file])).code, 1, wrong.username);
  }
  const { out } = await command(dataDir, ['users', 'list']);
  assert.equal(out, 'guest (built in)\n');
  assert.match(await readFile(join(dataDir, 'setup-code'), 'utf8'), /^[0-9A-Z-]{19}\n$/);
});

/** Runs the command with the given standard input; what it printed, and its exit code. */
async function command(dataDir: string, args: string[], input = '', env = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: root,
    env: { ...process.env, MITSCHRIFT_DATA: dataDir, ...env },
  });
  child.stdin.end(input);
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { out, err, code };
}

function pbkdf2(word: string): string {
  const salt = Buffer.from('sixteen bytes...');
  const hash = pbkdf2Sync(word, salt, 600_000, 32, 'sha256');
  const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$pbkdf2-sha256$i=600000$${base64(salt)}$${base64(hash)}`;
}
