import { messageOf } from '../shared/errors.ts';
import { type Server, createServer, request } from 'node:http';
import { createHash } from 'node:crypto';
import { chmod, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The control socket: commands beside a running service talk to it here, because the event log has one
 * process. Plain HTTP over a Unix socket of mode 0600: the operating system's user is the authentication.
 */
export type ControlHandlers = Record<string, (body: unknown) => Promise<unknown>>;

/** A Unix socket's path has room for this many bytes. */
const pathBytesMax = 107;
const bodyBytesMax = 1_000_000;
/** A running service answers at once; a command like `replay --check` may take its time. */
const connectTimeoutMs = 2000;
const answerBytesMax = 64_000_000;

/** Where the socket really is: a path too long for a socket gets a short one in the runtime directory. */
export function controlPath(path: string): string {
  if (Buffer.byteLength(path) <= pathBytesMax) return path;
  const short = createHash('sha256').update(path).digest('hex').slice(0, 16);
  return join(process.env['XDG_RUNTIME_DIR'] ?? tmpdir(), `mitschrift-${short}.sock`);
}

/**
 * Serves the handlers by name until closed; who asks before they are there waits. The data directory's lock
 * says that no other service listens.
 */
export async function openControl(
  path: string,
  handlers: ControlHandlers | Promise<ControlHandlers>,
): Promise<Server> {
  const socket = controlPath(path);
  await rm(socket, { force: true });
  const server = createServer((incoming, outgoing) => {
    const name = (incoming.url ?? '').slice(1);
    const answer = (status: number, body: unknown) => {
      outgoing.writeHead(status, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify(body ?? null));
    };
    readAll(incoming, bodyBytesMax)
      .then(async (text) => {
        const known = await handlers;
        const handler = Object.hasOwn(known, name) ? known[name] : undefined;
        if (!handler) return answer(404, { message: `The service knows no command ${name}` });
        return answer(200, await handler(text === '' ? null : JSON.parse(text)));
      })
      .catch((error: unknown) => answer(500, { message: messageOf(error) }));
  });
  // No other user may connect between the bind and the chmod.
  const before = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(socket, resolve);
    });
  } finally {
    process.umask(before);
  }
  await chmod(socket, 0o600);
  return server;
}

/**
 * Asks the running service. `null` when none runs.
 * @throws {Error} with the service's message when it refuses.
 */
export function askService<T>(path: string, name: string, body: unknown = null): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const call = request(
      { socketPath: controlPath(path), path: `/${name}`, method: 'POST' },
      (answer) => {
        readAll(answer, answerBytesMax)
          .then((text) => {
            const value = JSON.parse(text);
            if (answer.statusCode === 200) resolve(value);
            else reject(new Error(value.message));
          })
          .catch(reject);
      },
    );
    const giveUp = setTimeout(
      () => call.destroy(new Error('The running service does not answer')),
      connectTimeoutMs,
    );
    call.on('socket', (socket) => {
      // A Unix socket may be connected before a listener is attached.
      if (socket.connecting) socket.once('connect', () => clearTimeout(giveUp));
      else clearTimeout(giveUp);
    });
    call.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(giveUp);
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(null);
      else reject(error);
    });
    call.end(JSON.stringify(body));
  });
}

async function readAll(stream: AsyncIterable<Buffer>, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Error(`More than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
