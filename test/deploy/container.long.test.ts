import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chown, cp, lstat, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { checkTranscript, firstDocument, prepared } from '../support/first-document.ts';
import { freePort } from '../support/forwarders.ts';
import { modelsDir } from '../support/models.ts';
import { apiOf, firstAdmin, startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { root } from './packed.ts';
import { servedBy } from './served-by.ts';

const execute = promisify(execFile);
const image = `localhost/mitschrift-test-${process.pid}`;
const nodeImage = `${image}-node`;
/** The user in the container, by `Containerfile`. */
const owner = 10_001;

type Config = { Cmd: string[]; User: string; Healthcheck: { Test: [string, ...string[]] } };

// When all that runs in a container has ended.
after(() => buildah('rmi', '--force', image, nodeImage));

test('the container of one node, not as root, leads to a first document and keeps it over a restart', async (t) => {
  await makeNodeImage(t);
  await build();
  const config = await configOf(image);
  assert.equal(config.User, 'mitschrift');
  const { dataDir, audio } = await prepared(t);
  // As a volume that is made for the image: it belongs to its user.
  for (const path of ['', ...(await readdir(dataDir, { recursive: true }))])
    await chown(join(dataDir, path), owner, owner);

  const first = await started(t, dataDir, config);
  assert.equal(await first.health(), 0);
  const [, code] = /#code=(\S+)$/.exec(first.said.find((line) => line.includes('#code='))!)!;
  const { detail } = await firstDocument(first.url, audio, { setup_code: code! });
  for (const path of await readdir(dataDir, { recursive: true }))
    assert.equal((await lstat(join(dataDir, path))).uid, owner, path);
  assert.equal(await first.stop(), 0, first.logged.join('\n'));
  assert.notEqual(await first.health(), 0, 'what has stopped is not healthy');

  // Another container with the same volume, as after an upgrade.
  const second = await started(t, dataDir, config);
  const { token } = await apiOf(second.url).post<{ token: string }>('/login', firstAdmin);
  const { recording_id } = detail;
  const kept = await apiOf(second.url, token).get<typeof detail>(`/recordings/${recording_id}`);
  assert.deepEqual(kept.documents, detail.documents);
  await checkTranscript(second.url, token, kept);
  const { version } = await apiOf(second.url).get<{ version: string }>('/health');
  assert.equal(await second.run('mitschrift', '--version'), `${version}\n`);
  // Models take long to fetch: they are kept with the rest.
  await cp(join(modelsDir, 'espeak-embedding'), join(dataDir, 'given'), { recursive: true });
  await second.run('mitschrift', 'models', 'import', '/var/lib/mitschrift/data/given');
  assert.ok((await readdir(join(dataDir, 'models'))).includes('espeak-embedding'));
  assert.equal(await second.stop(), 0, second.logged.join('\n'));
});

/** Debian with this machine's Node, in place of the image that `Containerfile` begins with. */
async function makeNodeImage(t: TestContext): Promise<void> {
  const debian = await tempDir(t);
  const mirror = ['bookworm', debian, 'http://deb.debian.org/debian'];
  const include = '--include=ca-certificates,libstdc++6';
  await execute('debootstrap', ['--variant=minbase', include, ...mirror], { maxBuffer });
  const container = await buildah('from', 'scratch');
  const copy = async (from: string, to: string) =>
    await buildah('copy', '--quiet', container, from, to);
  const { stdout: packages } = await execute('npm', ['root', '--global']);
  const certificates = '/etc/ssl/certs/ca-certificates.crt';
  const settings = join(await tempDir(t), 'npmrc');
  await writeFile(settings, `cafile=${certificates}\n`);
  await copy(debian, '/');
  await copy(process.execPath, '/usr/local/bin/node');
  await copy(join(packages.trim(), 'npm'), '/usr/local/lib/node_modules/npm');
  // Of a machine whose way out has a certificate of its own.
  await copy(certificates, certificates);
  await copy(settings, '/usr/local/etc/npmrc');
  const link = 'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm';
  await buildah('run', '--isolation=chroot', container, '--', 'sh', '-c', link);
  await buildah('commit', '--quiet', '--rm', container, nodeImage);
}

async function build(): Promise<void> {
  const made = ['--tag', image, '--build-arg', `NODE_IMAGE=${nodeImage}`];
  const file = join(root, 'src/deploy/Containerfile');
  await buildah('build', '--isolation=chroot', '--format=docker', ...made, '--file', file, root);
}

async function configOf(name: string): Promise<Config> {
  const { Docker } = JSON.parse(await buildah('inspect', '--type=image', name)) as {
    Docker: { config: Config };
  };
  return Docker.config;
}

/** A container that runs as `compose.yaml` says, with a folder as its volume and a free port of this machine. */
async function started(t: TestContext, dataDir: string, { Cmd, Healthcheck }: Config) {
  const file = await readFile(join(root, 'src/deploy/compose.yaml'), 'utf8');
  const { services } = parse(file) as {
    services: { mitschrift: { volumes: string[]; environment: Record<string, string> } };
  };
  const { volumes, environment } = services.mitschrift;
  const port = await freePort();
  const container = await buildah('from', image);
  const given = [
    ...volumes.map((volume) => `--volume=${dataDir}:${volume.split(':')[1]}`),
    ...Object.entries(environment).map(([name, value]) => `--env=${name}=${value}`),
    `--env=MITSCHRIFT_PORT=${port}`,
  ];
  const run = ['run', '--isolation=chroot', ...given, container, '--'];
  const service = await startServiceProcess(dataDir, {}, [], {
    command: ['buildah', ...run, ...Cmd],
  });
  const stop = async () => {
    process.kill((await servedBy(service.pid))!, 'SIGTERM');
    return await service.ended;
  };
  t.after(async () => {
    // It had ended by itself, or as the test asked.
    await stop().catch(() => {});
    await buildah('rm', container);
  });
  const [, ...check] = Healthcheck.Test;
  return {
    url: `http://127.0.0.1:${port}`,
    said: service.said,
    logged: service.logged,
    run: async (...args: string[]) => (await execute('buildah', [...run, ...args])).stdout,
    health: async () =>
      await execute('buildah', [...run, ...check]).then(
        () => 0,
        (error: { code: number }) => error.code,
      ),
    /** Ends the first process in it, as every runtime does. Resolves with the container's exit code. */
    stop,
  };
}

const maxBuffer = 100_000_000;

async function buildah(...args: string[]): Promise<string> {
  return (await execute('buildah', args, { maxBuffer })).stdout.trim();
}
