import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Readable } from 'node:stream';
import { recordingStream, type Stage } from '../../events/facts/recording.ts';
import { EventStoreError } from '../../events/store.ts';
import { StageError, type StageFailure } from '../../src/shared/errors.ts';
import { failure } from '../../src/words/failures.ts';
import type { StageErrorCode } from '../../src/shared/failure-classes.ts';
import type { EngineProbe } from '../../src/recordings/control/retry-failed.ts';
import { openRecordingService } from '../../src/recordings/service.ts';
import type { Waiting } from '../../src/recordings/stages/stage-progress.ts';
import { waitsFor } from '../../src/words/waiting.ts';
import type { StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { eventually } from '../support/eventually.ts';
import { handClock } from '../support/clocks.ts';
import { memoryStore } from '../support/memory-store.ts';
import { tempDir } from '../support/temp-dir.ts';
import { recordingServiceParts } from '../support/recording-service.ts';
import { subscribed } from '../support/subscribed.ts';

const minute = 60_000;
const away = failure('speech-server-busy', { server: 'http://gpu:9000' });

/** A service whose speech engine fails as often as is said, and answers probes as is said. */
async function failing(
  t: TestContext,
  failures: { code: StageErrorCode; times: number; sentence?: StageFailure },
  { atOnce, agoMs = 0 }: { atOnce?: (ms: number) => boolean; agoMs?: number } = {},
) {
  const store = memoryStore({ clock: () => new Date(Date.now() - agoMs) });
  const { clock, pass, passed } = handClock(atOnce ? { atOnce } : {});
  let tries = 0;
  const probes: (EngineProbe | null)[] = [];
  const transcribe: StageActivity = async (job) => {
    await job.acquireSlot({ name: 'engine', concurrency: 1 });
    tries += 1;
    if (tries <= failures.times)
      throw new StageError(failures.sentence ?? away, { as: failures.code, retriable: true });
    await new Promise((_, reject) =>
      job.signal.addEventListener('abort', () => reject(job.signal.reason as Error)),
    );
  };
  const unused = async () => {};
  const parts = recordingServiceParts(store, await tempDir(t));
  const open = () =>
    openRecordingService({
      ...parts,
      activities: {
        capture: unused,
        follow: unused,
        assemble: unused,
        continue: unused,
        transcribe,
        diarize: unused,
        identify: unused,
        join: unused,
        punctuate: unused,
        summarise: unused,
        entitle: unused,
        write: unused,
      } satisfies Record<Stage, StageActivity>,
      clock,
      probeEngine: async () => probes.shift() ?? { ready: true as const },
    });
  let recordingService = open();
  t.after(() => recordingService.close());
  const { recordingId } = await recordingService.startRecording({
    recordingId: '01K0000000000000000000000A',
    owner: 'anna',
    by: 'anna',
    command: 'start',
    kind: 'solo',
    language: null,
    speakers: null,
    device: null,
    trigger: 'api',
  });
  await recordingService.command(
    recordingId,
    { type: 'audio.captured', data: { path: 'a.wav', bytes: 1, sha256: 'a', duration: 1 } },
    { by: 'system', command: 'captured' },
  );
  /** Resolves with the number of facts of a type when there are so many. */
  const facts = async (type: string, count: number): Promise<void> => {
    let seen = 0;
    for await (const fact of subscribed(store, {
      afterPosition: 0,
      signal: AbortSignal.timeout(20_000),
    }))
      if (fact.type === type && (seen += 1) === count) return;
  };
  const types = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { type, by } of store.read(recordingStream(recordingId)))
      found.push(`${type} ${by}`);
    return found;
  };
  /** The next start of the service, with what the lists say has failed. */
  async function restart(): Promise<void> {
    await recordingService.close();
    recordingService = open();
    await recordingService.awaitEngines(Readable.from([recordingId]));
  }
  return {
    store,
    recordingService,
    recordingId,
    probes,
    pass,
    passed,
    facts,
    types,
    restart,
    state: async () => (await recordingService.read(recordingId)).state,
  };
}

test('a recording that failed because its engine was away is taken up when the engine answers', async (t) => {
  const { pass, facts, probes, types, ...it } = await failing(t, { code: 'engine-away', times: 1 });
  probes.push({ ready: false, said: away });
  await facts('stage.failed', 1);
  await pass(minute);
  await pass(minute);
  await facts('stage.started', 2);
  assert.ok((await types()).includes('retry.requested system'));
  // Another process that waits for the same gives the same command.
  const stream = recordingStream(it.recordingId);
  let version = 0;
  for await (const fact of it.store.read(stream)) {
    if (fact.type === 'stage.failed') ({ version } = fact);
    if (fact.type === 'retry.requested')
      assert.equal(fact.command, `retry:${it.recordingId}:${version}`);
  }
  assert.equal((await it.recordingService.read(it.recordingId)).state, 'transcribing.recognising');
});

test('a recording that failed is taken up after a restart when the engine answers', async (t) => {
  const { pass, facts, probes, types, restart, state } = await failing(t, {
    code: 'engine-away',
    times: 1,
  });
  await facts('stage.failed', 1);
  await restart();
  assert.match(await state(), /^error/);
  probes.push({ ready: false, said: away });
  await pass(minute);
  assert.ok(!(await types()).includes('retry.requested system'));
  await pass(minute);
  await facts('stage.started', 2);
  assert.equal(await state(), 'transcribing.recognising');
});

