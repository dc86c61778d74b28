import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { StageError } from '../stage-error.ts';
import { isForbiddenAddress } from './server-url.ts';

/**
 * `dns.lookup` for connections to configured servers: a name that leads to a link-local or metadata
 * address is refused like the address itself (see `serverUrl`), whenever it begins to lead there.
 */
export function guardedLookup(
  hostname: string,
  options: LookupOptions,
  callback: (
    error: NodeJS.ErrnoException | null,
    address: string | LookupAddress[],
    family?: number,
  ) => void,
): void {
  systemLookup(hostname, options, (error, address, family) => {
    const found: readonly (string | LookupAddress)[] = Array.isArray(address) ? address : [address];
    const bad = found.some((one) =>
      isForbiddenAddress(typeof one === 'string' ? one : (one?.address ?? '')),
    );
    if (error || !bad) callback(error, address, family);
    else callback(refused(hostname), '', 0);
  });
}

const refused = (hostname: string): StageError =>
  new StageError(
    'server-refused',
    `The name ${hostname} leads to a link-local or metadata address, to which nothing is sent.`,
    { retriable: false },
  );
