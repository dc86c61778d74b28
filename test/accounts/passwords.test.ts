import assert from 'node:assert/strict';
import { pbkdf2Sync } from 'node:crypto';
import { test } from 'node:test';
import {
  hashLike,
  hashOfNothing,
  hashPassword,
  verifyPassword,
} from '../../src/accounts/passwords.ts';

test('a password is verified by either scheme, and by no other password', async () => {
  for (const scheme of ['argon2id', 'pbkdf2'] as const) {
    const phc = await hashPassword('correct horse', scheme);
    assert.deepEqual(await verifyPassword(phc, 'correct horse', scheme), {
      ok: true,
      rehash: false,
    });
    assert.equal((await verifyPassword(phc, 'correct horsf', scheme)).ok, false);
    assert.equal((await verifyPassword(phc, '', scheme)).ok, false);
  }
});

test('hashes name their scheme and cost, and no two are equal', async () => {
  const [one, two] = [
    await hashPassword('12345678', 'argon2id'),
    await hashPassword('12345678', 'argon2id'),
  ];
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/u);
  assert.notEqual(one, two);
  assert.match(
    await hashPassword('12345678', 'pbkdf2'),
    /^\$pbkdf2-sha256\$i=600000\$[^=]+\$[^=]+$/u,
  );
});

test('the hash of nobody’s password costs what others cost, and no password is right for it', async () => {
  for (const scheme of ['argon2id', 'pbkdf2'] as const) {
    const nobodys = hashOfNothing(scheme);
    const shape = (phc: string) =>
      phc.split('$').map((part, at, { length }) => (at < length - 2 ? part : part.length));
    assert.deepEqual(shape(nobodys), shape(await hashPassword('12345678', scheme)));
    for (const password of ['', '12345678']) {
      assert.deepEqual(await verifyPassword(nobodys, password, scheme), {
        ok: false,
        rehash: false,
      });
    }
  }
});

test('a hash like an imported one is as long as that one: twice the bytes take PBKDF2 twice the time', () => {
  const unpadded = (bytes: number) => Buffer.alloc(bytes, 1).toString('base64').replace(/=+$/u, '');
  for (const bytes of [16, 32, 64]) {
    const phc = `$pbkdf2-sha256$i=600000$${unpadded(8)}$${unpadded(bytes)}`;
    const lengths = (text: string) => text.split('$').map(({ length }) => length);
    assert.deepEqual(lengths(hashLike(phc)), lengths(phc));
    assert.notEqual(hashLike(phc), phc);
  }
});

test('a hash of another scheme or a lower cost is to be made anew, once the password was right', async () => {
  const argon = await hashPassword('12345678', 'argon2id');
  assert.deepEqual(await verifyPassword(argon, '12345678', 'pbkdf2'), { ok: true, rehash: true });
  const salt = Buffer.from('0123456789abcdef');
  const weak = pbkdf2Sync('12345678', salt, 1000, 32, 'sha256').toString('base64').slice(0, -1);
  const phc = `$pbkdf2-sha256$i=1000$${salt.toString('base64').replace(/=+$/u, '')}$${weak}`;
  assert.deepEqual(await verifyPassword(phc, '12345678', 'pbkdf2'), { ok: true, rehash: true });
  assert.deepEqual(await verifyPassword(phc, '12345678', 'argon2id'), { ok: true, rehash: true });
  assert.deepEqual(await verifyPassword(phc, 'wrong one', 'argon2id'), {
    ok: false,
    rehash: false,
  });
});

test('the same letters typed on another system are the same password', async () => {
  const phc = await hashPassword('gr\u00FC\u00DFe an alle', 'argon2id');
  assert.equal((await verifyPassword(phc, 'gru\u0308\u00DFe an alle')).ok, true);
  assert.equal((await verifyPassword(phc, 'gruße an alle')).ok, false);
});

test('what is no hash is an error, not a wrong password', async () => {
  for (const phc of [
    '',
    'secret',
    '$pbkdf2-sha256$i=0$c2FsdA$AAAAAAAAAAAAAAAAAAAAAAAA',
    '$2b$10$x',
  ]) {
    await assert.rejects(verifyPassword(phc, 'secret'), TypeError);
  }
});

test('sixteen wait for the one that is being hashed; more are told to come again', async () => {
  const all = await Promise.allSettled(
    Array.from({ length: 20 }, () => hashPassword('12345678', 'argon2id')),
  );
  const refused = all.filter((one) => one.status === 'rejected');
  assert.equal(refused.length, 3);
  for (const { reason } of refused) {
    assert.equal(reason.code, 'BUSY');
    assert.equal(reason.retryAfter, 2);
  }
  assert.match(await hashPassword('12345678', 'argon2id'), /^\$argon2id/u);
});
