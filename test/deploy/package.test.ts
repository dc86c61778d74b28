import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { firstDocument, prepared } from '../support/first-document.ts';
import { modelsDir } from '../support/models.ts';
import { program } from '../support/program.ts';
import { apiOf, startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { examined, packed, root } from './packed.ts';

const run = promisify(execFile);

test('the npm package with the packages of production alone leads to a first document, and finds nothing missing', async (t) => {
  const { dataDir, audio } = await prepared(t);
  const place = await tempDir(t);
  const home = join(place, 'node_modules/mitschrift');
  await mkdir(home, { recursive: true });
  await run('tar', ['xzf', await packed(place), '-C', home, '--strip-components=1']);
  // What npm installs beside it; from here, since a registry is not there everywhere (package.long.test.ts).
  await run('cp', ['-a', '--parents', ...(await packagesOfProduction()), place], { cwd: root });

  const main = join(home, 'dist/src/cli/mitschrift.js');
  const command: [string, ...string[]] = [process.execPath, main];
  const started = { command: [...command, 'serve'], cwd: place };
  const variables = { MITSCHRIFT_MODELS: join(dataDir, 'models') };
  const service = await startServiceProcess(dataDir, variables, [], started);
  t.after(() => service.end('SIGKILL'));
  const { token } = await firstDocument(service.url, audio);

  const options = { cwd: place, env: { MITSCHRIFT_DATA: dataDir, ...variables } };
  const [here, checkout] = [
    await examined(command, options),
    await examined([process.execPath, program], options),
  ];
  const statuses = (checks: typeof here) => [...checks].map(([id, { status }]) => [id, status]);
  assert.deepEqual(statuses(here), statuses(checkout));
  assert.equal(here.get('speech')!.status, 'ok', here.get('speech')!.detail);
  for (const path of ['/', '/docs', '/docs/changes', '/assets/docs/swagger-ui.css'])
    assert.equal((await fetch(service.url + path)).status, 200, path);

  // What pages offer, in any folder.
  const api = apiOf(service.url, token);
  const { command_line } = await api.get<{ command_line: string }>('/config/schema');
  const offered = async (args: string) =>
    (await run('sh', ['-c', `${command_line} ${args}`], { cwd: '/' })).stdout;
  const backup = join(await tempDir(t), 'backup');
  await offered(`backup ${backup}`);
  assert.ok((await readdir(backup)).length > 0);
  await offered(`models import ${join(modelsDir, 'espeak-embedding')}`);
  assert.ok((await readdir(join(dataDir, 'models'))).includes('espeak-embedding'));
  const [version, { version: packageVersion }] = [
    await offered('--version'),
    JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string },
  ];
  assert.equal(version, `${packageVersion}\n`);
});

test('npx in a clone runs what is built; only npm install builds', async (t) => {
  const text = await readFile(join(root, 'package.json'), 'utf8');
  const { bin, scripts } = JSON.parse(text) as {
    bin: { mitschrift: string };
    scripts: { prepare: string };
  };
  const clone = await tempDir(t);
  // npx has the clone prepared before it runs it: building took more than a minute, without a word.
  const build = `node -e "fs.writeFileSync('built', '')"`;
  const own = { name: 'mitschrift', version: '1.0.0', bin, scripts: { ...scripts, build } };
  await writeFile(join(clone, 'package.json'), JSON.stringify(own));
  await mkdir(join(clone, 'dist/src/cli'), { recursive: true });
  const main = "#!/usr/bin/env node\nconsole.log('as it is built');\n";
  await writeFile(join(clone, bin.mitschrift), main, { mode: 0o755 });
  const npm = {
    npm_config_cache: await tempDir(t),
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    npm_command: '',
  };
  const options = { cwd: clone, env: { ...process.env, ...npm } };
  assert.equal((await run('npx', ['mitschrift'], options)).stdout, 'as it is built\n');
  assert.ok(!(await readdir(clone)).includes('built'));
  await run('npm', ['install'], options);
  assert.ok((await readdir(clone)).includes('built'));
});

/** Folders of packages that `npm install --omit=dev` installs, as far as this machine has them. */
async function packagesOfProduction(): Promise<string[]> {
  const [lock, there] = await Promise.all(
    ['package-lock.json', 'node_modules/.package-lock.json'].map(
      async (file) =>
        JSON.parse(await readFile(join(root, file), 'utf8')) as {
          packages: Record<string, { dev?: boolean; devOptional?: boolean }>;
        },
    ),
  );
  return Object.entries(lock!.packages).flatMap(([path, { dev, devOptional }]) => {
    const isTop = path.startsWith('node_modules/') && path.lastIndexOf('node_modules/') === 0;
    return isTop && !dev && !devOptional && path in there!.packages ? [path] : [];
  });
}
