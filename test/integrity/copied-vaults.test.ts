import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, realpath, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, after, test } from 'node:test';
import { backup } from '../../src/integrity/backup.ts';
import { migrateFromCluster, migrateToCluster } from '../../src/integrity/migrate.ts';
import { withLogAlone } from '../../src/integrity/open-mark.ts';
import { repair, sourceOfBackup, sourceOfData } from '../../src/integrity/repair.ts';
import { restore } from '../../src/integrity/restore.ts';
import type { ClusterSettings } from '../../src/shared/cluster-settings.ts';
import { type DataFolder, dataFolder } from '../../src/shared/data-directory.ts';
import { openAccessLog } from '../../src/storage/access-log.ts';
import { eventually } from '../support/eventually.ts';
import { type TestService, startService, withAda } from '../support/http-client.ts';
import { postgresCluster } from '../support/postgres.ts';
import { tempDir } from '../support/temp-dir.ts';

/*
 * What is known beside the log of copies in notes folders, and of who did what, goes along wherever the data goes.
 */

const cluster = await postgresCluster({ after });

/** What makes another data directory of one, beside it. */
const ways: Record<string, (data: DataFolder, beside: string) => Promise<DataFolder>> = {
  async 'backup and restore'(data, beside) {
    const target = dataFolder(join(beside, 'restored'));
    await restore(await backedUp(data, beside), target);
    return target;
  },
  async repair(data, beside) {
    const target = join(beside, 'repaired');
    await repair(sourceOfData(data.root), target);
    return dataFolder(target);
  },
  async 'the repair of a backup'(data, beside) {
    const target = join(beside, 'repaired');
    await repair(await sourceOfBackup(await backedUp(data, beside)), target);
    return dataFolder(target);
  },
  async migrate(data, beside) {
    await cluster.empty();
    const shared = join(beside, 'shared');
    await mkdir(shared, { mode: 0o700 });
    const settings: ClusterSettings = {
      databaseUrl: cluster.url,
      blobsUrl: `file://${shared}`,
      masterKey: Buffer.alloc(32, 7),
      sharedDirectory: shared,
      role: 'all',
      workSlots: 2,
    };
    const target = dataFolder(join(beside, 'twin'));
    await migrateToCluster(data, settings, () => {});
    await migrateFromCluster(settings, target, () => {});
    return target;
  },
};

for (const [way, make] of Object.entries(ways)) {
  test(`after ${way}, an erasure still takes the copies in a notes folder`, async (t) => {
    const { vault, data, beside, erase } = await left(t);
    const service = await startService(t, { dataDir: (await make(data, beside)).root });
    assert.equal((await erase(service)).status, 204);
    assert.deepEqual(await readdir(vault), []);
  });

  test(`copies of a note that was erased while their folder was away go when it is back after ${way}`, async (t) => {
    const { vault, data, beside, erase } = await left(t);
    await rename(vault, `${vault}-away`);
    const before = await startService(t, { dataDir: data.root });
    assert.equal((await erase(before)).status, 200);
    await before.close();
    const target = await make(data, beside);
    await rename(`${vault}-away`, vault);
    await startService(t, { dataDir: target.root });
    await eventually('no copy is left', async () => (await readdir(vault)).length === 0);
  });

  test(`after ${way}, it is known who opened a note and how often a login failed`, async (t) => {
    const { data, beside, id } = await left(t);
    await withLogAlone(data, async ({ kept, counted }) => {
      await openAccessLog(kept).note(id, 'u-ben', 'opened');
      await counted.note('login.failed', 'unknown');
    });
    await withLogAlone(await make(data, beside), async ({ kept, counted }) => {
      assert.deepEqual(
        (await openAccessLog(kept).of(id)).map(({ who, opened }) => [who, opened]),
        [['u-ben', 1]],
      );
      const today = await counted.of(new Date().toISOString().slice(0, 10));
      assert.ok(today.some(({ type, count }) => type === 'login.failed' && count === 1));
    });
  });
}

test('of a backup of an earlier release notes folders are filled again, so that an erasure finds the copies', async (t) => {
  const { vault, data, beside, erase } = await left(t);
  const kept = await backedUp(data, beside);
  const marker = JSON.parse(await readFile(join(kept, 'backup.json'), 'utf8')) as { files: string };
  await rm(join(kept, marker.files, 'kept.jsonl'));
  const target = dataFolder(join(beside, 'restored'));
  await restore(kept, target);
  const service = await startService(t, { dataDir: target.root });
  await eventually('they are filled', () =>
    existsSync(join(target.root, 'vault-copies/position.json')),
  );
  assert.equal((await erase(service)).status, 204);
  assert.deepEqual(await readdir(vault), []);
});

async function backedUp(data: DataFolder, beside: string): Promise<string> {
  const directory = join(beside, 'backup');
  await withLogAlone(data, (opened) => backup({ ...opened, data }, directory));
  return directory;
}

/** A data directory that a service has left, with a note that is copied into a notes folder. */
async function left(t: TestContext) {
  const beside = await realpath(await tempDir(t));
  const vault = join(beside, 'notes');
  await mkdir(vault);
  const { service, token } = await withAda(t);
  const id = await service.settled(token);
  const json = { folder: vault };
  const { status } = await service.call('PUT', '/users/me/vault', { token, json });
  assert.equal(status, 204);
  await eventually('it is in the folder', async () => (await readdir(vault)).length === 2);
  await service.close();
  return {
    vault,
    beside,
    id,
    data: dataFolder(service.dataDir),
    async erase(at: TestService) {
      return await at.call('DELETE', `/recordings/${id}`, { token: await at.login('ada') });
    },
  };
}
