import { ulid } from 'ulid';
import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { recordingOf, recordingStream } from '../../events/facts/recording.ts';
import { type EventStore, EventStoreError } from '../../events/store.ts';
import { editTurn } from '../../projections/recording/edit-turns.ts';
import { published } from '../../projections/recording/reading.ts';
import { speakerName } from '../../src/documents/documents.ts';
import { NotAccepted, UnknownRecording } from '../../src/recordings/refusals.ts';
import { openRecordingService } from '../../src/recordings/service.ts';
import { quarantineUnknown } from '../../src/storage/quarantine.ts';
import type { StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { eventually } from '../support/eventually.ts';
import { memoryStore } from '../support/memory-store.ts';
import { seeded } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';
import { simulatedActivities } from './simulated-activities.ts';
import { recordingServiceParts } from '../support/recording-service.ts';
import { subscribed } from '../support/subscribed.ts';

const who = (command: string) => ({ by: 'anna', command });

test('a command that is repeated is answered as the first time and done once', async (t) => {
  const { recordingService, upload, until, factsOf } = await openWorld(t);
  const { recordingId } = await upload({ kind: 'meeting' });
  await until(recordingId, 'awaiting-speakers');
  const skip = () =>
    recordingService.command(recordingId, { type: 'speakers.skipped', data: {} }, who('skip once'));
  const [first, second] = await Promise.all([skip(), skip()]);
  assert.deepEqual(first, second);
  await until(recordingId, 'idle.saved');
  assert.deepEqual(await skip(), first);
  const skips = (await factsOf(recordingId)).filter(({ type }) => type === 'speakers.skipped');
  assert.equal(skips.length, 1);
});

test('an upload that is repeated leads to one recording, also at the same time', async (t) => {
  const { upload } = await openWorld(t);
  const [first, second] = await Promise.all([
    upload({ command: 'the same' }),
    upload({ command: 'the same' }),
  ]);
  assert.equal(first.recordingId, second.recordingId);
  assert.equal((await upload({ command: 'the same' })).recordingId, first.recordingId);
});

test('a one-word edit reads its recording once, documents and answer included', async (t) => {
  const reads: string[] = [];
  const world = await openWorld(t, {
    wrap: (store) => ({
      ...store,
      async *read(stream, options) {
        let isRead = false;
        for await (const fact of store.read(stream, options)) {
          if (!isRead) reads.push(stream);
          isRead = true;
          yield fact;
        }
      },
    }),
  });
  const { recordingId } = await world.upload();
  await world.until(recordingId, 'idle.saved');
  await world.stopAndRestart('go on');
  reads.length = 0;
  const edit = editTurn(0, { text: 'corrected' }, speakerName);
  const { facts } = await world.recordingService.decide(recordingId, who('edit'), edit);
  assert.deepEqual(
    facts.map(({ type }) => type),
    ['turn.edited'],
  );
  await world.until(recordingId, 'idle.saved', 'documents.saved', 2);
  assert.deepEqual(reads, [recordingStream(recordingId)]);
  const { recording } = await world.recordingService.read(recordingId);
  assert.equal(published(recording)?.blocks[0]?.text, 'corrected');
  // The next one finds it in memory.
  const again = editTurn(0, { text: 'once more' }, speakerName);
  await world.recordingService.decide(recordingId, who('edit again'), again);
  assert.equal(reads.length, 1);
});

test('what the state does not allow is refused with what it does allow, and nothing is written', async (t) => {
  const { recordingService, upload, until, factsOf } = await openWorld(t);
  const { recordingId } = await upload();
  await until(recordingId, 'idle.saved');
  const before = (await factsOf(recordingId)).length;
  await assert.rejects(
    recordingService.command(recordingId, { type: 'speakers.skipped', data: {} }, who('1')),
    (error) =>
      error instanceof NotAccepted &&
      error.state === 'idle.saved' &&
      error.possible.includes('reprocessing.requested'),
  );
  assert.equal((await factsOf(recordingId)).length, before);
  await assert.rejects(
    recordingService.command(
      '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      { type: 'error.cleared', data: {} },
      who('2'),
    ),
    UnknownRecording,
  );
});

test('a result the log does not take is offered again until it is stored', async (t) => {
  const refusals = new Map<string, number>();
  const { recordingService, upload, until, factsOf } = await openWorld(t, {
    wrap: (store) => ({
      ...store,
      async append(stream, facts, version) {
        const type = facts[0]!.type;
        const refused = refusals.get(type) ?? 0;
        refusals.set(type, refused + 1);
        // Each type of fact is refused twice: once not stored, once stored without our hearing of it.
        if (refused === 0) throw new EventStoreError('BUSY', 'the queue is full');
        const stored = await store.append(stream, facts, version);
        if (refused === 1 && type !== 'audio.imported') {
          throw new EventStoreError('OUTCOME_UNKNOWN', 'the disk did not answer');
        }
        return stored;
      },
    }),
  });
  await assert.rejects(upload(), { code: 'BUSY' });
  const said: (string | null)[] = [];
  recordingService.onActivity((_id, { waiting }) => said.push(waiting && waiting.for.code));
  const { recordingId } = await upload();
  await until(recordingId, 'idle.saved');
  assert.ok(said.includes('saving'), 'one can see what it waits for');
  assert.ok(said.lastIndexOf(null) > said.indexOf('saving'), 'and that it goes on');
  const types = (await factsOf(recordingId)).map(({ type }) => type);
  for (const once of ['transcription.completed', 'summary.completed', 'documents.saved']) {
    assert.equal(types.filter((type) => type === once).length, 1, once);
  }
});

test('what a stage reads is read again while the log is away, which fails no stage', async (t) => {
  let reads = 0;
  let hasBegun = false;
  const world = await openWorld(t, {
    wrap: (store) => ({
      ...store,
      async append(...appended) {
        const facts = await store.append(...appended);
        hasBegun ||= facts.some(({ type }) => type === 'stage.started');
        return facts;
      },
      read(stream, options) {
        if (hasBegun) reads += 1;
        if (reads % 3 !== 0)
          throw new EventStoreError(reads % 2 ? 'BUSY' : 'OUTCOME_UNKNOWN', 'it is away');
        return store.read(stream, options);
      },
    }),
  });
  const { recordingId } = await world.upload();
  await world.until(recordingId, 'idle.saved');
  const types = (await world.factsOf(recordingId)).map(({ type }) => type);
  assert.ok(!types.includes('stage.failed') && !types.includes('stage.interrupted'));
});

test('an activity that ends since the log is away is begun again when it is there, which is no death', async (t) => {
  let starts = 0;
  const world = await openWorld(t, {
    transcribe: (activity) => async (job) => {
      starts += 1;
      if (starts === 1) throw new EventStoreError('BUSY', 'before it has its slot');
      if (starts > 5) return await activity(job);
      await job.acquireSlot({ name: 'speech', concurrency: 1 });
      throw new EventStoreError('BUSY', 'in the middle of it');
    },
  });
  const { recordingId } = await world.upload();
  await world.until(recordingId, 'idle.saved');
  const types = (await world.factsOf(recordingId)).map(({ type }) => type);
  assert.equal(types.filter((type) => type === 'stage.interrupted').length, 4);
  assert.ok(!types.includes('stage.failed'));
});

test('a file that takes the service down thrice is given up; those in the queue are not blamed', async (t) => {
  const world = await openWorld(t, { transcribe: 'hold' });
  const { recordingId: poison } = await world.upload();
  const { recordingId: innocent } = await world.upload();
  await world.until(poison, 'transcribing', 'stage.started');
  for (let death = 1; death <= 2; death += 1) {
    await world.dieAndRestart();
    await world.until(poison, 'transcribing', 'stage.started', death + 1);
  }
  const waits = () => world.recordingService.activity(innocent)[0]?.waiting?.for.code;
  await eventually('it is told', () => waits() === 'recording-alone');
  await world.dieAndRestart('go on');
  await world.until(poison, 'error');
  await world.until(innocent, 'idle.saved');
  const [failure] = (await world.factsOf(poison)).filter(({ type }) => type === 'stage.failed');
  assert.deepEqual(failure?.data, {
    stage: 'transcribe',
    code: 'took-the-service-down',
    retriable: true,
  });
  const ofInnocent = (await world.factsOf(innocent)).map(({ type }) => type);
  assert.ok(!ofInnocent.includes('stage.failed'));
  await world.recordingService.command(poison, { type: 'retry.requested', data: {} }, who('again'));
  await world.until(poison, 'idle.saved');
});

test('being asked to stop is not a death', async (t) => {
  const world = await openWorld(t, { transcribe: 'hold' });
  const { recordingId } = await world.upload();
  await world.until(recordingId, 'transcribing', 'stage.started');
  for (let stop = 1; stop <= 4; stop += 1) {
    await world.stopAndRestart(stop === 4 ? 'go on' : 'hold');
    if (stop < 4) await world.until(recordingId, 'transcribing', 'stage.started', stop + 1);
  }
  await world.until(recordingId, 'idle.saved');
  const types = (await world.factsOf(recordingId)).map(({ type }) => type);
  assert.equal(types.filter((type) => type === 'stage.interrupted').length, 4);
  assert.ok(!types.includes('stage.failed'));
});

test('a recording that was cancelled stops at once and can be done again', async (t) => {
  const world = await openWorld(t, { transcribe: 'hold' });
  const { recordingId } = await world.upload();
  await world.until(recordingId, 'transcribing', 'stage.started');
  await world.recordingService.command(
    recordingId,
    { type: 'processing.cancelled', data: {} },
    who('cancel'),
  );
  assert.deepEqual(world.recordingService.activity(recordingId), []);
  world.goOn();
  const again = { type: 'reprocessing.requested', data: { from: 'speech-to-text' } } as const;
  await world.recordingService.command(recordingId, again, who('again'));
  await world.until(recordingId, 'idle.saved');
});

test('a folder that no fact speaks of is moved away and kept', async (t) => {
  const dir = await tempDir(t);
  const [recordingsDir, quarantineDir] = [join(dir, 'recordings'), join(dir, 'quarantine')];
  const [known, unknown] = [ulid(), ulid()];
  await mkdir(join(recordingsDir, unknown), { recursive: true });
  await writeFile(join(recordingsDir, unknown, 'audio.wav'), 'sound');
  await mkdir(join(recordingsDir, known));
  const moved = await quarantineUnknown(
    { recordingsDir, quarantineDir, log: { warn: () => {} } },
    [unknown, known],
    async (name) => name === known,
  );
  assert.deepEqual(moved, [unknown]);
  assert.deepEqual(await readdir(recordingsDir), [known]);
  const [kept] = await readdir(quarantineDir);
  assert.deepEqual(await readdir(join(quarantineDir, kept!)), ['audio.wav']);
});

type Transcribing = 'hold' | 'go on' | ((activity: StageActivity) => StageActivity);

/** A recording service over a log that outlives it; recognition can be held to be interrupted. */
async function openWorld(
  t: TestContext,
  options: {
    wrap?: (store: EventStore) => EventStore;
    transcribe?: Transcribing;
  } = {},
) {
  const dir = await tempDir(t);
  const recordingsDir = join(dir, 'recordings');
  await mkdir(recordingsDir);
  const log = memoryStore();
  const store = options.wrap?.(log) ?? log;
  let uploads = 0;
  let dead = () => {};
  let goOn = () => {};
  let recordingService = open(options.transcribe ?? 'go on');
  t.after(() => recordingService.close());

  const world = {
    get recordingService() {
      return recordingService;
    },
    goOn: () => goOn(),
    async upload(given: { kind?: 'solo' | 'meeting'; command?: string } = {}) {
      uploads += 1;
      const path = join(dir, `upload-${uploads}`);
      await writeFile(path, 'sound');
      return await recordingService.importAudio({
        path,
        filename: 'talk.wav',
        owner: 'anna',
        by: 'anna',
        command: given.command ?? `upload ${uploads}`,
        kind: given.kind ?? 'solo',
        language: null,
        speakers: null,
      });
    },
    async factsOf(recordingId: string) {
      const facts = [];
      for await (const fact of log.read(recordingStream(recordingId))) facts.push(fact);
      return facts;
    },
    /** Waits for a state (its beginning); with a type, until that many facts of it are there. */
    async until(recordingId: string, state: string, type?: string, count = 1): Promise<void> {
      let seen = 0;
      const stop = AbortSignal.timeout(10_000);
      for await (const fact of subscribed(log, { afterPosition: 0, signal: stop })) {
        if (recordingOf(fact.stream) !== recordingId) continue;
        if (fact.type === type) seen += 1;
        if (fact.to?.startsWith(state) && (type === undefined || seen >= count)) return;
      }
      assert.fail(`${recordingId} never became ${state}`);
    },
    /** The process dies: nothing it was doing goes on, nothing of it is recorded any more. */
    async dieAndRestart(then: 'hold' | 'go on' = 'hold'): Promise<void> {
      dead();
      recordingService = open(then);
      await restart();
    },
    async stopAndRestart(then: 'hold' | 'go on'): Promise<void> {
      await recordingService.close();
      recordingService = open(then);
      await restart();
    },
  };
  return world;

  function open(transcribe: Transcribing) {
    let alive = true;
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    if (transcribe !== 'hold') release();
    goOn = release;
    dead = () => (alive = false);
    const activities = simulatedActivities(seeded(1), 0);
    const mortal: EventStore = {
      ...store,
      append: (...append) => (alive ? store.append(...append) : new Promise<never>(() => {})),
    };
    return openRecordingService({
      ...recordingServiceParts(mortal, dir),
      activities: {
        ...activities,
        transcribe: (typeof transcribe === 'function' ? transcribe : holding)(
          activities.transcribe,
          held,
        ),
      },
    });
  }

  async function restart(): Promise<void> {
    const states = new Map<string, string>();
    for await (const fact of log.readAll()) states.set(recordingOf(fact.stream)!, fact.to!);
    await recordingService.takeUp(
      (async function* () {
        for (const [id, state] of states) if (state.startsWith('transcribing')) yield id;
      })(),
    );
  }
}

/** Has begun, but does not get on until it is let. */
function holding(activity: StageActivity, held: Promise<void>): StageActivity {
  return (job) =>
    activity({
      ...job,
      async acquireSlot(queue) {
        await job.acquireSlot(queue);
        await Promise.race([
          held,
          new Promise((_resolve, reject) => {
            job.signal.addEventListener('abort', () => reject(job.signal.reason as Error));
          }),
        ]);
      },
    });
}
