import { socketNeeds } from '../middleware/ready.ts';
import { WebSocketServer, WebSocket } from 'ws';
import * as z from 'zod';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { assertUnlimited, notAuthenticated } from '../middleware/authenticate.ts';
import { type OpenBrowserAudio, browserAudio } from './browser-audio.ts';
import { deviceLevel } from './device-level.ts';
import { type HostCheck, hostNotAllowed, hostsOf } from '../middleware/security.ts';
import { positionSchema, validated } from '../body.ts';
import { isEncrypted } from '../encryption.ts';
import { limits } from '../limits.ts';
import { isLocal } from '../peer.ts';
import { logRefusal } from '../middleware/problems.ts';
import { detail } from '../../words/details.ts';
import { languages } from '../../words/params.ts';
import { problemBody } from '../problem-answer.ts';
import { Problem, notFound, onlyWorks } from '../problems.ts';
import { languageAsked } from '../readers-language.ts';
import type { HttpServices } from '../services.ts';
import type { Caller } from '../../accounts/caller.ts';
import { type Client, serveSocket, closeSocket } from './socket.ts';
import { type Feed, openFeed } from './feed.ts';
import { isOpenLink } from '../open-links.ts';
import { type Tickets, openTickets } from '../tickets.ts';
import { openCounts } from '../../shared/counts.ts';
import { wrong } from '../../shared/in-words.ts';
import { toProblem } from '../to-problem.ts';
import type { Log } from '../../shared/log.ts';
import type { LinkFeed, LinkListener } from './link-feed.ts';

/** `GET /ws`: takes over connections that ask to become WebSockets. */
export interface Sockets {
  /** For the server's `upgrade` event. Refuses with a problem document, before any handshake. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** How many clients are connected. */
  size(): number;
  /** Says goodbye (1001) to all and resolves when all are gone. */
  close(): Promise<void>;
}

export function openSockets(services: HttpServices): Sockets {
  const taken: Taken = {
    services,
    feed: openFeed(services),
    openAudio: browserAudio(services),
    openLevel: (connection) => deviceLevel(services, connection),
    hosts: hostsOf(services),
    server: new WebSocketServer({
      noServer: true,
      clientTracking: true,
      maxPayload: limits.messageBytesMax,
      // Costs 100 MB for a thousand clients and four times the work (measured); frames are small.
      perMessageDeflate: false,
      handleProtocols: (protocols) => (protocols.has(protocolName) ? protocolName : false),
    }),
    clients: new Set(),
    byUser: places(limits.socketsPerUserMax),
    tickets: openTickets(services.accounts, services.kept, (link) => isOpenLink(services, link)),
    byLink: places(limits.listenersPerLinkMax, limits.linkListenersMax),
    closing: false,
  };
  const { clients, feed, server } = taken;
  // Whoever records with the browser is asked nothing about the browser.
  services.calls.quietWhile(() => [...clients].some((client) => client.recordsHere()));

  const stopListening = services.accounts.onSessionEnded((sessionId) => {
    for (const client of clients) {
      if (client.sessionId === sessionId) client.endSession('logged out');
    }
  });

  return {
    upgrade(request, socket, head) {
      if (!services.standing.serves) return refuseUpgrade(socket, onlyWorks(), request);
      takeOver(taken, request, socket, head).catch((error: unknown) => {
        const problem = toProblem(error);
        logRefusal(services, request, problem);
        refuseUpgrade(socket, problem, request, services.log);
      });
    },
    size: () => clients.size,
    async close() {
      taken.closing = true;
      stopListening();
      for (const client of clients) client.close('goingAway', 'the service stops');
      await Promise.all(
        [...server.clients].map(
          (webSocket) => new Promise((resolve) => webSocket.once('close', resolve)),
        ),
      );
      await feed.close();
    },
  };
}

/** The connections that were taken over, and what serves them. */
type Taken = {
  readonly services: HttpServices;
  readonly feed: Feed;
  readonly openAudio: OpenBrowserAudio;
  readonly openLevel: Parameters<typeof serveSocket>[2]['openLevel'];
  readonly hosts: HostCheck;
  readonly server: WebSocketServer;
  readonly clients: Set<Client>;
  readonly byUser: ReturnType<typeof places>;
  readonly tickets: Tickets;
  readonly byLink: ReturnType<typeof places>;
  closing: boolean;
};

