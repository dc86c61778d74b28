import { ulid } from 'ulid';
import {
  type Comer,
  decideLinkedIdentity,
  decideSignOn,
  decideUnlinkedIdentity,
  userByIdentity,
} from '../../projections/identity-changes.ts';
import type { User } from '../../projections/users.ts';
import type { ProviderFault, SignOnProvider, SignedOn } from '../servers/sign-on-provider.ts';
import type { Kept } from '../storage/kept.ts';
import { detail } from '../words/details.ts';
import { problemOf } from '../words/problems.ts';
import { AccountError } from './account-error.ts';
import type { Peer, Session } from './caller.ts';
import type { FirstSetup } from './first-setup.ts';
import { type LocalLogin, type SignOnSettings, hasProvider, localLoginOf } from './local-login.ts';
import { type LoginDeps, beginSession, securityCategory } from './login.ts';
import type { TriesInSession } from './own-two-step.ts';
import { type SignOnFlows, signOnFlows } from './sign-on-flows.ts';
import { checkUsername } from './usernames.ts';

/** Where a browser goes, and what it shows when it is back. */
export type BegunSignOn = { url: string; flow: string };
/** What a browser brings back from the provider. */
export type BroughtBack = { flow: string; query: string };

type From = Omit<Peer, 'local'>;

/** Logging in at a provider that speaks OpenID Connect. Nobody is known by name or address there, only by issuer and subject. */
export interface SignOn {
  /** What a login page offers: the provider's title, null where there is none, and who may use a password. */
  offer(): { title: string | null; localLogin: LocalLogin };
  /** What the provider called a user when they were linked; null: not linked. */
  identityOf(userId: string): { name: string | null } | null;
  /** Whether a user has a password here. */
  hasPassword(userId: string): boolean;
  /**
   * @param again whether the provider shall ask for the password once more
   * @throws {AccountError} `NO_SINGLE_SIGN_ON`, `PROVIDER_AWAY`, `TOO_MANY_ATTEMPTS`
   */
  begin(wanted: { redirectUri: string; again: boolean }, from: From): Promise<BegunSignOn>;
  /**
   * Logs in who comes back. Of who is refused nothing is written.
   * @throws {AccountError} `FLOW_OVER`, `NOT_ADMITTED`, `USER_DISABLED`, `PROVIDER_AWAY`, `NO_SINGLE_SIGN_ON`
   */
  finish(back: BroughtBack, from: From): Promise<Session>;
  /** For a user who links themselves. @throws {AccountError} `NO_PASSWORD`, `WRONG_CREDENTIALS`, `BUSY`, and as `begin` */
  beginLink(userId: string, password: string, redirectUri: string): Promise<BegunSignOn>;
  /** @throws {AccountError} as `finish` */
  finishLink(userId: string, back: BroughtBack): Promise<void>;
  /** @throws {AccountError} `NO_PASSWORD`: nothing else would let them in; `WRONG_CREDENTIALS`, `TOO_MANY_ATTEMPTS`, `BUSY` */
  unlink(userId: string, password: string): Promise<void>;
}

type Parts = LoginDeps & {
  kept: Kept;
  clock: () => Date;
  settings: () => SignOnSettings;
  /** Removes the setup code once there is a user. */
  over: FirstSetup['over'];
  withPassword: TriesInSession['withPassword'];
};

/** How long what a provider says of itself is believed, in milliseconds. */
const knownMs = 10 * 60_000;

/** Characters of a name, so that a number fits behind it. */
const nameMax = 28;

export function signOn(parts: Parts): SignOn {
  const { stream, settings, log, withPassword } = parts;
  const { users } = stream;
  const flows = signOnFlows(parts.kept);
  const { ask } = openProviders(parts);

  const begin = async (
    { redirectUri, again }: { redirectUri: string; again: boolean },
    userId: string | null,
  ): Promise<BegunSignOn> => {
    const { url, flow } = await ask(async (at) =>
      at.begin(redirectUri, { scopes: settings()['oidc.scopes'], again }),
    );
    return { url, flow: await flows.keep({ ...flow, for: userId }) };
  };

  const comer = (back: BroughtBack, userId: string | null): Promise<Comer> =>
    cameBack(back, userId, { flows, ask, settings, hasClaims: hasClaims(parts) });

  return {
    offer: () => ({ title: titleOf(settings()), localLogin: localLoginOf(settings()) }),
    identityOf(userId) {
      const identity = users.byId.get(userId)?.identity;
      return identity ? { name: identity.name } : null;
    },
    hasPassword: (userId) => users.byId.get(userId)?.hasPassword ?? false,
    async begin(wanted, { address }) {
      const wait = await flows.count(address);
      if (wait > 0) {
        throw new AccountError('TOO_MANY_ATTEMPTS', problemOf('too-many-attempts', { wait }), wait);
      }
      return await begin(wanted, null);
    },
    async finish(back, { address, agent }) {
      await stream.takeIn();
      const who = await comer(back, null);
      const user = await admitted(who, parts).catch((error: unknown) => {
        const code = error instanceof AccountError ? error.said.code : undefined;
        log.warn({ category: securityCategory, address, code }, 'single sign-on refused');
        throw error;
      });
      const how = { category: securityCategory, address, user_id: user.id };
      const session = await beginSession(user, parts, { agent, signedOn: true });
      log.info(how, 'user logged in by single sign-on');
      return session;
    },
    beginLink: (userId, password, redirectUri) =>
      withPassword(userId, password, () => begin({ redirectUri, again: false }, userId)),
    async finishLink(userId, back) {
      const { identity } = await comer(back, userId);
      await stream.change({ by: userId }, decideLinkedIdentity(userId, identity));
      log.info({ category: securityCategory, user_id: userId, by: userId }, 'identity linked');
    },
    async unlink(userId, password) {
      const facts = await withPassword(userId, password, () =>
        stream.change({ by: userId }, decideUnlinkedIdentity(userId)),
      );
      if (facts.length === 0) return;
      log.info({ category: securityCategory, user_id: userId, by: userId }, 'identity unlinked');
    },
  };
}

