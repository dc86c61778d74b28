import assert from 'node:assert/strict';
import pino from 'pino';
import { mkdir, readdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { openLog } from '../../events/log/level-log.ts';
import { commands, importedBy } from '../../projections/commands.ts';
import { recordingById, recordings, standingOfRecordings } from '../../projections/recordings.ts';
import type { Projection } from '../../projections/runner/projection.ts';
import { removeTexts } from '../../projections/texts.ts';
import { startProjections } from '../../projections/runner/runner.ts';
import { openSpace } from '../../src/documents/space.ts';
import { removalName } from '../../src/recordings/erasure.ts';
import { write } from '../../src/recordings/stages/write.ts';
import { openRecordingService } from '../../src/recordings/service.ts';
import type { Job, StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { levelKept } from '../../src/storage/level-rows.ts';
import { pendingJobs } from '../../src/storage/pending-jobs.ts';
import { openRows } from '../../src/storage/open-rows.ts';
import { filesBelow } from '../support/files-below.ts';
import { seeded } from '../support/seeded.ts';
import { simulatedActivities } from './simulated-activities.ts';
import { recordingServiceParts, writingParts } from '../support/recording-service.ts';
/** A word nobody else has, in everything a person said, wrote or called something. */
export const marker = 'Zwetschgenkuchen';
export const who = (command: string) => ({ by: 'anna', command });

/** What is removed, one after the other. */
export const erasureSteps = ['documents', 'files', 'rows', 'key', 'copies', 'done'] as const;
type ErasureStep = (typeof erasureSteps)[number];

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
  /** Awaited before a recording is erased, with what waits its turn among those who remove files of it. */
  leaveAudio?: (inTurn: () => Promise<void>) => Promise<void>;
  /** Awaited when documents are about to be deleted: their facts are stored. */
  beforeDeleting?: () => Promise<void>;
};

/** Everything behind the door but engines, over a data directory that outlives it. */
export async function openErasureWorld(t: TestContext, home: string, options: Options = {}) {
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
  /** How often the log was asked for a version. */
  let versions = 0;
  /** What was said in which recording. */
  const words = new Map<string, string>();
  const said = (id: string) => words.get(id) ?? marker;
  const dying: typeof store = {
    ...store,
    append: (stream, facts, version) =>
      options.dieBeforeImport && facts[0]?.type === 'audio.imported'
        ? Promise.reject(new Error('died before the import'))
        : store.append(stream, facts, version),
    async version(stream) {
      if (stream.endsWith(options.unreadable ?? '-')) throw new Error('not to be read');
      versions += 1;
      return await store.version(stream);
    },
  };
  const parts = recordingServiceParts(dying, dataDir);
  const { exclusively, files } = parts;
  const step = (one: ErasureStep) => {
    if (one === options.dieBefore) throw new Error(`died before ${one}`);
  };
  const removeAll = files.removeAll.bind(files);
  t.mock.method(files, 'removeAll', async (recordingId: string) => {
    step('files');
    await removeAll(recordingId);
  });
  const jobs = pendingJobs(levelKept(store.db, () => new Date()));
  const recordingService = openRecordingService({
    ...parts,
    store: dying,
    log,
    keys,
    importedBy: (command) => importedBy(storage, command),
    activities: speaking(said, { spaceOf, exclusively }, options),
    exclusively,
    leaveAudio: async (recordingId) =>
      options.leaveAudio?.(() => exclusively(removalName(recordingId), async () => {})),
    async spaceOf(owner) {
      step('documents');
      await options.beforeDeleting?.();
      return await spaceOf(owner);
    },
    jobs: {
      ...jobs,
      async complete(recordingId, job) {
        if (job === 'erase') step('done');
        await jobs.complete(recordingId, job);
      },
    },
    standingOf: (recordingIds) => standingOfRecordings(storage, recordingIds),
    copies: {
      ...parts.copies,
      async remove() {
        step('copies');
        return { left: [], away: [] };
      },
    },
    async removeRows(recordingId) {
      step('rows');
      await removeTexts(storage, recordingId);
    },
    keepUser: async () => step('key'),
    applied: (position) => projections.applied('all', position),
  });
  await projections.ready();
  await recordingService.finishRemovals(await readdir(recordingsDir));
  const again = recordingService.eraseAgain();
  if (options.unreadable === undefined) await again;
  else await assert.rejects(again, /not to be read/);
  let closed = false;
  const world = {
    dataDir,
    store,
    storage,
    jobs,
    recordingService,
    keys,
    versionsAsked: () => versions,
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
  placing: Pick<Parameters<typeof write>[0], 'spaceOf' | 'exclusively'>,
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
      ...writingParts(placing.spaceOf),
      exclusively: placing.exclusively,
    }),
  };
}
