import { ulid } from 'ulid';
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  type RecordingFact,
  type Stage,
  recordingStream,
  stages,
} from '../../events/facts/recording.ts';
import { counting } from '../../events/facts/counting.ts';
import { type Ownership, soleOwnership } from '../../events/ownership.ts';
import { NotAccepted } from '../../src/recordings/refusals.ts';
import { openRecordingService } from '../../src/recordings/service.ts';
import {
  type Job,
  type StageActivity,
  StageSuperseded,
} from '../../src/recordings/stages/run-stage.ts';
import { memoryStore } from '../support/memory-store.ts';
import { seeded, seeds } from '../support/seeded.ts';
import { sharedOwnership } from '../support/shared-ownership.ts';
import { tempDir } from '../support/temp-dir.ts';
import { simulatedActivities } from './simulated-activities.ts';
import { recordingServiceParts } from '../support/recording-service.ts';
import { takeOverDefaults } from '../../src/recordings/control/take-over.ts';
import { subscribed } from '../support/subscribed.ts';

const plan: RecordingFact = {
  type: 'speech.detected',
  data: { detector: 'test', duration: 9, stretches: [[0, 9]], warnings: [] },
};
const cancelled: RecordingFact = { type: 'processing.cancelled', data: {} };
const imported = {
  type: 'audio.imported',
  data: {
    owner: 'anna',
    kind: 'solo',
    language: null,
    speakers: null,
    started_at: '2026-11-20T09:00:00Z',
    path: 'audio.wav',
    bytes: 1,
    sha256: 'ab',
    duration: 9,
  },
  content: { filename: 'talk.wav' },
} as const;
const who = (command: string) => ({ by: 'anna', command });

test('only the owner acts, and a late answer of an earlier owner does not count', async (t) => {
  await takeOverFrom(t, () => sharedOwnership());
});

for (const [what, mutate] of Object.entries<(granted: Ownership) => Ownership>({
  'every process gets what it asks for': () => soleOwnership(),
  'a process is not stopped when it loses what it held': (granted) => ({
    ...granted,
    async claim(...asked) {
      const held = await granted.claim(...asked);
      return held && { ...held, lost: new AbortController().signal };
    },
  }),
})) {
  test(`the test above fails where ${what}`, async (t) => {
    const mutated = () => {
      const { node } = sharedOwnership();
      return {
        node() {
          const it = node();
          return { ...mutate(it), cutOff: () => it.cutOff(), lose: () => it.lose() };
        },
      };
    };
    await assert.rejects(takeOverFrom(t, mutated), { name: 'AssertionError' });
  });
}

/** A works, B only reads; A is cut off from the locks, B takes over, and A's engine answers after all. */
async function takeOverFrom(
  t: TestContext,
  locks: () => Pick<ReturnType<typeof sharedOwnership>, 'node'>,
) {
  const world = await openWorld(t, locks());
  const [a, b] = [world.node(), world.node()];
  const id = await world.upload(a);
  const first = await a.nextJob();
  // B catches up, and is asked to take up what is not settled.
  assert.equal((await b.service.read(id)).state, 'transcribing.recognising');
  assert.equal(await b.service.takeUp([id]), 0);
  assert.equal(b.started, 0);

  a.cutOff();
  assert.equal(first.signal.aborted, true);
  b.service.keepTakingOver(() => [id]);
  const second = await b.nextJob();
  await assert.rejects(first.append(plan), StageSuperseded);
  await second.append(plan);
  // A reads what B did.
  await a.service.read(id);
  await a.service.takeUp([id]);
  // A lives, and says so when it can.
  const facts = (await world.factsOf(id)).filter(([type]) => type !== 'stage.interrupted');
  assert.deepEqual(facts, [
    ['audio.imported', undefined],
    ['stage.started', 1],
    ['stage.started', 2],
    ['speech.detected', 2],
  ]);
  assert.deepEqual([a.started, b.started], [1, 1]);
}