/** Who is let in, as a user. */
async function admitted(who: Comer, { stream, book, settings, log, over }: Parts): Promise<User> {
  const { users } = stream;
  const now = settings();
  const rules = {
    userGroup: now['oidc.user_group'],
    adminGroup: now['oidc.admin_group'],
    register: now['oidc.register'],
    matchUsername: now['oidc.match_username'],
  };
  const changed = stream.change({ by: 'system' }, decideSignOn(who, rules, ulid()));
  const facts = await (users.byId.size === 0 ? over(changed) : changed);
  const user = userByIdentity(users, who.identity);
  if (!user) throw new AccountError('FLOW_OVER', problemOf('flow-over'));
  for (const { type } of facts) {
    const what = type.replace('.', ' ').replaceAll('_', ' ');
    log.info({ category: securityCategory, user_id: user.id, by: 'system' }, what);
  }
  // What an administrator has open may show what others do.
  if (facts.some(({ type }) => type === 'user.admin_revoked')) await book.endAllOf(user.id);
  return user;
}

type Ask = <T>(work: (provider: SignOnProvider) => Promise<T>) => Promise<T>;

/** The provider of the settings, opened when it is asked, and what its faults mean to who logs in. */
function openProviders({ settings, clock, log }: Pick<Parts, 'settings' | 'clock' | 'log'>): {
  ask: Ask;
} {
  let known: { key: string; until: number; opened: Promise<SignOnProvider> } | undefined;

  const opened = async (): Promise<SignOnProvider> => {
    const {
      'oidc.issuer': issuer,
      'oidc.client_id': clientId,
      'oidc.client_secret': clientSecret,
    } = settings();
    if (issuer === null || clientId === null) {
      throw new AccountError('NO_SINGLE_SIGN_ON', problemOf('no-single-sign-on'));
    }
    const client = { issuer, clientId, clientSecret };
    const key = JSON.stringify(client);
    const now = clock().getTime();
    if (known?.key !== key || known.until <= now) {
      const { openProvider } = await import('../servers/sign-on-provider.ts');
      const mine = { key, until: now + knownMs, opened: openProvider(client) };
      known = mine;
      mine.opened.catch(() => {
        if (known === mine) known = undefined;
      });
    }
    return await known.opened;
  };

  return {
    async ask(work) {
      try {
        return await work(await opened());
      } catch (error) {
        if (!(error instanceof Error) || error.name !== 'ProviderFault') throw error;
        const { kind, message } = error as ProviderFault;
        log.warn({ category: securityCategory, kind, why: message }, 'single sign-on failed');
        throw meaning[kind]();
      }
    },
  };
}

const meaning: Readonly<Record<ProviderFault['kind'], () => AccountError>> = {
  away: () => new AccountError('PROVIDER_AWAY', problemOf('provider-away')),
  wrong: () => new AccountError('PROVIDER_AWAY', detail('provider-answers-wrong')),
  foreign: () => new AccountError('FLOW_OVER', problemOf('flow-over')),
  denied: () => new AccountError('NOT_ADMITTED', detail('not-admitted-denied')),
};

type Back = { flows: SignOnFlows; ask: Ask; settings: Parts['settings']; hasClaims: boolean };

/** Who comes back, by the flow of this browser. */
async function cameBack(
  { flow: given, query }: BroughtBack,
  userId: string | null,
  { flows, ask, settings, hasClaims: groupsMatter }: Back,
): Promise<Comer> {
  const { 'oidc.username_claim': nameClaim, 'oidc.groups_claim': groupsClaim } = settings();
  const flow = await flows.take(given);
  if (!flow || flow.for !== userId) throw new AccountError('FLOW_OVER', problemOf('flow-over'));
  const needed = [nameClaim, ...(groupsMatter ? [groupsClaim] : [])];
  const signedOn = await ask((provider) => provider.finish(query, flow, needed));
  return comerOf(signedOn, { nameClaim, groupsClaim });
}

/** Whether anything follows the provider's groups. */
const hasClaims = ({ settings, stream }: Pick<Parts, 'settings' | 'stream'>): boolean =>
  settings()['oidc.user_group'] !== null ||
  settings()['oidc.admin_group'] !== null ||
  [...stream.users.groups.values()].some(({ claim }) => claim !== null);

function comerOf(
  { issuer, subject, claims }: SignedOn,
  { nameClaim, groupsClaim }: { nameClaim: string; groupsClaim: string },
): Comer {
  const name = claims[nameClaim];
  const called = typeof name === 'string' && name !== '' ? name.slice(0, 200) : null;
  const groups = [claims[groupsClaim]].flat().filter((group) => typeof group === 'string');
  const identity = { issuer, subject, name: called };
  return { identity, called, username: usernameFrom(called), groups: new Set(groups) };
}

/** A user name like what the provider calls somebody: what no name may have in it becomes a point. */
function usernameFrom(called: string | null): string {
  const letters = (called ?? '')
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{Nd}@.+_-]+/gu, '.')
    .replace(/^[^\p{L}\p{Nd}]{1,200}/u, '');
  try {
    return checkUsername(Array.from(letters).slice(0, nameMax).join(''));
  } catch {
    return 'user';
  }
}

function titleOf(settings: SignOnSettings): string | null {
  const { 'oidc.issuer': issuer, 'oidc.title': title } = settings;
  if (issuer === null || !hasProvider(settings)) return null;
  return title ?? new URL(issuer).host;
}
