import { detail } from '../words/details.ts';
import { pbkdf2 as pbkdf2Callback, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { AccountError } from './account-error.ts';
import { limited } from '../shared/mutex.ts';

/** How new passwords are hashed; both are always accepted (`auth.password_hash`). */
export type PasswordScheme = 'argon2id' | 'pbkdf2';

/** Parameters of the OWASP Password Storage Cheat Sheet; memory in KiB. */
const argon2id = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const iterations = 600_000;
/**
 * What an imported hash costs: at most about a second of a slow core for one verification (measured), and
 * not so little that guessing is cheap. Of argon2 KiB of memory × passes, of PBKDF2 iterations × blocks of
 * 32 bytes (10,000: NIST SP 800-63B), of scrypt N × r × p (RFC 7914; 2^18 is werkzeug's).
 */
const costs = {
  argon2: { least: 16_384, most: 524_288 },
  pbkdf2: { least: 10_000, most: 2_000_000 },
  scrypt: { least: 2 ** 17, most: 2 ** 20 },
};
/** Of one argon2 hash, as a login of an unknown name costs what some user's does: KiB at once, and threads. */
const memoryKibMax = 128 * 1024;
const lanesMax = 4;
/** Bytes of a salt at least. */
const saltMin = 8;

/**
 * Hashing occupies one of libuv's four threads, which the event log needs as well: sixteen at once
 * made an append wait for five seconds. So one at a time for the whole process.
 */
const hashing = limited(1, 16);

const pbkdf2 = promisify(pbkdf2Callback);
/** Native code, loaded with the first password: the start must not wait for it. */
const argon2 = async () => (await import('argon2')).default;

/**
 * Refuses a hash made elsewhere that is none of ours, or would cost more than a login may. The order
 * of argon2's parameters differs from library to library.
 * @throws {AccountError} `INVALID_PASSWORD_HASH`
 */
export function checkPasswordHash(phc: string): void {
  const cost = costOf(phc);
  if (!cost) {
    throw invalidHash('password-hash-form');
  }
  const { least, most } = costs[cost.scheme];
  if (cost.value < least) {
    throw invalidHash('password-hash-weak');
  }
  if (cost.value > most) {
    throw invalidHash('password-hash-costly');
  }
}

const invalidHash = (code: `password-hash-${'form' | 'weak' | 'costly'}`) =>
  new AccountError('INVALID_PASSWORD_HASH', detail(code));

function costOf(phc: string): { scheme: keyof typeof costs; value: number } | undefined {
  const pbkdf2Hash = pbkdf2Of(phc);
  if (pbkdf2Hash && pbkdf2Hash.salt.length >= saltMin) {
    const blocks = Math.ceil(pbkdf2Hash.hash.length / 32);
    return { scheme: 'pbkdf2', value: pbkdf2Hash.iterations * blocks };
  }
  const scryptHash = scryptOf(phc);
  if (scryptHash && scryptHash.salt.length >= saltMin) {
    return { scheme: 'scrypt', value: scryptHash.N * scryptHash.r * scryptHash.p };
  }
  const argon =
    /^\$argon2id\$v=19\$([mtp]=\d{1,9}(?:,[mtp]=\d{1,9}){2})\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,86}$/u;
  const given = new URLSearchParams(argon.exec(phc)?.[1]?.replaceAll(',', '&'));
  // Each exactly once: of two the last one counts when a password is verified.
  if (new Set(given.keys()).size !== 3) return undefined;
  const [memory = 0, time = 0, lanes = 0] = ['m', 't', 'p'].map((name) => Number(given.get(name)));
  if (time < 1 || lanes < 1 || lanes > 16 || memory < 8 * lanes) return undefined;
  const isTooMuch = memory > memoryKibMax || lanes > lanesMax;
  return { scheme: 'argon2', value: isTooMuch ? Infinity : memory * time };
}

/**
 * A password as PHC string (https://github.com/P-H-C/phc-string-format) with a new salt.
 * @throws {Busy} sixteen others wait already
 */
export function hashPassword(password: string, scheme: PasswordScheme): Promise<string> {
  return hashing(async () => {
    if (scheme === 'argon2id') return (await argon2()).hash(normalised(password), argon2id);
    const salt = randomBytes(16);
    const hash = await pbkdf2(normalised(password), salt, iterations, 32, 'sha256');
    return `$pbkdf2-sha256$i=${iterations}$${base64(salt)}$${base64(hash)}`;
  });
}

