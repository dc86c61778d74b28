import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { clusterVariables } from '../../src/shared/cluster-settings.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'src/deploy');
/** What a node alone keeps, and what is one node's own of many. */
const data = '/var/lib/mitschrift/data';
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
  ports?: string[];
  entrypoint?: string[];
  depends_on?: Record<string, unknown>;
};
type Compose = {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  secrets: Record<string, { file: string }>;
};

test('the examples name only variables, files and programs that are there', async () => {
  const [container, one, many] = await Promise.all(
    ['Containerfile', 'compose.yaml', 'compose-cluster.yaml'].map(textOf),
  );
  const known = new Set([...clusterVariables, ...ofOneHost]);
  for (const text of [container!, one!, many!, await textOf('README.md')])
    for (const [name] of text.matchAll(/MITSCHRIFT_[A-Z]+(?:_[A-Z]+)*/g))
      assert.ok(known.has(name), `${name} is read by nothing`);
  const { bin, scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    bin: Record<string, string>;
    scripts: Record<string, string>;
  };
  for (const text of [container!, many!]) assert.ok(text.includes(bin['mitschrift']!));
  for (const [, script] of container!.matchAll(/npm run (\S+)/g))
    assert.ok(scripts[script!], script);
  // Each file says first whether it was tried.
  for (const text of [container!, one!, many!]) assert.match(text, /^# (?:Tried|Untried) .+\n/);
});

test('the container does not run as root, has one volume, and asks after its health', async () => {
  const stage = (await textOf('Containerfile')).split(/^FROM /m).at(-1)!;
  assert.match(stage, /^USER (?!root)\S+$/m);
  assert.ok(stage.indexOf('\nUSER ') < stage.indexOf('\nCMD '));
  const volumes = JSON.parse(/^VOLUME (\[.*\])$/m.exec(stage)![1]!) as string[];
  assert.deepEqual(volumes, [data]);
  assert.match(stage, /HEALTHCHECK[\s\S]*\/health/);
});

test('the compose file of one node has one volume for all its data, and is open to its computer alone', async () => {
  const { services, volumes } = parse(await textOf('compose.yaml')) as Compose;
  assert.deepEqual(Object.keys(services), ['mitschrift']);
  const { build, ports, volumes: mounted } = services['mitschrift']!;
  await stat(join(folder, build!.context, build!.dockerfile));
  assert.deepEqual(mounted, [`${Object.keys(volumes).join()}:${data}`]);
  assert.deepEqual(ports, ['127.0.0.1:8765:8765']);
});

test('the compose file of many nodes hangs together, and has no secret in it', async () => {
  const text = await textOf('compose-cluster.yaml');
  const compose = parse(text, { merge: true }) as Compose;
  const { postgres, serve, work } = compose.services;
  assert.deepEqual(
    [serve!.environment['MITSCHRIFT_ROLE'], work!.environment['MITSCHRIFT_ROLE']],
    ['serve', 'work'],
  );
  const container = await textOf('Containerfile');
  for (const node of [serve!, work!]) {
    await stat(join(folder, node.build!.context, node.build!.dockerfile));
    assert.deepEqual(Object.keys(node.depends_on!), ['postgres']);
    const mounted = node.volumes.map((volume) => volume.split(':')[1]);
    assert.equal(mounted[0], data);
    const blobs = new URL(node.environment['MITSCHRIFT_BLOBS_URL']!).pathname;
    assert.equal(mounted[1], blobs);
    assert.match(container, new RegExp(`install -d .*-o mitschrift .*${blobs}`), 'its user writes');
    assert.equal(mounted[2], node.environment['MITSCHRIFT_MODELS']);
    assert.match(container, new RegExp(`install -d .*-o mitschrift .*${mounted[2]}`));
    assert.ok(
      node.volumes[2] === serve!.volumes[2],
      'what is installed at one is there at the other',
    );
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
