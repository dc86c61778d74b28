import { hash, randomInt } from 'node:crypto';
import type { User } from '../../projections/users.ts';
import type { Kept, KeptKind } from '../storage/kept.ts';
import { detail } from '../words/details.ts';
import { AccountError } from './account-error.ts';
import type { Caller, Peer, Session } from './caller.ts';
import {
  type LoginDeps,
  assertMayTry,
  beginSession,
  countLogin,
  securityCategory,
} from './login.ts';

/** How long a code is good, in milliseconds: it is carried to a terminal. */
const codeMs = 10 * 60_000;
/** Letters and digits that nobody takes for each other: 12 of them are 59 bits. */
const letters = 'ABCDEFGHJKLMNPQRTUVWXYZ2346789';
const letterCount = 12;
/** Counts attempts at codes apart from those at any account: no name has a line break. */
const account = '\nlogin code';

/** By the SHA-256 of the code. None has to survive a restart; any node takes it, once. */
const codeRows: KeptKind<{
  user_id: string;
  users_version: number;
  signed_on: boolean;
  ends_at: number;
}> = {
  name: 'login-codes',
  endsAt: (row) => row.ends_at,
  volatileMax: 1000,
  keys: 'plain',
};

/** One-time codes by which a program logs in as somebody who is logged in with a browser, and may have no password here. */
export interface LoginCodes {
  /** For the caller, who has just proved who they are: else a session would beget sessions without end. */
  makeLoginCode(caller: Caller): Promise<{ code: string; expiresAt: Date }>;
  /** @throws {AccountError} `WRONG_CODE` (also used or over), `TOO_MANY_ATTEMPTS` */
  loginByCode(code: string, from: Omit<Peer, 'local'>): Promise<Session>;
}

export function loginCodes(parts: LoginDeps & { kept: Kept; clock: () => Date }): LoginCodes {
  const { stream, book, limits, log, clock } = parts;
  const { users } = stream;
  const rows = parts.kept.of(codeRows);
  return {
    async makeLoginCode({ userId, sessionId }) {
      const code = Array.from({ length: letterCount }, () => letters[randomInt(letters.length)]);
      const shown = code.join('').match(/.{4}/gu)?.join('-') ?? '';
      const endsAt = clock().getTime() + codeMs;
      const row = {
        user_id: userId,
        users_version: users.version,
        signed_on: (await book.look(sessionId))?.signedOn === true,
        ends_at: endsAt,
      };
      await rows.change([keyOf(shown)], () => ({ keep: [row], result: undefined }));
      log.info({ category: securityCategory, user_id: userId }, 'login code made');
      return { code: shown, expiresAt: new Date(endsAt) };
    },
    async loginByCode(code, { address, agent }) {
      await assertMayTry(parts, account, address);
      await stream.takeIn();
      const row = await rows.change([keyOf(code)], ([present]) =>
        present ? { keep: [undefined], result: present } : { result: undefined },
      );
      const user = row && users.byId.get(row.user_id);
      if (!row || !user || !isStillGood(user, row.users_version)) {
        log.warn({ category: securityCategory, address }, 'login code refused');
        countLogin(parts, 'login.failed', user?.id);
        throw new AccountError('WRONG_CODE', detail('login-code-over'));
      }
      await limits.takeBack(account, address);
      const session = await beginSession(user, parts, {
        agent,
        signedOn: row.signed_on,
        byCode: true,
      });
      log.info(
        { category: securityCategory, address, user_id: user.id },
        'program logged in by code',
      );
      return session;
    },
  };
}

/** Whether nothing has ended the user's sessions since. */
const isStillGood = ({ disabled, sessionsSince }: User, version: number): boolean =>
  !disabled && sessionsSince <= version;

/** As people type it: in any case, with or without the hyphens. */
const keyOf = (code: string): string =>
  hash('sha256', code.toUpperCase().replaceAll(/[\s-]/gu, ''), 'base64url');
