import pg from 'pg';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, appendFile, chown, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Postgres, openPostgres } from '../../src/storage/postgres/connection.ts';
import type { HasEnd } from './temp-dir.ts';

/** A PostgreSQL of the tests' own, on a loopback port and a socket. */
export type Cluster = {
  /** Of its superuser and its database. */
  url: string;
  /** Takes out what Mitschrift has put there. Nothing may be open. */
  empty(): Promise<void>;
  /**
   * As a power cut: every process of the server ends at once, without writing anything more.
   * @param signal `SIGKILL` ends the first of its processes; the others notice
   */
  kill(signal?: 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  /** Starts it again, on the same port. */
  start(): Promise<void>;
  directory: string;
};

/** How long the server may take to start, in milliseconds. */
const startMs = 60_000;
const user = 'postgres';

/**
 * Makes a cluster and starts it, for all of a file: that takes most of a second. It ends with the file.
 * @param options.fsync whether it syncs what it acknowledges, as it would in earnest
 * @param options.counts whether it counts questions and rows (`pg_stat_statements`)
 * @param options.connections `max_connections`
 */
export async function postgresCluster(
  test: HasEnd,
  options: { fsync?: boolean; counts?: boolean; connections?: number } = {},
): Promise<Cluster> {
  const { fsync = false, counts = false, connections = 100 } = options;
  const root = await mkdtemp(join(tmpdir(), 'mitschrift-postgres-'));
  const directory = join(root, 'data');
  let server: ChildProcess | undefined;
  const kill: Cluster['kill'] = async (signal = 'SIGQUIT') => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const closed = once(server, 'close');
    server.kill(signal);
    await closed;
  };
  test.after(async () => {
    await kill();
    await rm(root, { recursive: true, force: true });
  });
  const bin = await programs();
  await owned(root);
  const how = ['--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--data-checksums'];
  await run(join(bin, 'initdb'), ['-D', directory, '-U', user, '--no-sync', ...how]);
  const port = await freePort();
  await appendFile(
    join(directory, 'postgresql.conf'),
    `listen_addresses = '127.0.0.1'\nport = ${port}\nunix_socket_directories = '${root}'\n` +
      `max_connections = ${connections}\nshared_buffers = 32MB\nfsync = ${fsync ? 'on' : 'off'}\n` +
      (counts ? `shared_preload_libraries = 'pg_stat_statements'\n` : ''),
  );
  const url = `postgres://${user}@127.0.0.1:${port}/postgres`;
  const startOnce = async (): Promise<void> => {
    server = asPostgres(join(bin, 'postgres'), ['-D', directory]);
    const said = text(server.stderr!);
    const ended = once(server, 'close').then(async () => {
      throw new Error(`PostgreSQL ended: ${await said}`);
    });
    ended.catch(() => {}); // once it has started, its end is wanted
    await Promise.race([ended, answering(url)]);
  };
  const start = async (): Promise<void> => {
    const began = performance.now();
    for (;;) {
      try {
        return await startOnce();
      } catch (error) {
        // Processes of one that was killed still have its memory.
        const isHeld = /shared memory|postmaster\.pid/.test((error as Error).message);
        if (!isHeld || performance.now() - began > startMs) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  await start();
  return {
    url,
    directory,
    kill,
    start,
    async empty() {
      await ask(url, 'set client_min_messages = warning; drop schema if exists mitschrift cascade');
    },
  };
}

/** A database, opened for one test. */
export async function openedDatabase(
  test: HasEnd,
  url: string,
  report?: (message: string, error?: unknown) => void,
): Promise<Postgres> {
  const db = await openPostgres({ url, ...(report ? { report } : {}) });
  test.after(() => db.close());
  return db;
}

/** Asks behind our own back. */
export async function ask<R extends pg.QueryResultRow>(url: string, sql: string): Promise<R[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<R>(sql);
    return rows;
  } finally {
    await client.end();
  }
}

/** Where Debian puts the server's programs, or those in the path. @throws when there are none */
async function programs(): Promise<string> {
  const debian = '/usr/lib/postgresql';
  const versions = await readdir(debian).catch(() => []);
  const newest = versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((v) => join(debian, v, 'bin'));
  for (const folder of [...newest, ...(process.env['PATH'] ?? '').split(delimiter)]) {
    const found = await access(join(folder, 'initdb')).then(
      () => true,
      () => false,
    );
    if (found) return folder;
  }
  throw new Error('spawn pg_ctlcluster ENOENT: PostgreSQL is not installed');
}

/** PostgreSQL does not run as root. */
const isRoot = userInfo().uid === 0;

async function owned(root: string): Promise<void> {
  if (!isRoot) return;
  const line = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .find((l) => l.startsWith(`${user}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  await chown(root, Number(uid), Number(gid));
}

function asPostgres(program: string, args: string[]): ChildProcess {
  const options = { stdio: ['ignore', 'ignore', 'pipe'] as ['ignore', 'ignore', 'pipe'], cwd: '/' };
  if (!isRoot) return spawn(program, args, options);
  const who = ['--reuid', user, '--regid', user, '--clear-groups', '--pdeathsig', 'QUIT'];
  return spawn('setpriv', [...who, program, ...args], options);
}

async function run(program: string, args: string[]): Promise<void> {
  const child = asPostgres(program, args);
  const [said, [code]] = await Promise.all([text(child.stderr!), once(child, 'close')]);
  if (code !== 0) throw new Error(`${program} failed: ${said}`);
}

/** Resolves when the server answers. */
async function answering(url: string): Promise<void> {
  const deadline = performance.now() + startMs;
  for (;;) {
    try {
      await ask(url, 'select 1');
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