test('what is waited for shows, until a person clears the error', async (t) => {
  const { pass, facts, probes, types, ...it } = await failing(t, {
    code: 'engine-failed',
    times: 9,
  });
  const { recordingService, recordingId } = it;
  probes.push({ ready: false, said: away });
  const shown: Waiting[] = [];
  const said = new Promise<void>((resolve) =>
    recordingService.onActivity((_, { waiting }) => {
      if (waiting) shown.push(waiting);
      if (shown.length === 2) resolve();
    }),
  );
  await facts('stage.failed', 1);
  await pass(minute);
  await said;
  assert.deepEqual(shown[1]!.cause, away);
  assert.deepEqual(shown[1]!.for, waitsFor('next-attempt', { attempt: 1, limit: 5 }));
  assert.equal(recordingService.activity(recordingId)[0]?.waiting, shown[1]);
  const clear = { type: 'error.cleared', data: {} } as const;
  await recordingService.command(recordingId, clear, { by: 'anna', command: 'clear' });
  await recordingService.close();
  assert.deepEqual(recordingService.activity(recordingId), []);
  assert.ok(!(await types()).includes('retry.requested system'));
});

test('a log that refuses for a moment does not end the waiting: the retry is asked for again', async (t) => {
  const { pass, facts, types, store } = await failing(t, { code: 'engine-away', times: 1 });
  const { append } = store;
  let refused = 0;
  store.append = async (stream, events, metadata) => {
    if (events.some(({ type }) => type === 'retry.requested') && refused < 3) {
      refused += 1;
      throw new EventStoreError(refused === 1 ? 'DISK_FULL' : 'BUSY', 'The log takes nothing now.');
    }
    return await append(stream, events, metadata);
  };
  await facts('stage.failed', 1);
  for (const minutes of [1, 1, 2, 4]) await pass(minutes * minute);
  await facts('stage.started', 2);
  assert.equal(refused, 3);
  assert.equal((await types()).filter((type) => type === 'retry.requested system').length, 1);
});

test('what waited for a server is taken up by this machine when that is chosen instead; what failed here is not tried again', async (t) => {
  const server = 'http://gpu:9000';
  for (const [code, sentence, isTried] of [
    ['engine-away', failure('speech-server-lost', { server }), true],
    ['engine-busy', away, true],
    ['engine-stalled', failure('speech-server-stalled', { server, limit: 600 }), true],
    ['engine-stalled', failure('speech-server-stopped-answering', { server }), true],
    ['engine-failed', failure('speech-server-broke-off', { server, during: 'answer' }), true],
    ['engine-failed', failure('speech-failed', { cause: 'out of memory' }), false],
    ['engine-stalled', failure('speech-stalled'), false],
  ] as const) {
    const { pass, facts, probes, types, ...it } = await failing(t, { code, times: 1, sentence });
    probes.push({ ready: true, isHere: true });
    await facts('stage.failed', 1);
    await pass(minute);
    const isAsked = async () => (await types()).includes('retry.requested system');
    const isOver = () => it.recordingService.activity(it.recordingId).length === 0;
    await eventually(`${sentence.code}: the wait is over`, isTried ? isAsked : isOver, 5000);
    assert.equal(await isAsked(), isTried, sentence.code);
  }
});

test('it is tried five times, with growing pauses, and then left to a person', async (t) => {
  const { pass, facts, types } = await failing(t, { code: 'engine-failed', times: 99 });
  for (const [index, minutes] of [1, 2, 4, 8, 16].entries()) {
    await facts('stage.failed', index + 1);
    await pass(minutes * minute);
  }
  await facts('stage.failed', 6);
  const retries = (await types()).filter((type) => type === 'retry.requested system');
  assert.equal(retries.length, 5);
});

test('what took the service down is tried again an hour later, twice, and then left to a person', async (t) => {
  const atOnce = (ms: number) => ms > minute;
  const { facts, types, passed, recordingService } = await failing(
    t,
    { code: 'took-the-service-down', times: 99 },
    { atOnce },
  );
  await facts('stage.failed', 3);
  await recordingService.close();
  const retries = (await types()).filter((type) => type === 'retry.requested system');
  assert.equal(retries.length, 2);
  for (const ms of passed) assert.ok(ms > 59 * minute && ms <= 60 * minute, `${ms}`);
});

test('the hour begins with the failure, however often the service is started again', async (t) => {
  const { facts, passed } = await failing(
    t,
    { code: 'took-the-service-down', times: 1 },
    { atOnce: (ms) => ms > minute, agoMs: 50 * minute },
  );
  await facts('retry.requested', 1);
  assert.ok(passed[0]! > 9 * minute && passed[0]! <= 10 * minute, `${passed[0]}`);
});

test('an error that has nothing to do with an engine is left alone', async (t) => {
  const { facts, ...it } = await failing(t, { code: 'audio-damaged', times: 1 });
  await facts('stage.failed', 1);
  await it.recordingService.close();
  assert.deepEqual(it.recordingService.activity(it.recordingId), []);
});

test('what fails while the service ends is waited for by the next start alone', async (t) => {
  const { facts, recordingService, recordingId } = await failing(t, {
    code: 'engine-away',
    times: 9,
  });
  await facts('stage.failed', 1);
  await recordingService.close();
  // As a recording that moved while the others were already closed.
  await recordingService.awaitEngines(Readable.from([recordingId]));
  await new Promise(setImmediate);
  assert.deepEqual(recordingService.activity(recordingId), []);
});
