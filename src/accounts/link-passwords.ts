import { type LoginDeps, assertMayTry, checkedAsStranger, slowDown } from './login.ts';
import { hashOfNothing, hashPassword, verifyPassword } from './passwords.ts';

/** Passwords of links by which strangers read a recording; limited as logins are. */
export interface LinkPasswords {
  /** @throws {Busy} too many passwords are hashed already */
  hashLinkPassword(password: string): Promise<string>;
  /**
   * Whether it is the link's password. The same work where there is no such link (`passwordHash` null).
   * @throws {AccountError} `TOO_MANY_ATTEMPTS`; {Busy}
   */
  isLinkPassword(
    asked: { account: string; passwordHash: string | null; password: string },
    address: string,
  ): Promise<boolean>;
}

export const linkPasswords = (deps: LoginDeps): LinkPasswords => ({
  hashLinkPassword: (password) => hashPassword(password, deps.scheme()),
  async isLinkPassword({ account, passwordHash, password }, address) {
    await assertMayTry(deps, account, address);
    await slowDown(deps, account, address);
    const hash = passwordHash ?? hashOfNothing(deps.scheme());
    const { ok } = await checkedAsStranger(deps, { account, address }, () =>
      verifyPassword(hash, password, deps.scheme()),
    );
    if (ok && passwordHash !== null) {
      await deps.limits.takeBack(account, address);
      await deps.brake.takeBack(account, address);
      return true;
    }
    deps.log.warn({ category: 'security', address }, 'wrong password of a link');
    return false;
  },
});
