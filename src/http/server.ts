import { limitConnections } from './connections.ts';
import { alsoEncrypted, httpsAddress, openEncryption, refusalOfPlain } from './encryption.ts';
import { answerProblem } from './problem-answer.ts';
import type { Problem } from './problems.ts';
import type { EncryptionState } from '../shared/certificate.ts';
import type { StartingApp } from './starting.ts';
import type { HttpServices } from './services.ts';
import type { State } from './state.ts';
import { refuseUpgrade, type Sockets } from './feed/upgrade.ts';
import type Koa from 'koa';
import { type IncomingMessage, type RequestListener, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { limits } from './limits.ts';
import { inTime } from '../shared/abort.ts';

export interface RunningServer {
  /** `http://127.0.0.1:8765`; of a service that speaks https, by the first name of its certificate. */
  readonly url: string;
  readonly port: number;
  /** What is spoken here, looked at now. */
  encryption(): Promise<EncryptionState>;
  /** Names and addresses that the certificate is for: requests to them are for this service. */
  certificateNames(): readonly string[];
  /** Answers with this app and takes WebSockets from now on. Resolves when it is known whether it speaks https. */
  serve(app: Koa<State>, sockets: Sockets, services: Pick<HttpServices, 'settings'>): Promise<void>;
  /** Says goodbye to WebSockets, and answers as at the start until it is to serve again. */
  pause(): Promise<void>;
  /** Lets what is under way finish (limit in `limits.ts`), says goodbye to WebSockets, takes nothing new. */
  close(): Promise<void>;
}

type ListenOptions = { address: string; port: number } & Partial<
  Record<'headersTimeoutMs' | 'idleTimeoutMs' | 'connectionsMax' | 'unaskedMs', number>
>;

/**
 * Listens. Until `serve` is called, `starting` answers; what it has no answer to waits a little first. Port 0 takes any free one; other times and numbers are for tests.
 * @throws what listening throws (`EADDRINUSE`, `EACCES`, …)
 */
export async function listen(
  starting: StartingApp,
  options: ListenOptions,
): Promise<RunningServer> {
  const given = { ...limits, ...options };
  const { address, port, headersTimeoutMs, idleTimeoutMs, connectionsMax } = given;
  let { settings } = starting;
  const encryption = openEncryption(() => settings(), starting.log);
  await encryption.look();
  const service = whenServed(starting, {
    isOpen: () => !encryption.wanted(),
    // Also while it closes, and listens on nothing any more.
    refusal: (incoming) => refusalOfPlain(incoming, encryption, bound),
  });
  const server = createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: Math.min(headersTimeoutMs / 2, limits.timeoutsCheckedMs),
      keepAliveTimeout: limits.keepAliveTimeoutMs,
    },
    service.request,
  );
  server.maxConnections = connectionsMax;
  // A body that stops arriving; WebSockets take their own care.
  server.setTimeout(idleTimeoutMs);
  server.on('upgrade', service.upgrade);
  const encrypted = alsoEncrypted(server, { encryption, ...service.settled, log: starting.log });
  const trusted = () => settings()['server.trusted_proxies'];
  limitConnections(server, trusted, { ...given, log: starting.log });

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: address }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const bound = boundTo(server);

  return {
    get url() {
      return urlOf(bound, encryption.state());
    },
    port: bound.port,
    async encryption() {
      await encryption.look();
      return encryption.state();
    },
    certificateNames: () => encryption.state().certificate?.names ?? [],
    async serve(app, sockets, services) {
      settings = services.settings;
      await encryption.look();
      const answer = app.callback();
      service.begin((incoming, outgoing) => void answer(incoming, outgoing), sockets);
    },
    pause: () => service.pause(),
    async close() {
      encrypted.closeUnserved();
      await closeInTime(server, service.sockets());
    },
  };
}

/** Lets answers that are under way go out, for a while. */
async function closeInTime(server: Server, sockets: Sockets | undefined): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const timer = setTimeout(() => server.closeAllConnections(), limits.closeMs);
  // A connection whose last answer has just gone out would stay open for the next question.
  const sweep = setInterval(() => server.closeIdleConnections(), limits.closeSweepMs);
  await sockets?.close();
  await closed.finally(() => {
    clearTimeout(timer);
    clearInterval(sweep);
  });
}

/** What it listens on. @throws {TypeError} it does not listen on a port */
function boundTo(server: Server): AddressInfo {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new TypeError('there is no port');
  return bound;
}

function urlOf({ address, family, port }: AddressInfo, { certificate }: EncryptionState): string {
  if (!certificate) return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  return httpsAddress(certificate.names.find((name) => !name.startsWith('*')) ?? address, port);
}

/** Why a request is not taken, neither while it starts nor later; null where it is. */
type Entrance = {
  /** Whether all are, without a look. */
  isOpen(): boolean;
  refusal(incoming: IncomingMessage): Promise<Problem | null>;
};

/** What answers: the app that tells of the start, then the service. */
function whenServed(starting: StartingApp, entrance: Entrance) {
  let served: { handle: RequestListener; sockets: Sockets } | undefined;
  let begun = () => {};
  const untilBegun = (): Promise<void> =>
    new Promise((resolve) => {
      begun = resolve;
    });
  const first = untilBegun();
  let beginning = first;
  const orTooLate = (): Promise<void> => inTime(limits.readyWaitMs, beginning, () => {});

  async function answer(...[incoming, outgoing]: Parameters<RequestListener>): Promise<void> {
    if (!served && !starting.answers(incoming.url ?? '', incoming.headers.accept))
      await orTooLate();
    const problem = await entrance.refusal(incoming);
    if (problem) answerProblem(incoming, outgoing, problem);
    else (served?.handle ?? starting.request)(incoming, outgoing);
  }
  async function takeOver(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const onError = () => void socket.destroy();
    socket.on('error', onError);
    if (!served) await orTooLate();
    const problem = await entrance.refusal(incoming);
    socket.off('error', onError);
    if (problem) refuseUpgrade(socket, problem, incoming);
    else if (served) served.sockets.upgrade(incoming, socket, head);
    else refuseUpgrade(socket, starting.problem(), incoming);
  }
  const open = () => (entrance.isOpen() ? served : undefined);
  /** What nobody else handles would end the process. */
  const giveUp = (socket: Duplex) => (error: unknown) => {
    starting.log.error({ err: error }, 'a connection could not be answered');
    socket.destroy();
  };
  return {
    request(...[incoming, outgoing]: Parameters<RequestListener>): void {
      const present = open();
      if (present) present.handle(incoming, outgoing);
      else answer(incoming, outgoing).catch(giveUp(incoming.socket));
    },
    upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
      const present = open();
      if (present) present.sockets.upgrade(incoming, socket, head);
      else takeOver(incoming, socket, head).catch(giveUp(socket));
    },
    sockets: () => served?.sockets,
    settled: { isSettled: () => served !== undefined, settled: first },
    begin(handle: RequestListener, sockets: Sockets): void {
      served = { handle, sockets };
      begun();
    },
    async pause(): Promise<void> {
      const before = served;
      served = undefined;
      beginning = untilBegun();
      await before?.sockets.close();
    },
  };
}
