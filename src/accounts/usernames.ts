import { AccountError } from './account-error.ts';

/** Names that mean something else: the built-in user of tray and hotkey, and the caller of /users/me. */
const reserved: ReadonlySet<string> = new Set(['guest', 'me']);

/**
 * A user name as it is stored: 2-32 letters (of any script), digits, `.`, `_`, `-`, one of them a
 * letter or digit, in NFC.
 * @throws {AccountError} `INVALID_USERNAME`
 */
export function checkUsername(given: string): string {
  const name = given.normalize('NFC');
  const { length } = Array.from(name);
  if (
    length < 2 ||
    length > 32 ||
    !/^[\p{L}\p{M}\p{Nd}._-]+$/u.test(name) ||
    !/[\p{L}\p{Nd}]/u.test(name)
  ) {
    throw new AccountError(
      'INVALID_USERNAME',
      'A user name has 2 to 32 letters, digits, dots, underscores and dashes.',
    );
  }
  if (reserved.has(usernameKey(name))) {
    throw new AccountError('INVALID_USERNAME', `The name ${name} is reserved.`);
  }
  return name;
}

/** The form in which names are compared: without case, compatible characters as one. */
export const usernameKey = (name: string): string =>
  name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
