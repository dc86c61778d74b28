import { Agent } from 'undici';
import { guardedLookup } from './server.ts';

const redirectsMax = 3;
const connectSeconds = 10;

/**
 * Connections for long jobs: no limit until the answer begins (the caller has one that grows with
 * what is asked; undici's own 300 s would cut it), and none kept open: whisper.cpp and llama.cpp give
 * each idle one a thread of their pool for 5 s.
 * @param bodySeconds between two pieces of an answer that has begun; 0 for no limit
 */
export const serverConnections = (bodySeconds: number): Agent =>
  new Agent({
    pipelining: 0,
    headersTimeout: 0,
    bodyTimeout: bodySeconds * 1000,
    connect: { timeout: connectSeconds * 1000, lookup: guardedLookup },
  });

/**
 * One request. Redirects are followed only on the server itself; where one leads away, it is the answer.
 * @throws what fetch throws
 */
export async function send(connections: Agent, url: string, init: RequestInit): Promise<Response> {
  // `dispatcher` is undici's addition; Node's types name another undici than ours.
  const options: object = { ...init, redirect: 'manual', dispatcher: connections };
  let at = url;
  for (let hop = 0; ; hop += 1) {
    const response = await fetch(at, options);
    const next = hop < redirectsMax ? followed(response, new URL(at)) : undefined;
    if (next === undefined) return response;
    await response.body?.cancel();
    at = next;
  }
}

/** Where a redirect leads, on the same host and port, or on the same host by TLS. */
function followed({ status, headers }: Response, from: URL): string | undefined {
  const location = headers.get('location');
  if (status < 300 || status >= 400 || location === null || !URL.canParse(location, from.href))
    return undefined;
  const to = new URL(location, from);
  const isUpgrade =
    to.hostname === from.hostname && from.protocol === 'http:' && to.protocol === 'https:';
  return isUpgrade || to.origin === from.origin ? to.href : undefined;
}
