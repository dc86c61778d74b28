import { messageOf } from '../../shared/errors.ts';
import { type Server, createServer, request } from 'node:http';
import { constants } from 'node:fs';
import { chmod, lstat, open, rm, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { bytesUpTo } from '../../shared/bytes-up-to.ts';
import { ifMissing } from '../../shared/files.ts';

/**
 * The control socket: commands beside a running service talk to it here, because the event log has one
 * process. Plain HTTP over a Unix socket of mode 0600: the operating system's user is the authentication.
 */
export type ControlHandlers = Record<string, ControlHandler>;
/** @param gone aborts when who asked is there no more: nobody reads the answer */
type ControlHandler = (body: unknown, gone: AbortSignal) => Promise<unknown>;

/** A Unix socket's path has room for this many bytes. */
const pathBytesMax = 107;
const bodyBytesMax = 1_000_000;
/** A running service answers at once; a command like `replay --check` may take its time. */
const connectTimeoutMs = 2000;
const answerBytesMax = 64_000_000;

/** What a socket is bound or connected to, until `close`. */
type Reachable = { path: string; close(): Promise<void> };

/** Sockets lie in the folder they belong to, however long its path is: that is named by an open descriptor then. */
async function reachable(path: string): Promise<Reachable> {
  if (Buffer.byteLength(path) <= pathBytesMax) return { path, close: async () => {} };
  const folder = await open(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
  return {
    path: `/proc/self/fd/${folder.fd}/${basename(path)}`,
    close: async () => await folder.close(),
  };
}

/**
 * Whether there is a socket, in a folder of this user, of this user: nothing is said to another's, who may wait for a
 * password. Root asks the service of the user whose folder it is.
 * @throws {Error} it is another's
 */
async function isOwn(path: string): Promise<boolean> {
  const socket = await lstat(path).catch(ifMissing(null));
  if (socket === null) return false;
  const folder = await stat(dirname(path));
  const user = process.getuid?.();
  if (socket.uid === folder.uid && (folder.uid === user || user === 0)) return true;
  throw new Error(
    `${path} or its folder belongs to another user, so this command doesn’t use it. ` +
      'Run it as the user that runs Mitschrift.',
  );
}

/**
 * Serves the handlers by name until closed; who asks before they are there waits. The data directory's lock
 * says that no other service listens.
 */
export async function openControl(
  path: string,
  handlers: ControlHandlers | Promise<ControlHandlers>,
): Promise<Server> {
  // That they will never be there is said to who asks.
  void Promise.resolve(handlers).catch(() => {});
  await rm(path, { force: true });
  const { path: socket, close } = await reachable(path);
  const server = createServer((incoming, outgoing) => {
    const name = (incoming.url ?? '').slice(1);
    const gone = new AbortController();
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) gone.abort(new Error('The command was ended.'));
    });
    const answer = (status: number, body: unknown) => {
      outgoing.writeHead(status, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify(body ?? null));
    };
    readAll(incoming, bodyBytesMax)
      .then(async (text) => {
        const known = await handlers;
        const handler = Object.hasOwn(known, name) ? known[name] : undefined;
        if (!handler)
          return answer(404, {
            message: `Mitschrift doesn’t know the command ${name}. Was it updated? Restart it.`,
          });
        return answer(200, await handler(text === '' ? null : JSON.parse(text), gone.signal));
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
  } catch (error) {
    await close();
    throw error;
  } finally {
    process.umask(before);
  }
  await chmod(path, 0o600);
  server.once('close', () => void close());
  return server;
}

/**
 * Asks the running service. `null` when none runs.
 * @param signal ends what the service does for it, where it can be ended
 * @throws {Error} with the service's message when it refuses; what listens there is another user's.
 */
export async function askService<T>(
  path: string,
  name: string,
  body: unknown = null,
  signal?: AbortSignal,
): Promise<T | null> {
  if (!(await isOwn(path))) return null;
  const { path: socketPath, close } = await reachable(path);
  try {
    return await ask<T>(socketPath, { name, body, signal });
  } finally {
    await close();
  }
}

/**
 * The same, where nobody waits for a process that is suspended: its socket takes what is asked.
 * @throws {Error} as `askService`; with `late` when there is no answer after so many milliseconds
 */
export async function askInTime<T>(
  path: string,
  name: string,
  { body, ms, late }: { body?: unknown; ms: number; late: string },
): Promise<T | null> {
  const signal = AbortSignal.timeout(ms);
  return await askService<T>(path, name, body, signal).catch((error: unknown) => {
    throw signal.aborted ? new Error(late, { cause: error }) : error;
  });
}

function ask<T>(
  socketPath: string,
  { name, body, signal }: { name: string; body: unknown; signal: AbortSignal | undefined },
): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const asked = { socketPath, path: `/${name}`, method: 'POST', signal };
    const call = request(asked, (answer) => {
      readAll(answer, answerBytesMax)
        .then((text) => {
          const value = JSON.parse(text);
          if (answer.statusCode === 200) resolve(value);
          else reject(new Error(value.message));
        })
        .catch(reject);
    });
    const giveUp = setTimeout(
      () => call.destroy(new Error('Mitschrift is running but doesn’t respond.')),
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
      else reject(signal?.aborted ? signal.reason : error);
    });
    call.end(JSON.stringify(body));
  });
}

async function readAll(stream: AsyncIterable<Buffer>, bytesMax: number): Promise<string> {
  const tooMany = () => new Error(`More than ${bytesMax} bytes`);
  return (await bytesUpTo(stream, bytesMax, tooMany)).toString('utf8');
}
