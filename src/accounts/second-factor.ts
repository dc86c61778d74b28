import { hash, randomBytes } from 'node:crypto';
import { problemOf } from '../words/problems.ts';
import {
  decideNoSecondFactor,
  decideRecoveryCode,
  decideRecoveryCodes,
  decideSecondFactor,
} from '../../projections/second-factor-changes.ts';
import type { User } from '../../projections/users.ts';
import type { Settings } from '../config/environment.ts';
import type { Log } from '../shared/log.ts';
import type { Kept, KeptKind } from '../storage/kept.ts';
import { AccountError } from './account-error.ts';
import type { Caller } from './caller.ts';
import type { UserStream } from './user-stream.ts';

/** Seconds that a code is good for, and how many of them before and after it. */
const period = 30;
const stepsAround = 1;
const secretBytes = 20;

/** Recovery codes that a user gets, and the characters of one: 50 random bits. */
const recoveryCodes = 10;
const recoveryCharacters = 10;
/** Crockford's Base32: no letter that is taken for a digit. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** How long setting it up may take, in milliseconds. */
const setupMs = 10 * 60_000;

/** Secrets that are shown and not confirmed yet, by user. */
const setups: KeptKind<{ secret: string; ends_at: number }> = {
  name: 'totp-setups',
  endsAt: (row) => row.ends_at,
  volatileMax: 1000,
  keys: 'plain',
};

/** By user: the step (RFC 6238) of the last code that was right, so that none is good twice. */
const lastSteps: KeptKind<number> = {
  name: 'totp-steps',
  endsAt: (_, now) => now + setupMs,
  volatileMax: 10_000,
  keys: 'hashed',
};

export type TwoStepDemand = Settings['auth.totp'];

/** What a user's own page says of it. */
export type TwoStepState = {
  enabled: boolean;
  /** RFC 3339 UTC. */
  since: string | null;
  recoveryLeft: number;
  /** Whether `auth.totp` asks this user for it. */
  isDemanded: boolean;
};

/** What users do with their own two-step login (TOTP, RFC 6238), in a session. */
export interface OwnTwoStep {
  state(userId: string): TwoStepState;
  /**
   * A new secret, which holds once a code of it is confirmed.
   * @throws {AccountError} `WRONG_CREDENTIALS`, `TWO_STEP_CHANGED`, `TOO_MANY_ATTEMPTS`, `BUSY`
   */
  begin(userId: string, password: string): Promise<{ secret: string; uri: string }>;
  /**
   * @returns the recovery codes, known here alone.
   * @throws {AccountError} `WRONG_CODE`, `TWO_STEP_CHANGED`, `TOO_MANY_ATTEMPTS`
   */
  confirm(userId: string, code: string): Promise<string[]>;
  /** @returns other recovery codes. @throws {AccountError} as `end` */
  renew(userId: string, password: string, code: string): Promise<string[]>;
  /** @throws {AccountError} `WRONG_CREDENTIALS`, `WRONG_CODE`, `TWO_STEP_CHANGED`, `TOO_MANY_ATTEMPTS`, `BUSY` */
  end(userId: string, password: string, code: string): Promise<void>;
}

/** Guessing password or code is limited in an open session, too, which may be another person's. */
export type TriesInSession = {
  inSession: <T>(userId: string, work: () => Promise<T>) => Promise<T>;
  /** After the user's right password. @throws {AccountError} `NO_PASSWORD`, `WRONG_CREDENTIALS`, `TOO_MANY_ATTEMPTS`, `BUSY` */
  withPassword: <T>(userId: string, password: string, work: () => Promise<T>) => Promise<T>;
};

type Parts = { stream: UserStream; kept: Kept; clock: () => Date };

export function ownTwoStep(
  parts: Pick<Parts, 'stream' | 'kept'> &
    TriesInSession & {
      checks: CodeChecks;
      demand: () => TwoStepDemand;
      log: Pick<Log, 'info'>;
    },
): OwnTwoStep {
  const { stream, checks, demand, inSession, withPassword, log } = parts;
  const { users } = stream;
  const pending = parts.kept.of(setups);
  const report = (what: string, userId: string): void =>
    log.info({ category: 'security', user_id: userId, by: userId }, what);

  return {
    state(userId) {
      const user = users.byId.get(userId);
      const left = user?.totp?.recovery.filter((code) => code !== null).length ?? 0;
      return {
        enabled: Boolean(user?.totp),
        since: user?.totp?.since ?? null,
        recoveryLeft: left,
        isDemanded: user !== undefined && isDemandedOf(user, demand()),
      };
    },
    begin: (userId, password) =>
      withPassword(userId, password, async () => {
        const user = users.byId.get(userId);
        if (!user || user.totp || user.passwordHash === null) throw changed();
        const made = await newSecret(user.username);
        await pending.change([userId], (_, now) => ({
          keep: [{ secret: made.secret, ends_at: now + setupMs }],
          result: undefined,
        }));
        return made;
      }),
    async confirm(userId, given) {
      const codes = newRecoveryCodes();
      await inSession(userId, async () => {
        const setup = await pending.get(userId);
        if (!setup) throw changed();
        const code = given.replaceAll(/\s/gu, '');
        if (!(await checks.isFresh(userId, setup.secret, code))) throw wrongCode();
        const content = { secret: setup.secret, recovery: codes.map(hashOfCode) };
        await stream.change({ by: userId }, decideSecondFactor(userId, content));
        await pending.delete([userId]);
      });
      report('two-step login switched on', userId);
      return codes;
    },
    async renew(userId, password, code) {
      const codes = newRecoveryCodes();
      await withPassword(userId, password, async () => {
        const user = await checks.proven(userId, code);
        const hashes = codes.map(hashOfCode);
        await stream.change({ by: userId }, decideRecoveryCodes(user.id, hashes));
      });
      report('recovery codes renewed', userId);
      return codes;
    },
    async end(userId, password, code) {
      await withPassword(userId, password, async () => {
        await checks.proven(userId, code);
        await stream.change({ by: userId }, decideNoSecondFactor(userId, 'self'));
      });
      report('two-step login switched off', userId);
    },
  };
}

