import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPasswordHash, verifyPassword } from '../../src/accounts/passwords.ts';

const ends = `c2FsdHNhbHRzYWx0$${'A'.repeat(43)}`;
const argon2 = (parameters: string) => `$argon2id$v=19$${parameters}$${ends}`;
const pbkdf2 = (parameters: string) => `$pbkdf2-sha256$${parameters}$${ends}`;
const scrypt = (parameters: string) => `$scrypt$${parameters}$${ends}`;

test('imported hashes: each parameter once, not too weak, not too costly', () => {
  for (const refused of [
    argon2('m=19456,m=262144000,t=2,p=1'),
    argon2('m=19456,t=2,t=64'),
    argon2('m=19456,t=2'),
    argon2('m=262144,t=64,p=1'),
    argon2('m=4294967295,t=1,p=1'),
    argon2('m=8,t=1,p=1'),
    argon2('m=524288,t=1,p=1'),
    argon2('m=65536,t=1,p=16'),
    pbkdf2('i=1000'),
    pbkdf2('i=99999999'),
    pbkdf2('i=600000,i=1'),
    `$pbkdf2-sha256$i=600000$c2FsdA$${'A'.repeat(43)}`,
    `$pbkdf2-sha256$i=1500000$c2FsdHNhbHRzYWx0$${'A'.repeat(86)}`,
    scrypt('ln=10,r=8,p=1'),
    scrypt('ln=20,r=8,p=16'),
    '$2b$12$abcdefghijklmnopqrstuv',
    'geheim',
  ]) {
    assert.throws(() => checkPasswordHash(refused), { code: 'INVALID_PASSWORD_HASH' }, refused);
  }
  for (const taken of [
    argon2('m=19456,t=2,p=1'),
    argon2('m=65536,t=3,p=4'),
    argon2('p=4,t=2,m=102400'),
    pbkdf2('i=260000'),
    pbkdf2('i=1000000'),
    scrypt('ln=15,r=8,p=1'),
  ]) {
    checkPasswordHash(taken);
  }
});

test('what costs most takes less than a second of processor time to verify', async () => {
  for (const costly of [argon2('m=65536,t=8,p=1'), pbkdf2('i=2000000'), scrypt('ln=17,r=8,p=1')]) {
    checkPasswordHash(costly);
    const before = process.cpuUsage();
    assert.equal((await verifyPassword(costly, 'a wrong one')).ok, false);
    const { user, system } = process.cpuUsage(before);
    // Twice that on a core that others share.
    assert.ok((user + system) / 1e6 < 2, `${costly} took ${(user + system) / 1e6} s`);
  }
});
