import { BlockList, isIP } from 'node:net';
import * as z from 'zod';

/**
 * Address of a server that is sent audio, transcripts or keys: http or https, no credentials, and
 * not link-local: there clouds hand out the host's own secrets (169.254.169.254, fd00:ec2::254,
 * fd20:ce::254).
 */
export const serverUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
  .max(2000)
  .refine((value) => !credentialed(value), 'must not carry a user name or password')
  .refine((value) => !linkLocalHost(value), 'must not be a link-local or metadata address');

/** Whether an IP address is one that no configured server may have. */
export function isForbiddenAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && forbidden.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

const forbidden = new BlockList();
// Also finds IPv4 addresses mapped into IPv6 (::ffff:169.254.169.254).
forbidden.addSubnet('169.254.0.0', 16, 'ipv4');
forbidden.addSubnet('fe80::', 10, 'ipv6');
forbidden.addAddress('fd00:ec2::254', 'ipv6');
forbidden.addAddress('fd20:ce::254', 'ipv6');
// The same IPv4 addresses behind NAT64 (RFC 6052).
forbidden.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');

function credentialed(value: string): boolean {
  if (!URL.canParse(value)) return false; // said already
  const { username, password } = new URL(value);
  return username !== '' || password !== '';
}

/** `URL` has brought 0xA9FEA9FE and the like into their usual form. */
function linkLocalHost(value: string): boolean {
  if (!URL.canParse(value)) return false;
  return isForbiddenAddress(new URL(value).hostname.replace(/^\[|\]$/g, ''));
}
