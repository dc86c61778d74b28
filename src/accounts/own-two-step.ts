import type { Log } from '../shared/log.ts';
import type { SecondFactors, TwoStepState } from './second-factor.ts';

/** What users do with their own two-step login, in a session. */
export interface OwnTwoStep {
  state(userId: string): TwoStepState;
  /** @throws {AccountError} `WRONG_CREDENTIALS`, `TWO_STEP_CHANGED`, `TOO_MANY_ATTEMPTS`, `BUSY` */
  begin(userId: string, password: string): Promise<{ secret: string; uri: string }>;
  /** @returns the recovery codes. @throws {AccountError} `WRONG_CODE`, `TWO_STEP_CHANGED`, `TOO_MANY_ATTEMPTS` */
  confirm(userId: string, code: string): Promise<string[]>;
  /** @returns other recovery codes. @throws {AccountError} as `end` */
  renew(userId: string, password: string, code: string): Promise<string[]>;
  /** @throws {AccountError} `WRONG_CREDENTIALS`, `WRONG_CODE`, `TWO_STEP_CHANGED`, `TOO_MANY_ATTEMPTS`, `BUSY` */
  end(userId: string, password: string, code: string): Promise<void>;
}

/** Guessing is limited in another person's open session too. */
export type TriesInSession = {
  inSession: <T>(userId: string, work: () => Promise<T>) => Promise<T>;
  /** After the user's right password. @throws {AccountError} `NO_PASSWORD`, `WRONG_CREDENTIALS`, `TOO_MANY_ATTEMPTS`, `BUSY` */
  withPassword: <T>(userId: string, password: string, work: () => Promise<T>) => Promise<T>;
};

/** Guessing password or code is limited in an open session, too. */
export function twoStepInSession(
  second: SecondFactors,
  parts: TriesInSession & { log: Pick<Log, 'info'> },
): OwnTwoStep {
  const { inSession, withPassword, log } = parts;
  const report = (what: string, userId: string): void =>
    log.info({ category: 'security', user_id: userId, by: userId }, what);
  return {
    state: (userId) => second.state(userId),
    begin: (userId, password) => withPassword(userId, password, () => second.begin(userId)),
    async confirm(userId, code) {
      const codes = await inSession(userId, () => second.confirm(userId, code));
      report('two-step login switched on', userId);
      return codes;
    },
    async renew(userId, password, code) {
      const codes = await withPassword(userId, password, () => second.renew(userId, code));
      report('recovery codes renewed', userId);
      return codes;
    },
    async end(userId, password, code) {
      await withPassword(userId, password, () => second.end(userId, code));
      report('two-step login switched off', userId);
    },
  };
}
