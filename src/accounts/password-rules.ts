import { detail } from '../words/details.ts';
import type { Sentence } from '../words/params.ts';
import { AccountError } from './account-error.ts';
import { checkUsername } from './usernames.ts';

/** Characters (code points). No rules of composition: NIST SP 800-63B, OWASP ASVS 5.0 6.2. */
const charactersMin = 8;
const charactersMax = 1024;

const product = 'mitschrift';

/**
 * Refuses a new password that is guessed first (ASVS 5.0, 6.2.4 and 6.2.11): one of the commonest, one character
 * again and again, the user's name or the product's, also twice or with digits and signs around it.
 * @throws {AccountError} `INVALID_PASSWORD`, which says why
 */
export async function assertGoodPassword(password: string, username: string): Promise<void> {
  const { length } = Array.from(password.normalize('NFC'));
  if (length < charactersMin)
    throw invalidPassword(detail('password-short', { least: charactersMin }));
  if (length > charactersMax)
    throw invalidPassword(detail('password-long', { most: charactersMax }));
  const folded = foldedOf(password);
  // A list of 10,000 is loaded with the first password that is chosen: the start must not wait for it.
  const { commonPasswords } = await import('./common-passwords.ts');
  if (commonPasswords.has(folded) || new Set(folded).size === 1) {
    throw invalidPassword(detail('password-common'));
  }
  const core = lettersOf(folded);
  const names = [lettersOf(foldedOf(username)), product].filter((name) => name !== '');
  const rest = names.reduce((left, name) => left.replaceAll(name, ''), core);
  if (folded === foldedOf(username) || (core !== '' && rest === '')) {
    throw invalidPassword(detail('password-of-names'));
  }
}

/**
 * Checks what a new user chose; who is refused learns at once what is wrong with both.
 * @returns the name as it is stored
 * @throws {AccountError} `INVALID_USERNAME`, `INVALID_PASSWORD`
 */
export async function checkNewUser(username: string, password: string): Promise<string> {
  try {
    const name = checkUsername(username);
    await assertGoodPassword(password, name);
    return name;
  } catch (error) {
    if (!(error instanceof AccountError) || error.code !== 'INVALID_USERNAME') throw error;
    const fault = await assertGoodPassword(password, username).then(
      () => undefined,
      (other: unknown) => {
        if (other instanceof AccountError) return other.said;
        throw other;
      },
    );
    throw new AccountError(error.code, error.said, undefined, fault);
  }
}

/** @throws {AccountError} `INVALID_PASSWORD` */
export function assertOtherPassword(isSame: boolean): void {
  if (isSame) throw invalidPassword(detail('password-unchanged'));
}

const invalidPassword = (said: Sentence) => new AccountError('INVALID_PASSWORD', said);

/** Guessing does not care for case and compatible characters. */
const foldedOf = (text: string): string => text.normalize('NFKC').toLowerCase();

/** `-anna.2026` → `anna`. */
const lettersOf = (folded: string): string => folded.replace(/[^\p{L}\p{M}]/gu, '');
