import pino from 'pino';
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { mkdir, readdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { openLog } from '../../events/log/level-log.ts';
import type { RecordingFact } from '../../events/facts/recording.ts';
import { commands, importedBy } from '../../projections/commands.ts';
import { recordingById, recordings } from '../../projections/recordings.ts';
import type { Projection } from '../../projections/runner/projection.ts';
import { libraryOf, removeTexts, transcriptOf } from '../../projections/transcripts.ts';
import { startProjections } from '../../projections/runner/runner.ts';
import { openSpace } from '../../src/documents/space.ts';
import { write } from '../../src/recordings/stages/write.ts';
import { openStageProgress } from '../../src/recordings/stages/stage-progress.ts';
import { NotAccepted } from '../../src/recordings/refusals.ts';
import { type ErasureStep, erasureSteps } from '../../src/recordings/erasure.ts';
import { openRecordingService } from '../../src/recordings/service.ts';
import type { Job, StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { openJobQueue } from '../../src/recordings/stages/job-queue.ts';
import { levelPendingJobs } from '../../src/storage/pending-jobs.ts';
import { openRows } from '../../src/storage/open-rows.ts';
import { filesBelow } from '../support/files-below.ts';
import { seeded } from '../support/seeded.ts';
import { tempDir } from '../support/temp-dir.ts';
import { simulatedActivities } from './simulated-activities.ts';

/** A word nobody else has, in everything a person said, wrote or called something. */
const marker = 'Zwetschgenkuchen';
/** A word of a recording that stays: a search that finds nothing at all shows nothing. */
const other = 'Apfelstrudel';
const who = (command: string) => ({ by: 'anna', command });

test('after DELETE no value of the database, no file and no line of the log has a word of it', async (t) => {
  const home = await tempDir(t);
  let world = await openWorld(t, home);
  const { recordingId } = await world.record(marker);
  const { recordingId: kept } = await world.record(other);
  await world.correct(recordingId, marker);
  const before = await world.found(marker);
  assert.ok(before.length > 3, 'the search finds what is there');
  assert.deepEqual(
    before.filter((place) => place.startsWith('database')),
    [],
    'facts and rows are sealed',
  );
  await world.recordingService.erase(recordingId, who('erase'));
  assert.deepEqual(await world.found(marker), []);
  assert.ok((await world.found(other)).length > 0);
  assert.equal((await recordingById(world.storage, recordingId))?.state, 'idle.erased');

  // Not after a restart, nor when all views are made anew from the log.
  await world.close();
  world = await openWorld(t, home, { rebuild: true });
  assert.deepEqual(await world.found(marker), []);
  assert.ok((await recordingById(world.storage, kept))?.documents);
  assert.equal((await recordingById(world.storage, recordingId))?.title, null);
  await assert.rejects(world.recordingService.erase(recordingId, who('again')), NotAccepted);
});

for (const step of erasureSteps) {
  test(`an erasure that ends before the step "${step}" is finished at the next start`, async (t) => {
    const home = await tempDir(t);
    let world = await openWorld(t, home, { dieBefore: step });
    const { recordingId } = await world.record(marker);
    await world.record(other);
    await assert.rejects(world.recordingService.erase(recordingId, who('erase')), /died/);
    await world.close();
    world = await openWorld(t, home);
    assert.deepEqual(await world.found(marker), []);
    assert.ok((await world.found(other)).length > 0);
    // What is done is not noted any more.
    assert.deepEqual(await levelPendingJobs(world.store.db).list(), []);
  });
}

test('an erasure is finished at the next start when the process ended as soon as its fact was stored', async (t) => {
  const home = await tempDir(t);
  let world = await openWorld(t, home);
  const { recordingId } = await world.record(marker);
  await world.record(other);
  const append = world.store.append.bind(world.store);
  t.mock.method(world.store, 'append', async (...offered: Parameters<typeof append>) => {
    const stored = await append(...offered);
    if (stored.some(({ type }) => type === 'recording.erased')) throw new Error('died');
    return stored;
  });
  await assert.rejects(world.recordingService.erase(recordingId, who('erase')), /died/);
  await world.close();
  world = await openWorld(t, home);
  assert.deepEqual(await world.found(marker), []);
  assert.ok((await world.found(other)).length > 0);
});

test('a recording is erased in any state: what is going on is cancelled first', async (t) => {
  const world = await openWorld(t, await tempDir(t), { hold: 'transcribe' });
  const held = await world.begin(marker);
  await world.until(held.recordingId, 'transcribing');
  await world.recordingService.erase(held.recordingId, who('erase held'));
  assert.deepEqual(await world.found(marker), []);
  const folders = await readdir(join(world.dataDir, 'recordings'));
  assert.deepEqual(folders, []);
});

test('nothing is removed while what was cancelled may still write', async (t) => {
  const events = new EventEmitter();
  const released = once(events, 'release');
  const cancelled = once(events, 'cancelled');
  let holds = true;
  // It hears of its end late, and writes once more.
  const transcribe: StageActivity = async (job) => {
    await job.acquireSlot({ name: 'held', concurrency: 1 });
    job.signal.addEventListener('abort', () => void events.emit('cancelled'));
    await released;
    const folder = join(world.dataDir, 'recordings', job.recordingId);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'late'), marker);
    job.signal.throwIfAborted();
  };
  const world = await openWorld(t, await tempDir(t), {
    transcribe: (job, usual) => (holds ? transcribe(job) : usual(job)),
  });
  const held = await world.begin(marker);
  await world.until(held.recordingId, 'transcribing');
  holds = false;
  const erasing = world.recordingService.erase(held.recordingId, who('erase'));
  await cancelled;
  // Work enough for everything to be removed, if it did not wait.
  for (let n = 0; n < 3; n += 1) await world.record(other);
  events.emit('release');
  await erasing;
  assert.deepEqual(await world.found(marker), []);
});

