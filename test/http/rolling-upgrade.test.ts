import assert from 'node:assert/strict';
import { realpath } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { served } from '../../projections/served.ts';
import { eventually } from '../support/eventually.ts';
import { type TestService, startService } from '../support/http-client.ts';
import { ask } from '../support/postgres.ts';
import { tempDir } from '../support/temp-dir.ts';
import { nodeVariables } from '../support/test-store.ts';

/** As the next release has them, whose rows are others. */
const next = served.map((one) => ({ ...one, version: one.version + (one === served[0] ? 1 : 0) }));
const nextPlace = `recordings@${next.map(({ version }) => version).join('.')}`;

test('in a rolling upgrade each release answers from whole rows of its own, and the old ones go with it', async (t) => {
  const dataDir = await realpath(await tempDir(t));
  const url = (await nodeVariables(dataDir))['MITSCHRIFT_DATABASE_URL']!;
  const start = (name: string, projections = served) =>
    startService(t, {
      dataDir,
      node: { name, role: 'all' },
      trial: { projections, leaseMs: 1_000 },
    });
  const old = await start('old');
  const ada = await old.setUp();
  const first = await old.settled(ada);
  const erased = await old.settled(ada);
  const before = await placesIn(url);

  const release = await heldRows(t, url, nextPlace);
  let isReady = false;
  const starting = start('new', next).then((service) => {
    isReady = true;
    return service;
  });
  await eventually('the new release is about to write its rows', async () => {
    const waiting = await ask(
      url,
      "select from pg_locks where locktype = 'advisory' and not granted",
    );
    return waiting.length > 0;
  });
  const second = await old.settled(ada);
  assert.deepEqual(await listed(old, ada), [second, erased, first]);
  assert.deepEqual(await placesIn(url), before, 'nothing of the old rows is another');
  assert.equal(isReady, false);
  await release();

  const fresh = await starting;
  assert.deepEqual(await listed(fresh, ada), [second, erased, first]);
  const third = await fresh.settled(ada);
  assert.equal((await fresh.call('DELETE', `/recordings/${erased}`, { token: ada })).status, 204);
  for (const node of [old, fresh]) {
    await eventually('what is done at a node of one release is seen at the other', async () => {
      return (await listed(node, ada)).join() === [third, second, first].join();
    });
  }
  assert.ok((await placesIn(url)).includes(before[0]!), 'while the old release answers');

  await old.close();
  await eventually('the rows of the old release are gone', async () => {
    return (await placesIn(url)).every((place) => place.endsWith(nextPlace.slice(10)));
  });
  assert.deepEqual(await listed(fresh, ada), [third, second, first]);
});

async function listed(node: TestService, token: string): Promise<string[]> {
  const { status, body } = await node.call<{ recordings: { recording_id: string }[] }>(
    'GET',
    '/recordings',
    { token },
  );
  assert.equal(status, 200);
  return body.recordings.map(({ recording_id }) => recording_id);
}

/** Where there are rows, or a checkpoint. */
async function placesIn(url: string): Promise<string[]> {
  const sql =
    'select projection from mitschrift.rows union select projection from mitschrift.checkpoints';
  return (await ask<{ projection: string }>(url, sql))
    .map(({ projection }) => projection)
    .toSorted();
}

/** Rows that nobody can write until they are let go: their projector waits for this session's lock. */
async function heldRows(t: TestContext, url: string, place: string): Promise<() => Promise<void>> {
  const client = new pg.Client(url);
  await client.connect();
  let ended: Promise<void> | undefined;
  const release = () => (ended ??= client.end());
  t.after(release);
  const text = `select pg_advisory_lock(hashtextextended('mitschrift rows ' || $1, 0))`;
  await client.query(text, [place]);
  return release;
}