test('a process that loses its locks again and again and lives has not died', async (t) => {
  const world = await openWorld(t);
  const node = world.node();
  const id = await world.upload(node);
  node.service.keepTakingOver(() => [id]);
  for (let restart = 0; restart < 4; restart += 1) {
    await node.nextJob();
    node.lose();
  }
  await node.nextJob();
  const types = (await world.factsOf(id)).map(([type]) => type);
  assert.deepEqual(types.slice(1), [
    ...Array.from({ length: 4 }, () => ['stage.started', 'stage.interrupted']).flat(),
    'stage.started',
  ]);
});

test('a step that ends and leaves nothing is said to have failed, not shown at work for ever', async (t) => {
  const world = await openWorld(t);
  const endsWithNothing: StageActivity = async (job) => {
    await job.acquireSlot({ name: 'engine', concurrency: 9 });
    await job.append(plan);
    // Refused: there is one.
    await job.append(plan);
  };
  const activities = Object.fromEntries(stages.map((stage) => [stage, endsWithNothing])) as Record<
    Stage,
    StageActivity
  >;
  const id = await world.upload(world.node({ activities }));
  await world.until(id, 'error');
  assert.deepEqual((await world.factsOf(id)).at(-1), ['stage.failed', 1]);
});

test('a command that another process decides moves the owner', async (t) => {
  const world = await openWorld(t);
  const [a, b] = [world.node(), world.node({ slots: 0 })];
  a.service.keepTakingOver(() => []);
  const id = await world.upload(a);
  const job = await a.nextJob();
  const aborted = new Promise((resolve) => job.signal.addEventListener('abort', resolve));
  assert.equal((await b.service.command(id, cancelled, who('cancel'))).state, 'idle.kept');
  await aborted;
  await assert.rejects(job.append(plan), StageSuperseded);
  assert.equal((await world.factsOf(id)).length, 3);
});

test('a new owner acts on what the log says by then, not on what it read before', async (t) => {
  const world = await openWorld(t);
  const [a, b] = [world.node(), world.node()];
  const id = await world.upload(a);
  await a.nextJob();
  await a.service.command(id, cancelled, who('cancel'));
  assert.equal((await b.service.read(id)).state, 'idle.kept');
  await a.service.command(id, again, who('again'));
  await a.nextJob();
  a.cutOff();
  b.service.keepTakingOver(() => [id]);
  assert.equal((await b.nextJob()).run, 2);
});

test('what one process only takes in, another does, woken by the log alone', async (t) => {
  const world = await openWorld(t);
  const serve = world.node({ slots: 0, pollMs: hour });
  const work = world.node({
    slots: 1,
    pollMs: hour,
    activities: simulatedActivities(seeded(1), 0),
  });
  for (const { service } of [serve, work]) service.keepTakingOver(() => []);
  const ids = [await world.upload(serve), await world.upload(serve)];
  for (const id of ids) await world.until(id, 'idle.saved');
  // Settled, so it was given back; what a person changes is done by the one who works all the same.
  await serve.service.command(ids[0]!, title, who('title'));
  await world.until(ids[0]!, 'idle.saved', 2);
  const attempts = (await world.factsOf(ids[0]!)).filter(([type]) => type === 'documents.saved');
  assert.equal(attempts.length, 2);
});

test('a process that is stopped gives back what it does at once, which is no death', async (t) => {
  const world = await openWorld(t);
  const [a, b] = [world.node(), world.node({ pollMs: hour })];
  b.service.keepTakingOver(() => []);
  const id = await world.upload(a);
  await a.nextJob();
  await a.service.close();
  await b.nextJob();
  assert.deepEqual(await world.factsOf(id), [
    ['audio.imported', undefined],
    ['stage.started', 1],
    ['stage.interrupted', 1],
    ['stage.started', 2],
  ]);
});