/**
 * A hash that is of no password, and costs as much to compare with as those made now: for names
 * without a user. Nothing is computed for it.
 */
export function hashOfNothing(scheme: PasswordScheme): string {
  const ends = `${base64(randomBytes(16))}$${base64(randomBytes(32))}`;
  if (scheme === 'pbkdf2') return `$pbkdf2-sha256$i=${iterations}$${ends}`;
  const { memoryCost, timeCost, parallelism } = argon2id;
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${ends}`;
}

/** Dummy hash, as expensive to verify as that one. Nothing is computed for it. */
export function hashLike(phc: string): string {
  const parts = phc.split('$');
  // Of the same length: PBKDF2 takes as many rounds again for every 32 bytes.
  const ends = parts
    .slice(-2)
    .map((part) => base64(randomBytes(Buffer.from(part, 'base64').length)));
  return [...parts.slice(0, -2), ...ends].join('$');
}

/**
 * Whether the password is the one hashed, and whether it should be hashed again because the scheme
 * or its cost is not the present one.
 * @throws {AccountError} `BUSY`; {TypeError} for what is neither argon2, scrypt nor PBKDF2-SHA256 in PHC form
 */
export function verifyPassword(
  phc: string,
  password: string,
  scheme: PasswordScheme = 'argon2id',
): Promise<{ ok: boolean; rehash: boolean }> {
  return hashing(async () => {
    if (phc.startsWith('$argon2')) {
      const { verify, needsRehash } = await argon2();
      const ok = await verify(phc, normalised(password));
      const current = phc.startsWith('$argon2id$') && !needsRehash(phc, argon2id);
      return { ok, rehash: ok && !(current && scheme === 'argon2id') };
    }
    const made = scryptOf(phc);
    if (made) return await verifyScrypt(made, normalised(password));
    const stored = parsePbkdf2(phc);
    const { hash, salt } = stored;
    const given = await pbkdf2(
      normalised(password),
      salt,
      stored.iterations,
      hash.length,
      'sha256',
    );
    const ok = timingSafeEqual(given, hash);
    return { ok, rehash: ok && !(stored.iterations >= iterations && scheme === 'pbkdf2') };
  });
}

/**
 * NFC, as RFC 8265 (OpaqueString) has it: the same letters typed on another keyboard or system are
 * the same password, and no two different ones fall together, as some would with NFKC.
 */
const normalised = (password: string): string => password.normalize('NFC');

type Scrypt = { N: number; r: number; p: number; salt: Buffer; hash: Buffer };

/** Only of hashes made elsewhere: a right password is always to be hashed again. */
async function verifyScrypt(
  { N, r, p, salt, hash }: Scrypt,
  password: string,
): Promise<{ ok: boolean; rehash: boolean }> {
  // Node refuses exactly what is needed: twice that is enough.
  const options = { N, r, p, maxmem: 256 * N * r };
  const given = await new Promise<Buffer>((resolve, reject) => {
    scrypt(password, salt, hash.length, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
  const ok = timingSafeEqual(given, hash);
  return { ok, rehash: ok };
}

function scryptOf(phc: string): Scrypt | undefined {
  const match =
    /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]{22,86})$/u.exec(
      phc,
    );
  if (!match) return undefined;
  const [, ln, r, p, salt = '', hash = ''] = match;
  const [saltBytes, hashBytes] = [Buffer.from(salt, 'base64'), Buffer.from(hash, 'base64')];
  return { N: 2 ** Number(ln), r: Number(r), p: Number(p), salt: saltBytes, hash: hashBytes };
}

type Pbkdf2 = { iterations: number; salt: Buffer; hash: Buffer };

function parsePbkdf2(phc: string): Pbkdf2 {
  const stored = pbkdf2Of(phc);
  if (!stored) throw new TypeError('not a password hash in PHC form');
  return stored;
}

function pbkdf2Of(phc: string): Pbkdf2 | undefined {
  const match =
    /^\$pbkdf2-sha256\$i=(\d{1,8})(?:,l=\d+)?\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]{22,86})$/u.exec(
      phc,
    );
  const [, iterations = 0, salt = '', hash = ''] = match ?? [];
  if (Number(iterations) === 0) return undefined;
  return {
    iterations: Number(iterations),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

/** Base64 as PHC strings have it: without padding. */
const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');
