import { ulid } from 'ulid';
import {
  type Comer,
  type SignOnRules,
  decideInvited,
  decideLinkedIdentity,
  decideSignOn,
  decideUnlinkedIdentity,
  userByIdentity,
} from '../../projections/identity-changes.ts';
import { type ForeseenSignOn, foreseeSignOn } from '../../projections/sign-on-foreseen.ts';
import { linkOver } from '../../projections/user-links.ts';
import type { User } from '../../projections/users.ts';
import type { ProviderFault, SignOnProvider, SignedOn } from '../servers/sign-on-provider.ts';
import type { Kept } from '../storage/kept.ts';
import { detail } from '../words/details.ts';
import { problemOf } from '../words/problems.ts';
import { AccountError } from './account-error.ts';
import type { Peer, Session } from './caller.ts';
import type { FirstSetup } from './first-setup.ts';
import {
  type LocalLogin,
  type SignOnSettings,
  hasProvider,
  localLoginOf,
  opensByPassword,
} from './local-login.ts';
import { type LoginDeps, beginSession, countLogin, securityCategory } from './login.ts';
import type { TriesInSession } from './second-factor.ts';
import { sessionIdOf } from './sessions.ts';
import { type FlowPurpose, type SignOnFlows, signOnFlows } from './sign-on-flows.ts';
import { findLink } from './user-links.ts';
import { checkUsername } from './usernames.ts';
import { accountError } from './user-stream.ts';

/** Where a browser goes, and what it shows when it is back. */
export type BegunSignOn = { url: string; flow: string };
/** What a browser brings back from the provider. */
export type BroughtBack = { flow: string; query: string };

/** What came of a trial: what the provider says, and what would follow. */
export type TriedSignOn = ForeseenSignOn & {
  read: {
    /** What the provider calls them; null: nothing. */
    name: string | null;
    /** As the provider calls them; none where it says none. */
    groups: string[];
  };
};

type From = Omit<Peer, 'local'>;

/** Logging in at a provider that speaks OpenID Connect. Nobody is known by name or address there, only by issuer and subject. */
export interface SignOn {
  /** What a login page offers: the provider's title, null where there is none, and who may use a password. */
  offer(): { title: string | null; localLogin: LocalLogin };
  /** What the provider called a user when they were linked; null: not linked. */
  identityOf(userId: string): { name: string | null } | null;
  /** Whether a user has a password here, and whether it lets them in. */
  passwordOf(userId: string): { has: boolean; opens: boolean };
  /**
   * @param again whether the provider shall ask for the password once more
   * @throws {AccountError} `NO_SINGLE_SIGN_ON`, `PROVIDER_AWAY`, `TOO_MANY_ATTEMPTS`
   */
  begin(wanted: { redirectUri: string; again: boolean }, from: From): Promise<BegunSignOn>;
  /**
   * For who has an invitation, and needs no password then. `finish` uses it, unless they are refused.
   * @throws {AccountError} `LINK_OVER`, and as `begin`
   */
  beginInvited(token: string, redirectUri: string, from: From): Promise<BegunSignOn>;
  /**
   * Logs in who comes back. Of who is refused nothing is written.
   * @throws {AccountError} `FLOW_OVER`, `LINK_OVER`, `NOT_ADMITTED`, `USER_DISABLED`, `PROVIDER_AWAY`, `NO_SINGLE_SIGN_ON`
   */
  finish(back: BroughtBack, from: From): Promise<Session>;
  /**
   * Begins a login by way of trial, with settings that need not be stored.
   * @throws {AccountError} `NO_SINGLE_SIGN_ON`, `PROVIDER_AWAY`
   */
  beginTrial(userId: string, redirectUri: string, wanted: SignOnSettings): Promise<BegunSignOn>;
  /**
   * What was read of who comes back, and what a login of theirs would come to. Nothing is created or changed.
   * @throws {AccountError} `FLOW_OVER`, `NOT_ADMITTED` (the provider refuses), `PROVIDER_AWAY`, `NO_SINGLE_SIGN_ON`
   */
  finishTrial(userId: string, back: BroughtBack, wanted: SignOnSettings): Promise<TriedSignOn>;
  /** For a user who links themselves. @throws {AccountError} `NO_PASSWORD`, `WRONG_CREDENTIALS`, `BUSY`, and as `begin` */
  beginLink(userId: string, password: string, redirectUri: string): Promise<BegunSignOn>;
  /** @throws {AccountError} as `finish` */
  finishLink(userId: string, back: BroughtBack): Promise<void>;
  /** @throws {AccountError} `NO_PASSWORD`, `USE_SINGLE_SIGN_ON`: nothing else would let them in; `WRONG_CREDENTIALS`, `TOO_MANY_ATTEMPTS`, `BUSY` */
  unlink(userId: string, password: string): Promise<void>;
}

