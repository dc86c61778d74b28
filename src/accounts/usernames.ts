import { detail } from '../words/details.ts';
import type { Sentence } from '../words/params.ts';
import { usernameKey } from '../../projections/username-forms.ts';
import { AccountError } from './account-error.ts';

/** Names that mean something else: the built-in user of tray and hotkey, and the caller of /users/me. */
const reserved: ReadonlySet<string> = new Set(['guest', 'me']);

/**
 * Scripts of UAX 31, table 5 (in modern use). Those that are written together count as one: Japanese,
 * Korean and Chinese as in UTS 39, 5.2.
 */
const scripts = (
  'Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew, Arabic, Thaana, Devanagari, Bengali, Gurmukhi, ' +
  'Gujarati, Oriya, Tamil, Telugu, Kannada, Malayalam, Sinhala, Thai, Lao, Tibetan, Myanmar, Khmer, ' +
  'Ethiopic, Han Hiragana Katakana, Han Hangul, Han Bopomofo'
)
  .split(', ')
  .map((together) => {
    const letters = together.split(' ').map((script) => `\\p{scx=${script}}`);
    return new RegExp(`^[${letters.join('')}\\p{scx=Inherited}0-9@.+_-]+$`, 'u');
  });

/**
 * A user name as it is stored: 2-32 letters of one script, digits, `@`, `.`, `+`, `-`, `_`, beginning with a
 * letter or digit, in NFC. Letters of two scripts would let names look the same that are not.
 * @throws {AccountError} `INVALID_USERNAME`
 */
export function checkUsername(given: string): string {
  const name = given.normalize('NFC');
  const { length } = Array.from(name);
  if (length < 2 || length > 32) throw invalid(detail('username-length', { count: length }));
  if (/\s/u.test(name)) throw invalid(detail('username-space'));
  const others = name.match(/[^\p{L}\p{M}\p{Nd}@.+_-]/gu);
  if (others) throw invalid(detail('username-characters', { characters: [...new Set(others)] }));
  if (!/^[\p{L}\p{Nd}]/u.test(name)) {
    throw invalid(detail('username-start'));
  }
  if (!scripts.some((script) => script.test(name))) {
    throw invalid(detail('username-scripts'));
  }
  if (reserved.has(usernameKey(name))) throw invalid(detail('username-reserved', { name }));
  return name;
}

const invalid = (said: Sentence) => new AccountError('INVALID_USERNAME', said);
