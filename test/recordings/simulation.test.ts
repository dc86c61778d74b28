import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { openLog } from '../../events/log/level-log.ts';
import { type RecordingFact, recordingOf, recordingStream } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import { nextSnapshot, initialState } from '../../machines/recording.ts';
import { toMachineEvent } from '../../machines/context.ts';
import { stateName } from '../../machines/states.ts';
import { NotAccepted } from '../../src/recordings/refusals.ts';
import { type OpenRecordingService, openRecordingService } from '../../src/recordings/service.ts';
import { type Random, seeded, seeds } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';
import { simulatedActivities } from './simulated-activities.ts';
import { recordingServiceParts } from '../support/recording-service.ts';

/** Steps of one simulation, and how many moments the last recordings may take to settle. */
const stepsPerRun = 60;
const momentsToSettle = 20_000;

/** Over all seeds: a simulation in which nothing crashes and nothing happens shows nothing. */
const crashes: number[] = [];
const statesReached = new Set<string>();

for (const seed of seeds({ short: 4, long: 500 })) {
  test(`whatever crashes when, every recording settles and the log tells the truth (SEED=${seed})`, async (t) => {
    const world = await openWorld(await tempDir(t), seeded(seed));
    for (let step = 0; step < stepsPerRun; step += 1) await world.step();
    await world.settle();
    await world.checkLog();
    await world.close();
  });
}

test('the simulations crashed, and went through every state that needs no device', () => {
  assert.ok(crashes.length > 0);
  assert.deepEqual([...statesReached].toSorted(), [
    'awaiting-speakers',
    'error',
    'idle',
    'transcribing',
  ]);
});

