import { codeOf, messageOf } from '../../shared/errors.ts';
import type { Dispatcher } from 'undici';
import { modelFailure } from '../../words/models.ts';
import type { Sentence } from '../../words/params.ts';
import { inEnglish } from '../../words/say.ts';
import { guardedLookup, isForbiddenAddress } from '../../servers/server.ts';
import { loadOnce } from '../../shared/package.ts';

/** Why a server gives nothing; `passing` when the same may give it a little later. */
export class ServerFailed extends Error {
  override name = 'ServerFailed';
  readonly said: Sentence;
  readonly passing: boolean;
  /** What there is of the file here is not a part of the one there. */
  readonly isBeyond: boolean;
  constructor(
    said: Sentence,
    { passing, isBeyond = false }: { passing: boolean; isBeyond?: boolean },
    cause?: unknown,
  ) {
    super(inEnglish(said), { cause });
    this.said = said;
    this.passing = passing;
    this.isBeyond = isBeyond;
  }
}

const redirectsMax = 5;

/** Follows redirects, which lead from GitHub to its storage, but never from https to http. */
export async function requestModelFile(
  address: string,
  headers: Record<string, string>,
  { signal, silenceMs }: { signal: AbortSignal; silenceMs: number },
): Promise<Dispatcher.ResponseData> {
  const { request } = await import('undici');
  const dispatcher = await agent();
  let url = new URL(address);
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    if (isForbiddenAddress(url.hostname.replaceAll(/[[\]]/g, ''))) {
      throw lasting(modelFailure('forbidden-address'));
    }
    const answer = await request(url, {
      dispatcher,
      headers,
      signal,
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw passing(networkReason(error), error);
    });
    const { statusCode } = answer;
    if (statusCode === 200 || statusCode === 206) return answer;
    await answer.body.dump({ limit: 64 * 1024 }).catch(() => {}); // the status says it all
    const { location } = answer.headers;
    if (statusCode < 300 || statusCode > 399 || typeof location !== 'string') {
      throw refusal(statusCode);
    }
    const next = new URL(location, url);
    if (
      !/^https?:$/.test(next.protocol) ||
      (url.protocol === 'https:' && next.protocol === 'http:')
    ) {
      throw lasting(modelFailure('unsafe-redirect', { url: `${next.protocol}//${next.host}` }));
    }
    url = next;
  }
  throw lasting(modelFailure('too-many-redirects', { most: redirectsMax }));
}

/** One for all downloads. Connections are only made to public and private addresses, never to link-local ones. */
const agent = loadOnce(async () => {
  const { EnvHttpProxyAgent } = await import('undici');
  return new EnvHttpProxyAgent({ connect: { lookup: guardedLookup, timeout: 20_000 } });
});

export const passing = (said: Sentence, cause?: unknown): ServerFailed =>
  new ServerFailed(said, { passing: true }, cause);
const lasting = (said: Sentence): ServerFailed => new ServerFailed(said, { passing: false });

function refusal(status: number): ServerFailed {
  if (status === 404 || status === 410) return lasting(modelFailure('file-not-found'));
  const isBeyond = status === 416;
  const may = status >= 500 || status === 408 || isBeyond || status === 429;
  const said = modelFailure('http-status', { status: String(status) });
  return new ServerFailed(said, { passing: may, isBeyond });
}

export function networkReason(error: unknown): Sentence {
  const code = codeOf(error) ?? '';
  const known = new Map(Object.entries(networkReasons)).get(code);
  return known
    ? modelFailure(known)
    : modelFailure('as-quoted', { text: `${code} ${messageOf(error)}` });
}

const networkReasons = {
  ENOTFOUND: 'name-unknown',
  EAI_AGAIN: 'no-dns',
  ECONNREFUSED: 'refused',
  UND_ERR_CONNECT_TIMEOUT: 'unreachable',
  UND_ERR_HEADERS_TIMEOUT: 'no-answer',
  UND_ERR_BODY_TIMEOUT: 'stopped-sending',
  UND_ERR_SOCKET: 'connection-lost',
  ECONNRESET: 'connection-lost',
} as const;

/** For sentences. */
export function serverOf(address: string): string {
  const { host, pathname } = new URL(address);
  return `${host}/…/${pathname.split('/').at(-1)}`;
}
