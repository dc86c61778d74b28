import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import type { HasEnd } from './temp-dir.ts';

/** Somebody whom the provider knows. */
export type ThereKnown = { name?: string | undefined; groups?: string[] | undefined };

const clientId = 'mitschrift';
const clientSecret = 'a-secret-of-the-tests';

/**
 * A real provider (`oidc-provider`) on a loopback port. Who sits at the browser is said beforehand, so its login needs no
 * form; redirects, cookies and tokens are its own. Groups are in the answer of its userinfo alone.
 */
export async function signOnProvider(t: HasEnd) {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, ThereKnown>();
  let present: string | null = null;
  let refuses = false;
  const redirectUris: string[] = [];
  let opened: Provider | undefined;
  const open = () => (opened ??= new Provider(issuer, configuration(redirectUris, people)));
  const asked: string[] = [];
  server.on('request', (request, response) => {
    asked.push(`${request.method} ${request.url?.replace(/\?.*$/u, '')}`);
    if (!request.url?.startsWith('/interaction/')) {
      open().callback()(request, response);
      return;
    }
    const result = refuses
      ? { error: 'access_denied', error_description: 'not today' }
      : { login: { accountId: present } };
    void open().interactionFinished(request, response, result);
  });
  const close = async () => {
    if (!server.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  t.after(close);
  return {
    issuer,
    /** As the service's settings have it. */
    settings: { issuer, client_id: clientId, client_secret: clientSecret, title: 'Riverside' },
    clientSecret,
    asked,
    /** Registers where it may send browsers back to; before anybody asks it. */
    register: (redirectUri: string) => void redirectUris.push(redirectUri),
    /** Who is at the browser from now on; what is given is known of them. */
    comes(subject: string, known: ThereKnown = {}) {
      present = subject;
      refuses = false;
      people.set(subject, known);
    },
    /** It lets nobody in. */
    refuse: () => void (refuses = true),
    close,
    /** Goes where a browser would, until it is sent back to the service. @returns the query it comes back with */
    visit: (url: string) => visit(url, issuer),
  };
}

function configuration(redirectUris: readonly string[], people: Map<string, ThereKnown>): object {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: redirectUris,
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['of the tests'] },
    pkce: { required: () => true },
    claims: { openid: ['sub'], profile: ['preferred_username', 'groups'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    ttl: { Session: 3600, Interaction: 3600, Grant: 3600, AccessToken: 3600, IdToken: 3600 },
    findAccount: (_: unknown, subject: string) => {
      const { name, groups } = people.get(subject) ?? {};
      return {
        accountId: subject,
        claims: () => ({ sub: subject, preferred_username: name, groups }),
      };
    },
    // Nobody is asked whether the service may know who they are.
    loadExistingGrant: async ({ oidc }: GrantContext) => {
      const grant = new oidc.provider.Grant({
        accountId: oidc.session.accountId,
        clientId: oidc.client.clientId,
      });
      grant.addOIDCScope('openid profile');
      await grant.save();
      return grant;
    },
  };
}

type GrantContext = {
  oidc: {
    provider: Provider;
    session: { accountId: string };
    client: { clientId: string };
  };
};

const hopsMax = 10;

async function visit(url: string, issuer: string): Promise<string> {
  const cookies = new Map<string, string>();
  let at = url;
  for (let hop = 0; hop < hopsMax; hop += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(at, { redirect: 'manual', headers: { cookie } });
    await answer.body?.cancel();
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/u.exec(set) ?? [];
      cookies.set(name, value);
    }
    const next = new URL(answer.headers.get('location') ?? 'none:', at);
    if (!next.href.startsWith(issuer)) return next.search;
    at = next.href;
  }
  throw new Error(`The provider sent the browser around, last to ${at}`);
}
