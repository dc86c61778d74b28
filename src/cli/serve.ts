import type { Accounts } from '../accounts/accounts.ts';
import { hostFrom, type Host } from '../shared/data-directory.ts';
import { openServiceLogger } from '../shared/log.ts';
import { startService } from '../main.ts';
import { type StopSignal, onStopSignals } from './stop-signals.ts';
import { makeWritable } from '../shared/command-line.ts';

/** A stop that takes longer than this is a hang; what was acknowledged is on disk in any case. */
const stopWithinMs = 10_000;

/** The process's answer when it is to be started again, as supervisors do: `EX_TEMPFAIL` of sysexits.h. */
const startAgain = 75;

/** Runs the service until a signal stops it. */
export async function serve(): Promise<void> {
  const host = hostFrom(process.env);
  let users: Pick<Accounts, 'listUsers'> | undefined;
  const userName = (id: string) => users?.listUsers().find(({ userId }) => userId === id)?.username;
  const log = await openServiceLogger(host.logLevel, userName);
  const onUsers = (known: typeof users) => void (users = known);
  process.on('uncaughtException', (error) => {
    // The state of the process is unknown: the next start goes on from the log.
    log.fatal({ err: error }, 'unexpected error; shutting down');
    process.exit(1);
  });
  const refused = (error: unknown): never => {
    throw startRefusal(error, host);
  };
  const service = await startService({ host, env: process.env, log, onUsers }).catch(refused);
  let stopping = false;
  let hasBegun = false;
  service.over.catch((error: unknown) => {
    // A service that never began ends with why; to start it again would change nothing.
    if (stopping || !hasBegun) return;
    log.fatal({ err: error }, 'server cannot continue; shutting down: start it again');
    process.exit(startAgain);
  });
  const stop = (signal: StopSignal): void => {
    stopping = true;
    log.info({ signal }, 'shutting down');
    setTimeout(() => {
      log.error('shutdown took too long; ending the process');
      process.exit(1);
    }, stopWithinMs).unref();
    service.close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'shutdown failed');
        process.exit(1);
      },
    );
  };
  onStopSignals(['SIGINT', 'SIGTERM'], stop, () => process.exit(1));
  // The port answers, and the service may be stopped from now on.
  console.error(`Mitschrift is running at ${service.url}`);
  const link = await service.setupLink.catch(() => null); // `ready` fails with the same error
  if (link !== null) console.error(`Set up Mitschrift here: ${link}`);
  await service.ready.catch((error: unknown) => {
    if (stopping) return;
    // It is being closed: what does not end must not answer on as if it worked.
    setTimeout(() => process.exit(1), stopWithinMs).unref();
    refused(error);
  });
  if (stopping) return;
  hasBegun = true;
  log.info('server is ready');
}

/**
 * Why the service does not start, for the person who starts it, where the operating system refused it its port or its
 * folder; any other error as it is.
 */
function startRefusal(error: unknown, { data, address, port }: Host): unknown {
  const { code = '', syscall = '', path, address: socket } = error as SystemError;
  // Of a socket in a folder the address is its path.
  const place = path ?? (socket?.startsWith('/') ? socket : undefined);
  const why = ofFolders[code];
  const isOurs = [data.root, data.shared].some((folder) => place?.startsWith(folder));
  if (isOurs && why !== undefined) {
    const remedy = code === 'EACCES' || code === 'EPERM' ? ` (${makeWritable(data.root)})` : '';
    return new Error(
      `Mitschrift can’t write to ${place}: ${why}. ` +
        `Make ${data.root} a folder that Mitschrift can write to${remedy}, or set MITSCHRIFT_DATA to another one.`,
      { cause: error },
    );
  }
  if (!/^(?:listen|bind|getaddrinfo)$/.test(syscall)) return error;
  const text = ofPorts[code]?.(address, port);
  return text === undefined ? error : new Error(text, { cause: error });
}

type SystemError = NodeJS.ErrnoException & { address?: string };

const ofFolders: Partial<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'the folder belongs to another user',
  EROFS: 'the disk is read-only',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'the path leads to a file',
};

const notHere = (address: string): string =>
  `${address} is not an address of this computer. Set MITSCHRIFT_HOST to one that is, or to 0.0.0.0 for all of them.`;

const ofPorts: Partial<Record<string, (address: string, port: number) => string>> = {
  EADDRINUSE: (address, port) =>
    `Another program uses ${address}:${port}. Set MITSCHRIFT_PORT to another port.`,
  EACCES: (_address, port) =>
    `Only root may use port ${port}. Set MITSCHRIFT_PORT to 1024 or higher, and put a reverse proxy in front.`,
  EADDRNOTAVAIL: notHere,
  ENOTFOUND: notHere,
  EAI_AGAIN: notHere,
};
