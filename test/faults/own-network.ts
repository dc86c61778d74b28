import { execFile } from 'node:child_process';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { promisify } from 'node:util';
import type { HasEnd } from '../support/temp-dir.ts';
import type { Place } from './cluster.ts';

const run = promisify(execFile);

/** A network for one process, with one wire to this machine, at whose end is the database. */
export type OwnNetwork = {
  place: Place;
  /** Nothing goes through, in either direction, and no one is told. */
  cut(): Promise<void>;
  mend(): Promise<void>;
};

/** Makes a network namespace. Null where this user may not. */
export async function ownNetwork(t: HasEnd, databaseUrl: string): Promise<OwnNetwork | null> {
  const { pid } = process;
  const name = `mitschrift-${pid}`;
  const [here, there] = [`mh${pid}`, `mt${pid}`];
  const block = `10.213.${pid % 250}`;
  const ip = async (...args: string[]): Promise<void> => void (await run('ip', args));
  const isMade = await ip('netns', 'add', name).then(
    () => true,
    () => false,
  );
  if (!isMade) return null;
  // The wire goes with it.
  t.after(() => ip('netns', 'delete', name));
  await ip('link', 'add', here, 'type', 'veth', 'peer', 'name', there, 'netns', name);
  await ip('address', 'add', `${block}.1/30`, 'dev', here);
  await ip('-n', name, 'address', 'add', `${block}.2/30`, 'dev', there);
  await ip('link', 'set', here, 'up');
  await ip('-n', name, 'link', 'set', there, 'up');
  await ip('-n', name, 'link', 'set', 'lo', 'up');
  const url = new URL(databaseUrl);
  url.port = String(await forwarder(t, `${block}.1`, Number(url.port)));
  url.hostname = `${block}.1`;
  return {
    place: { wrap: ['ip', 'netns', 'exec', name], databaseUrl: url.href },
    cut: () => ip('link', 'set', here, 'down'),
    mend: () => ip('link', 'set', here, 'up'),
  };
}

/** Leads from an address of this machine to a port of its loopback. Returns the port there. */
async function forwarder(t: HasEnd, host: string, to: number): Promise<number> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(to, '127.0.0.1');
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => undefined); // what was cut on purpose
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
