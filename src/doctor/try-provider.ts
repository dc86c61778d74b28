import type { Settings } from '../config/schema.ts';
import type { ProviderDescription } from '../servers/sign-on-provider.ts';
import { serverName } from '../servers/server.ts';
import { check } from '../words/checks.ts';
import type { Language, Sentence } from '../words/params.ts';
import type { Trial, TrialAnswer } from './try-servers.ts';
import { trialAnswer } from './try-servers.ts';
import { type Look, type LookedAt, asLimited, asMissing, asOk } from './check.ts';
import { guideLink } from './guide.ts';

/** What came of trying a provider: as a whole, and what was looked at one by one. */
export type ProviderTrial = Trial & { parts: Trial[] };

/** Whether the provider of the settings is there and offers what a login needs. Nobody is logged in. */
export async function tryProvider(settings: Settings): Promise<ProviderTrial> {
  const { 'oidc.issuer': issuer, 'oidc.client_id': clientId } = settings;
  if (issuer === null) return { ok: false, said: check('provider-none'), parts: [] };
  const { describeProvider } = await import('../servers/sign-on-provider.ts');
  let described: ProviderDescription;
  try {
    described = await describeProvider(issuer);
  } catch (error) {
    const said =
      error instanceof Error && 'said' in error && error.said
        ? (error.said as Sentence)
        : check('provider-unreachable', { provider: serverName(issuer) });
    return { ok: false, said, parts: [] };
  }
  const parts: Trial[] = [
    { ok: true, said: check('provider-reachable') },
    ...(clientId === null ? [{ ok: false, said: check('provider-no-client') }] : []),
    ...offered(described, settings),
  ];
  const fault = parts.find(({ ok }) => !ok);
  return {
    ok: !fault,
    said: fault?.said ?? check('provider-ready', { provider: serverName(issuer) }),
    parts,
  };
}

/** What lists of a description say; what it does not list, it may offer. */
function offered(described: ProviderDescription, settings: Settings): Trial[] {
  const {
    response_types_supported: responses = ['code'],
    code_challenge_methods_supported: methods = [],
    scopes_supported: scopes,
  } = described;
  const wanted = settings['oidc.scopes'].split(' ').filter((scope) => scope !== '');
  const missing = scopes ? wanted.filter((scope) => !scopes.includes(scope)) : [];
  const either = (ok: boolean, good: Sentence, bad: Sentence): Trial => ({
    ok,
    said: ok ? good : bad,
  });
  return [
    either(responses.includes('code'), check('provider-code-ok'), check('provider-code-missing')),
    either(methods.includes('S256'), check('provider-s256-ok'), check('provider-s256-missing')),
    either(
      missing.length === 0,
      check('provider-scopes-ok', { scopes: wanted }),
      check('provider-scopes-missing', { scopes: missing }),
    ),
  ];
}

/** A trial in a language, each part by itself. */
export const providerTrialAnswer = (
  language: Language,
  { parts, ...whole }: ProviderTrial,
): TrialAnswer & { parts: TrialAnswer[] } => ({
  ...trialAnswer(language, whole),
  parts: parts.map((part) => trialAnswer(language, part)),
});

const lookMs = 25_000;

/** Whether the provider is there, where there is one. */
export const signOnLooks = (settings: Settings): Look[] =>
  settings['oidc.issuer'] === null
    ? []
    : [
        {
          id: 'sign-on',
          link: guideLink('administration', 'Single sign-on'),
          limitMs: lookMs,
          look: () => signOn(settings),
        },
      ];

async function signOn(settings: Settings): Promise<LookedAt> {
  const { ok, said, parts } = await tryProvider(settings);
  if (ok) return asOk(said);
  return parts.length === 0 || said.code === 'provider-no-client'
    ? asMissing(said)
    : asLimited(said);
}
