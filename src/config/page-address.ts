import type { Host } from '../shared/data-directory.ts';
import type { Settings } from './environment.ts';
import { isLoopback } from '../shared/network.ts';

/**
 * A page of the service with a secret in the fragment: no server or proxy gets to see it, and none writes it into its log.
 * @param base where the pages are; what listens on all addresses is reached at localhost too
 */
export function linkTo(base: string, page: '/setup' | '/login' | '/s', secret: string): string {
  const link = new URL(page, base);
  if (link.hostname === '0.0.0.0' || link.hostname === '[::]') link.hostname = 'localhost';
  link.hash = secret;
  return link.href;
}

/**
 * Where people open the pages: as `server.public_url` says. Without it this machine's own address, as long as no other
 * names and no proxies say that people come from elsewhere.
 */
export function pageAddressFrom(
  settings: Pick<
    Settings,
    'server.public_url' | 'server.allowed_hosts' | 'server.trusted_proxies' | 'server.tls_cert'
  >,
  { address, port }: Pick<Host, 'address' | 'port'>,
): string | null {
  const said = settings['server.public_url'];
  if (said !== null) return said.replace(/(?<!\/)\/+$/, '');
  const others =
    settings['server.allowed_hosts'].length + settings['server.trusted_proxies'].length;
  if (others > 0 || port === 0 || !isLoopback(address)) return null;
  return `${settings['server.tls_cert'] === null ? 'http' : 'https'}://localhost:${port}`;
}
