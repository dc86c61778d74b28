import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { installedModels, verifyModel } from '../../src/speech/local/local-models.ts';
import { strace } from '../faults/strace.ts';
import { modelMirror, offerModel } from '../support/model-mirror.ts';
import { modelsDir as fixtures } from '../support/models.ts';
import { program } from '../support/program.ts';
import { tempDir } from '../support/temp-dir.ts';

test('kill -9 in any phase of an installation leaves a working model or none, and the next one ends well', async (t) => {
  const data = await tempDir(t);
  const catalogueDir = join(data, 'catalogue');
  await mkdir(catalogueDir);
  const mirror = Object.assign(await modelMirror(t), { catalogueDir });
  await offerModel(mirror, 'espeak-en', { archive: 'espeak-en.tar.gz' });
  for (const phase of ['downloading', 'unpacking', 'testing', 'is installed']) {
    // One that is killed while it downloads is killed while it waits for the rest.
    if (phase === 'downloading') mirror.faults.set('espeak-en.tar.gz', ['stalled']);
    assert.ok(await killedIn(data, phase), phase);
    const { models, broken } = await installedModels(join(data, 'models'));
    assert.deepEqual(broken, [], phase);
    for (const model of models) await verifyModel(model);
  }
  const installed = await run(data, ['install', 'espeak-en']);
  assert.deepEqual([installed.code, installed.err.includes('Error')], [0, false]);
  assert.match(installed.out, /is installed in .*espeak-en/);
  assert.deepEqual((await readdir(join(data, 'models'))).toSorted(), [
    '.checksums',
    '.partial',
    '.replaced',
    'espeak-en',
  ]);
  assert.deepEqual(await readdir(join(data, 'models/.partial')), []);
});

test('kill -9 between the two renames: the model that was replaced is used, and the next installation ends well', async (t) => {
  const data = await tempDir(t);
  const catalogueDir = join(data, 'catalogue');
  const models = join(data, 'models');
  await mkdir(catalogueDir);
  const mirror = Object.assign(await modelMirror(t), { catalogueDir });
  await offerModel(mirror, 'espeak-en', { archive: 'espeak-en.tar.gz' });
  assert.equal((await run(data, ['install', 'espeak-en'])).code, 0);
  // The second rename alone has this path.
  const fresh = join(models, '.partial/espeak-en/files');
  const renames = '?rename,?renameat,?renameat2:signal=SIGKILL';
  const killed = await run(data, ['install', 'espeak-en'], strace(renames, [fresh]));
  assert.notEqual(killed.code, 0, killed.out);
  assert.deepEqual(await readdir(join(models, '.replaced')), ['espeak-en']);
  assert.ok(!(await readdir(models)).includes('espeak-en'), 'killed between the two');
  const [model] = (await installedModels(models)).models;
  assert.equal(model!.folder, join(models, '.replaced/espeak-en'));
  await verifyModel(model!);
  // One that fails takes nothing away either.
  await rm(join(models, '.partial'), { recursive: true });
  mirror.faults.set('espeak-en.tar.gz', ['flip']);
  assert.equal((await run(data, ['install', 'espeak-en'])).code, 1);
  assert.equal((await installedModels(models)).models.length, 1);
  assert.equal((await run(data, ['install', 'espeak-en'])).code, 0);
  assert.deepEqual(await readdir(join(models, '.replaced')), []);
  const [installed] = (await installedModels(models)).models;
  assert.equal(installed!.folder, join(models, 'espeak-en'));
  assert.equal((await run(data, ['remove', 'espeak-en', '--yes'])).code, 0);
  assert.deepEqual((await installedModels(models)).models, []);

  // Servers that this host reaches through a proxy alone, by a name that only the proxy knows.
  const sources = [{ archive: 'http://models.invalid/espeak-en.tar.gz' }];
  await offerModel(mirror, 'espeak-en', { archive: 'espeak-en.tar.gz' }, [], {}, { sources });
  const { address, asked } = await proxyTo(t, mirror.address);
  const proxied = await run(data, ['install', 'espeak-en'], ['env', `HTTP_PROXY=${address}`]);
  assert.equal(proxied.code, 0, proxied.err);
  assert.deepEqual([...new Set(asked)], ['models.invalid:80']);
});

test('list, import and remove say what there is, and what is wrong', async (t) => {
  const data = await tempDir(t);
  const listed = await run(data, ['list']);
  assert.match(listed.out, /^parakeet-tdt-0\.6b-v3 .* 640 MB {2}speech-to-text, 25 languages$/m);
  assert.match(listed.out, /^To install a model: .*mitschrift\.js models install \S+$/m);
  const missing = await run(data, ['install', 'nowhere']);
  assert.equal(missing.code, 1);
  assert.match(missing.err, /^There is no model nowhere\. Available: parakeet/);
  const imported = await run(data, ['import', join(fixtures, 'espeak-en')]);
  assert.equal(imported.code, 0, imported.err);
  const { models } = JSON.parse((await run(data, ['list', '--json'])).out) as {
    models: {
      id: string;
      installed: boolean;
      used_for: { code: string }[];
      downloads: { url: string }[];
    }[];
  };
  const parakeet = models.find(({ id }) => id === 'parakeet-tdt-0.6b-v3')!;
  assert.match(parakeet.downloads[0]!.url, /^https:\/\/.*parakeet-tdt-0\.6b-v3-int8\.tar\.bz2$/);
  const mine = models.find(({ id }) => id === 'espeak-en')!;
  assert.deepEqual(
    [mine.installed, mine.used_for.map(({ code }) => code)],
    [true, ['used-for-speech']],
  );
  assert.match((await run(data, ['remove', 'espeak-en'])).err, /Add --yes/);
  assert.equal((await run(data, ['remove', 'espeak-en', '--yes'])).code, 0);
  assert.equal((await run(data, ['remove', 'espeak-en', '--yes'])).code, 1);
});

/** A proxy that leads every tunnel to one server. */
async function proxyTo(t: TestContext, target: string) {
  const asked: string[] = [];
  const server = createServer();
  server.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    const { port, hostname } = new URL(target);
    const there = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(there).pipe(socket);
    });
    for (const [one, other] of [
      [socket, there],
      [there, socket],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

function start(data: string, args: readonly string[], wrap: readonly string[] = []) {
  const [command, ...rest] = [...wrap, process.execPath, program, 'models', ...args];
  return spawn(command!, rest, {
    env: { ...process.env, MITSCHRIFT_DATA: data, MITSCHRIFT_MODELS: join(data, 'models') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function run(data: string, args: readonly string[], wrap: readonly string[] = []) {
  const child = start(data, args, wrap);
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { out, err, code };
}

/** Whether it came to the phase; it was killed as soon as it said so. */
async function killedIn(data: string, phase: string): Promise<boolean> {
  const child = start(data, ['install', 'espeak-en']);
  let came = false;
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      if (!line.includes(phase)) return;
      came = true;
      child.kill('SIGKILL');
    });
  }
  await once(child, 'close');
  return came;
}