async function takeOver(
  taken: Taken,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const { services, feed, openAudio, openLevel } = taken;
  const { accounts, log } = services;
  // The server no longer looks after this connection: an error without a listener ends the process.
  const onError = (): void => void socket.destroy();
  socket.on('error', onError);
  const offered = { request, socket, head, onError };
  const url = ownTarget(request, taken.hosts);
  const ticket = url.searchParams.get('ticket');
  if (ticket !== null) return await takeOverByLink(taken, offered, { url, ticket });
  const admitted = await admit(request, accounts, url);
  await services.readiness.until(socketNeeds, limits.readyWaitMs);
  accept(taken, offered, {
    enter: () => taken.byUser.enter(admitted.caller.userId),
    serve: (webSocket) =>
      serveSocket(webSocket, admitted, { accounts, feed, log, openAudio, openLevel }),
  });
}

type Offered = { request: IncomingMessage; socket: Duplex; head: Buffer; onError: () => void };

/** The same for who has a link: its ticket says which recording. @throws {Problem} */
async function takeOverByLink(
  taken: Taken,
  offered: Offered,
  { url, ticket }: { url: URL; ticket: string },
): Promise<void> {
  const { services, feed } = taken;
  await services.readiness.until(socketNeeds, limits.readyWaitMs);
  const caller = await taken.tickets.redeem(ticket, url.pathname);
  const link = caller?.link;
  if (!caller || !link) throw notAuthenticated(detail('ticket-expired'));
  const { from } = validated(linkQuerySchema, { from: url.searchParams.get('from') ?? undefined });
  const listener = { caller, link, from };
  accept(taken, offered, {
    enter: () => taken.byLink.enter(link.link),
    serve: (webSocket) =>
      serveLinkSocket(webSocket, listener, { feed: feed.ofLinks, log: services.log }),
    isByLink: true,
  });
}

/** Shakes hands with who was admitted, if there is a place. @throws {Problem} */
function accept(
  { services, server, clients, closing }: Taken,
  { request, socket, head, onError }: Offered,
  admitted: {
    enter: () => () => void;
    serve: (webSocket: WebSocket) => Client;
    isByLink?: boolean;
  },
): void {
  if (closing) throw new Problem('stopping');
  if (socket.destroyed) return;
  // The connection's end, not the WebSocket's: a handshake that fails never has one.
  socket.once('close', admitted.enter());
  socket.off('error', onError);
  server.handleUpgrade(request, socket, head, (webSocket) => {
    const client = admitted.serve(webSocket);
    clients.add(client);
    const counted = services.metrics.socketOpened(admitted.isByLink);
    webSocket.once('close', () => {
      clients.delete(client);
      counted();
    });
  });
}

/** What is asked for, of this service and not by another site's page. @throws {Problem} */
function ownTarget(request: IncomingMessage, hosts: HostCheck): URL {
  const { host, origin } = request.headers;
  if (!hosts.allows(host)) throw hostNotAllowed(host);
  if (!hosts.sameOrigin(origin, host, isEncrypted(request.socket))) {
    throw new Problem('cross-origin');
  }
  return targetOf(request);
}

/** Who may connect, decided before the handshake. @throws {Problem} */
async function admit(request: IncomingMessage, accounts: HttpServices['accounts'], url: URL) {
  const token =
    url.searchParams.get('token') ?? tokenFromProtocols(request) ?? bearerToken(request);
  const caller = token ? await accounts.authenticate(token) : null;
  if (!token || !caller) throw notAuthenticated();
  assertUnlimited(caller);
  if (url.pathname !== '/ws') throw notFound();
  const { after, scope, language } = validated(querySchema, {
    after: url.searchParams.get('after') ?? undefined,
    scope: url.searchParams.get('scope') ?? undefined,
    language: url.searchParams.get('language') ?? undefined,
  });
  if (scope === 'all' && !caller.isAdmin) {
    throw new Problem('not-admin', { said: detail('feed-of-all-admin-only') });
  }
  const isHere = await isLocal(request);
  return { caller, token, after, all: scope === 'all', language, isHere };
}

/** @throws {Problem} 400 what is asked for is not a path, such as `//[` */
function targetOf({ url = '/' }: IncomingMessage): URL {
  try {
    return new URL(url, 'http://localhost');
  } catch (cause) {
    throw new Problem('malformed-request', { cause });
  }
}

