import type { Host } from '../shared/data-directory.ts';
import type { Settings } from './environment.ts';

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
  if (others > 0 || port === 0 || !/^(?:127\.|::1$|localhost$)/.test(address)) return null;
  return `${settings['server.tls_cert'] === null ? 'http' : 'https'}://localhost:${port}`;
}
