import passwords from '@zxcvbn-ts/language-common/src/passwords.json' with { type: 'json' };

/**
 * The 10,000 commonest passwords of at least eight characters, in lower case. From zxcvbn-ts's list
 * (https://github.com/zxcvbn-ts/zxcvbn, MIT), which has the commonest first; the build keeps of it what is used here.
 */
export const commonPasswords: ReadonlySet<string> = new Set(
  passwords.filter((password) => password.length >= 8).slice(0, 10_000),
);
