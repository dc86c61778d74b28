import { once } from 'node:events';
import { connect } from 'node:net';

/** Asks for WebSockets that nobody is given, and resets each connection right behind the question. */
export async function resetHandshakes(port: number): Promise<void> {
  for (let count = 0; count < 200; count += 1) {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    socket.write(
      'GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      () => socket.resetAndDestroy(),
    );
    await closed;
  }
}
