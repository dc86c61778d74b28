import { isLoopback } from '../config/page-address.ts';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Settings } from '../config/schema.ts';
import { untilAborted } from '../shared/abort.ts';
import type { EncryptionState } from '../shared/certificate.ts';
import { type LookedAt, type Look, asLimited, asMissing, asOk } from './check.ts';
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
    title: 'Address',
    link: phones,
    limitMs: lookMs,
    look: (signal) => address(listening, signal),
  },
  {
    id: 'https',
    title: 'HTTPS',
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
    if (answering.length === 0) return asOk(`Port ${port} is free for the service.`);
    return asMissing(`Another program listens on ${answering.join(', ')}.`, {
      text: 'End that program, or set MITSCHRIFT_PORT to another port.',
    });
  }
  if (answering.length === 0) {
    return asMissing(
      `It does not answer on ${places.map((place) => hostAndPort(place, port)).join(', ')}.`,
      {
        text: 'Look into the log of the service, and restart it.',
      },
    );
  }
  if (places.every(isLoopback)) {
    return asOk(`It answers on ${answering.join(', ')}: to this machine alone (MITSCHRIFT_HOST).`);
  }
  return asOk(`It answers on ${answering.join(', ')}, as far as no firewall is in the way.`);
}

/** Whether browsers elsewhere have a secure context, without which they give no microphone. */
function https(
  { address: bound, encryption }: Listening,
  settings: Parameters<typeof addressLooks>[1],
): LookedAt {
  const { certificate, problem } = encryption;
  const renew = {
    text: 'Put a certificate and its key there (server.tls_cert, server.tls_key): they are read again by themselves.',
  };
  if (problem !== null) {
    return certificate
      ? asLimited(`${problem} The one before it is still used.`, renew)
      : asMissing(problem, renew);
  }
  if (certificate) {
    const until = certificate.validTo.getTime();
    const day = certificate.validTo.toISOString().slice(0, 10);
    const names = certificate.names.join(', ');
    if (until < Date.now())
      return asMissing(`The certificate for ${names} ended on ${day}.`, renew);
    if (until < Date.now() + soonMs)
      return asLimited(`The certificate for ${names} ends on ${day}.`, renew);
    return asOk(`The service speaks it itself, as ${names}; the certificate is good until ${day}.`);
  }
  if (settings['server.trusted_proxies'].length > 0) {
    return asOk('A proxy in front speaks it (server.trusted_proxies).');
  }
  if (isLoopback(bound)) {
    return asOk('It is not needed on this machine itself; browsers elsewhere would need it.');
  }
  return asLimited('Browsers on other machines and phones give their microphone to https only.', {
    text: 'Take a certificate of your own (server.tls_cert, server.tls_key), Caddy in front, or that of an overlay network.',
  });
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
