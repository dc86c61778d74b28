import { detail } from '../words/details.ts';
import { farEnd } from './connections.ts';
import type { IncomingMessage, Server as HttpServer } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import type { Settings } from '../config/schema.ts';
import {
  type Certificate,
  type EncryptionState,
  encryptionOf,
  signatureOf,
} from '../shared/certificate.ts';
import type { Log } from '../shared/log.ts';
import { limits } from './limits.ts';
import { Problem } from './problems.ts';
import { isDeepStrictEqual } from 'node:util';
import { sayWhole } from '../words/say.ts';

/** Whether the service speaks https, and by what certificate. */
export interface Encryption {
  /** Whether a certificate is wanted by the settings. */
  wanted(): boolean;
  /** As it was looked at last. */
  state(): EncryptionState;
  /** Reads the files again if they have changed. The certificate to use; null when there is none. */
  look(): Promise<Certificate | null>;
}

/**
 * The certificate that the settings name. The files are looked at when a connection comes, at most every
 * second; ones that cannot be used leave the one before in use, which the log and the doctor say.
 */
export function openEncryption(
  settings: () => Pick<Settings, 'server.tls_cert' | 'server.tls_key'>,
  log: Pick<Log, 'info' | 'warn'>,
): Encryption {
  const wanted = () =>
    settings()['server.tls_cert'] !== null || settings()['server.tls_key'] !== null;
  let state: EncryptionState = { certificate: null, problem: null };
  let seen = '';
  let looking: Promise<void> | undefined;
  let looked = { at: Number.NEGATIVE_INFINITY, paths: '' };
  const paths = () => `${settings()['server.tls_cert']}\n${settings()['server.tls_key']}`;

  async function readAgain(): Promise<void> {
    const { 'server.tls_cert': cert, 'server.tls_key': key } = settings();
    const signature = await signatureOf(cert, key);
    if (signature === seen) return;
    const read = await encryptionOf(cert, key);
    // What could not be read is tried again: nothing about the files has to change for that.
    seen = read.problem === null ? signature : '';
    if (read.problem !== null && !isDeepStrictEqual(read.problem, state.problem)) {
      log.warn({ problem: sayWhole(read.problem, 'en') }, 'certificate cannot be used');
    }
    if (read.certificate) {
      const { names, validTo } = read.certificate;
      log.info({ names, validTo }, 'certificate in use');
    }
    state =
      read.problem === null ? read : { certificate: state.certificate, problem: read.problem };
  }

  return {
    wanted,
    state: () => (wanted() ? state : { certificate: null, problem: null }),
    async look() {
      await looking;
      const isRecent = performance.now() - looked.at < limits.certificateLookMs;
      if (!isRecent || looked.paths !== paths()) {
        const begun = { at: performance.now(), paths: paths() };
        looking ??= readAgain().finally(() => {
          looked = begun;
          looking = undefined;
        });
      }
      await looking;
      return wanted() ? state.certificate : null;
    },
  };
}

/** The first byte of what a client that speaks TLS sends (RFC 8446, 5.1: a handshake record). */
const handshakeRecord = 22;

/**
 * Has a server of http take https as well, on the same port: what comes first tells which it is. As long as no
 * certificate is wanted, connections are http's as ever.
 * @param settled resolves when the settings are known: until then it is not certain that none is wanted
 */
