import { after, test } from 'node:test';
import { openPostgresLog } from '../../../src/storage/postgres/postgres-log.ts';
import { factsChannel } from '../../../src/storage/postgres/append-schema.ts';
import { stageStarted } from '../../bench/fill-log.ts';
import { eventually, within } from '../../support/eventually.ts';
import { memoryKeys } from '../../support/memory-store.ts';
import { openedDatabase, postgresCluster } from '../../support/postgres.ts';

const cluster = await postgresCluster({ after });

test('however fast facts come, the last one is told to other nodes, also when the log is closed at once', async (t) => {
  const [db, other] = [await openedDatabase(t, cluster.url), await openedDatabase(t, cluster.url)];
  const heard: number[] = [];
  await new Promise<void>((opened) =>
    other.channels.listen(factsChannel, { heard: (at) => void heard.push(Number(at)), opened }),
  );
  const log = openPostgresLog({ db, keys: memoryKeys() });
  const append = (version: number) =>
    within('it is appended', log.append('recording-1', [stageStarted(version)], version));
  for (let version = 0; version < 100; version += 1) await append(version);
  await eventually('the last one is told', () => heard.includes(100));
  await Promise.all([append(100), append(101)]);
  await append(102);
  await log.close();
  await eventually('the last one before the end is told', () => heard.includes(103));
});
