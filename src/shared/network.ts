import { isIPv6 } from 'node:net';

/**
 * What stands for an address where addresses are counted: an IPv4 address itself, or the network of an
 * IPv6 one. By default its /64, which is what one household or server has.
 */
export function networkOf(address: string, bits: 64 | 56 | 48 = 64): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.replace(/%.*$/su, '').toLowerCase().split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after]
    .slice(0, 4)
    .map((group) => group.padStart(4, '0'));
  return groups.join('').slice(0, bits / 4);
}

/** Whether an address or a host's name is this machine's alone. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || host.startsWith('127.');