/** A process that can die at any append, over a log that stays. */
async function openWorld(dir: string, random: Random) {
  const recordingsDir = join(dir, 'recordings');
  await mkdir(recordingsDir, { recursive: true });
  const store = await openLog({
    directory: join(dir, 'log'),
    keys: await openFileKeys(join(dir, 'keys')),
  });
  const acknowledged: { position: number; type: string; command: string }[] = [];
  const commands = new Map<string, RecordingFact>();
  const ids: string[] = [];
  let uploads = 0;
  let crashing = true;
  /** Which process lives now, and which one the service belongs to. */
  let life = 0;
  let livesIn = 0;
  const inFlight = new Set<Promise<unknown>>();
  const dead: OpenRecordingService[] = [];
  let recordingService: OpenRecordingService = await start();

  return {
    async step() {
      const action = random.below(10);
      const work =
        action < 2 || ids.length === 0
          ? upload()
          : action < 6
            ? command(random.pick(ids), random.pick(everyCommand))
            : moments(1 + random.below(10));
      await orDie(work);
    },

    /** No more crashes and failures; people answer what they are asked. */
    async settle() {
      crashing = false;
      for (let moment = 0; ; moment += 1) {
        const states = await statesInLog();
        const waiting = [...states].filter(([, state]) => !state.startsWith('idle.'));
        if (waiting.length === 0) return;
        assert.ok(moment < momentsToSettle, `never settled: ${JSON.stringify(waiting)}`);
        for (const [id, state] of waiting) {
          const answer = answers[state];
          if (answer) await orDie(command(id, answer));
        }
        await orDie(moments(30));
      }
    },

    async checkLog() {
      const stored = new Map<string, number>();
      for (const id of ids) {
        let state = initialState(id);
        const results = new Map<string, number>();
        for await (const fact of store.read(recordingStream(id))) {
          assert.equal(fact.from, stateName(state.value));
          state = nextSnapshot(state, toMachineEvent(fact));
          assert.equal(fact.to, stateName(state.value));
          statesReached.add(fact.to.split('.')[0]!);
          stored.set(`${fact.type} ${fact.command}`, fact.position);
          // Documents are written again, in the same run, for what people change afterwards.
          const part = fact.type === 'documents.saved' ? `version ${fact.data.version}` : '';
          const index = 'index' in fact.data ? fact.data.index : part;
          const key = `${fact.run}/${fact.type}/${index}`;
          if (resultTypes.has(fact.type)) {
            results.set(key, (results.get(key) ?? 0) + 1);
            assert.equal(results.get(key), 1, `${key} of ${id} was recorded twice in a run`);
          }
        }
        const live = await recordingService
          .command(id, { type: 'recording.paused', data: {} }, who('look'))
          .then(
            () => assert.fail('nothing is being recorded'),
            (error: NotAccepted) => error.state,
          );
        assert.equal(live, stateName(state.value), 'the live state is what the log folds to');
      }
      for (const { type, command: id, position } of acknowledged) {
        assert.equal(stored.get(`${type} ${id}`), position, `${type} was acknowledged`);
      }
    },

    async close() {
      // A dead process has no timers. Its close ends them, and never ends itself: nothing answers it any more.
      for (const one of dead) void one.close();
      await recordingService.close();
      await store.close();
    },
  };

  /** Waits for the work or for the process to die, whichever comes first; then there is a living one again. */
  async function orDie(work: Promise<void>): Promise<void> {
    const done = new AbortController();
    try {
      await Promise.race([work, died(done.signal)]);
    } finally {
      done.abort();
    }
    await startAnew();
  }

  /** A process may also die while it starts. */
  async function startAnew(): Promise<void> {
    while (livesIn !== life) {
      dead.push(recordingService);
      recordingService = await start();
    }
  }

  async function start(): Promise<OpenRecordingService> {
    const mine = life;
    livesIn = mine;
    // What a dead process had handed to the disk is there, or not, before the next one looks.
    await Promise.allSettled(inFlight);
    const opened = openRecordingService({
      ...recordingServiceParts(mortal(mine), dir),
      activities: simulatedActivities(random, crashing ? 0.1 : 0),
    });
    const unsettled = [...(await statesInLog())]
      .filter(([, state]) => state.startsWith('transcribing'))
      .map(([id]) => id);
    await opened.takeUp(
      (async function* () {
        yield* unsettled;
      })(),
    );
    return opened;
  }

  /** The log as a process sees it that may die before or after any append: then nothing answers any more. */
  function mortal(mine: number): EventStore {
    const never = () => new Promise<never>(() => {});
    return {
      ...store,
      async append(stream, facts, expected) {
        if (life !== mine) return await never();
        const fate = crashing ? random.next() : 1;
        if (fate < 0.03) return await die();
        const append = store.append(stream, facts, expected);
        inFlight.add(append);
        const stored = await append.finally(() => inFlight.delete(append));
        if (fate < 0.06) return await die();
        if (life !== mine) return await never();
        for (const { position, type, command: id } of stored) {
          acknowledged.push({ position, type, command: id });
        }
        return stored;
      },
    };
    function die(): Promise<never> {
      life += 1;
      crashes.push(life);
      return never();
    }
  }

  async function upload(): Promise<void> {
    // Counted once: an upload may still be on its way when its process has died and the next one comes.
    const name = `upload-${(uploads += 1)}`;
    const path = join(dir, name);
    await writeFile(path, name);
    const accepted = await recordingService.importAudio({
      path,
      filename: 'talk.wav',
      owner: random.pick(['anna', 'ben']),
      by: 'anna',
      command: name,
      kind: random.pick(['solo', 'meeting'] as const),
      language: null,
      speakers: null,
    });
    ids.push(accepted.recordingId);
  }

  async function command(id: string, fact: RecordingFact): Promise<void> {
    const metadata = who(`command-${commands.size}`);
    commands.set(metadata.command, fact);
    await recordingService.command(id, fact, metadata).catch((error: unknown) => {
      if (!(error instanceof NotAccepted)) throw error;
    });
  }

  async function statesInLog(): Promise<Map<string, string>> {
    const states = new Map<string, string>();
    for await (const fact of store.readAll()) {
      const id = recordingOf(fact.stream);
      if (id) states.set(id, fact.to!);
      // An upload whose process died after the append was stored, though nobody heard of it.
      if (id && !ids.includes(id)) ids.push(id);
    }
    return states;
  }

  async function died(done: AbortSignal): Promise<void> {
    while (life === livesIn && !done.aborted) await moments(1);
  }
}

/** What people answer in the end, by state. */
const answers: Record<string, RecordingFact> = {
  'awaiting-speakers': { type: 'speakers.skipped', data: {} },
  error: { type: 'retry.requested', data: {} },
};

const everyCommand: RecordingFact[] = [
  { type: 'speakers.skipped', data: {} },
  {
    type: 'speakers.named',
    data: { labels: ['SPEAKER_1'] },
    content: { names: { SPEAKER_1: 'Anna' } },
  },
  { type: 'processing.cancelled', data: {} },
  { type: 'retry.requested', data: {} },
  { type: 'error.cleared', data: {} },
  { type: 'reprocessing.requested', data: { from: 'language-model' } },
  { type: 'reprocessing.requested', data: { from: 'speech-to-text' } },
  { type: 'title.changed', data: {}, content: { title: 'Another title', previous: null } },
  { type: 'recording.handed_over', data: { owner: 'ben' } },
  { type: 'documents.deleted', data: { documents: ['index', 'transcript', 'summary'] } },
];

const resultTypes = new Set([
  'speech.detected',
  'utterance.recognised',
  'transcription.completed',
  'turns.joined',
  'transcript.punctuated',
  'summary.completed',
  'title.chosen',
  'documents.saved',
]);

const who = (command: string) => ({ by: 'anna', command });

async function moments(count: number): Promise<void> {
  for (let moment = 0; moment < count; moment += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
