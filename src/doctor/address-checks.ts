import { isLoopback } from '../shared/network.ts';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Settings } from '../config/schema.ts';
import { untilAborted } from '../shared/abort.ts';
import type { EncryptionState } from '../shared/certificate.ts';
import { type LookedAt, type Look, asLimited, asMissing, asOk } from './check.ts';
import { check } from '../words/checks.ts';
import { guideLink } from './guide.ts';

/** A connection to this machine itself is there at once, or not. */
const connectMs = 3000;
const lookMs = 15_000;
/** A certificate that ends so soon should have been renewed. */
const soonMs = 14 * 24 * 3600_000;
/** Addresses that are tried and named. */
const addressesMax = 4;

const phones = guideLink('administration', 'A phone’s microphone');

/** Where the service listens, and what it speaks there. */
export type Listening = {
  address: string;
  port: number;
  /** Whether it runs; what listens there otherwise is another program. */
  running: boolean;
  encryption: EncryptionState;
};

/** From where it is reached, and whether browsers there give their microphone. */
export const addressLooks = (
  listening: Listening,
  settings: Pick<Settings, 'server.trusted_proxies' | 'server.tls_cert' | 'server.tls_key'>,
): Look[] => [
  {
    id: 'address',
    link: phones,
    limitMs: lookMs,
    look: (signal) => address(listening, signal),
  },
  {
    id: 'https',
    link: phones,
    limitMs: lookMs,
    look: async () => https(listening, settings),
  },
];

async function address(listening: Listening, signal: AbortSignal): Promise<LookedAt> {
  const { port, running } = listening;
  const places = placesOf(listening.address);
  const answering: string[] = [];
  for (const place of places) {
    if (await answers(place, port, signal)) answering.push(hostAndPort(place, port));
  }
  if (!running) {
    if (answering.length === 0) return asOk(check('port-free', { port: String(port) }));
    return asMissing(check('port-taken', { places: answering }));
  }
  if (answering.length === 0) {
    const silent = places.map((place) => hostAndPort(place, port));
    return asMissing(check('address-silent', { places: silent }));
  }
  if (places.every(isLoopback)) {
    return asOk(check('address-local', { places: answering }));
  }
  return asOk(check('address-network', { places: answering }));
}

/** Whether browsers elsewhere have a secure context, without which they give no microphone. */
function https(
  { address: bound, encryption }: Listening,
  settings: Parameters<typeof addressLooks>[1],
): LookedAt {
  const { certificate, problem } = encryption;
  if (problem !== null) {
    return certificate ? asLimited(check('certificate-kept', { problem })) : asMissing(problem);
  }
  if (certificate) {
    const until = certificate.validTo.getTime();
    const about = { names: certificate.names, until: certificate.validTo.toISOString() };
    if (until < Date.now()) return asMissing(check('certificate-expired', about));
    if (until < Date.now() + soonMs) return asLimited(check('certificate-expires', about));
    return asOk(check('https-own', about));
  }
  if (settings['server.trusted_proxies'].length > 0) {
    return asOk(check('https-proxy'));
  }
  if (isLoopback(bound)) {
    return asOk(check('https-not-needed'));
  }
  return asLimited(check('https-missing'));
}

/** Where a service that is bound to an address is reached. */
function placesOf(bound: string): string[] {
  if (bound !== '0.0.0.0' && bound !== '::') return [bound];
  const outward = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ internal, address: place }) => !internal && !place.startsWith('fe80'))
    .filter(({ family }) => bound === '::' || family === 'IPv4')
    .map(({ address: place }) => place);
  return outward.length > 0 ? outward.slice(0, addressesMax) : ['127.0.0.1'];
}

const hostAndPort = (place: string, port: number): string =>
  place.includes(':') ? `[${place}]:${port}` : `${place}:${port}`;

async function answers(host: string, port: number, signal: AbortSignal): Promise<boolean> {
  const socket = connect({ host, port });
  const connected = new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.setTimeout(connectMs, () => resolve(false));
  });
  return await untilAborted(connected, signal).finally(() => socket.destroy());
}
