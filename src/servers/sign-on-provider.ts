import type { Agent } from 'undici';
import * as z from 'zod';
import {
  AuthorizationResponseError,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  None,
  ResponseBodyError,
  type ServerMetadata,
  WWWAuthenticateChallengeError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  clockTolerance,
  customFetch,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { bytesUpTo } from '../shared/bytes-up-to.ts';
import { codeOf } from '../shared/errors.ts';
import { check } from '../words/checks.ts';
import type { Sentence } from '../words/params.ts';
import { send, serverConnections } from './connections.ts';
import { serverName } from './server.ts';
import { causes } from './server-failure.ts';

/** Seconds that one request to a provider may take: a person waits. */
const requestSeconds = 10;
/** Between two pieces of an answer. */
const pieceSeconds = 10;
/** Bytes of the largest answer that is read: keys and tokens with many groups are some ten KB. */
const answerBytesMax = 1024 ** 2;
/** Seconds by which the provider's clock may differ. */
const clockSeconds = 60;

/** How a provider is asked. */
export type ProviderClient = { issuer: string; clientId: string; clientSecret: string | null };

/** What a browser brings back from the provider has to fit. */
export type SignOnFlow = { verifier: string; state: string; nonce: string; redirectUri: string };

/** Who came, as the provider says. */
export type SignedOn = {
  issuer: string;
  subject: string;
  claims: Readonly<Record<string, unknown>>;
  /** When they proved it there, which may be long ago; null: the provider does not say. */
  authenticatedAt: Date | null;
};

/**
 * Why nobody came. `away`: no answer; `wrong`: one that cannot be used; `foreign`: what came back is not of this flow, or
 * was used before; `denied`: the provider does not let them in.
 */
export class ProviderFault extends Error {
  override name = 'ProviderFault';
  readonly kind: 'away' | 'wrong' | 'foreign' | 'denied';
  /** Of area `check`, for administrators; where the provider did not describe itself. */
  readonly said: Sentence | undefined;
  constructor(
    kind: ProviderFault['kind'],
    why: string,
    more: { said?: Sentence; cause?: unknown } = {},
  ) {
    // Neither causes nor messages of the library are kept as they are: they hold what the provider sent.
    super(why, more.cause === undefined ? undefined : { cause: more.cause });
    this.kind = kind;
    this.said = more.said;
  }
}

export interface SignOnProvider {
  /**
   * Where a browser goes, and what it has to bring back.
   * @param how `again`: they prove it once more, and the provider says when; `trial`: the state says that it is one
   */
  begin(
    redirectUri: string,
    how: { scopes: string; again: boolean; trial: boolean },
  ): Promise<{ url: string; flow: SignOnFlow }>;
  /**
   * Who comes back with this query. @param needed claims for which the provider is asked once more when the ID token has none
   * @throws {ProviderFault}
   */
  finish(query: string, flow: SignOnFlow, needed: readonly string[]): Promise<SignedOn>;
}

/** What a provider says of itself, as far as it is looked at. */
const description = z.looseObject({
  issuer: z.string().max(2000),
  authorization_endpoint: z.url().max(2000),
  token_endpoint: z.url().max(2000),
  userinfo_endpoint: z.url().max(2000).optional(),
  response_types_supported: z.array(z.string()).optional(),
  scopes_supported: z.array(z.string()).optional(),
  code_challenge_methods_supported: z.array(z.string()).optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
});
export type ProviderDescription = z.output<typeof description>;

/** How the state of a trial begins: the page that the provider sends it to hands it on to the one that waits for it. */
const trialMark = 'trial-';

/** One pool for all: none is kept open. */
let pool: Agent | undefined;

/** What the provider with that issuer says of itself. @throws {ProviderFault} `away`, `wrong` */
export async function describeProvider(issuer: string): Promise<ProviderDescription> {
  const address = `${issuer.replace(/(?<!\/)\/+$/u, '')}/.well-known/openid-configuration`;
  let answer: Response;
  try {
    answer = await ask(address, { headers: { accept: 'application/json' } });
  } catch (error) {
    if (error instanceof ProviderFault) throw error;
    throw unreachable(issuer, error);
  }
  const parsed = description.safeParse(await answer.json().catch(() => undefined));
  if (!answer.ok || !parsed.success) {
    throw new ProviderFault('wrong', 'no description', {
      said: check('provider-not-oidc', { address }),
    });
  }
  // People leave out a slash at the end; the place is the same.
  const named = parsed.data.issuer;
  if (withoutSlash(named) !== withoutSlash(issuer)) {
    throw new ProviderFault('wrong', 'another issuer', {
      said: check('provider-other-issuer', { issuer: named }),
    });
  }
  return parsed.data;
}

/** @throws {ProviderFault} `away`, `wrong` */
export async function openProvider(asked: ProviderClient): Promise<SignOnProvider> {
  const described = await describeProvider(asked.issuer);
  const config = configuration(asked, described);
  return {
    async begin(redirectUri, { scopes, again, trial }) {
      const flow = {
        verifier: randomPKCECodeVerifier(),
        state: `${trial ? trialMark : ''}${randomState()}`,
        nonce: randomNonce(),
        redirectUri,
      };
      const url = buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: scopes,
        code_challenge: await calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
        state: flow.state,
        nonce: flow.nonce,
        // Whoever sits at the browser may change the address: what counts is the time that comes back.
        ...(again && { prompt: 'login', max_age: '0' }),
      });
      return { url: url.href, flow };
    },
    async finish(query, flow, needed) {
      const back = new URL(flow.redirectUri);
      back.search = query;
      // Said apart from what else can be wrong: it is the callback of another browser.
      if (back.searchParams.get('state') !== flow.state)
        throw new ProviderFault('foreign', 'another state');
      try {
        return await exchanged(config, back, flow, needed);
      } catch (error) {
        throw faultOf(asked.issuer, error);
      }
    },
  };
}

