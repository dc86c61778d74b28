import assert from 'node:assert/strict';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { failure } from '../../src/words/failures.ts';
import { speakerName } from '../../src/documents/documents.ts';
import { linesOf, synthesise, writeDialogue } from '../support/dialogues.ts';
import { openMeetingWorld } from '../support/meeting-world.ts';
import { copyModel, modelsDir } from '../support/models.ts';

test('without models a meeting goes on with one speaker, and says what to install', async (t) => {
  const world = await openWorld(t);
  const id = await world.uploadDialogue();
  await world.until(id, 'awaiting-speakers');
  const row = await world.row(id);
  assert.deepEqual(
    row.suggestions.map(({ label }) => label),
    ['SPEAKER_00'],
  );
  const note = row.notes.find(({ code }) => code === 'diarization-skipped');
  assert.deepEqual(note?.params, { cause: failure('no-speaker-model') });

  const { index } = await world.finish(id);
  assert.match(
    index,
    /The speakers could not be separated\. No model for speaker recognition is installed\.$/m,
  );
  assert.doesNotMatch(index, /no-engine/);
});

test('a failed diarization is a fact; with the model mended the recording is diarized again', async (t) => {
  const world = await openWorld(t);
  await copyModel('espeak-segmentation', world.models);
  const folder = await copyModel('espeak-embedding', world.models);
  await writeFile(join(folder, 'embedding.onnx'), 'half a model');
  const id = await world.uploadDialogue();
  await world.until(id, 'awaiting-speakers');
  const [skipped] = await world.factsOf(id, 'diarization.skipped');
  assert.match(
    skipped!.data.reason,
    /espeak-embedding is damaged\. .*embedding\.onnx: has 12 bytes/,
  );

  await world.finish(id);
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

/** A server that hears a word each second, and a dialogue of two. */
async function openWorld(t: TestContext) {
  const world = await openMeetingWorld(t);
  world.speech.hear = () =>
    Array.from({ length: 12 }, (_, at) => ({ text: `word${at}`, start: at, end: at + 0.5 }));
  return {
    ...world,
    async uploadDialogue(): Promise<string> {
      const path = world.uploadPath('talk.wav');
      await writeDialogue(path, (await synthesise(linesOf(2, 4))).samples);
      return await world.upload(path);
    },
  };
}
