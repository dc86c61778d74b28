import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { startForwarder, startNginx } from '../support/forwarders.ts';
import {
  type ProblemAnswer,
  password,
  rawRequest,
  startService,
  withAda,
} from '../support/http-client.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { program } from '../support/program.ts';
import { tempDir } from '../support/temp-dir.ts';

const intruder = JSON.stringify({ username: 'intruder', password });

/** Asks for the state of the setup and tries it without the code, as a client of that address writes it. */
async function intrude(url: string, host: string): Promise<void> {
  const headers = { Host: host, 'Content-Type': 'application/json' };
  const state = await rawRequest(url, { path: '/setup/state', headers });
  assert.deepEqual(JSON.parse(state.body), { setup_required: true, setup_code_required: true });
  const refused = await rawRequest(url, {
    method: 'POST',
    path: '/setup',
    headers,
    body: intruder,
  });
  assert.equal(refused.status, 403, refused.body);
  const problem = JSON.parse(refused.body) as ProblemAnswer;
  assert.equal(problem.type, '/problems/setup-code-required');
}

/** Sets up with the code, in the same way. */
async function setUp(url: string, host: string, code: string): Promise<void> {
  const made = await rawRequest(url, {
    method: 'POST',
    path: '/setup',
    headers: { Host: host, 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'ada', password, setup_code: code }),
  });
  assert.equal(made.status, 201, made.body);
}

test('through nginx that adds no header, setup needs the code', async (t) => {
  const service = await startService(t);
  const nginx = await startNginx(t, service.url);
  await intrude(nginx, 'notes.example.org');
  await setUp(nginx, 'notes.example.org', await service.setupCode());
});

for (const [what, address, host] of [
  ['IPv4', '127.0.0.1', '127.0.0.1'],
  ['IPv6', '::1', '[::1]'],
  ['an IPv4 address mapped into IPv6', '::', '127.0.0.1'],
] as const) {
  test(`over ${what}, a forwarder of another user needs the code, a process of ours does not`, async (t) => {
    const service = await startService(t, { address });
    const forwarder = await startForwarder(t, {
      host: host.replace(/[[\]]/g, ''),
      port: service.port,
    });
    await intrude(`http://127.0.0.1:${forwarder}`, `localhost:${service.port}`);
    const ours = await rawRequest(`http://${host}:${service.port}`, {
      method: 'POST',
      path: '/setup',
      headers: { Host: `localhost:${service.port}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'ada', password }),
    });
    assert.equal(ours.status, 201, ours.body);
    const created = service.logged
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .find(({ msg }) => msg === 'first administrator created');
    assert.equal(created?.['with_setup_code'], false, 'the log says that no code was given');
  });
}

test('whose connection it was cannot be told once its other end has gone: the code is needed', async (t) => {
  const service = await startService(t);
  const target = { host: '127.0.0.1', port: service.port };
  const forwarder = await startForwarder(t, target, { leaves: true });
  await rawRequest(`http://127.0.0.1:${forwarder}`, {
    method: 'POST',
    path: '/setup',
    headers: { Host: 'localhost', 'Content-Type': 'application/json' },
    body: intruder,
  }).catch(() => undefined);
  await eventually('the setup was refused', async () =>
    service.logged.some((line) => line.includes('setup refused')),
  );
  const state = await service.call('GET', '/setup/state');
  assert.equal(state.body['setup_required'], true);
});

test('through a forwarder of another user no program is launched', async (t) => {
  const shown: unknown[] = [];
  const { service, token } = await withAda(t, {
    overrides: {
      desktop: {
        showFiles: async (paths) => void shown.push(paths),
        openUri: async (uri) => void shown.push(uri),
      },
    },
  });
  const id = await service.settled(token);
  const { documents } = (
    await service.call<{ documents: { index: string } }>('GET', `/recordings/${id}`, { token })
  ).body;
  const paths = [documents.index];
  const open = (url: string) =>
    rawRequest(url, {
      method: 'POST',
      path: '/open',
      headers: {
        Host: 'localhost',
        'Content-Type': 'application/json',
        Authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({ mode: 'folder', paths }),
    });
  const target = { host: '127.0.0.1', port: service.port };
  const forwarder = await startForwarder(t, target);
  const answer = await open(`http://127.0.0.1:${forwarder}`);
  assert.equal(answer.status, 200, answer.body);
  assert.deepEqual((JSON.parse(answer.body) as { opened: unknown }).opened, []);
  assert.deepEqual(shown, []);
  assert.equal((await open(service.url)).status, 200);
  assert.equal(shown.length, 1, 'for a process of ours it is');
});

test('the setup link is printed at the start and by its command, and leads to the page', async (t) => {
  const dataDir = await tempDir(t);
  const service = await startServiceProcess(dataDir);
  t.after(() => service.end('SIGTERM'));
  const printed = await setupLink(dataDir);
  const link = new URL(printed.stdout.trim());
  const code = (await readFile(join(dataDir, 'setup-code'), 'utf8')).trim();
  assert.equal(link.href, `${service.url}/setup#code=${code}`);
  await eventually('the link is printed', () =>
    service.said.includes(`Set up Mitschrift here: ${link.href}`),
  );
  const page = await fetch(link);
  assert.deepEqual(
    [page.status, page.headers.get('content-type')?.split(';')[0]],
    [200, 'text/html'],
  );

  const json = { username: 'ada', password, setup_code: code };
  await apiOf(service.url).post('/setup', json);
  const over = await setupLink(dataDir);
  assert.equal(over.code, 1);
  assert.match(over.stderr, /Mitschrift is already set up/);
});

test('without a service, mitschrift setup-link says so', async (t) => {
  const { code, stderr } = await setupLink(await tempDir(t));
  assert.equal(code, 1);
  assert.match(stderr, /Mitschrift isn’t running with the data directory/);
});

async function setupLink(dataDir: string) {
  const child = spawn(process.execPath, [program, 'setup-link'], {
    env: { ...process.env, MITSCHRIFT_DATA: dataDir },
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}