/** Places for connections. `enter` throws 429 when a name, or all, have as many as allowed, and returns how to leave. */
function places(eachMax: number, allMax = Infinity) {
  const open = openCounts();
  let all = 0;
  return {
    enter(name: string): () => void {
      const isFull = open.of(name) >= eachMax;
      if (isFull || all >= allMax) {
        const count = isFull ? eachMax : allMax;
        throw new Problem('too-many-connections', { params: { count } });
      }
      open.add(name);
      all += 1;
      return () => {
        open.remove(name);
        all -= 1;
      };
    },
  };
}

/** Answers a handshake with a problem document, and ends the connection. */
export function refuseUpgrade(
  socket: Duplex,
  problem: Problem,
  request: IncomingMessage,
  log?: HttpServices['log'],
): void {
  // Who has reset the connection meanwhile cannot be written to: an error without a listener ends the process.
  socket.on('error', () => socket.destroy());
  const language = languageAsked(request);
  if (problem.status >= 500 && problem.type !== 'starting')
    log?.error({ err: problem.cause }, 'WebSocket handshake failed');
  const reader = { language, isAdmin: false };
  const body = JSON.stringify(problemBody(problem, reader));
  const headers = {
    'Content-Type': 'application/problem+json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'Content-Language': language,
    'Cache-Control': 'no-store',
    ...problem.headers,
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const { status } = problem;
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
  socket.once('finish', () => socket.destroy());
}
/** Offered as `mitschrift, <token>`; the answer names the first only. */
const protocolName = 'mitschrift';

/** From other clients than browsers: `Authorization: Bearer <token>`. */
const bearerToken = ({ headers }: IncomingMessage): string | undefined =>
  /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];

function tokenFromProtocols(request: IncomingMessage): string | undefined {
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((p) => p.trim());
  return offered[0] === protocolName ? offered[1] : undefined;
}

/** With `ticket`, of who has a link. */
export const linkQuerySchema = z.object({
  from: z
    .string()
    .regex(/^\d{1,9}$/, wrong('field-type', { type: 'number' }))
    .transform(Number)
    .default(0)
    .describe('with `ticket`: index of the first utterance that is not there yet'),
});

export const querySchema = z.object({
  after: positionSchema.removeDefault().optional(),
  scope: z.enum(['all']).optional(),
  language: z.enum(languages).optional().describe('of sentences; else `ui.language`'),
});

/** Serves the WebSocket of who has a link: it is told, and says nothing. */
function serveLinkSocket(
  socket: WebSocket,
  { caller, link, from }: { caller: Caller; link: NonNullable<Caller['link']>; from: number },
  { feed, log }: { feed: LinkFeed; log: Log },
): Client {
  let isAlive = true;
  const listener: LinkListener = {
    ...link,
    send(frame) {
      if (socket.readyState !== WebSocket.OPEN) return;
      if (socket.bufferedAmount > limits.socketBufferBytesMax)
        closeSocket(socket, 'tryAgain', 'too slow');
      else socket.send(frame);
    },
    over: () => closeSocket(socket, 'policy', 'the link is over'),
    fail: () => closeSocket(socket, 'mistake', 'the service could not go on; come back'),
  };
  const heartbeat = setInterval(() => {
    if (!isAlive) {
      socket.terminate();
      return;
    }
    isAlive = false;
    socket.ping();
    feed.remind(listener);
  }, limits.heartbeatMs);
  socket.on('pong', () => (isAlive = true));
  socket.on('message', () => closeSocket(socket, 'policy', 'nothing is taken from here'));
  // Ends in `close`; what the other side did wrong is its own affair.
  socket.on('error', (err) => log.debug({ err, user: caller.userId }, 'WebSocket failed'));
  socket.on('close', () => {
    clearInterval(heartbeat);
    feed.leave(listener);
  });
  feed.join(listener, from).catch((err: unknown) => {
    log.error({ err, user: caller.userId }, 'a listener by a link could not join');
    listener.fail();
  });
  return {
    sessionId: caller.userId,
    userId: caller.userId,
    recordsHere: () => false,
    endSession: (text) => closeSocket(socket, 'policy', text),
    close: (reason, text) => closeSocket(socket, reason, text),
  };
}
