import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { eventually } from './eventually.ts';
import { tempDir } from './temp-dir.ts';

/** A user of this machine who is not the service's: `daemon`. */
const otherUser = 1;

/** nginx with a bare `proxy_pass`, which adds no header of its own. @returns its address */
export async function startNginx(t: TestContext, target: string): Promise<string> {
  const directory = await tempDir(t);
  const port = await freePort();
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(directory, name)};`)
    .join('\n');
  const configuration = join(directory, 'nginx.conf');
  await writeFile(
    configuration,
    `daemon off; user daemon; pid ${join(directory, 'pid')}; error_log stderr;
     events {}
     http {
       access_log off; ${paths}
       server { listen 127.0.0.1:${port}; location / { proxy_pass ${target}; } }
     }`,
  );
  const nginx = spawn('nginx', ['-e', 'stderr', '-c', configuration], { stdio: 'ignore' });
  const gone = once(nginx, 'exit');
  t.after(async () => {
    nginx.kill('SIGTERM');
    await gone;
  });
  const url = `http://127.0.0.1:${port}`;
  await eventually('nginx answers', async () => {
    const answer = await fetch(`${url}/health`).catch(() => null);
    return answer?.status === 200;
  });
  return url;
}

/**
 * A plain forwarder of TCP connections, run by another user of this machine.
 * @param leaves whether it goes away as soon as it has passed on what it got first
 * @returns its port
 */
export async function startForwarder(
  t: TestContext,
  target: { host: string; port: number },
  { leaves = false } = {},
): Promise<number> {
  const script = `
    const { connect, createServer } = require('node:net');
    const server = createServer((from) => {
      const to = connect(${JSON.stringify(target)});
      from.on('error', () => to.destroy());
      to.on('error', () => from.destroy());
      if (${leaves}) from.once('data', (bytes) => to.write(bytes, () => process.exit(0)));
      else from.pipe(to).pipe(from);
    });
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  const run = ['--reuid', String(otherUser), '--regid', String(otherUser), '--clear-groups'];
  const forwarder = spawn('setpriv', [...run, process.execPath, '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: '/',
  });
  const gone = once(forwarder, 'exit');
  t.after(async () => {
    forwarder.kill('SIGKILL');
    await gone;
  });
  const [said] = (await once(forwarder.stdout, 'data')) as [Buffer];
  return Number(said.toString());
}

/** A port of the loopback address that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