test('a recording whose fact was never stored is left alone by what was noted for it', async (t) => {
  const home = await tempDir(t);
  let world = await openWorld(t, home);
  const { recordingId } = await world.record(marker);
  await levelPendingJobs(world.store.db).add(recordingId, 'erase');
  await levelPendingJobs(world.store.db).add(recordingId, 'delete-documents');
  await world.close();
  world = await openWorld(t, home);
  assert.ok((await recordingById(world.storage, recordingId))?.documents);
  assert.ok((await world.found(marker)).length > 0);
  assert.deepEqual(await levelPendingJobs(world.store.db).list(), []);

  // Where other processes have the log, one of them may be about to store the fact, and to end then.
  await levelPendingJobs(world.store.db).add(recordingId, 'erase');
  await levelPendingJobs(world.store.db).add(recordingId, 'delete-documents');
  await world.close();
  world = await openWorld(t, home, { isShared: true });
  assert.equal((await levelPendingJobs(world.store.db).list()).length, 2);
  await world.recordingService.erase(recordingId, who('erase'));
  await levelPendingJobs(world.store.db).add(recordingId, 'erase');
  await world.close();
  world = await openWorld(t, home, { isShared: true });
  assert.deepEqual(await levelPendingJobs(world.store.db).list(), []);
});

test('documents deleted by a fact are gone after a crash too; those of another recording stay', async (t) => {
  const home = await tempDir(t);
  let world = await openWorld(t, home);
  const { recordingId } = await world.record(marker);
  await world.record(other);
  await levelPendingJobs(world.store.db).add(recordingId, 'delete-documents');
  const documents = ['index', 'transcript', 'summary'] as const;
  const fact: RecordingFact = { type: 'documents.deleted', data: { documents: [...documents] } };
  await world.recordingService.command(recordingId, fact, who('delete'));
  await world.close();
  world = await openWorld(t, home);
  assert.deepEqual(
    (await world.found(marker)).filter((place) => place.includes('spaces')),
    [],
  );
  assert.ok((await world.found(other)).some((place) => place.includes('spaces')));
});

test('an upload that dies before its fact is stored is gone after the next start; sent again and erased, nothing is left', async (t) => {
  const home = await tempDir(t);
  let world = await openWorld(t, home, { dieBeforeImport: true });
  await assert.rejects(world.begin(marker, 'upload'), /died/);
  assert.ok((await world.found(marker)).some((place) => place.includes('/recordings/')));
  await world.close();
  world = await openWorld(t, home);
  assert.deepEqual(await world.found(marker), []);
  const { recordingId } = await world.begin(marker, 'upload');
  await world.until(recordingId, 'idle.saved');
  await world.recordingService.erase(recordingId, who('erase'));
  assert.deepEqual(await world.found(marker), []);
  assert.deepEqual(await levelPendingJobs(world.store.db).list(), []);
});

test('audio that an earlier release put aside goes with the recording it was sent again for', async (t) => {
  const world = await openWorld(t, await tempDir(t));
  const aside = (id: string) => join(world.dataDir, 'quarantine', `${id}-1796295312262`);
  for (const [id, word] of [
    ['01M7ZZZB8A0000000000000001', marker],
    ['01M7ZZZB8A0000000000000002', other],
  ] as const) {
    await mkdir(aside(id), { recursive: true });
    await writeFile(join(aside(id), 'audio.wav'), word);
  }
  const { recordingId } = await world.record(marker);
  await world.recordingService.erase(recordingId, who('erase'));
  assert.deepEqual(await world.found(marker), []);
  assert.equal((await world.found(other)).length, 1);
});

