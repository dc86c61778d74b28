import assert from 'node:assert/strict';
import test from 'node:test';
import { retryingModel } from '../../src/language/model.ts';
import { punctuate } from '../../src/language/punctuate.ts';
import { StageError } from '../../src/shared/errors.ts';
import { failure } from '../../src/words/failures.ts';
import { type WaitingFor, retryStage, waitingSign, type Clock } from '../../src/shared/retry.ts';
import { pauseAfter } from '../../src/shared/pauses.ts';
import { waitingClock } from '../support/clocks.ts';
import { wellBehaved } from '../support/language-servers-brains.ts';
import { openOn } from '../support/language-servers-open.ts';
import { longTalk } from '../support/language-servers-talk.ts';

const away = (retryAfterMs?: number) =>
  new StageError(failure('language-server-stopped-answering', { server: 'away' }), {
    retriable: true,
    retryAfterMs,
  });

const { signal } = new AbortController();

const tried = <T>(
  job: () => Promise<T>,
  options: {
    limitMs: number;
    signal: AbortSignal;
    clock?: Clock;
    onWaiting(waiting: WaitingFor | null): void;
  },
): Promise<T> =>
  retryStage(job, {
    ...options,
    limitMs: () => options.limitMs,
    sign: waitingSign(options.onWaiting),
  });

test('waits longer each time, says so, and stops saying so when it works', async () => {
  const { clock, waits } = waitingClock();
  const said: unknown[] = [];
  let tries = 0;
  const job = () => (++tries < 8 ? Promise.reject(away()) : Promise.resolve('done'));
  const onWaiting = (waiting: WaitingFor | null) => said.push(waiting?.cause ?? null);
  assert.equal(await tried(job, { limitMs: 120_000, signal, clock, onWaiting }), 'done');
  assert.deepEqual(waits, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  assert.deepEqual(said, [...Array.from({ length: 7 }, () => away().sentence), null]);
});

test('gives up at the limit with the last failure, having tried once more at its end', async () => {
  const { clock, waits } = waitingClock();
  let tries = 0;
  const job = () =>
    Promise.reject(
      new StageError(failure('server-crashed-here', { times: ++tries }), { retriable: true }),
    );
  await assert.rejects(tried(job, { limitMs: 10_000, signal, clock, onWaiting() {} }), {
    sentence: failure('server-crashed-here', { times: 5 }),
  });
  assert.deepEqual(waits, [1000, 2000, 4000, 3000]);
});

test('waits as long as the server asks, and not at all for longer than it may', async () => {
  const { clock, waits } = waitingClock();
  let tries = 0;
  const job = () => (++tries < 2 ? Promise.reject(away(7000)) : Promise.resolve('done'));
  await tried(job, { limitMs: 10_000, signal, clock, onWaiting() {} });
  assert.deepEqual(waits, [7000]);
  const never = tried(() => Promise.reject(away(60_000)), {
    limitMs: 10_000,
    signal,
    clock,
    onWaiting() {},
  });
  await assert.rejects(never, { code: 'model-away' });
  assert.deepEqual(waits, [7000]);
});

test('does not wait for what waiting does not mend, nor where only one try is allowed', async () => {
  const { clock, waits } = waitingClock();
  const refused = new StageError(failure('no-language-model'), { retriable: false });
  const options = { limitMs: 10_000, signal, clock, onWaiting: () => assert.fail() };
  await assert.rejects(
    tried(() => Promise.reject(refused), options),
    refused,
  );
  const mistake = new TypeError('a mistake of ours');
  await assert.rejects(
    tried(() => Promise.reject(mistake), options),
    mistake,
  );
  await assert.rejects(
    tried(() => Promise.reject(away()), { ...options, limitMs: 0 }),
    {
      code: 'model-away',
    },
  );
  assert.deepEqual(waits, []);
});

test('an abort ends the waiting', async () => {
  const stop = new AbortController();
  const onWaiting = (waiting: unknown) => waiting && stop.abort();
  const waiting = tried(() => Promise.reject(away()), {
    limitMs: 60_000,
    signal: stop.signal,
    onWaiting,
  });
  await assert.rejects(waiting, { name: 'AbortError' });
});

test('a retrying model goes on with a long job where the server went away', async (t) => {
  const { model, server } = await openOn(t, { flavour: 'llama.cpp', contextTokens: 2048 });
  const { clock, waits } = waitingClock();
  const retrying = retryingModel(model, { limitMs: 120_000, clock, onWaiting() {} });
  server.brain = (prompt) => {
    // Fails the next two requests once half of the parts are done.
    if (server.chats().length === 2)
      Object.assign(server.faults, { times: 2, status: { status: 503, body: '' } });
    return wellBehaved(prompt);
  };
  const options = { signal, language: 'de', onProgress() {} };
  const { parts, kept } = await punctuate(longTalk(60), retrying, options);
  assert.deepEqual(kept, []);
  assert.equal(server.chats().length, parts + 2);
  assert.deepEqual(waits, [1000, 2000]);
  assert.equal(retrying.model, 'test-model');
});

test('a spread pause doubles as others do, and is a quarter shorter or longer at most', () => {
  const pauses = { first: 1000, max: 8000, isSpread: true };
  for (const [waits, pause] of [1000, 2000, 4000, 8000, 8000].entries())
    for (let i = 0; i < 100; i += 1) {
      const spread = pauseAfter(pauses, waits);
      assert.ok(spread >= pause * 0.75 && spread < pause * 1.25, `${spread} of ${pause}`);
    }
});
