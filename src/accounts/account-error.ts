import type { Sentence } from '../words/params.ts';
import { problemOf } from '../words/problems.ts';
import { inEnglish } from '../words/say.ts';

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

const statuses: Readonly<Record<AccountErrorCode, number>> = {
  ALREADY_SET_UP: 409,
  SETUP_CODE_REQUIRED: 403,
  WRONG_CREDENTIALS: 401,
  TOO_MANY_ATTEMPTS: 429,
  INVALID_USERNAME: 422,
  INVALID_PASSWORD: 422,
  INVALID_PASSWORD_HASH: 422,
  USERNAME_TAKEN: 409,
  ADMINISTRATOR_FIRST: 409,
  BUILT_IN_USER: 409,
  LAST_ADMINISTRATOR: 409,
  OWN_ACCOUNT: 409,
  USER_DISABLED: 403,
  USE_SINGLE_SIGN_ON: 403,
  NOT_ADMITTED: 403,
  FLOW_OVER: 409,
  NO_SINGLE_SIGN_ON: 409,
  PROVIDER_AWAY: 503,
  NO_PASSWORD: 409,
  CODE_REQUIRED: 401,
  WRONG_CODE: 401,
  TWO_STEP_CHANGED: 409,
  LINK_OVER: 404,
  KEY_USED_DIFFERENTLY: 409,
  TOO_MANY_LINKS: 409,
  NAME_TAKEN: 409,
  TOO_MANY_NAMES: 409,
  UNKNOWN_GROUP: 404,
  UNKNOWN_USER: 404,
};

/** Why something about accounts was refused. Nothing was changed. */
export class AccountError extends Error {
  override name = 'AccountError';
  readonly code: AccountErrorCode;
  /** Of area `problem` or `detail`. */
  readonly said: Sentence;
  /** HTTP status. */
  readonly status: number;
  /** Seconds to wait before trying again, where waiting helps. */
  readonly retryAfter: number | undefined;
  /** Of a refused user name: what is wrong with the password beside it. */
  readonly passwordFault: Sentence | undefined;
  /** Why somebody is not admitted: what the detail's code ends with. */
  get reason(): string | undefined {
    return /^not-admitted-(?<reason>\w+)$/u.exec(this.said.code)?.groups?.['reason'];
  }
  constructor(
    code: AccountErrorCode,
    said: Sentence,
    retryAfter?: number,
    passwordFault?: Sentence,
  ) {
    super(inEnglish(said));
    this.code = code;
    this.said = said;
    this.status = statuses[code];
    this.retryAfter = retryAfter;
    this.passwordFault = passwordFault;
  }
}

/** The command led to something else before. */
export const keyUsedDifferently = (): AccountError =>
  new AccountError('KEY_USED_DIFFERENTLY', problemOf('key-used-differently'));