type Parts = LoginDeps & {
  kept: Kept;
  clock: () => Date;
  settings: () => SignOnSettings;
  /** Removes the setup code once there is a user. */
  over: FirstSetup['over'];
  withPassword: TriesInSession['withPassword'];
  /** A login at the provider counts for what asks for the password again, if it was just now. */
  noteLogin: (sessionId: string, at: Date) => Promise<void>;
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
  const asWanted = { flows, ask, settings };

  const begin = (
    { redirectUri, again = false }: { redirectUri: string; again?: boolean },
    purpose: FlowPurpose,
  ): Promise<BegunSignOn> => beginFlow({ redirectUri, again }, purpose, asWanted);

  const cameFor = <P extends FlowPurpose['is']>(back: BroughtBack, is: P) =>
    cameBack(back, is, { ...asWanted, hasClaims: hasClaims(parts) });
  return {
    offer: () => ({ title: titleOf(settings()), localLogin: localLoginOf(settings()) }),
    identityOf(userId) {
      const identity = users.byId.get(userId)?.identity;
      return identity ? { name: identity.name } : null;
    },
    passwordOf(userId) {
      const user = users.byId.get(userId);
      if (!user) return { has: false, opens: false };
      return { has: user.hasPassword, opens: opensByPassword(localLoginOf(settings()))(user) };
    },
    async begin(wanted, { address }) {
      const wait = await flows.count(address);
      if (wait > 0) {
        throw new AccountError('TOO_MANY_ATTEMPTS', problemOf('too-many-attempts', { wait }), wait);
      }
      return await begin(wanted, { is: 'login' });
    },
    async beginInvited(token, redirectUri, from) {
      const { purpose, sha256 } = await findLink(token, from, parts);
      if (purpose !== 'invitation') throw accountError(linkOver);
      return await begin({ redirectUri }, { is: 'login', invitation: sha256 });
    },
    async finish(back, { address, agent }) {
      await stream.takeIn();
      const { comer, purpose, authenticatedAt } = await cameFor(back, 'login');
      const from = { address, agent };
      const { user, session } = await entered(comer, purpose.invitation, from, parts);
      if (authenticatedAt) await parts.noteLogin(sessionIdOf(session.token), authenticatedAt);
      const how = { category: securityCategory, address, user_id: user.id };
      log.info(how, 'user logged in by single sign-on');
      return session;
    },
    ...trials(parts, flows),
    beginLink: (userId, password, redirectUri) =>
      withPassword(userId, password, () => begin({ redirectUri }, { is: 'link', userId })),
    async finishLink(userId, back) {
      const { comer, purpose } = await cameFor(back, 'link');
      if (purpose.userId !== userId) throw flowOver();
      await stream.change({ by: userId }, decideLinkedIdentity(userId, comer.identity));
      log.info({ category: securityCategory, user_id: userId, by: userId }, 'identity linked');
    },
    async unlink(userId, password) {
      const facts = await withPassword(userId, password, () =>
        stream.change(
          { by: userId },
          decideUnlinkedIdentity(userId, opensByPassword(localLoginOf(settings()))),
        ),
      );
      if (facts.length === 0) return;
      log.info({ category: securityCategory, user_id: userId, by: userId }, 'identity unlinked');
    },
  };
}

/** Logins by way of trial. */
function trials(parts: Parts, flows: SignOnFlows): Pick<SignOn, 'beginTrial' | 'finishTrial'> {
  const { stream } = parts;
  const tried = (wanted: SignOnSettings) => {
    const ofTrial = { ...parts, settings: () => wanted };
    return { flows, settings: ofTrial.settings, ...openProviders(ofTrial, { isTrial: true }) };
  };
  return {
    beginTrial: (userId, redirectUri, wanted) =>
      beginFlow({ redirectUri, again: true }, { is: 'trial', userId }, tried(wanted)),
    async finishTrial(userId, back, wanted) {
      await stream.takeIn();
      const { comer, purpose } = await cameBack(back, 'trial', {
        ...tried(wanted),
        hasClaims: true,
      });
      if (purpose.userId !== userId) throw flowOver();
      const { called, groups } = comer;
      const read = { name: called, groups: [...groups] };
      return { read, ...foreseeSignOn(stream.users, comer, rulesOf(wanted)) };
    },
  };
}