test('slots go to the owners who have the fewest, in the order of the list', async (t) => {
  const world = await openWorld(t);
  const serve = world.node({ slots: 0 });
  const ids: string[] = [];
  for (const owner of ['anna', 'anna', 'anna', 'ben']) ids.push(await world.upload(serve, owner));
  const work = world.node({ slots: 2 });
  assert.equal(await work.service.takeUp(ids), 2);
  const jobs = [await work.nextJob(), await work.nextJob()];
  assert.deepEqual(
    jobs.map(({ recordingId }) => recordingId).toSorted(),
    [ids[0], ids[3]].toSorted(),
  );
  work.service.keepTakingOver(() => ids);
  await serve.service.command(ids[0]!, cancelled, who('cancel'));
  assert.equal((await work.nextJob()).recordingId, ids[1]);
  assert.equal(work.started, 3);
});

test('one behind more than a look has room for, which are left to others, has its turn', async (t) => {
  const world = await openWorld(t);
  const ids = Array.from({ length: 9 }, () => world.captured());
  const work = world.node({ slots: 1, candidatesMax: 4 });
  const serve = world.node({ slots: 0 });
  const id = await world.upload(serve);
  ids.push(id);
  work.service.keepTakingOver((after = '') => ids.filter((one) => one > after));
  assert.equal((await work.nextJob()).recordingId, id);
});

test('one that was closed while its last activity still ended is acted for again', async (t) => {
  const world = await openWorld(t);
  const simulated = simulatedActivities(seeded(1), 0);
  let end = () => {};
  const ends = new Promise<void>((resolve) => (end = resolve));
  const write: StageActivity = async (job) => {
    await simulated.write(job);
    await ends;
  };
  const node = world.node({ pollMs: hour, activities: { ...simulated, write } });
  const id = await world.upload(node);
  await world.until(id, 'idle.saved');
  // More than are kept open when they have settled.
  for (let more = 0; more <= 100; more += 1) {
    await node.service.command(await world.imported(), cancelled, who('cancel'));
  }
  end();
  await node.service.command(id, title, who('title'));
  await world.until(id, 'idle.saved', 2);
});

for (const seed of seeds({ short: 2, long: 300 })) {
  test(`whichever process is cut off, stopped or joins when, each result is there once (SEED=${seed})`, async (t) => {
    const random = seeded(seed);
    const world = await openWorld(t);
    const serve = world.node({ slots: 0 });
    const ids: string[] = [];
    const join = () => {
      const activities = simulatedActivities(random, 0);
      const worker = world.node({ slots: 2, pollMs: 10, activities });
      worker.service.keepTakingOver(() => ids);
      return worker;
    };
    const workers = [join(), join(), join()];
    let commands = 0;
    const command = async (fact: RecordingFact, id = random.pick(ids)) => {
      const metadata = who(`command ${(commands += 1)}`);
      await serve.service.command(id, fact, metadata).catch((error: unknown) => {
        if (!(error instanceof NotAccepted)) throw error;
      });
    };
    for (let step = 0; step < 30; step += 1) {
      const leaving = random.below(workers.length);
      const action = random.below(6);
      if (ids.length === 0 || action === 0) ids.push(await world.upload(serve));
      // Its activities do not look whether they were aborted: what they answer comes late.
      else if (action === 1) workers[leaving]!.cutOff();
      else if (action === 2) await workers[leaving]!.service.close();
      else if (action === 3) await command(random.pick([title, again, cancelled]));
      if (action === 1 || action === 2) workers[leaving] = join();
      await moments(random.below(30));
    }
    const limit = AbortSignal.timeout(60_000);
    for (const id of ids) {
      for (let state = ''; !state.startsWith('idle.');) {
        assert.ok(!limit.aborted, `${id} stays ${state}`);
        await moments(5);
        ({ state } = await serve.service.read(id));
        // A stage whose process was lost three times is left to a person.
        if (state === 'error') await command({ type: 'retry.requested', data: {} }, id);
      }
      const results = (await world.resultsOf(id)).toSorted();
      assert.deepEqual(results, [...new Set(results)], id);
    }
  });
}

