import { detail } from '../words/details.ts';
import type { Sentence } from '../words/params.ts';
import { AccountError } from './account-error.ts';

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
  const characters = Array.from(password.normalize('NFC'));
  if (characters.length < charactersMin || characters.length > charactersMax) {
    throw invalidPassword(detail('password-length', { least: charactersMin, most: charactersMax }));
  }
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

/** @throws {AccountError} `INVALID_PASSWORD` */
export function assertOtherPassword(isSame: boolean): void {
  if (isSame) throw invalidPassword(detail('password-unchanged'));
}

const invalidPassword = (said: Sentence) => new AccountError('INVALID_PASSWORD', said);

/** Guessing does not care for case and compatible characters. */
const foldedOf = (text: string): string => text.normalize('NFKC').toLowerCase();

/** `-anna.2026` → `anna`. */
const lettersOf = (folded: string): string => folded.replace(/[^\p{L}\p{M}]/gu, '');
