import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, after, describe, it } from 'node:test';
import type { EventLog } from '../../../events/event-log.ts';
import type { OfferedFact } from '../../../events/facts/catalogue.ts';
import { recordingStream } from '../../../events/facts/recording.ts';
import type { Shape } from '../../../events/facts/validation.ts';
import { EventStoreError } from '../../../events/store.ts';
import { followErasures } from '../../../src/storage/blobs/follow-erasures.ts';
import { openPostgresLog } from '../../../src/storage/postgres/postgres-log.ts';
import { checkStreams } from '../../../src/storage/postgres/verify.ts';
import { eventLogContract } from '../../events/log-contract.ts';
import { all, eventStoreContract, rejects, upTo } from '../../events/store-contract.ts';
import { memoryKeys } from '../../support/memory-store.ts';
import { ask, openedDatabase, postgresCluster } from '../../support/postgres.ts';
import { plainFact, sampleFact } from '../../support/sample-facts.ts';
import { seed, seeded, times } from '../../support/seeded.ts';
import { subscribed } from '../../support/subscribed.ts';

const cluster = await postgresCluster({ after }, { fsync: true });

/** Who cannot pass what is damaged waits for ever. */
const followed = { timeout: 30_000 };

/** A log in the database as it is: of another node, if there is one. */
async function node(t: TestContext): Promise<EventLog> {
  const db = await openedDatabase(t, cluster.url);
  const log = openPostgresLog({ db, keys: memoryKeys() });
  t.after(() => log.close());
  return log;
}

async function emptyLog(t: TestContext): Promise<EventLog> {
  await cluster.empty();
  return await node(t);
}

eventStoreContract('The log in PostgreSQL', emptyLog);
eventLogContract('The log in PostgreSQL', emptyLog);