const moments = async (count: number): Promise<void> => {
  for (let moment = 0; moment < count; moment += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
};

const again = { type: 'reprocessing.requested', data: { from: 'speech-to-text' } } as const;
const hour = 3_600_000;
const title = { type: 'title.changed', data: {}, content: { title: 'T', previous: null } } as const;

type NodeOptions = {
  slots?: number;
  pollMs?: number;
  candidatesMax?: number;
  activities?: Record<Stage, StageActivity>;
};

/** Processes on one log, and the locks that say who of them acts. */
async function openWorld(
  t: TestContext,
  locks: Pick<ReturnType<typeof sharedOwnership>, 'node'> = sharedOwnership(),
) {
  const dir = await tempDir(t);
  const recordingsDir = join(dir, 'recordings');
  await mkdir(recordingsDir);
  const store = memoryStore();
  const standing = new Map<string, { owner: string; state: string }>();
  let uploads = 0;
  return {
    async factsOf(id: string) {
      const facts: (readonly [string, number | undefined])[] = [];
      for await (const { type, attempt } of store.read(recordingStream(id)))
        facts.push([type, attempt]);
      return facts;
    },
    /** Each result that counts, with its run; documents are written again in the same run. */
    async resultsOf(id: string): Promise<string[]> {
      const results: string[] = [];
      for await (const { type, run, data } of store.read(recordingStream(id))) {
        if (counting[type]?.ends === undefined && type !== 'utterance.recognised') continue;
        const part = 'index' in data ? data.index : 'version' in data ? data.version : '';
        results.push(`${type} ${part} of run ${run}`);
      }
      return results;
    },
    async until(id: string, state: string, times = 1): Promise<void> {
      let seen = 0;
      const signal = AbortSignal.timeout(10_000);
      for await (const { stream, to } of subscribed(store, { afterPosition: 0, signal })) {
        if (stream === recordingStream(id) && to === state && (seen += 1) === times) return;
      }
      assert.fail(`${id} never became ${state}`);
    },
    /** One that waits for its browser. */
    captured(): string {
      const id = ulid();
      standing.set(id, { owner: 'anna', state: 'recording.capturing' });
      return id;
    },
    /** One whose first fact is in the log, and no file of it anywhere. */
    async imported(): Promise<string> {
      const id = ulid();
      const metadata = {
        ...who(id),
        subject: id,
        from: 'idle.new',
        to: 'transcribing.recognising',
      };
      await store.append(recordingStream(id), [{ ...imported, ...metadata }], 0);
      return id;
    },
    async upload({ service }: Pick<ReturnType<typeof node>, 'service'>, owner = 'anna') {
      uploads += 1;
      const path = join(dir, `upload-${uploads}`);
      await writeFile(path, `sound ${uploads}`);
      const { recordingId } = await service.importAudio({
        path,
        filename: 'talk.wav',
        owner,
        ...who(`upload ${uploads}`),
        kind: 'solo',
        language: null,
        speakers: null,
      });
      standing.set(recordingId, { owner, state: 'transcribing.recognising' });
      return recordingId;
    },
    node,
  };

  function node({
    slots = Infinity,
    pollMs = 5,
    candidatesMax = takeOverDefaults.candidatesMax,
    activities,
  }: NodeOptions = {}) {
    const jobs: Job[] = [];
    let onJob = () => {};
    let started = 0;
    /** Begins, and leaves what is offered then to the test. */
    const begins: StageActivity = async (job) => {
      started += 1;
      await job.acquireSlot({ name: 'engine', concurrency: 9 });
      jobs.push(job);
      onJob();
      await new Promise((resolve) => job.signal.addEventListener('abort', resolve));
    };
    const ownership = locks.node();
    const service = openRecordingService({
      ...recordingServiceParts(store, dir),
      ownership,
      slots,
      pollMs,
      candidatesMax,
      standingOf: async () => standing,
      activities:
        activities ??
        (Object.fromEntries(stages.map((stage) => [stage, begins])) as Record<
          Stage,
          StageActivity
        >),
    });
    t.after(() => service.close());
    return {
      service,
      /** How often an activity was begun. */
      get started() {
        return started;
      },
      cutOff: () => ownership.cutOff(),
      lose: () => ownership.lose(),
      async nextJob(): Promise<Job> {
        if (jobs.length === 0) await new Promise<void>((resolve) => (onJob = resolve));
        return jobs.shift()!;
      },
    };
  }
}
