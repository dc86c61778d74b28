import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { unknownVariables } from '../../src/config/environment.ts';
import { clusterFrom, clusterVariables } from '../../src/shared/cluster-settings.ts';
import { hostFrom } from '../../src/shared/data-directory.ts';
import { tempDir } from '../support/temp-dir.ts';

const key = Buffer.alloc(32, 7);
const whole = {
  MITSCHRIFT_DATABASE_URL: 'postgres://us:hidden@db/log',
  MITSCHRIFT_BLOBS_URL: 'file:///mnt/of%20all/',
  MITSCHRIFT_MASTER_KEY: key.toString('base64'),
};

test('without its variables, or with empty ones, there is no cluster and one data directory', () => {
  assert.equal(clusterFrom({ MITSCHRIFT_DATA: '/a', MITSCHRIFT_DATABASE_URL: '' }), null);
  const { data, cluster } = hostFrom({ MITSCHRIFT_DATA: '/a' });
  assert.equal(cluster, null);
  assert.equal(data.shared, '/a');
  assert.equal(data.derived, data.recordings);
});

test('a cluster has its role, slots and key, and what is of all below the shared directory', async (t) => {
  assert.deepEqual(clusterFrom(whole), {
    databaseUrl: 'postgres://us:hidden@db/log',
    blobsUrl: 'file:///mnt/of%20all/',
    sharedDirectory: '/mnt/of all',
    role: 'all',
    workSlots: 2,
    masterKey: key,
  });
  const path = join(await tempDir(t), 'key');
  await writeFile(path, `${key.toString('hex')}\n`);
  const worker = clusterFrom({
    ...whole,
    MITSCHRIFT_BLOBS_URL: 's3://notes',
    MITSCHRIFT_MASTER_KEY: '',
    MITSCHRIFT_MASTER_KEY_FILE: path,
    MITSCHRIFT_ROLE: 'work',
    MITSCHRIFT_WORK_SLOTS: '5',
  });
  assert.deepEqual(worker?.masterKey, key);
  assert.deepEqual([worker?.sharedDirectory, worker?.role, worker?.workSlots], [null, 'work', 5]);

  const { data } = hostFrom({ ...whole, MITSCHRIFT_DATA: '/node' });
  for (const folder of [
    'keys',
    'recordings',
    'spaces',
    'uploads',
    'resumable',
    'quarantine',
  ] as const)
    assert.equal(data[folder], `/mnt/of all/${folder}`);
  for (const folder of ['log', 'rows', 'derived', 'catalogue'] as const)
    assert.equal(data[folder], `/node/${folder}`);
  assert.deepEqual([data.root, data.shared], ['/node', '/mnt/of all']);
});

test('what is wrong or missing is named, all of it at once and never quoted', () => {
  const refused = (env: NodeJS.ProcessEnv, ...expected: RegExp[]): void =>
    assert.throws(
      () => clusterFrom(env),
      (error: Error) => {
        assert.equal(error.name, 'SettingsError');
        for (const line of expected) assert.match(error.message, line);
        assert.equal(error.message.split('\n').length, 1 + expected.length);
        assert.doesNotMatch(error.message, /hidden/);
        return true;
      },
    );
  const { MITSCHRIFT_DATABASE_URL, ...without } = whole;
  refused(without, /_BLOBS_URL: only together with MITSCHRIFT_DATABASE_URL/, /_MASTER_KEY: only/);
  refused({ MITSCHRIFT_ROLE: 'work' }, /_ROLE: only together/);
  refused(
    { MITSCHRIFT_DATABASE_URL },
    /_BLOBS_URL: must be set with/,
    /_MASTER_KEY: must be set with .*openssl rand/,
  );
  refused(
    {
      MITSCHRIFT_DATABASE_URL: 'mysql://u:hidden@db',
      MITSCHRIFT_BLOBS_URL: 'file:hidden',
      MITSCHRIFT_ROLE: 'hidden',
      MITSCHRIFT_WORK_SLOTS: '0',
      MITSCHRIFT_MASTER_KEY: 'hidden',
    },
    /_DATABASE_URL: must be postgres:/,
    /_BLOBS_URL: must be file:/,
    /_ROLE: must be one of serve, work, all/,
    /_WORK_SLOTS: must be a number from 1 to 64/,
    /_MASTER_KEY: must be 32 bytes/,
  );
  refused(
    { ...whole, MITSCHRIFT_MASTER_KEY_FILE: '/nowhere' },
    /_FILE: cannot be read \(ENOENT/,
    /_FILE: not together with/,
  );
  for (const url of ['file://host/hidden', 'file:///', 'https://hidden', 'file:///a?b=c'])
    refused({ ...whole, MITSCHRIFT_BLOBS_URL: url }, /_BLOBS_URL: must be file:/);
});

test('its variables are known', () => {
  const env = Object.fromEntries(clusterVariables.map((name) => [name, 'x']));
  assert.deepEqual(unknownVariables(env), []);
  assert.equal(unknownVariables({ MITSCHRIFT_ROL: 'x' })[0]?.nearest, 'MITSCHRIFT_ROLE');
});
