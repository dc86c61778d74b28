import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { builtService } from '../bench/built-service.ts';
import { within } from '../support/eventually.ts';
import { tempDir } from '../support/temp-dir.ts';

const run = promisify(execFile);

test('the built service does what it does in development: also what it loads later, and starts by path', async (t) => {
  const built = await builtService();
  const service = await built.start(await tempDir(t));
  t.after(() => service.end());
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  const call = async (method: string, path: string, body?: object) =>
    await fetch(service.url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const json = async (path: string) => (await (await call('GET', path)).json()) as object;

  const setup = await call('POST', '/setup', {
    username: 'ada',
    password: 'correct horse battery',
  });
  assert.equal(setup.status, 201);
  headers['authorization'] = `Bearer ${((await setup.json()) as { token: string }).token}`;

  assert.equal((await call('GET', '/')).status, 200, 'pages are found');
  assert.equal((await call('GET', '/assets/docs/swagger-ui.css')).status, 200);
  assert.ok('paths' in (await json('/openapi.json')));
  assert.deepEqual(await json('/search?q=nothing'), {
    hits: [],
    complete: true,
    fraction: 1,
    meaning: null,
  });
  assert.match(
    await (await call('GET', '/metrics')).text(),
    /mitschrift_http_request_seconds_count\{/,
  );
  assert.equal((await call('OPTIONS', '/uploads')).headers.get('tus-resumable'), '1.0.0');
  // By a process of its own, whether there is a sound card or not.
  assert.deepEqual(Object.keys(await json('/audio/devices')), [
    'devices',
    'default',
    'held',
    'here',
  ]);
});

test('every program that is started by path is built, and the command says its version', async () => {
  const { main } = await builtService();
  const root = join(dirname(main), '../../..');
  const source = join(import.meta.dirname, '../../src');
  const programs: string[] = [];
  for (const path of await readdir(source, { recursive: true })) {
    if (!path.endsWith('.ts')) continue;
    const text = await readFile(join(source, path), 'utf8');
    for (const [, program] of text.matchAll(/(?:programPath|forkApart)\([^')]*'([^']+)'/g))
      programs.push(program!);
  }
  assert.ok(programs.length >= 4, programs.join());
  for (const program of programs) await readFile(join(root, 'dist', `${program}.js`));
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as object & {
    version: string;
  };
  assert.equal((await run(process.execPath, [main, '--version'])).stdout, `${version}\n`);
});

test('started by itself, a program finds what it needs', async (t) => {
  const { main } = await builtService();
  const capture = join(dirname(main), '../capture/process/capture-process.js');
  // Without an order it ends; with a part missing it would say so.
  const { stderr } = await run(process.execPath, [capture], { cwd: await tempDir(t) }).catch(
    (error: { stderr: string }) => error,
  );
  assert.doesNotMatch(stderr, /ERR_MODULE_NOT_FOUND|Cannot find/);
});

test('whoever ends `npm start` ends the service', async (t) => {
  const { main } = await builtService();
  const child = spawn('npm', ['start'], {
    cwd: join(dirname(main), '../../..'),
    env: { ...process.env, MITSCHRIFT_DATA: await tempDir(t), MITSCHRIFT_PORT: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  t.after(() => endGroup(child.pid!));
  // The service holds this pipe as well: it closes when the last of them has ended.
  const ended = new Promise((resolve) => child.once('close', resolve));
  for await (const line of createInterface({ input: child.stderr })) {
    if (!line.startsWith('Mitschrift is running at ')) continue;
    child.kill('SIGTERM');
    break;
  }
  child.stderr.resume();
  await within('the end of the service', ended, 30_000);
});

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
