import type { Dispatcher } from 'undici';
import { guardedLookup, isForbiddenAddress } from '../../servers/server.ts';
import { loadOnce } from '../../shared/package.ts';

/** Why a server gives nothing; `passing` when the same may give it a little later. */
export class ServerFailed extends Error {
  override name = 'ServerFailed';
  readonly passing: boolean;
  constructor(message: string, { passing }: { passing: boolean }, cause?: unknown) {
    super(message, { cause });
    this.passing = passing;
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
      throw lasting('it leads to a link-local or metadata address');
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
      throw lasting(`it leads to ${next.protocol}//${next.host}, which is not safe`);
    }
    url = next;
  }
  throw lasting(`it redirects more than ${redirectsMax} times`);
}

/** One for all downloads. Connections are only made to public and private addresses, never to link-local ones. */
const agent = loadOnce(async () => {
  const { EnvHttpProxyAgent } = await import('undici');
  return new EnvHttpProxyAgent({ connect: { lookup: guardedLookup, timeout: 20_000 } });
});

export const passing = (message: string, cause?: unknown): ServerFailed =>
  new ServerFailed(message, { passing: true }, cause);
const lasting = (message: string): ServerFailed => new ServerFailed(message, { passing: false });

function refusal(status: number): ServerFailed {
  if (status === 404 || status === 410) return lasting('it is not there (404)');
  const may = status >= 500 || status === 408 || status === 416 || status === 429;
  return may ? passing(`it answers ${status}`) : lasting(`it answers ${status}`);
}

export function networkReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const known: Record<string, string> = {
    ENOTFOUND: 'its name is unknown',
    EAI_AGAIN: 'names cannot be looked up',
    ECONNREFUSED: 'nothing listens there',
    UND_ERR_CONNECT_TIMEOUT: 'it cannot be reached',
    UND_ERR_HEADERS_TIMEOUT: 'it does not answer',
    UND_ERR_BODY_TIMEOUT: 'it stopped sending',
    UND_ERR_SOCKET: 'the connection broke off',
    ECONNRESET: 'the connection broke off',
  };
  return known[code ?? ''] ?? `${code ?? ''} ${message}`.trim();
}

/** For sentences. */
export function serverOf(address: string): string {
  const { host, pathname } = new URL(address);
  return `${host}/…/${pathname.split('/').at(-1)}`;
}