export function alsoEncrypted(
  server: HttpServer,
  options: { encryption: Encryption; isSettled(): boolean; settled: Promise<void>; log: Log },
): {
  /** Closes connections that have not come so far that they could ask for something. */
  closeUnserved(): void;
} {
  const { encryption, isSettled, settled, log } = options;
  // Node's own, which may be handed any connection (`http.Server`, event `connection`).
  const serveHttp = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  const asHttp = (socket: Socket) => {
    for (const serve of serveHttp) serve.call(server, socket);
  };
  const handshakes = createTlsServer({
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: limits.handshakeMs,
  });
  /** By their other end, which an encrypted connection has as well. */
  const unserved = new Map<string, Socket>();
  handshakes.on('secureConnection', (socket) => {
    unserved.delete(farEnd(socket));
    asHttp(socket);
  });
  handshakes.on('tlsClientError', (error, socket) => {
    log.debug({ err: error }, 'TLS handshake failed');
    socket.destroy();
  });
  let given: Certificate | undefined;

  async function asTls(held: Held): Promise<void> {
    if (!isSettled()) await settled;
    const certificate = await encryption.look();
    if (certificate === null) return held.giveUp();
    if (given !== certificate) handshakes.setSecureContext(certificate.pem);
    given = certificate;
    held.handTo((socket) => handshakes.emit('connection', socket));
  }

  server.on('connection', (socket: Socket) => {
    if (isSettled() && !encryption.wanted()) return asHttp(socket);
    const place = farEnd(socket);
    unserved.set(place, socket);
    socket.once('close', () => unserved.delete(place));
    const held = hold(socket);
    held.onFirstByte((byte) => {
      if (byte !== handshakeRecord) {
        unserved.delete(place);
        return held.handTo(asHttp);
      }
      asTls(held).catch((error: unknown) => {
        log.warn({ err: error }, 'TLS connection could not be accepted');
        held.giveUp();
      });
    });
  });
  return {
    closeUnserved() {
      for (const socket of unserved.values()) socket.destroy();
    },
  };
}

/** A connection that has not been given to a server yet. */
type Held = {
  /** Called once; what the byte belongs to is left to be read. */
  onFirstByte(then: (byte: number) => void): void;
  /** Nothing when it has gone meanwhile. */
  handTo(serve: (socket: Socket) => void): void;
  giveUp(): void;
};

/** Closes it when it fails, ends, or is not handed on in time. */
function hold(socket: Socket): Held {
  const giveUp = () => void socket.destroy();
  const timer = setTimeout(giveUp, limits.handshakeMs);
  const stopWaiting = () => clearTimeout(timer);
  socket.on('error', giveUp).once('end', giveUp).once('close', stopWaiting);
  return {
    giveUp,
    onFirstByte(then) {
      const look = () => {
        const first: Buffer | null = socket.read(1);
        if (first === null) {
          socket.once('readable', look);
          return;
        }
        socket.unshift(first);
        then(first.readUInt8());
      };
      look();
    },
    handTo(serve) {
      stopWaiting();
      if (socket.destroyed) return;
      socket.off('error', giveUp).off('end', giveUp).off('close', stopWaiting);
      serve(socket);
    },
  };
}

/**
 * What a request that came in plainly is answered with, where it has to be encrypted; null where it is taken. As long
 * as no certificate could be read, this machine itself is served, so that its administrator can mend that.
 */
export async function refusalOfPlain(
  { socket, headers }: IncomingMessage,
  encryption: Encryption,
  own: { address: string; port: number },
): Promise<Problem | null> {
  if (isEncrypted(socket) || !encryption.wanted()) return null;
  const certificate = await encryption.look();
  if (certificate) return httpsRequired(headers.host, certificate, own.port);
  if (/^(?:::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '')) return null;
  return new Problem('unavailable', { said: detail('certificate-unusable') });
}

/** Whether what comes by a connection was encrypted on its way. */
export const isEncrypted = (socket: Socket): boolean => socket instanceof TLSSocket;

function httpsRequired(host: string | undefined, { names }: Certificate, port: number): Problem {
  const asked = /^(?:\[[0-9a-f:.]+\]|[\w.-]+)/i.exec(host ?? '')?.[0] ?? '';
  const known = URL.canParse(`https://${asked}`) ? asked : (names[0] ?? 'localhost');
  const address = httpsAddress(known, port);
  return new Problem('https-required', {
    params: { address },
    members: { address },
    // RFC 9110, 15.5.22: 426 names what is spoken.
    headers: { Upgrade: 'TLS/1.2, HTTP/1.1', Connection: 'Upgrade, close' },
  });
}

/** @param host a name, or an IPv6 address with or without brackets */
export function httpsAddress(host: string, port: number): string {
  const bare = isIP(host) === 6 ? `[${host}]` : host;
  return new URL(`https://${bare}:${port}`).origin;
}