/** The session of who is let in; who is refused is counted. */
async function entered(
  comer: Comer,
  invitation: string | undefined,
  { address, agent }: From,
  parts: Parts,
): Promise<{ user: User; session: Session }> {
  try {
    const user = await admitted(comer, invitation, parts);
    return { user, session: await beginSession(user, parts, { agent, signedOn: true }) };
  } catch (error) {
    const code = error instanceof AccountError ? error.said.code : undefined;
    parts.log.warn({ category: securityCategory, address, code }, 'single sign-on refused');
    countLogin(parts, 'login.failed', userByIdentity(parts.stream.users, comer.identity)?.id);
    throw error;
  }
}

/** Who is let in, as a user. @param invitation SHA-256 of the token of the one they have */
async function admitted(
  who: Comer,
  invitation: string | undefined,
  { stream, book, settings, clock, log, over }: Parts,
): Promise<User> {
  const { users } = stream;
  const rules = rulesOf(settings());
  const decide =
    invitation === undefined
      ? decideSignOn(who, rules, ulid())
      : decideInvited(invitation, who, rules, clock().toISOString());
  const changed = stream.change({ by: 'system' }, decide);
  const facts = await (users.byId.size === 0 ? over(changed) : changed);
  const user = userByIdentity(users, who.identity);
  if (!user) throw flowOver();
  for (const { type } of facts) {
    const what = type.replace('.', ' ').replaceAll('_', ' ');
    log.info({ category: securityCategory, user_id: user.id, by: 'system' }, what);
  }
  // What an administrator has open may show what others do.
  if (facts.some(({ type }) => type === 'user.admin_revoked')) await book.endAllOf(user.id);
  return user;
}

const rulesOf = (settings: SignOnSettings): SignOnRules => ({
  userGroup: settings['oidc.user_group'],
  adminGroup: settings['oidc.admin_group'],
  register: settings['oidc.register'],
  matchUsername: settings['oidc.match_username'],
  opensByPassword: opensByPassword(localLoginOf(settings)),
});

type Ask = <T>(work: (provider: SignOnProvider) => Promise<T>) => Promise<T>;

/**
 * The provider of the settings, opened when it is asked, and what its faults mean to who logs in.
 * @param isTrial an administrator is told what the provider called the fault
 */
function openProviders(
  { settings, clock, log }: Pick<Parts, 'settings' | 'clock' | 'log'>,
  { isTrial = false } = {},
): { ask: Ask } {
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
        if (isTrial && kind === 'wrong')
          throw new AccountError('PROVIDER_AWAY', detail('provider-answers', { fault: message }));
        throw meaning[kind]();
      }
    },
  };
}

const meaning: Readonly<Record<ProviderFault['kind'], () => AccountError>> = {
  away: () => new AccountError('PROVIDER_AWAY', problemOf('provider-away')),
  wrong: () => new AccountError('PROVIDER_AWAY', detail('provider-answers-wrong')),
  foreign: () => flowOver(),
  denied: () => new AccountError('NOT_ADMITTED', detail('not-admitted-denied')),
};

async function beginFlow(
  { redirectUri, again }: { redirectUri: string; again: boolean },
  purpose: FlowPurpose,
  { flows, ask, settings }: Omit<Back, 'hasClaims'>,
): Promise<BegunSignOn> {
  const how = { scopes: settings()['oidc.scopes'], again, trial: purpose.is === 'trial' };
  const { url, flow } = await ask(async (provider) => provider.begin(redirectUri, how));
  return { url, flow: await flows.keep({ ...flow, purpose }) };
}

type Back = { flows: SignOnFlows; ask: Ask; settings: Parts['settings']; hasClaims: boolean };
type PurposeOf<P extends FlowPurpose['is']> = Extract<FlowPurpose, { is: P }>;

/** Who comes back, by the flow of this browser, which was begun for that. */
async function cameBack<P extends FlowPurpose['is']>(
  { flow: given, query }: BroughtBack,
  is: P,
  { flows, ask, settings, hasClaims: groupsMatter }: Back,
): Promise<{ comer: Comer; purpose: PurposeOf<P>; authenticatedAt: Date | null }> {
  const { 'oidc.username_claim': nameClaim, 'oidc.groups_claim': groupsClaim } = settings();
  const flow = await flows.take(given);
  if (flow?.purpose.is !== is) throw flowOver();
  const needed = [nameClaim, ...(groupsMatter ? [groupsClaim] : [])];
  const signedOn = await ask((provider) => provider.finish(query, flow, needed));
  return {
    comer: comerOf(signedOn, { nameClaim, groupsClaim }),
    purpose: flow.purpose as PurposeOf<P>,
    authenticatedAt: signedOn.authenticatedAt,
  };
}

const flowOver = () => new AccountError('FLOW_OVER', problemOf('flow-over'));

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
