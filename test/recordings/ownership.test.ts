import pino from 'pino';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type RecordingFact, type Stage, stages } from '../../events/facts/recording.ts';
import { stateName } from '../../machines/states.ts';
import { openStageProgress } from '../../src/recordings/stages/stage-progress.ts';
import type { Ownership } from '../../events/ownership.ts';
import { openAggregate } from '../../src/recordings/aggregate.ts';
import { recordingHandler } from '../../src/recordings/handle.ts';
import {
  type Job,
  type StageActivity,
  StageSuperseded,
  stageRunner,
} from '../../src/recordings/stages/run-stage.ts';
import { openJobQueue } from '../../src/recordings/stages/job-queue.ts';
import { tempLog } from '../support/temp-log.ts';
import { all } from '../events/store-contract.ts';

const recordingId = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const imported: RecordingFact = {
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
};
const plan: RecordingFact = {
  type: 'speech.detected',
  data: { detector: 'test', duration: 9, stretches: [[0, 9]], warnings: [] },
};

test('only the owner acts, and a late answer of an earlier owner does not count', async (t) => {
  const { node, locks, factsOf } = await world(t);
  const [a, b] = [await node(), await node()];
  await a.recording.append([imported], { by: 'anna', command: 'import' });
  const first = await a.nextJob();
  // B reads what there is, is asked to act, and does nothing: A owns the recording.
  await b.takeOver();
  await b.recording.quiet();
  assert.deepEqual(await factsOf(), [
    ['audio.imported', undefined],
    ['stage.started', 1],
  ]);

  // A's lock is lost: A stops acting, but its engine still answers, later than B has begun.
  const [lost] = locks.values();
  locks.clear();
  lost!.abort();
  await b.recording.start();
  const second = await b.nextJob();
  assert.equal(first.signal.aborted, true);
  await assert.rejects(first.append(plan), StageSuperseded);
  await second.append(plan);
  assert.deepEqual(await factsOf(), [
    ['audio.imported', undefined],
    ['stage.started', 1],
    ['stage.started', 2],
    ['speech.detected', 2],
  ]);
});

test('a command that another process decides moves the owner when it reads on', async (t) => {
  const { node, factsOf } = await world(t);
  const [a, b] = [await node(), await node()];
  await a.recording.append([imported], { by: 'anna', command: 'import' });
  const job = await a.nextJob();
  const cancel = { by: 'anna', command: 'cancel' };
  const stored = await b.recording.append([{ type: 'processing.cancelled', data: {} }], cancel);
  assert.equal(stored.to, 'idle.kept');
  await assert.rejects(job.append(plan), StageSuperseded);
  assert.equal(stateName(a.recording.snapshot().value), 'idle.kept');
  assert.equal(job.signal.aborted, true);
  assert.equal((await factsOf()).length, 3);
});

test('a new owner acts on what the log says by then, not on what it read before', async (t) => {
  const { node, locks } = await world(t);
  const [a, b] = [await node(), await node()];
  const append = (command: string, ...facts: RecordingFact[]) =>
    a.recording.append(facts, { by: 'anna', command });
  await append('import', imported, { type: 'processing.cancelled', data: {} });
  await b.takeOver();
  assert.equal(stateName(b.recording.snapshot().value), 'idle.kept');
  const again = { from: 'speech-to-text' } as const;
  await append('again', { type: 'reprocessing.requested', data: again });
  await a.nextJob();
  const [lost] = locks.values();
  locks.clear();
  lost!.abort();
  await b.recording.start();
  assert.equal((await b.nextJob()).run, 2);
});

/** Two processes on one log, and the lock that says who of them acts. */
async function world(t: TestContext) {
  const store = await (await tempLog(t)).open();
  const locks = new Map<string, AbortController>();
  const ownership: Ownership = {
    async claim(name) {
      if (locks.has(name)) return null;
      const lost = new AbortController();
      locks.set(name, lost);
      const release = async () => {
        if (locks.get(name) === lost) locks.delete(name);
      };
      return { lost: lost.signal, release };
    },
  };

  return {
    locks,
    async factsOf() {
      const facts = await all(store.read(`recording-${recordingId}`));
      return facts.map(({ type, attempt }) => [type, attempt] as const);
    },
    async node() {
      const jobs: Job[] = [];
      let onJob = () => {};
      /** Begins, and leaves what is offered then to the test. */
      const activity: StageActivity = async (job) => {
        await job.acquireSlot({ name: 'engine', concurrency: 9 });
        jobs.push(job);
        onJob();
        await new Promise((resolve) => job.signal.addEventListener('abort', resolve));
      };
      const log = pino({ level: 'silent' });
      const handler = recordingHandler({ store });
      const runStage = stageRunner({
        activities: Object.fromEntries(stages.map((stage) => [stage, activity])) as Record<
          Stage,
          StageActivity
        >,
        jobQueue: openJobQueue(),
        progress: openStageProgress(),
        log,
      });
      const open = async () =>
        (await openAggregate(
          recordingId,
          { handler, ownership, isShared: true, runStage, log, moved() {} },
          { create: true },
        ))!;
      const self = {
        recording: await open(),
        jobs,
        async nextJob(): Promise<Job> {
          if (jobs.length === 0) await new Promise<void>((resolve) => (onJob = resolve));
          return jobs.shift()!;
        },
        /** As a process that gets the lock does: it reads the log first. */
        async takeOver() {
          await self.recording.stop();
          self.recording = await open();
          await self.recording.start();
        },
      };
      t.after(() => self.recording.stop());
      await self.recording.start();
      return self;
    },
  };
}
