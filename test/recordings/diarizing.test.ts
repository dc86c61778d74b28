import pino from 'pino';
import assert from 'node:assert/strict';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  type RecordingFact,
  type RecordingFactType,
  recordingStream,
} from '../../events/facts/recording.ts';
import { noDiarizationModel } from '../../projections/recording/notes.ts';
import { factsOf, readRecording } from '../../projections/recording/recording.ts';
import { recordingById } from '../../projections/recordings.ts';
import { settingsFrom } from '../../src/config/environment.ts';
import { speakerName } from '../../src/documents/documents.ts';
import { openPipeline } from '../../src/pipeline.ts';
import { dataFolder } from '../../src/shared/data-directory.ts';
import { linesOf, synthesise, writeDialogue } from '../support/dialogues.ts';
import { onThisMachine } from '../support/eventually.ts';
import { copyModel, modelsDir } from '../support/models.ts';
import { speechServer } from '../support/speech-servers.ts';
import { tempDir } from '../support/temp-dir.ts';

test('without models a meeting goes on with one speaker, and says what to install', async (t) => {
  const world = await openWorld(t);
  const id = await world.upload();
  await world.until(id, 'awaiting-speakers');
  const row = (await recordingById(world.pipeline.storage, id))!;
  assert.deepEqual(
    row.suggestions.map(({ label }) => label),
    ['SPEAKER_00'],
  );
  const note = row.notes.find(({ code }) => code === 'diarization-skipped');
  assert.equal(note?.detail, noDiarizationModel);

  await world.command(id, { type: 'speakers.skipped', data: {} });
  await world.until(id, 'idle.saved');
  const { documents } = (await recordingById(world.pipeline.storage, id))!;
  const index = await readFile(join(world.spaces, 'anna', documents!.index), 'utf8');
  assert.match(index, /To tell speakers apart, put a model/);
  assert.doesNotMatch(index, /no-engine/);
});

test('a failed diarization is a fact; with the model mended the recording is diarized again', async (t) => {
  const world = await openWorld(t);
  await copyModel('espeak-segmentation', world.models);
  const folder = await copyModel('espeak-embedding', world.models);
  await writeFile(join(folder, 'embedding.onnx'), 'half a model');
  const id = await world.upload();
  await world.until(id, 'awaiting-speakers');
  const [skipped] = await world.factsOf(id, 'diarization.skipped');
  assert.match(skipped!.data.reason, /espeak-embedding cannot be used: its file embedding\.onnx/);

  await world.command(id, { type: 'speakers.skipped', data: {} });
  await world.until(id, 'idle.saved');
  await copyFile(
    join(modelsDir, 'espeak-embedding/embedding.onnx'),
    join(folder, 'embedding.onnx'),
  );
  await world.command(id, {
    type: 'reprocessing.requested',
    data: { from: 'diarize', speakers: 2 },
  });
  await world.until(id, 'awaiting-speakers');
  const [completed] = await world.factsOf(id, 'diarization.completed');
  const labels = [...new Set(completed!.data.turns.map(([, , label]) => label))];
  assert.deepEqual(labels.toSorted(), ['SPEAKER_00', 'SPEAKER_01']);
  assert.equal(completed!.content?.embedding_model, 'espeak-embedding');
  assert.deepEqual(
    completed!.content?.voices.map(({ label }) => label).toSorted(),
    labels.toSorted(),
  );
});

test('labels are shown as the people they count, in the way of their log', () => {
  const shown = (label: string, uiLanguage: 'de' | 'en') =>
    speakerName({ speakers: [{ label, name: null, seconds: 1 }], uiLanguage }, label);
  assert.equal(shown('SPEAKER_00', 'en'), 'Speaker 1');
  assert.equal(shown('SPEAKER_11', 'de'), 'Sprecher 12');
  assert.equal(shown('SPEAKER_1', 'de'), 'Sprecher 1');
});

/** A pipeline whose speech server hears a word each second, and that has the models of `models`. */
async function openWorld(t: TestContext) {
  const speech = await speechServer('openai');
  t.after(() => speech.close());
  speech.hear = () =>
    Array.from({ length: 12 }, (_, at) => ({ text: `word${at}`, start: at, end: at + 0.5 }));
  let closePipeline = async () => {};
  t.after(() => closePipeline());
  const dataDir = await tempDir(t);
  const models = join(dataDir, 'models');
  const settings = settingsFrom({
    MITSCHRIFT_STT_BASE_URL: speech.url,
    MITSCHRIFT_STT_MODEL: 'whisper-1',
  });
  const data = dataFolder(dataDir);
  const log = pino({ level: 'silent' });
  const pipeline = await openPipeline({ data, settings: () => settings, log, firstRunWaitMs: 0 });
  closePipeline = () => pipeline.close();
  await pipeline.takeUp();
  const { recordingService, store } = pipeline;
  return {
    pipeline,
    models,
    spaces: data.spaces,
    async upload(): Promise<string> {
      const path = join(dataDir, 'uploads', 'talk.wav');
      await writeDialogue(path, (await synthesise(linesOf(2, 4))).samples);
      const { recordingId } = await recordingService.importAudio({
        path,
        filename: 'talk.wav',
        owner: 'anna',
        by: 'anna',
        command: 'upload',
        kind: 'meeting',
        language: null,
        speakers: null,
        title: undefined,
      });
      return recordingId;
    },
    command: (id: string, fact: RecordingFact) =>
      recordingService.command(id, fact, { by: 'anna', command: `${fact.type} of ${id}` }),
    async until(id: string, state: string): Promise<void> {
      const signal = AbortSignal.timeout(onThisMachine(60_000));
      for await (const fact of store.subscribe({ afterPosition: 0, signal })) {
        if (fact.stream !== recordingStream(id) || fact.to !== state) continue;
        if (fact.version !== (await store.version(fact.stream))) continue;
        await pipeline.projections.applied('all', fact.position);
        return;
      }
      assert.fail(`${id} is not ${state}`);
    },
    factsOf: async <T extends RecordingFactType>(id: string, type: T) =>
      factsOf(await readRecording(store, id), type, Infinity),
  };
}