function configuration(
  { clientId, clientSecret, issuer }: ProviderClient,
  described: ProviderDescription,
): Configuration {
  const methods = described.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const withSecret = (secret: string) =>
    methods.includes('client_secret_basic') ? ClientSecretBasic(secret) : ClientSecretPost(secret);
  const config = new Configuration(
    described as ServerMetadata,
    clientId,
    { [clockTolerance]: clockSeconds },
    clientSecret === null ? None() : withSecret(clientSecret),
  );
  config[customFetch] = ask;
  config.timeout = requestSeconds;
  // Settings take such an issuer on this machine only.
  if (new URL(issuer).protocol === 'http:') allowInsecureRequests(config);
  return config;
}

async function exchanged(
  config: Configuration,
  back: URL,
  flow: SignOnFlow,
  needed: readonly string[],
): Promise<SignedOn> {
  const tokens = await authorizationCodeGrant(config, back, {
    pkceCodeVerifier: flow.verifier,
    expectedState: flow.state,
    expectedNonce: flow.nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (!claims) throw new ProviderFault('wrong', 'no ID token');
  const { iss: issuer, sub: subject, auth_time: seconds } = claims;
  const authenticatedAt = typeof seconds === 'number' ? new Date(seconds * 1000) : null;
  const isWhole = needed.every((name) => claims[name] !== undefined);
  if (isWhole || config.serverMetadata().userinfo_endpoint === undefined) {
    return { issuer, subject, claims, authenticatedAt };
  }
  const more = await fetchUserInfo(config, tokens.access_token, subject);
  return { issuer, subject, claims: { ...more, ...claims }, authenticatedAt };
}

/** As every request to a configured server: no link-local addresses, no redirects elsewhere, bounded in time and size. */
async function ask(url: string, init: object): Promise<Response> {
  pool ??= serverConnections(pieceSeconds);
  const answer = await send(pool, url, {
    signal: AbortSignal.timeout(requestSeconds * 1000),
    ...init,
  });
  const tooLarge = () => new ProviderFault('wrong', 'answer too large');
  const bytes = answer.body && (await bytesUpTo(answer.body, answerBytesMax, tooLarge));
  const { status, headers } = answer;
  if (status >= 500) throw new ProviderFault('away', `answered ${status}`);
  return new Response(bytes?.length ? bytes : null, { status, headers });
}

function faultOf(issuer: string, error: unknown): ProviderFault {
  for (let at = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth += 1) {
    if (at instanceof ProviderFault) return at;
    if (at instanceof AuthorizationResponseError)
      return new ProviderFault('denied', codeIn(at.error));
    // It does not know the client, or its secret.
    if (at instanceof WWWAuthenticateChallengeError) {
      return new ProviderFault(
        'wrong',
        codeIn(at.cause[0]?.parameters['error'] ?? 'invalid_client'),
      );
    }
    // A code that was used, or has ended.
    if (at instanceof ResponseBodyError) {
      return new ProviderFault(
        at.error === 'invalid_grant' ? 'foreign' : 'wrong',
        codeIn(at.error),
      );
    }
  }
  if (error instanceof ClientError && error.code !== undefined) {
    if (/TIMEOUT|ABORT/u.test(error.code)) return unreachable(issuer, error);
    return new ProviderFault(isNonce(error) ? 'foreign' : 'wrong', error.code);
  }
  return unreachable(issuer, error);
}

/** An ID token that was made for another flow. */
const isNonce = (error: Error): boolean => {
  const detail: unknown = error.cause instanceof Error ? error.cause.cause : undefined;
  return (
    typeof detail === 'object' && detail !== null && 'claim' in detail && detail.claim === 'nonce'
  );
};

function unreachable(issuer: string, error: unknown): ProviderFault {
  const cause = causeOf(error);
  const said = check('provider-unreachable', {
    provider: serverName(issuer),
    ...(cause && { cause }),
  });
  return new ProviderFault('away', cause ?? 'no answer', { said });
}

/** The system's word for what is wrong with a connection. */
const causeOf = (error: unknown): string | undefined =>
  causes(error)
    .map(codeOf)
    .find((code) => code !== undefined && /^[A-Z_]+$/u.test(code));

/** What a provider calls an error, as it may stand in the log. */
const codeIn = (said: unknown): string =>
  String(said)
    .replaceAll(/[^\w-]/gu, '')
    .slice(0, 60);

const withoutSlash = (address: string): string => address.replace(/(?<!\/)\/+$/u, '');
