import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { firstDocument, prepared } from '../support/first-document.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { examined, packed, root } from './packed.ts';
import { servedBy } from './served-by.ts';

const run = promisify(execFile);

test('README: the npm package, installed into an empty folder, leads to a first document, and the doctor mends it', async (t) => {
  const { dataDir, audio } = await prepared(t);
  const [place, here] = [await tempDir(t), await tempDir(t)];
  const file = await packed(here);
  const reports = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
  t.after(() => reports.close());
  await once(reports, 'listening');
  const asked: unknown[] = [];
  reports.on('request', ({ url }) => asked.push(url));
  const { port } = reports.address() as AddressInfo;
  // Where a dependency of a dependency would report that it was installed.
  const env = { ...process.env, SCARF_LOCAL_PORT: String(port) };
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const [, install, start] = /^ *(npm install --prefix \S+ \S+)\n *(.+ serve)$/m
    .exec(readme)!
    .map((line) => line.replaceAll('~/mitschrift', place));
  await run('sh', ['-c', install!], { cwd: here, env });
  assert.deepEqual(asked, [], 'nothing is reported');

  const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const installed = new Set(await readdir(join(place, 'node_modules')));
  for (const name of ['typescript', 'rolldown', 'vite', 'svelte']) {
    assert.ok(name in devDependencies, name);
    assert.ok(!installed.has(name), `${name} is needed by the build alone`);
  }

  const started = { command: ['sh', '-c', start!], cwd: here };
  const service = await startServiceProcess(dataDir, {}, [], started);
  t.after(async () => process.kill((await servedBy(service.pid))!, 'SIGTERM'));
  await firstDocument(service.url, audio);

  // The doctor's command as it stands; the packed file is long gone.
  await rm(file);
  const programs = await tempDir(t);
  await writeFile(join(programs, 'sudo'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
  const path = { PATH: [programs, process.env['PATH']].join(delimiter) };
  const look = async () =>
    (await examined(['npx', 'mitschrift'], { cwd: place, env: { MITSCHRIFT_DATA: dataDir } })).get(
      'devices',
    )!;
  // As npm leaves it that compiles nothing, and as it leaves what it could not compile.
  let command = '';
  for (const lost of ['naudiodon/build', 'naudiodon']) {
    await rm(join(place, 'node_modules', lost), { recursive: true });
    const broken = await look();
    assert.match(broken.detail, /package for recording from devices isn’t installed/, lost);
    command = broken.remedy!.command!;
  }
  await run('sh', ['-c', command], { cwd: '/', env: { ...process.env, ...path } });
  assert.doesNotMatch((await look()).detail, /isn’t installed/, command);
});
