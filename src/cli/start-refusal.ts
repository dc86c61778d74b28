import { makeWritable } from '../shared/command-line.ts';
import type { Host } from '../shared/data-directory.ts';

/**
 * Why the service does not start, for the person who starts it, where the operating system refused it its port or its
 * folder; any other error as it is.
 */
export function startRefusal(error: unknown, { data, address, port }: Host): unknown {
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
