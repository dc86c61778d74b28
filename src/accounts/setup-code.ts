import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { writeDurably, ifMissing } from '../shared/files.ts';
import type { SealedTexts } from '../storage/sealed-texts.ts';

/** Allows to create the first administrator from anywhere: knowing it proves access to the host. */
export interface SetupCode {
  /** As it is shown and written: `ABCD-EFGH-JKMN-PQRS`. */
  readonly code: string;
  /** Compares in constant time, without regard to case, spaces and dashes. */
  matches(given: string): boolean;
}

/** Crockford's Base32: nothing in it looks like something else. 16 characters are 80 bits. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const shape = /^[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){3}$/u;

/** Where the code is kept. */
export interface SetupCodes {
  /** The code, kept when there is none: it survives restarts. */
  obtain(make: () => string): Promise<string>;
  /** Once there is an administrator, the code is worth nothing and goes. */
  remove(): Promise<void>;
}

/** The code in a file (0600). */
export const fileSetupCodes = (path: string): SetupCodes => ({
  obtain: async (make) => (await present(path)) ?? (await write(path, make())),
  remove: () => rm(path, { force: true }),
});

const setupCodeName = 'setup-code';

/** One code for all nodes, among their secrets. */
export const sealedSetupCodes = (texts: SealedTexts): SetupCodes => ({
  async obtain(make) {
    // Of several nodes at once one adds it.
    await texts.add([{ name: setupCodeName, fingerprint: '', text: make() }]);
    const code = (await texts.all()).find(({ name }) => name === setupCodeName);
    // Another node has just made the first user.
    return code?.text ?? make();
  },
  remove: () => texts.delete(setupCodeName),
});

export async function openSetupCode(codes: SetupCodes): Promise<SetupCode> {
  const code = await codes.obtain(newSetupCode);
  return { code, matches: (given) => timingSafeEqual(digest(given), digest(code)) };
}

async function present(path: string): Promise<string | undefined> {
  const code = (await readFile(path, 'utf8').catch(ifMissing(''))).trim();
  return shape.test(code) ? code : undefined;
}

function newSetupCode(): string {
  const characters = Array.from({ length: 16 }, () => alphabet[randomInt(alphabet.length)]);
  return characters.join('').replace(/(.{4})(?=.)/gu, '$1-');
}

async function write(path: string, code: string): Promise<string> {
  await writeDurably(path, `${code}\n`);
  return code;
}

const digest = (code: string): Buffer =>
  createHash('sha256')
    .update(code.toUpperCase().replace(/[\s-]/gu, '').replace(/O/gu, '0').replace(/[IL]/gu, '1'))
    .digest();
