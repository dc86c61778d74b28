import { problemOf } from '../words/problems.ts';
import { ulid } from 'ulid';
import { decideSetup } from '../../projections/users.ts';
import { AccountError } from './account-error.ts';
import type { Peer, Session } from './caller.ts';
import { type LoginDeps, assertMayTry, beginSession, securityCategory } from './login.ts';
import { checkNewUser } from './password-rules.ts';
import { hashPassword } from './passwords.ts';
import { type SetupCode, type SetupCodes, openSetupCode } from './setup-code.ts';

/** The first administrator, and the code that proves access to the host. */
export interface FirstSetup {
  /**
   * Creates the first administrator and logs them in. Of several at once exactly one succeeds.
   * @throws {AccountError} `ALREADY_SET_UP`, `SETUP_CODE_REQUIRED`, `INVALID_USERNAME`,
   *   `INVALID_PASSWORD`, `TOO_MANY_ATTEMPTS`, `BUSY`; {EventStoreError}
   */
  setUp(
    request: { username: string; password: string; setup_code?: string | undefined },
    peer: Peer,
    /** Run once the code is right, before there is a user: what it throws ends the setup. */
    check?: () => Promise<void>,
  ): Promise<Session>;
  state(peer: Peer): { setup_required: boolean; setup_code_required: boolean };
  /** The one-time code, as long as there is no user. */
  code(): string | null;
  /** Removes the code after what makes a user in another way. */
  over<T>(made: Promise<T>): Promise<T>;
}

/** While there is no user, the code is made, and written to the service's log. */
export async function openFirstSetup(
  deps: LoginDeps & { setupCodes: SetupCodes },
): Promise<FirstSetup> {
  const { stream, scheme, setupCodes, log } = deps;
  const { users } = stream;
  let setupCode: SetupCode | undefined;
  if (users.byId.size === 0) {
    setupCode = await openSetupCode(setupCodes);
    log.warn(
      { setup_code: setupCode.code },
      'no user exists yet; setup from other computers needs this code',
    );
  } else await setupCodes.remove();

  return {
    // Another node may have made the first user.
    code: () => (users.byId.size === 0 ? (setupCode?.code ?? null) : null),
    over,
    state({ local }) {
      const required = users.byId.size === 0;
      return { setup_required: required, setup_code_required: required && !local };
    },
    async setUp({ username, password, setup_code: given }, { address, local, agent }, check) {
      await stream.takeIn();
      if (users.byId.size > 0) throw alreadySetUp();
      // A code that is given has to be right, also where none is needed.
      if (given !== undefined || !local) {
        await assertMayTry(deps, '\nsetup', address);
        if (given === undefined || !setupCode?.matches(given)) {
          log.warn({ category: securityCategory, address }, 'setup refused');
          throw codeRequired();
        }
      }
      await check?.();
      const name = await checkNewUser(username, password);
      const passwordHash = await hashPassword(password, scheme());
      const id = ulid();
      await over(stream.change({ by: id }, decideSetup({ id, username: name, passwordHash })));
      const user = users.byId.get(id);
      if (!user) throw alreadySetUp();
      const how = { user_id: id, address, with_setup_code: given !== undefined };
      log.info({ category: securityCategory, ...how }, 'first administrator created');
      return await beginSession(user, deps, { agent });
    },
  };

  async function over<T>(made: Promise<T>): Promise<T> {
    const done = await made;
    setupCode = undefined;
    await setupCodes.remove();
    return done;
  }
}

const alreadySetUp = () => new AccountError('ALREADY_SET_UP', problemOf('already-set-up'));
const codeRequired = () =>
  new AccountError('SETUP_CODE_REQUIRED', problemOf('setup-code-required'));