test('what came back from a backup is erased again, past one that cannot be', async (t) => {
  const home = await tempDir(t);
  let world = await openWorld(t, home);
  const first = await world.record(marker);
  const second = await world.record(other);
  for (const { recordingId } of [first, second]) await world.keys.forget(recordingId);
  await world.close();
  world = await openWorld(t, home, { unreadable: first.recordingId });
  assert.equal((await recordingById(world.storage, first.recordingId))?.state, 'idle.saved');
  assert.equal((await recordingById(world.storage, second.recordingId))?.state, 'idle.erased');
  await world.close();
  world = await openWorld(t, home);
  assert.equal((await recordingById(world.storage, first.recordingId))?.state, 'idle.erased');
});

test('an erasure does not wait for a projection that has stopped, and no row of it can be read', async (t) => {
  const home = await tempDir(t);
  let world = await openWorld(t, home, { stopAt: 'recording.erased' });
  const { recordingId } = await world.record(marker);
  await world.recordingService.erase(recordingId, who('erase'));
  assert.deepEqual(await world.found(marker), []);
  assert.equal((await recordingById(world.storage, recordingId))?.title, null);
  assert.equal((await transcriptOf(world.storage, recordingId))?.blocks.length, 0);
  await world.close();
  // The next release can do it.
  world = await openWorld(t, home);
  assert.equal((await recordingById(world.storage, recordingId))?.state, 'idle.erased');
  assert.deepEqual((await libraryOf(world.storage, 'anna')).rows, []);
  const keys: string[] = [];
  for await (const [key] of world.storage.range('recordings', { gte: '', lt: '~' })) keys.push(key);
  assert.deepEqual(keys, ['p/anna', `r/${recordingId}`]);
});

type Options = {
  dieBefore?: ErasureStep;
  rebuild?: boolean;
  hold?: 'transcribe';
  transcribe?: (job: Job, usual: StageActivity) => Promise<void>;
  /** The process dies when the fact of an upload is to be stored. */
  dieBeforeImport?: boolean;
  /** A recording of which no version is told. */
  unreadable?: string;
  /** The projection of recordings has a defect at facts of this type. */
  stopAt?: string;
  /** Other processes may have the log. */
  isShared?: boolean;
};

