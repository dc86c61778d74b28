import assert from 'node:assert/strict';
import { chmod, chown, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { EventStoreError } from '../../../events/store.ts';
import { openPostgresLog } from '../../../src/storage/postgres/postgres-log.ts';
import { postgresProjectionStorage } from '../../../src/storage/postgres/projection-storage.ts';
import { smallDisk } from '../../faults/small-disk.ts';
import { all } from '../../events/store-contract.ts';
import { memoryKeys } from '../../support/memory-store.ts';
import { ask, openedDatabase, postgresCluster } from '../../support/postgres.ts';
import { sampleFact } from '../../support/sample-facts.ts';

const cluster = await postgresCluster({ after });

test('while the disk of the database is full nothing is taken, nothing is lost, and it goes on when there is room', async (t) => {
  const disk = await smallDisk(t);
  const space = join(disk.folder, 'space');
  await mkdir(space);
  await chmod(disk.folder, 0o755);
  const { uid, gid } = await stat(cluster.directory);
  await chown(space, uid, gid);
  await ask(cluster.url, `create tablespace small location '${space}'`);
  await ask(cluster.url, 'create database small tablespace small');
  t.after(async () => {
    await ask(cluster.url, 'drop database small with (force)');
    await ask(cluster.url, 'drop tablespace small');
  });
  const url = new URL(cluster.url);
  url.pathname = '/small';
  const db = await openedDatabase(t, url.href);
  const log = openPostgresLog({ db, keys: memoryKeys() });
  t.after(() => log.close());
  const rows = postgresProjectionStorage(db);

  await disk.fill(512 * 1024);
  const stored: string[] = [];
  const append = async (): Promise<void> => {
    const command = `command-${stored.length}`;
    const data = { key: 'a', value: 'x'.repeat(50_000) };
    const fact = { ...sampleFact('config.key_set', 'config', command), data };
    await log.append('config', [fact as never], stored.length);
    stored.push(command);
  };
  const refusal = await (async () => {
    for (;;) await append();
  })().catch((error: unknown) => error as EventStoreError);
  assert.ok(refusal instanceof EventStoreError);
  assert.equal(refusal.code, 'DISK_FULL', refusal.stack);
  assert.match(refusal.message, /^The disk of the database .* is full, so nothing new is saved\.$/);
  assert.ok(stored.length > 0);

  const big = new Map([['k', 'x'.repeat(2 ** 21)]]);
  const commit = () => rows.commit('a', { version: 1, position: 1 }, big);
  await assert.rejects(commit(), { code: 'DISK_FULL' });
  assert.equal(await rows.checkpoint('a'), undefined);
  const commands = async () => (await all(log.readAll())).map(({ command }) => command);
  assert.deepEqual(await commands(), stored, 'what was taken can be read');

  await disk.free();
  await append();
  await commit();
  assert.deepEqual(await commands(), stored);
  assert.equal((await log.verify()).damages, 0);
});