describe('Two nodes at one database', () => {
  it('of two releases: the older one says so when it meets what it cannot read', async (t) => {
    await cluster.empty();
    const [older, newer] = await Promise.all(
      [{}, { 'config.key_set': { 1: (shape: Shape) => shape } }].map(async (upcasters) => {
        const db = await openedDatabase(t, cluster.url);
        const log = openPostgresLog({ db, keys: memoryKeys(), upcasters });
        t.after(() => log.close());
        return log;
      }),
    );
    const ended = new AbortController();
    const following = (async () => {
      for await (const facts of older!.follow({ afterPosition: 0, signal: ended.signal }))
        assert.ok(facts.length > 0);
    })();
    const failed = assert.rejects(following, { code: 'NEWER_LOG' });
    await newer!.append('users', [plainFact('before')], 0);
    assert.equal(older!.outdated.aborted, false);
    await newer!.append('config', [sampleFact('config.key_set')], 0);
    await failed;
    assert.equal((older!.outdated.reason as EventStoreError).code, 'NEWER_LOG');
    assert.equal(newer!.outdated.aborted, false);
  });

  for (const isolation of ['repeatable read', 'serializable'])
    it(`append at once where transactions are ${isolation} unless they say otherwise`, async (t) => {
      await cluster.empty();
      await ask(
        cluster.url,
        `alter database postgres set default_transaction_isolation = '${isolation}'`,
      );
      t.after(() =>
        ask(cluster.url, 'alter database postgres reset default_transaction_isolation'),
      );
      const logs = [await node(t), await node(t)];
      const appends = upTo(100);
      await Promise.all(
        logs.map(async (log, index) => {
          for (const count of appends)
            await log.append(`recording-${index}`, [plainFact(`${index}-${count}`)], count - 1);
        }),
      );
      assert.equal(await logs[0]!.head(), logs.length * appends.length);
    });

  it(`lose nothing when they compete and connections are cut (seed ${seed})`, async (t) => {
    await cluster.empty();
    const random = seeded(seed);
    const logs = [await node(t), await node(t)];
    const writers = logs.flatMap((log, index) =>
      upTo(10).map((writer) => ({ log, name: `${index}-${writer}` })),
    );
    const appends = times({ short: 6, long: 200 });
    const followed = logs.map((log) => follow(log, writers.length * appends));
    const acknowledged: string[] = [];
    let unknown = 0;
    let ended = 0;
    const persist = async (log: EventLog, stream: string, command: string): Promise<void> => {
      for (;;) {
        try {
          const there = await all(log.read(stream));
          if (there.some((fact) => fact.command === command)) break;
          await log.append(stream, [plainFact(command)], there.length);
          break;
        } catch (error) {
          if (!(error instanceof EventStoreError)) throw error;
          if (error.code === 'OUTCOME_UNKNOWN') unknown += 1;
          else assert.match(error.code, /^(BUSY|VERSION_CONFLICT)$/, error.message);
        }
      }
      acknowledged.push(command);
    };
    const writing = writers.map(async ({ log, name }) => {
      for (const n of upTo(appends)) {
        const stream = random.chance(0.3) ? 'recording-contested' : `recording-${name}`;
        await persist(log, stream, `${name}/${n}`);
      }
    });
    const cutting = (async () => {
      while (acknowledged.length < writers.length * appends) {
        const done = acknowledged.length;
        const [row] = await ask<{ ended: number }>(cluster.url, cutSome);
        ended += row?.ended ?? 0;
        while (acknowledged.length < done + 40 && acknowledged.length < writers.length * appends)
          await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    await Promise.all([...writing, cutting]);
    const facts = await all(logs[0]!.readAll());
    assert.deepEqual(
      facts.map(({ position }) => position),
      upTo(writers.length * appends),
    );
    assert.deepEqual(facts.map(({ command }) => command).toSorted(), acknowledged.toSorted());
    for (const seen of followed) assert.deepEqual(await seen, upTo(facts.length));
    assert.deepEqual((await logs[1]!.verify()).damages, 0);
    assert.ok(ended > 0, 'no connection was cut');
    t.diagnostic(`${facts.length} facts, ${ended} connections cut, ${unknown} unknown outcomes`);
  });

  it('begin one stream by one command, also at the same time', async (t) => {
    const [a, b] = [await emptyLog(t), await node(t)];
    const outcomes = await Promise.allSettled([
      a.append('recording-a', [plainFact('the "key"\n\0')], 0),
      b.append('recording-b', [plainFact('the "key"\n\0')], 0),
      a.append('recording-c', [plainFact('the "key"\n\0')], 0),
    ]);
    const refused = outcomes.flatMap((o) => (o.status === 'rejected' ? [o.reason.code] : []));
    assert.deepEqual(refused, ['COMMAND_TAKEN', 'COMMAND_TAKEN']);
    assert.equal((await all(b.readAll())).length, 1);
    // Later in a stream it is a repetition, which is for the command handler to know.
    const [begun] = await all(b.readAll());
    await b.append(begun!.stream, [plainFact('the "key"\n\0')], 1);
  });

  it('never store what was decided on a refused append, though the version fits', async (t) => {
    const [a, b] = [await emptyLog(t), await node(t)];
    await b.append('recording-1', [plainFact('b')], 0);
    const [first, second] = [
      a.append('recording-1', [plainFact('a1')], 0),
      a.append('recording-1', [plainFact('a2')], 1),
    ];
    await rejects(first, 'VERSION_CONFLICT');
    await rejects(second, 'VERSION_CONFLICT');
    await a.append('recording-1', [plainFact('a3')], 1);
    const commands = (await all(b.read('recording-1'))).map(({ command }) => command);
    assert.deepEqual(commands, ['b', 'a3']);
  });

  it('wake each other', async (t) => {
    const [a, b] = [await emptyLog(t), await node(t)];
    const seen = follow(b, 3);
    for (const n of upTo(3)) await a.append('recording-1', [plainFact(`${n}`)], n - 1);
    assert.deepEqual(await seen, [1, 2, 3]);
  });
});

describe('The log in PostgreSQL', () => {
  it('takes what a thousand decide at once on new streams', async (t) => {
    const log = await emptyLog(t);
    const decide = async (n: number): Promise<void> => {
      const there = await all(log.read(`recording-${n}`));
      await log.append(`recording-${n}`, [plainFact(`${n}`)], there.length);
    };
    await Promise.all(upTo(times({ short: 1_000, long: 8_000 })).map(decide));
  });

  it('survives a power cut of the server, waits for it, and says so meanwhile', async (t) => {
    const log = await emptyLog(t);
    const seen = follow(log, 3);
    await log.append('recording-1', [plainFact('1')], 0);
    const late = log.append('recording-1', [plainFact('2')], 1).then(
      () => 'stored',
      (error: EventStoreError) => error.code,
    );
    await cluster.kill();
    const outcome = await late;
    assert.match(outcome, /^(stored|OUTCOME_UNKNOWN|BUSY)$/);
    await rejects(all(log.read('recording-1')), 'BUSY');
    assert.equal(log.health().state, 'recovering');
    const usable = log.usable();
    await cluster.start();
    await usable;
    const commands = (await all(log.read('recording-1'))).map(({ command }) => command);
    if (outcome !== 'OUTCOME_UNKNOWN') {
      assert.deepEqual(commands, outcome === 'stored' ? ['1', '2'] : ['1']);
    }
    for (let n = commands.length + 1; n <= 3; n += 1) {
      await log.append('recording-1', [plainFact(`${n}`)], n - 1);
    }
    assert.deepEqual(await seen, [1, 2, 3]);
    assert.equal(log.health().state, 'ok');
  });

  it('names a row that was altered or is gone, reads around it and is not written', async (t) => {
    const log = await emptyLog(t);
    for (const n of upTo(6)) await log.append('recording-1', [plainFact(`${n}`)], n - 1);
    await ask(
      cluster.url,
      `update mitschrift.facts set record = replace(record, '"2"', '"7"') where position = 2;
       delete from mitschrift.facts where position in (4, 5)`,
    );
    const other = await node(t);
    const found = await other.verify();
    assert.deepEqual(found, { position: 6, records: 4, damages: 3 });
    assert.deepEqual(
      other.health().damage.map(({ kind, position }) => [kind, position]),
      [
        ['record', 2],
        ['record', 4],
        ['index', undefined],
      ],
    );
    const sound = (await all(other.soundRecords())).flat().map(({ position }) => position);
    assert.deepEqual(sound, [1, 3, 6]);
    await rejects(other.append('recording-2', [plainFact('x')], 0), 'DAMAGED');
    await rejects(all(log.readAll()), 'DAMAGED');
  });

  it('is followed on behind missing rows at once, and names them once', followed, async (t) => {
    const log = await emptyLog(t);
    const facts = upTo(205).map((n) => plainFact(`${n}`));
    await log.append('recording-1', facts, 0);
    await log.append(recordingStream('behind'), [sampleFact('recording.erased')], 0);
    await ask(cluster.url, 'delete from mitschrift.facts where position between 6 and 205');
    const other = await node(t);
    assert.deepEqual(await leftBehind(t, other, 5), { left: 'behind', failures: 1 });
    assert.deepEqual(
      other.health().damage.map(({ position }) => position),
      [6],
    );
  });

  it(
    'is followed up to a block that the database cannot read, and on behind it',
    followed,
    async (t) => {
      const log = await emptyLog(t);
      const facts = upTo(80).map((n) => plainFact(`${n}`.padEnd(200)));
      await log.append('recording-1', facts, 0);
      await log.append(recordingStream('behind'), [sampleFact('recording.erased')], 0);
      const [block] = await ask<{ path: string; first: number; last: number }>(
        cluster.url,
        `select pg_relation_filepath('mitschrift.facts') as path, min(position)::int as first, max(position)::int as last
       from mitschrift.facts where (ctid::text::point)[0] = 1`,
      );
      const { path, first, last } = block!;
      // Behind that the block is not written again when the server recovers.
      await ask(cluster.url, 'checkpoint');
      await cluster.kill();
      const file = await open(join(cluster.directory, path), 'r+');
      await file.write('altered', 1.5 * 8192);
      await file.close();
      await cluster.start();
      const other = await node(t);
      const { signal } = new AbortController();
      const given: number[] = [];
      const following = (async () => {
        for await (const page of other.follow({ afterPosition: 0, signal }))
          given.push(...page.map(({ position }) => position));
      })();
      await assert.rejects(following, { code: 'DAMAGED' });
      assert.ok(first > 1);
      assert.deepEqual(given, upTo(first - 1));
      assert.deepEqual(await leftBehind(t, other, last - 2), { left: 'behind', failures: 1 });
    },
  );

  it('finds gaps of streams by ranges, each once', async (t) => {
    const log = await emptyLog(t);
    const streams = upTo(5).map((n) => `recording-${n}`);
    for (const stream of streams)
      for (const n of upTo(3)) await log.append(stream, [plainFact(`${stream} ${n}`)], n - 1);
    await ask(
      cluster.url,
      `delete from mitschrift.facts
       where (stream, version) in (('recording-1', 1), ('recording-4', 2), ('recording-5', 2))`,
    );
    const db = await openedDatabase(t, cluster.url);
    for (const factsAtOnce of [1, 2, 4, 100]) {
      const found: (string | undefined)[] = [];
      await checkStreams(db, ({ stream }) => found.push(stream), { factsAtOnce });
      assert.deepEqual(found, ['recording-1', 'recording-4', 'recording-5'], `${factsAtOnce}`);
    }
  });

  it('reads large facts a few at a time, and refuses what is too large', async (t) => {
    const log = await emptyLog(t);
    const large = (index: number, value = 'ä'.repeat(400_000)): OfferedFact => ({
      type: 'config.key_set',
      data: { key: 'a', value },
      by: 'system',
      command: `${index}`,
    });
    await log.append(
      'config',
      upTo(5).map((n) => large(n)),
      0,
    );
    const sizes = (await all(log.pages())).map((page) => page.length);
    assert.deepEqual(sizes, [2, 2, 1]);
    assert.deepEqual((await all(log.read('config', { limit: 4 }))).length, 4);
    const huge = upTo(20).map((n) => large(n, 'x'.repeat(15_000_000)));
    await rejects(log.append('config', huge, 5), 'INVALID_FACT');
    assert.equal(await log.version('config'), 5);
  });
});

/** Whose erasure is heard first of a log that is followed from a position on, and how often following it has failed. */
async function leftBehind(
  t: TestContext,
  { follow }: EventLog,
  position: number,
): Promise<{ left: string; failures: number }> {
  let failures = 0;
  const log = { error: () => void (failures += 1) };
  const left = await new Promise<string>((resolve) => {
    const leave = async (subject: string): Promise<void> => resolve(subject);
    t.after(followErasures({ head: async () => position, follow }, { leave }, log));
  });
  return { left, failures };
}

/** Ends two sessions of the nodes, those at work first, and says how many that were. */
const cutSome = `select count(pg_terminate_backend(pid))::int as ended from (
  select pid from pg_stat_activity
  where application_name = 'mitschrift' and backend_type = 'client backend' order by state = 'active' desc, random() limit 2
) as several`;

/** Positions that a subscriber is given, up to one. */
async function follow(log: EventLog, last: number): Promise<number[]> {
  const stop = new AbortController();
  const seen: number[] = [];
  for await (const { position } of subscribed(log, { afterPosition: 0, signal: stop.signal })) {
    seen.push(position);
    if (position === last) stop.abort();
  }
  return seen;
}