/** Everything behind the door but engines, over a data directory that outlives it. */
async function openWorld(t: TestContext, home: string, options: Options = {}) {
  const dataDir = await realpath(home);
  const recordingsDir = join(dataDir, 'recordings');
  await mkdir(recordingsDir, { recursive: true });
  const logged: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  const keys = await openFileKeys(join(dataDir, 'keys'));
  const store = await openLog({ directory: join(dataDir, 'log'), keys });
  const defective: Projection = {
    ...recordings,
    apply(row, fact) {
      if (fact.type === options.stopAt) throw new TypeError('not as I expected');
      recordings.apply(row, fact);
    },
  };
  const views = [defective, commands];
  const directory = join(dataDir, 'rows');
  const rows = await openRows({ directory, keys, projections: views, log });
  const { storage } = rows;
  if (options.rebuild) for (const { name } of views) await storage.clear(name);
  const projections = startProjections({ store, storage, projections: views });
  const spaceOf = (owner: string) => openSpace(dataDir, owner);
  /** What was said in which recording. */
  const words = new Map<string, string>();
  const said = (id: string) => words.get(id) ?? marker;
  const dying: typeof store = {
    ...store,
    isShared: options.isShared ?? false,
    append: (stream, facts, version) =>
      options.dieBeforeImport && facts[0]?.type === 'audio.imported'
        ? Promise.reject(new Error('died before the import'))
        : store.append(stream, facts, version),
  };
  const recordingService = openRecordingService({
    store: dying,
    log,
    recordingsDir,
    quarantineDir: join(dataDir, 'quarantine'),
    jobQueue: openJobQueue(),
    progress: openStageProgress(),
    importedBy: (command) => importedBy(storage, command),
    activities: speaking(said, spaceOf, options),
    removal: {
      keys,
      spaceOf,
      jobs: levelPendingJobs(store.db),
      async version(stream) {
        if (stream.endsWith(options.unreadable ?? '-')) throw new Error('not to be read');
        return await store.version(stream);
      },
      removeRows: (recordingId) => removeTexts(storage, recordingId),
      applied: (position) => projections.applied('all', position),
      before(step) {
        if (step === options.dieBefore) throw new Error(`died before ${step}`);
      },
    },
  });
  await projections.ready();
  await recordingService.finishRemovals();
  let closed = false;
  const world = {
    dataDir,
    store,
    storage,
    recordingService,
    keys,
    async begin(word: string, command = `upload-${words.size}`) {
      const path = join(dataDir, `upload-${word}`);
      await writeFile(path, word);
      const accepted = await recordingService.importAudio({
        path,
        filename: `${word}.wav`,
        title: `${word} of the week`,
        owner: 'anna',
        by: 'anna',
        command,
        kind: 'solo',
        language: null,
        speakers: null,
      });
      words.set(accepted.recordingId, word);
      return accepted;
    },
    async record(word: string) {
      const accepted = await world.begin(word);
      await world.until(accepted.recordingId, 'idle.saved');
      return accepted;
    },
    async correct(id: string, word: string) {
      const fact = { type: 'title.changed', data: {} } as const;
      const content = { title: `${word} again`, previous: `${word} of the week` };
      await recordingService.command(id, { ...fact, content }, who(`title-${id}`));
      await world.until(id, 'idle.saved');
    },
    until: (id: string, state: string) =>
      new Promise<void>((resolve, reject) => {
        const look = async () => {
          const row = await recordingById(storage, id);
          if (row?.state.startsWith(state)) resolve();
        };
        projections.onApplied(() => void look());
        setTimeout(() => reject(new Error(`never ${state}`)), 20_000).unref();
        void look();
      }),
    /** Places below the data directory, in the database and in the log that hold a word. */
    async found(word: string): Promise<string[]> {
      const places: string[] = [];
      for (const db of [store.db, rows.db]) {
        for await (const [key, value] of db.iterator({ valueEncoding: 'utf8' })) {
          if (`${key} ${value}`.includes(word)) places.push(`database ${key.slice(0, 40)}`);
        }
      }
      const files = await filesBelow(dataDir);
      const holding = files.filter(
        ({ name, bytes }) => name.includes(word) || bytes.includes(word),
      );
      places.push(...holding.map(({ path }) => path));
      if (logged.join('\n').includes(word)) places.push('the service’s log');
      return places;
    },
    async close() {
      if (closed) return;
      closed = true;
      await recordingService.close();
      await projections.stop();
      await rows.close();
      await store.close();
    },
  };
  t.after(() => world.close());
  return world;
}

/** LevelDB compresses its tables; what is in them is looked at through the database. */
function speaking(
  said: (recordingId: string) => string,
  spaceOf: Parameters<typeof write>[0]['spaceOf'],
  { hold, transcribe }: Pick<Options, 'hold' | 'transcribe'>,
) {
  const simulated = simulatedActivities(seeded(1), 0);
  const held: StageActivity = async (job) => {
    await job.acquireSlot({ name: 'held', concurrency: 1 });
    await new Promise((_, reject) => {
      job.signal.addEventListener('abort', () => reject(job.signal.reason as Error));
    });
  };
  const engine = { engine: 'simulated', model: null };
  const punctuate: StageActivity = async (job) => {
    await job.acquireSlot({ name: 'language', concurrency: 1 });
    const word = said(job.recordingId);
    const block = { id: 't-0001', speaker: null, start: 0, end: 9, text: `A ${word}.`, words: [] };
    await job.append({
      type: 'transcript.punctuated',
      data: { ...engine, parts: 1, kept: [] },
      content: { blocks: [block] },
    });
  };
  const summarise: StageActivity = async (job) => {
    await job.acquireSlot({ name: 'language', concurrency: 1 });
    await job.append({
      type: 'summary.completed',
      data: { ...engine, parts: 1, language: 'en' },
      content: { text: `About ${said(job.recordingId)}.` },
    });
  };
  const entitle: StageActivity = async (job) => {
    await job.acquireSlot({ name: 'language', concurrency: 1 });
    const word = said(job.recordingId);
    await job.append({
      type: 'title.chosen',
      data: engine,
      content: { title: word, abstract: `${word} and more.` },
    });
  };
  return {
    ...simulated,
    ...(hold ? { transcribe: held } : {}),
    ...(transcribe ? { transcribe: (job: Job) => transcribe(job, simulated.transcribe) } : {}),
    punctuate,
    summarise,
    entitle,
    write: write({
      spaceOf,
      uiLanguage: () => 'en',
      choices: () => ({ times: true, links: false }),
      async *promisedBases() {},
    }),
  };
}
