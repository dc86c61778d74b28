import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { clusterVariables } from '../../src/shared/cluster-settings.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'src/deploy');
const textOf = (name: string) => readFile(join(folder, name), 'utf8');

/** What `hostFrom` reads beside those of a cluster. */
const ofOneHost = ['DATA', 'HOST', 'PORT', 'MODELS', 'LOG_LEVEL'].map(
  (name) => `MITSCHRIFT_${name}`,
);

type Service = {
  image: string;
  build?: { context: string; dockerfile: string };
  environment: Record<string, string>;
  secrets: string[];
  volumes: string[];
  entrypoint?: string[];
  depends_on?: Record<string, unknown>;
};
type Compose = {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  secrets: Record<string, { file: string }>;
};

test('the examples name only variables, files and programs that are there', async () => {
  const [container, compose] = [await textOf('Containerfile'), await textOf('compose.yaml')];
  const known = new Set([...clusterVariables, ...ofOneHost]);
  for (const text of [container, compose, await textOf('README.md')])
    for (const [name] of text.matchAll(/MITSCHRIFT_[A-Z]+(?:_[A-Z]+)*/g))
      assert.ok(known.has(name), `${name} is read by nothing`);
  const { bin, scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    bin: Record<string, string>;
    scripts: Record<string, string>;
  };
  for (const text of [container, compose]) assert.ok(text.includes(bin['mitschrift']!));
  for (const [, script] of container.matchAll(/npm run (\S+)/g))
    assert.ok(scripts[script!], script);
  // What is taken from the build is made by it.
  const copied = [...container.matchAll(/COPY --from=build \/app\/(\S+)/g)].map(([, name]) => name);
  assert.deepEqual(copied.toSorted(), ['dist', 'node_modules', 'package.json']);
});

test('the container does not run as root, has two volumes, and asks after its health', async () => {
  const stage = (await textOf('Containerfile')).split(/^FROM /m).at(-1)!;
  assert.match(stage, /^USER (?!root)\S+$/m);
  assert.ok(stage.indexOf('\nUSER ') < stage.indexOf('\nCMD '));
  const volumes = JSON.parse(/^VOLUME (\[.*\])$/m.exec(stage)![1]!) as string[];
  assert.equal(volumes.length, 2);
  assert.match(stage, /HEALTHCHECK[\s\S]*\/health/);
});

test('the compose file hangs together, and has no secret in it', async () => {
  const text = await textOf('compose.yaml');
  const compose = parse(text, { merge: true }) as Compose;
  const { postgres, serve, work } = compose.services;
  assert.deepEqual(
    [serve!.environment['MITSCHRIFT_ROLE'], work!.environment['MITSCHRIFT_ROLE']],
    ['serve', 'work'],
  );
  const volumes = /VOLUME (\[.*\])/.exec(await textOf('Containerfile'))![1]!;
  for (const node of [serve!, work!]) {
    await stat(join(folder, node.build!.context, node.build!.dockerfile));
    assert.deepEqual(Object.keys(node.depends_on!), ['postgres']);
    const mounted = node.volumes.map((volume) => volume.split(':')[1]);
    assert.deepEqual(mounted, JSON.parse(volumes));
    const blobs = new URL(node.environment['MITSCHRIFT_BLOBS_URL']!).pathname;
    assert.ok(mounted.includes(blobs), blobs);
    assert.ok(node.entrypoint!.join(' ').includes('@postgres:5432/'));
  }
  for (const service of [postgres!, serve!, work!]) {
    for (const volume of service.volumes)
      assert.ok(Object.hasOwn(compose.volumes, volume.split(':')[0]!), volume);
    for (const secret of service.secrets) assert.ok(secret in compose.secrets, secret);
    for (const value of Object.values(service.environment))
      for (const [, secret] of value.matchAll(/\/run\/secrets\/(\w+)/g))
        assert.ok(service.secrets.includes(secret!), secret);
  }
  // A password stands in files that whoever runs it makes.
  assert.doesNotMatch(text, /PASSWORD:|MASTER_KEY:|:\/\/[^:/\s]+:(?!\$\$\()[^@\s]+@/);
});
