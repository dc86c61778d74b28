/** Where a request came from, as the HTTP server saw it. */
export type RequestOrigin = {
  /** Address of the socket's other end. */
  peerAddress: string | undefined;
  /** Header names in lower case, as Node gives them. */
  headers: Readonly<Record<string, string | readonly string[] | undefined>>;
};

/**
 * Whether the request was made on this host itself, by somebody who meant this host: the peer is a
 * loopback address, no proxy has forwarded it, and the Host is a local name. The Host keeps out
 * pages that have their own name resolve to 127.0.0.1 (DNS rebinding).
 */
export function isFromThisHost({ peerAddress, headers }: RequestOrigin): boolean {
  if (peerAddress === undefined || !isLoopback(peerAddress)) return false;
  if (Object.keys(headers).some(isForwarding)) return false;
  const { host } = headers;
  if (typeof host !== 'string') return false;
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/iu.test(host);
}

const isLoopback = (address: string): boolean =>
  address === '::1' || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/iu.test(address);

/** Headers with which proxies, tunnels and content networks say that they stand between. */
const isForwarding = (name: string): boolean =>
  /^(?:forwarded|via|x-forwarded(?:-.*)?|x-real-ip|x-(?:cluster-)?client-ip|x-original-.*|x-proxyuser-ip|true-client-ip|cf-.*|fly-.*|fastly-.*|cdn-loop)$/iu.test(
    name,
  );
