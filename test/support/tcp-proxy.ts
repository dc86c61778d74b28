import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A network of its own between a client and a service: it can be cut, and lead elsewhere. */
export type TcpProxy = {
  /** `http://127.0.0.1:<port>` */
  url: string;
  /** Bytes a client has sent through it. */
  sent(): number;
  /** Where it leads from now on. */
  lead(url: string): void;
  /** Cuts every connection at this moment, also in the middle of a frame. */
  cut(): void;
  /** What is open stays open, and nothing passes through it any more, not even its end; what is opened from then on goes on. */
  freeze(): void;
  /** Cuts as soon as a client has sent so many bytes more; resolves when it has. */
  cutAfter(bytes: number): Promise<void>;
};

export async function tcpProxy(t: Pick<TestContext, 'after'>, to: string): Promise<TcpProxy> {
  let target = new URL(to);
  const open = new Set<Socket>();
  let sent = 0;
  let limit = Number.POSITIVE_INFINITY;
  let reached = () => {};
  const cut = () => {
    for (const socket of open) socket.resetAndDestroy();
  };
  const stops = new Set<() => void>();
  const server = createServer((client) => {
    const service = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, service],
      [service, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => undefined); // what was cut on purpose
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
    service.pipe(client);
    stops.add(() => {
      service.unpipe(client).pause();
      client.pause();
    });
    client.on('data', (chunk: Buffer) => {
      const room = limit - sent;
      const part = chunk.length > room ? chunk.subarray(0, room) : chunk;
      sent += part.length;
      service.write(part, () => {
        if (sent < limit) return;
        limit = Number.POSITIVE_INFINITY;
        cut();
        reached();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    cut();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: () => sent,
    lead: (url) => (target = new URL(url)),
    cut,
    freeze() {
      for (const stop of stops) stop();
      stops.clear();
    },
    cutAfter(bytes) {
      limit = sent + bytes;
      return new Promise((resolve) => (reached = resolve));
    },
  };
}