export type CodeChecks = ReturnType<typeof codeChecks>;

/** Whether codes are right. */
export function codeChecks({ stream, kept, clock }: Parts) {
  const { users } = stream;
  const steps = kept.of(lastSteps);

  /** Whether a code of the app is right, and was not used before. */
  const isFresh = async (userId: string, secret: string, code: string): Promise<boolean> => {
    const step = await stepOf(secret, code, clock().getTime());
    if (step === undefined) return false;
    return await steps.change([userId], ([last = -1]) =>
      step > last ? { keep: [step], result: true } : { result: false },
    );
  };

  /** Whether a code is right: of the app, or a recovery code, which it uses up. */
  const pass = async (user: User, given: string): Promise<boolean> => {
    const secret = user.totp?.secret ?? null;
    if (secret === null) return false;
    const code = given.replaceAll(/[\s-]/gu, '').toLowerCase();
    if (/^\d{6}$/u.test(code)) return await isFresh(user.id, secret, code);
    const used = stream.change({ by: user.id }, decideRecoveryCode(user.id, sha256Of(code)));
    return await used.then(() => true, refusedAsWrong);
  };

  /** The user, whose second factor is on, with a right code. */
  const proven = async (userId: string, code: string): Promise<User> => {
    await stream.takeIn();
    const user = users.byId.get(userId);
    if (!user?.totp) throw changed();
    if (!(await pass(user, code))) throw wrongCode();
    return user;
  };

  return { isFresh, pass, proven };
}

/** What a user has to do before anything else is answered; null: nothing. */
export function limitOf(user: User, demand: TwoStepDemand): Caller['limited'] {
  if (user.mustChangePassword) return 'password';
  return isDemandedOf(user, demand) && !user.totp ? 'totp' : null;
}

const isDemandedOf = ({ isAdmin }: User, demand: TwoStepDemand): boolean =>
  demand === 'everybody' || (demand === 'administrators' && isAdmin);

/** The step that a code is of, at a time in milliseconds; undefined: of none that is good then. */
export async function stepOf(
  secret: string,
  code: string,
  now: number,
): Promise<number | undefined> {
  if (!/^\d{6}$/u.test(code)) return undefined;
  const { Secret, TOTP } = await import('otpauth');
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period });
  const delta = totp.validate({ token: code, timestamp: now, window: stepsAround });
  return delta === null ? undefined : totp.counter({ timestamp: now }) + delta;
}

/** A secret, and the address by which an app of codes takes it in under a user's name. */
async function newSecret(username: string): Promise<{ secret: string; uri: string }> {
  const { Secret, TOTP } = await import('otpauth');
  const bytes = new Uint8Array(randomBytes(secretBytes));
  const secret = new Secret({ buffer: bytes.buffer });
  const totp = new TOTP({ issuer: 'Mitschrift', label: username, secret, period });
  return { secret: secret.base32, uri: totp.toString() };
}

/** As they are shown: `7k2mq-x4c9r`. */
const newRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodes }, () => {
    const bytes = [...randomBytes(recoveryCharacters)];
    const code = bytes.map((byte) => alphabet[byte % alphabet.length]).join('');
    return `${code.slice(0, 5)}-${code.slice(5)}`;
  });

const hashOfCode = (code: string): string => sha256Of(code.replaceAll('-', ''));

/** Letters that Crockford's Base32 takes for digits are typed by who reads them so. */
const sha256Of = (code: string): string =>
  hash('sha256', code.replaceAll('o', '0').replaceAll(/[il]/gu, '1'), 'hex');

function refusedAsWrong(error: unknown): false {
  if (error instanceof AccountError && error.code === 'WRONG_CODE') return false;
  throw error;
}

/** The password was right, and a code is needed as well. */
export const codeRequired = () => new AccountError('CODE_REQUIRED', problemOf('code-required'));
export const wrongCode = () => new AccountError('WRONG_CODE', problemOf('wrong-code'));
const changed = () => new AccountError('TWO_STEP_CHANGED', problemOf('two-step-changed'));
