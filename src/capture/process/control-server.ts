import { type Socket, createServer } from 'node:net';
import { rm } from 'node:fs/promises';
import {
  type CaptureCommand,
  type CaptureEnded,
  type CaptureStatus,
  jsonLine,
  onJsonLine,
} from './protocol.ts';

/** The capture process' side of the protocol. */
export interface ControlServer {
  /** Sends the last message to every connection, then closes; returns when it is on its way. */
  close(last: CaptureEnded | null): Promise<void>;
}

/** More than one service and one observer is a mistake. */
const clientsMax = 8;
/** A client that reads nothing is left out until it has. */
const unreadBytesMax = 256 * 1024;
const statusMs = 100;
/** How long the last word may take to leave. */
const farewellMs = 500;

/**
 * Listens at a socket that only this user can connect to. Each connection is greeted with a status.
 * @param onOrphaned there was no connection for `orphanMs`.
 * @throws {Error} `EADDRINUSE` when another process listens there.
 */
export async function serveControl(
  socketPath: string,
  options: {
    orphanMs: number;
    status(): CaptureStatus;
    onCommand(command: CaptureCommand['op']): void;
    onOrphaned(): void;
  },
): Promise<ControlServer> {
  const clients = new Set<Socket>();
  let orphaned = setTimeout(options.onOrphaned, options.orphanMs);
  const server = createServer((socket) => {
    if (clients.size >= clientsMax) {
      socket.destroy();
      return;
    }
    clients.add(socket);
    clearTimeout(orphaned);
    socket.on('error', () => undefined); // `close` follows
    socket.once('close', () => {
      clients.delete(socket);
      if (clients.size === 0 && server.listening)
        orphaned = setTimeout(options.onOrphaned, options.orphanMs);
    });
    onJsonLine(socket, (message) => {
      const { op } = (message ?? {}) as Partial<CaptureCommand>;
      if (op !== 'stop' && op !== 'pause' && op !== 'resume') throw new Error('unknown command');
      options.onCommand(op);
    });
    socket.write(jsonLine(options.status()));
  });

  // No other user may connect between the bind and a chmod.
  const before = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(socketPath, resolve);
    });
  } finally {
    process.umask(before);
  }
  const timer = setInterval(() => {
    const line = jsonLine(options.status());
    for (const client of clients) if (client.writableLength < unreadBytesMax) client.write(line);
  }, statusMs);

  return {
    async close(last) {
      clearInterval(timer);
      clearTimeout(orphaned);
      server.close();
      const gone = [...clients].map(
        (client) =>
          new Promise<void>((resolve) => {
            client.end(last ? jsonLine(last) : '', resolve);
            setTimeout(resolve, farewellMs);
          }),
      );
      await Promise.all(gone);
      await rm(socketPath, { force: true });
    },
  };
}
