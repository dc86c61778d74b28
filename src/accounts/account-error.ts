import type { Sentence } from '../words/params.ts';
import { problemOf } from '../words/problems.ts';
import { SaidError } from '../shared/errors.ts';

export type AccountErrorCode =
  | 'ALREADY_SET_UP'
  | 'SETUP_CODE_REQUIRED'
  | 'WRONG_CREDENTIALS'
  | 'TOO_MANY_ATTEMPTS'
  | 'INVALID_USERNAME'
  | 'INVALID_PASSWORD'
  | 'INVALID_PASSWORD_HASH'
  | 'USERNAME_TAKEN'
  | 'ADMINISTRATOR_FIRST'
  | 'BUILT_IN_USER'
  | 'LAST_ADMINISTRATOR'
  | 'OWN_ACCOUNT'
  | 'USER_DISABLED'
  | 'USE_SINGLE_SIGN_ON'
  | 'NOT_ADMITTED'
  | 'FLOW_OVER'
  | 'NO_SINGLE_SIGN_ON'
  | 'PROVIDER_AWAY'
  | 'NO_PASSWORD'
  | 'CODE_REQUIRED'
  | 'WRONG_CODE'
  | 'TWO_STEP_CHANGED'
  | 'LINK_OVER'
  | 'KEY_USED_DIFFERENTLY'
  | 'TOO_MANY_LINKS'
  | 'NAME_TAKEN'
  | 'TOO_MANY_NAMES'
  | 'UNKNOWN_GROUP'
  | 'UNKNOWN_USER';

/** Why something about accounts was refused. Nothing was changed. */
export class AccountError extends SaidError<AccountErrorCode> {
  override name = 'AccountError';
  /** Seconds to wait before trying again, where waiting helps. */
  readonly retryAfter: number | undefined;
  /** Of a refused user name: what is wrong with the password beside it. */
  readonly passwordFault: Sentence | undefined;
  /** Why somebody is not admitted: what the detail's code ends with. */
  get reason(): string | undefined {
    return /^not-admitted-(?<reason>\w+)$/u.exec(this.said.code)?.groups?.['reason'];
  }
  /** @param said of area `problem` or `detail` */
  constructor(
    code: AccountErrorCode,
    said: Sentence,
    retryAfter?: number,
    passwordFault?: Sentence,
  ) {
    super(code, said);
    this.retryAfter = retryAfter;
    this.passwordFault = passwordFault;
  }
}

/** The command led to something else before. */
export const keyUsedDifferently = (): AccountError =>
  new AccountError('KEY_USED_DIFFERENTLY', problemOf('key-used-differently'));
