import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { mutex } from '../../src/shared/mutex.ts';
import type { HasEnd } from './temp-dir.ts';

/**
 * Stands between clients and a PostgreSQL as a pooler in transaction mode does: all clients share one session, each
 * for a transaction at a time. Returns the port.
 */
export async function transactionPooler(test: HasEnd, server: URL): Promise<number> {
  const inTurn = mutex();
  const sockets = new Set<Socket>();
  let session: Promise<Socket> | undefined;
  const listener = createServer((client) => {
    sockets.add(client);
    client.on('error', () => {});
    let transaction: Socket | undefined;
    client.once('data', (startup) => {
      // Authenticated (R, 0), ready for a query (Z, idle).
      client.write(Buffer.from('5200000008000000005a0000000549', 'hex'));
      session ??= shared(server, startup).then((socket) => {
        sockets.add(socket);
        return socket;
      });
      client.on('data', (request) => {
        if (transaction) {
          transaction.write(request);
          return;
        }
        void inTurn(async () => {
          transaction = await session!;
          transaction.write(request);
          await untilIdle(transaction, (answer) => client.write(answer));
          transaction = undefined;
        });
      });
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    for (const socket of sockets) socket.destroy();
    listener.close();
  });
  return (listener.address() as AddressInfo).port;
}

async function shared(server: URL, startup: Buffer): Promise<Socket> {
  const socket = connect(Number(server.port), server.hostname);
  socket.on('error', () => {});
  socket.write(startup);
  await untilIdle(socket, () => {});
  return socket;
}

/** Hands on what comes, message by message, up to `ReadyForQuery` outside of a transaction. */
function untilIdle(socket: Socket, hand: (message: Buffer) => void): Promise<void> {
  let rest = Buffer.alloc(0);
  return new Promise((resolve) => {
    const take = (chunk: Buffer): void => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
        const message = rest.subarray(0, rest.readUInt32BE(1) + 1);
        rest = rest.subarray(message.length);
        hand(message);
        if (message.toString('latin1', 0, 1) !== 'Z' || message[5] !== 'I'.charCodeAt(0)) continue;
        socket.off('data', take);
        resolve();
      }
    };
    socket.on('data', take);
  });
}
