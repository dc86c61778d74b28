import pino from 'pino';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { RecordingFact } from '../../events/facts/recording.ts';
import { recordingById } from '../../projections/recordings.ts';
import { settingsFrom } from '../../src/config/environment.ts';
import { documentNames } from '../../src/documents/documents.ts';
import { baseName } from '../../src/documents/file-names.ts';
import type { PipelineTrial } from '../../src/service/ports.ts';
import type { StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { dataFolder } from '../../src/shared/data-directory.ts';
import { StageError } from '../../src/shared/errors.ts';
import { failure } from '../../src/words/failures.ts';
import { speak } from '../support/espeak.ts';
import { eventually } from '../support/eventually.ts';
import { speechServer } from '../support/speech-servers.ts';
import { tempDir } from '../support/temp-dir.ts';
import { testPipeline } from '../support/test-pipeline.ts';

const began = '2026-03-02T10:00:00+00:00';
const title = 'Standup';

/** The name is in the log, and no file is there yet. */
const namedOnly: StageActivity = async (job) => {
  await job.acquireSlot({ name: 'documents', concurrency: 1 });
  await job.append({
    type: 'documents.named',
    data: { local_start: began, ui_language: 'en', renderer: 1 },
    content: { base: await baseName(began, title, async () => false), title },
  });
  throw new StageError(failure('nothing-recorded'), { retriable: true });
};

const reprocessing = {
  type: 'reprocessing.requested',
  data: { from: 'speech-to-text' },
} as const satisfies RecordingFact;

type World = Awaited<ReturnType<typeof openWorld>>;
/** Ways to a name without files, and on from there. */
const ways: readonly {
  what: string;
  activities: PipelineTrial['activities'];
  before(world: World, id: string): Promise<unknown>;
  on: RecordingFact;
}[] = [
  {
    what: 'failed before its files were there',
    activities: { write: namedOnly },
    before: (world, id) => world.until(id, 'error'),
    on: { type: 'retry.requested', data: {} },
  },
  {
    what: 'failed so, and was dismissed',
    activities: { write: namedOnly },
    async before(world, id) {
      await world.until(id, 'error');
      await world.command(id, { type: 'error.cleared', data: {} });
      await world.until(id, 'idle');
    },
    on: reprocessing,
  },
  {
    what: 'lost its documents to a person',
    activities: {},
    async before(world, id) {
      await world.until(id, 'idle');
      await world.deleteDocuments(id);
    },
    on: reprocessing,
  },
];

for (const { what, activities, before, on } of ways) {
  test(`what ${what} keeps its name over a restart, and is written under it`, async (t) => {
    const speech = await speechServer('openai');
    t.after(() => speech.close());
    const dataDir = await tempDir(t);
    const hear = (text: string) => (speech.hear = () => [{ text, start: 0.2, end: 1.2 }]);

    hear('first words');
    const former = await openWorld(t, dataDir, speech.url, activities);
    const first = await former.upload('first');
    await before(former, first);
    await former.close();

    hear('second words');
    const after = await openWorld(t, dataDir, speech.url, {});
    const second = await after.upload('second');
    await after.until(second, 'idle');
    hear('first words');
    await after.command(first, on);
    await eventually('it is written', async () => await after.isWritten(first));
    const [mine, theirs] = [await after.transcript(first), await after.transcript(second)];
    assert.match(mine, /first words/i);
    assert.match(theirs, /second words/i);
  });
}

async function openWorld(
  t: TestContext,
  dataDir: string,
  speechUrl: string,
  activities: PipelineTrial['activities'],
) {
  const settings = settingsFrom({ MITSCHRIFT_STT_BASE_URL: speechUrl });
  const pipeline = await testPipeline({
    data: dataFolder(dataDir),
    settings: () => settings,
    log: pino({ level: 'silent' }),
    activities,
    firstRunWaitMs: 0,
  });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= pipeline.close());
  t.after(close);
  await pipeline.takeUp();
  const { recordingService, storage, spaceOf } = pipeline;
  return {
    close,
    async upload(command: string): Promise<string> {
      const path = join(dataDir, 'uploads', `${command}.wav`);
      await speak(`the ${command} of two`, path);
      const upload = { path, filename: '0001.wav', owner: 'anna', by: 'anna', command } as const;
      const given = { kind: 'solo', language: null, speakers: null, title } as const;
      const { recordingId } = await recordingService.importAudio({
        ...upload,
        ...given,
        began: { said: began },
      });
      return recordingId;
    },
    command: (id: string, fact: RecordingFact) =>
      recordingService.command(id, fact, { by: 'anna', command: fact.type }),
    deleteDocuments: (id: string) =>
      recordingService.deleteDocuments(id, documentNames, { by: 'anna', command: 'delete' }),
    isWritten: async (id: string) =>
      Boolean((await recordingById(storage, id))?.documents) &&
      (await recordingById(storage, id))?.status === 'idle',
    until: (id: string, status: string) =>
      eventually(
        `${id} is ${status}`,
        async () => (await recordingById(storage, id))?.status === status,
      ),
    async transcript(id: string): Promise<string> {
      const { documents } = (await recordingById(storage, id))!;
      const space = await spaceOf('anna');
      assert.ok('root' in space && documents);
      return await readFile(join(space.root, documents.transcript), 'utf8');
    },
  };
}
