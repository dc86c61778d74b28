import type { Sentence } from '../../src/words/params.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Run, keepRunning } from '../../src/service/begin-again.ts';
import type { OpenedLog } from '../../src/service/event-log.ts';
import { BlobsError } from '../../src/storage/blobs/blobs.ts';
import { EventStoreError } from '../../events/store.ts';
import { dataFailure } from '../../src/words/data-failures.ts';

const quiet = { error: () => {}, warn: () => {} };

/** Runs over logs that are outdated when it is said; `ends` is how each ends, `goesOn` what it does when it answers. */
function service(
  ends: () => Promise<void>,
  starts: () => Promise<void> = async () => {},
  refused?: Error,
  goesOn: () => Promise<void> = async () => {},
) {
  const logs: AbortController[] = [];
  const told: (Sentence | null)[] = [];
  const port: string[] = [];
  const open = async (): Promise<OpenedLog> => {
    if (refused) throw refused;
    const outdated = new AbortController();
    logs.push(outdated);
    return { outdated: outdated.signal } as OpenedLog;
  };
  const begin = (opened: Promise<OpenedLog>, lost: Sentence | null): Run => {
    told.push(lost);
    const served = opened.then(starts);
    return {
      ready: served.then(goesOn),
      link: served.then(() => null),
      end: async (leave) => {
        await leave();
        await ends();
      },
    };
  };
  const server = {
    pause: async () => void port.push('pause'),
    close: async () => void port.push('close'),
  };
  const running = keepRunning(open(), { begin, open, server, log: quiet, endWithinMs: 50 });
  return { ...running, logs, told, port };
}

const two = dataFailure('log-lost', { count: 2 });
const three = dataFailure('log-lost', { count: 3 });

test('what is outdated ends but for the port, and is begun again, as often as it is', async () => {
  const one = service(async () => {});
  await one.ready;
  one.logs[0]!.abort(new EventStoreError('CLOSED', two));
  await until(() => one.logs.length === 2);
  one.logs[1]!.abort(new EventStoreError('CLOSED', three));
  await until(() => one.logs.length === 3);
  assert.deepEqual(one.told, [null, two, three]);
  await one.close();
  await one.over;
  assert.deepEqual(one.port, ['pause', 'pause', 'close']);
});

test('a start during which the database goes away begins again, with nothing lost', async () => {
  let starts = 0;
  const since = performance.now();
  const away = new EventStoreError('BUSY', dataFailure('database-away', { database: 'here' }));
  const one = service(
    async () => {},
    async () => {
      starts += 1;
      if (starts < 3) throw away;
    },
  );
  await one.ready;
  // Opening it does not fail meanwhile: what it lacks has time to come back.
  assert.ok(performance.now() - since > 700, 'with longer and longer pauses');
  assert.deepEqual([starts, one.told, one.port], [3, [null, null, null], ['pause', 'pause']]);
  await one.close();
  await one.over;
});

for (const [run, failing] of [
  ['the first run', 1],
  ['one that began again', 2],
] as const) {
  const failingOnce = (error: Error) => {
    let runs = 0;
    const goesOn = async (): Promise<void> => {
      runs += 1;
      if (runs === failing) throw error;
    };
    const one = service(
      async () => {},
      async () => {},
      undefined,
      goesOn,
    );
    const again = async (): Promise<void> => {
      if (failing === 1) return;
      await one.ready;
      one.logs[0]!.abort(new EventStoreError('CLOSED', two));
    };
    return { one, again };
  };

  for (const away of [
    new EventStoreError('BUSY', dataFailure('database-away', { database: 'here' })),
    new BlobsError('BLOBS_AWAY', dataFailure('file-in-use')),
  ])
    test(`what is away (${away.code}) while ${run} takes up what was left has it begin again, and the link stays known`, async () => {
      const { one, again } = failingOnce(away);
      await again();
      await until(() => one.logs.length === failing + 1);
      await one.ready;
      assert.equal(await one.link, null);
      assert.equal(one.told.at(-1), failing === 1 ? null : two, 'what was lost is still said');
      await one.close();
      await one.over;
    });

  test(`any other failure of that ends ${run}, with why`, async () => {
    const { one, again } = failingOnce(new Error('no such row'));
    await again();
    await assert.rejects(one.over, /no such row/);
    await until(() => one.port.at(-1) === 'close');
    assert.equal(one.logs.length, failing);
  });
}

test('a start that is ended before it is ready is no failure', async () => {
  let ended = (error: Error): void => void error;
  const ending = new Promise<void>((_, reject) => (ended = reject));
  const one = service(
    async () => ended(new Error('aborted')),
    async () => {},
    undefined,
    () => ending,
  );
  await until(() => one.logs.length > 0);
  await one.close();
  await assert.rejects(one.ready, /aborted/);
  await one.over;
});

test('a log that cannot be opened at the first start ends the service, with why', async () => {
  const away = new EventStoreError('BUSY', dataFailure('database-away', { database: 'here' }));
  const one = service(
    async () => {},
    async () => {},
    away,
  );
  await assert.rejects(one.over, { code: 'BUSY' });
  assert.deepEqual(one.told, [null]);
});

test('what meets facts of a later release ends, with why, and is not begun again', async () => {
  const one = service(async () => {});
  await one.ready;
  const newer = dataFailure('events-newer', { type: 'config.unheard_of' });
  one.logs[0]!.abort(new EventStoreError('NEWER_LOG', newer));
  await assert.rejects(one.over, { code: 'NEWER_LOG' });
  await until(() => one.port.length > 0);
  assert.deepEqual([one.port, one.logs.length], [['close'], 1]);
});

test('what does not end is said, for the process to be started again', async () => {
  const one = service(() => new Promise(() => {}));
  await one.ready;
  one.logs[0]!.abort(new Error('two facts shorter'));
  await assert.rejects(one.over, /did not end within 0.05 s/);
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
