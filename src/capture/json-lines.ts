import type { Socket } from 'node:net';
import { lineBytesMax } from './capture-protocol.ts';

/**
 * Calls back with every line of JSON that comes through a socket. A line that is too long or no JSON
 * ends the connection: whoever sends it does not speak the protocol.
 */
export function onJsonLine(socket: Socket, receive: (message: unknown) => void): void {
  let rest = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    try {
      if (rest.length > lineBytesMax) throw new Error('a line is too long');
      for (const line of lines) receive(JSON.parse(line));
    } catch (error) {
      socket.destroy(error as Error);
    }
  });
}

export const jsonLine = (message: unknown): string => `${JSON.stringify(message)}\n`;
