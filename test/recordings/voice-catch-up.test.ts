import pino from 'pino';
import assert from 'node:assert/strict';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { nameSpeakers, renameVoices } from '../../projections/recording/decide.ts';
import { editTurn } from '../../projections/recording/edit-turns.ts';
import { people } from '../../projections/people.ts';
import { factsOf } from '../../projections/recording/recording.ts';
import { namedLabels } from '../../projections/recording/voices.ts';
import { recordings } from '../../projections/recordings.ts';
import { startProjections } from '../../projections/runner/runner.ts';
import { speechHeader } from '../../src/audio/wav.ts';
import { speakerName } from '../../src/documents/documents.ts';
import { openRecordingService } from '../../src/recordings/service.ts';
import { joinStage } from '../../src/recordings/stages/attribute.ts';
import { openJobQueue } from '../../src/recordings/stages/job-queue.ts';
import { measureAgain } from '../../src/recordings/stages/measure-voices.ts';
import type { StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { openVoiceCatchUp } from '../../src/recordings/voice-catch-up.ts';
import { onAbort } from '../../src/shared/abort.ts';
import type { VoiceEmbedder } from '../../src/speech/diarization/diarize.ts';
import { eventually, within } from '../support/eventually.ts';
import { memoryProjectionStorage } from '../support/memory-projection-storage.ts';
import { memoryStore } from '../support/memory-store.ts';
import { seeded } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';
import { simulatedActivities } from './simulated-activities.ts';
import { audioOf } from '../support/audio-of.ts';
import { recordingServiceParts } from '../support/recording-service.ts';

const seconds = 9;

test('switched off midway, nothing of it is stored; that is no failure, and switched on again it is measured', async (t) => {
  const world = await openWorld(t);
  const id = await world.meeting();
  const catchUp = world.open();
  catchUp.begin();
  for (let time = 0; time < 4; time += 1) {
    const asked = await world.asked();
    assert.equal((await catchUp.state()).now?.recording_id, id);
    world.isOn = false;
    asked.answer();
    await eventually('it is left', async () => (await catchUp.state()).now === null);
    assert.equal(await world.measured(id), 0);
    world.isOn = true;
    catchUp.look();
  }
  (await world.asked()).answer();
  await eventually('it is measured', async () => (await world.measured(id)) === 1);
  await world.settled();
  const { waiting, given_up } = await catchUp.state();
  assert.deepEqual([waiting, given_up], [0, 0]);
});

test('what fails three times is given up, which is said, until the next start', async (t) => {
  const world = await openWorld(t);
  const id = await world.meeting();
  const catchUp = world.open();
  catchUp.begin();
  for (let time = 0; time < 3; time += 1) {
    (await world.asked()).fail(new Error('the engine broke'));
    await eventually('it is left', async () => (await catchUp.state()).now === null);
    catchUp.look();
  }
  await catchUp.close();
  assert.equal(world.timesAsked(), 3);
  const { waiting, given_up, now } = await catchUp.state('anna');
  assert.deepEqual([waiting, given_up, now], [1, 1, null]);
  assert.equal(world.logged.filter((line) => line.includes('the engine broke')).length, 3);

  const next = world.open();
  next.begin();
  (await world.asked()).answer();
  await eventually('it is measured', async () => (await world.measured(id)) === 1);
});

test('where the model cannot be opened, the slot for measuring is free again', async () => {
  const jobQueue = openJobQueue();
  const { signal } = new AbortController();
  const none = {} as never;
  const openEmbedder = () => Promise.reject(new Error('unreadable'));
  const deps = { recordingService: none, files: none, jobQueue, openEmbedder };
  const asked = { recordingId: 'r', owner: 'anna', model: 'm', signal, onProgress() {} };
  await assert.rejects(measureAgain(deps, asked), /unreadable/);
  const next = jobQueue.acquire({ queue: 'diarization', concurrency: 1, owner: 'ben', signal });
  assert.ok(await Promise.race([next, setImmediate(undefined)]));
});

test('of a correction its own recording is looked at alone, however many wait for good', async (t) => {
  const world = await openWorld(t);
  const ids = [await world.meeting(), await world.meeting(), await world.meeting()];
  const catchUp = world.open();
  catchUp.begin();
  for (let time = 0; time < 9; time += 1) {
    (await world.asked()).fail(new Error('the engine broke'));
    if (time % 3 === 2) {
      await eventually('it is left', async () => (await catchUp.state()).now === null);
      catchUp.look();
    }
  }
  await eventually('all are given up', async () => (await catchUp.state()).given_up === 3);
  await world.settled();
  const reads = world.rowsRead();
  await world.decide(ids[0]!, editTurn(0, { speaker: 'SPEAKER_00' }, speakerName));
  await eventually(
    'it is saved',
    async () => (await world.service.read(ids[0]!)).state === 'idle.saved',
  );
  await world.settled();
  assert.ok(reads() <= 3, `${reads()} rows of what waits`);
});

test('a fact that comes midway takes nothing away from what is measured, and its copy goes at the end', async (t) => {
  const world = await openWorld(t);
  const id = await world.meeting();
  const catchUp = world.open();
  catchUp.begin();
  const asked = await world.asked();
  // What stages leave is removed with every fact.
  const left = world.file(id, 'speech-live.wav');
  await writeFile(left, '');
  const { recording } = await world.service.read(id);
  const [named] = namedLabels(recording);
  const { version, label } = named!;
  await world.decide(id, renameVoices({ version, labels: [label] }, 'Anna Berg'));
  await eventually('it is gone', async () => !(await isThere(left)));
  assert.ok(await isThere(asked.path), 'the copy that is measured');
  asked.answer();
  await eventually('it is measured', async () => (await world.measured(id)) === 1);
  await eventually('nothing is left', async () => !(await isThere(asked.path)));
});

test('what a killed process left of a copy goes at the start, though voices are not remembered any more', async (t) => {
  const world = await openWorld(t);
  const id = await world.meeting();
  const copies = ['speech-voices.wav', 'speech-voices.wav.part'].map((name) =>
    world.file(id, name),
  );
  for (const copy of copies) await writeFile(copy, 'what somebody said');
  world.isOn = false;
  world.open().begin();
  for (const copy of copies) await eventually('it is gone', async () => !(await isThere(copy)));
  assert.equal(await world.measured(id), 0);
});

test('before audio is removed its voices are measured: once, behind what is being measured, or not at all', async (t) => {
  const world = await openWorld(t);
  const ids = [await world.meeting(), await world.meeting(), await world.meeting()];
  const catchUp = world.open();
  const { signal } = new AbortController();
  world.isOn = false;
  await catchUp.measureLast(ids[0]!, signal);
  world.isOn = true;

  catchUp.begin();
  const first = await world.asked();
  const [, ...others] = ids.toSorted((a, b) => Number(first.id === b) - Number(first.id === a));
  const [next, id] = others as [string, string];
  const last = catchUp.measureLast(id, signal);
  assert.equal(world.timesAsked(), 1);
  first.answer();
  const second = await world.asked();
  assert.equal(second.id, id);
  second.fail(new Error('the engine broke'));
  await within('a failure holds nothing up', last);
  assert.equal(await world.measured(id), 0);

  // That of which the recording is left, and that of a service which stops.
  const third = await world.asked();
  assert.equal(third.id, next);
  const stop = new AbortController();
  const left = catchUp.measureLast(id, stop.signal);
  stop.abort();
  await assert.rejects(left, { name: 'AbortError' });
  const stopped = assert.rejects(catchUp.measureLast(id, signal), { name: 'AbortError' });
  await catchUp.close();
  await stopped;
  assert.deepEqual([await world.measured(id), await world.measured(next)], [0, 0]);
});

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Meetings of two in which a turn was moved after they were named; what measures voices answers when it is told to. */
async function openWorld(t: TestContext) {
  const dir = await tempDir(t);
  const recordingsDir = join(dir, 'recordings');
  await mkdir(recordingsDir);
  const [store, storage] = [memoryStore(), memoryProjectionStorage()];
  const projections = startProjections({ store, storage, projections: [recordings, people] });
  t.after(() => projections.stop());
  const logged: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });
  const jobQueue = openJobQueue();
  const service = openRecordingService({
    ...recordingServiceParts(store, dir),
    log,
    jobQueue,
    activities: {
      ...simulatedActivities(seeded(1), 0),
      diarize,
      join: joinStage({ voiceMatches: async () => [] }),
    },
  });
  t.after(() => service.close());
  await service.takeUp([]);
  const asking: Asked[] = [];
  let answered = 0;
  let commands = 0;
  const embedder: VoiceEmbedder = {
    embeddingModel: 'voices',
    embed: (audio, turns, { signal }) =>
      new Promise((resolve, reject) => {
        onAbort(signal, reject);
        const speakers = [...new Set(turns.map(([, , speaker]) => speaker))];
        const heard = speakers.map((speaker) => ({
          speaker,
          seconds: 20,
          embedding: [1, speaker],
        }));
        const { path } = audio;
        const id = path.split('/').at(-2)!;
        asking.push({ id, path, answer: () => resolve(heard), fail: reject });
      }),
    async close() {},
  };
  const world = {
    isOn: true,
    logged,
    service,
    file: (id: string, name: string) => join(recordingsDir, id, name),
    /** As after a start. */
    open() {
      const catchUp = openVoiceCatchUp({
        storage,
        projections,
        recordingService: service,
        jobQueue,
        files: audioOf(dir),
        openEmbedder: async () => embedder,
        isOn: () => world.isOn,
        log,
      });
      t.after(() => catchUp.close());
      return catchUp;
    },
    /** The next that the embedder is asked for. */
    async asked(): Promise<Asked> {
      await eventually('it is measured', () => asking.length > answered);
      return asking[answered++]!;
    },
    timesAsked: () => asking.length,
    /** How many rows of voices are read from now on. */
    rowsRead() {
      let read = 0;
      const range = storage.range.bind(storage);
      t.mock.method(storage, 'range', async function* (...wanted: Parameters<typeof range>) {
        for await (const row of range(...wanted)) {
          if (wanted[0] === people.name) read += 1;
          yield row;
        }
      });
      return () => read;
    },
    measured: async (id: string) =>
      factsOf((await service.read(id)).recording, 'voice.measured', Infinity).length,
    settled: async () => await projections.applied('all', await store.head()),
    async decide(id: string, decision: Parameters<typeof service.decide>[2]) {
      commands += 1;
      await service.decide(id, { by: 'anna', command: `command ${commands}` }, decision);
    },
    async meeting(): Promise<string> {
      commands += 1;
      const path = join(dir, `upload-${commands}`);
      const samples = Buffer.alloc(seconds * 32_000);
      await writeFile(path, Buffer.concat([speechHeader(samples.length / 2), samples]));
      const { recordingId: id } = await service.importAudio({
        path,
        filename: 'talk.wav',
        owner: 'anna',
        by: 'anna',
        command: `upload ${commands}`,
        kind: 'meeting',
        language: null,
        speakers: null,
      });
      const reaches = (state: string) =>
        eventually(state, async () => (await service.read(id)).state === state);
      await reaches('awaiting-speakers');
      const names = { SPEAKER_00: 'Anna', SPEAKER_01: 'Ben' };
      await world.decide(id, nameSpeakers(names, { remember: true }));
      await reaches('idle.saved');
      await world.decide(id, editTurn(0, { speaker: 'SPEAKER_01' }, speakerName));
      await reaches('idle.saved');
      await world.settled();
      return id;
    },
  };
  return world;
}

type Asked = { id: string; path: string; answer(): void; fail(error: Error): void };

const diarize: StageActivity = async (job) => {
  await job.acquireSlot({ name: 'diarize', concurrency: 1 });
  const turns = [0, 3, 6].map((at, index): [number, number, string] => [
    at,
    at + 3,
    `SPEAKER_0${index % 2}`,
  ]);
  const data = { engine: 'simulated', model: null, turns };
  await job.append({ type: 'diarization.completed', data });
};
