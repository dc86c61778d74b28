import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordingFact } from '../../events/facts/recording.ts';
import { evolve, noRecording } from '../../projections/recording/recording.ts';
import { secondPassBy, secondPassDue } from '../../src/recordings/second-pass.ts';
import { sampleData } from '../support/plausible-events.ts';

const fact = (type: RecordingFact['type'], data: object = {}): RecordingFact =>
  ({ type, data: { ...sampleData[type], ...data } }) as RecordingFact;
const after = (...facts: RecordingFact[]) =>
  facts.reduce(
    (recording, one, at) =>
      evolve(recording, { ...one, version: at + 1, at: '2026-03-01T10:00:00Z', by: 'anna' }),
    noRecording('r1'),
  );
const live = [
  fact('recording.started'),
  fact('audio.captured'),
  fact('transcription.completed', { second_pass: 'better' }),
];
const again = (data: object) => fact('reprocessing.requested', { from: 'speech-to-text', ...data });
const due = { type: 'reprocessing.requested', data: { from: 'speech-to-text', model: 'better' } };

test('a second pass is due with the first documents, once, however that ends', () => {
  assert.deepEqual(secondPassDue(after(...live)), due);
  const begun = [...live, fact('documents.saved'), again({ model: 'better' })];
  assert.equal(secondPassDue(after(...begun)), null);
  const cancelled = [...begun, fact('processing.cancelled'), fact('title.changed')];
  assert.equal(secondPassDue(after(...cancelled)), null);
  // What that run recognised is not recognised a third time.
  assert.equal(secondPassDue(after(...begun, fact('transcription.completed'))), null);
});

test('it is not due without audio, nor while texts with other names are to be made again', () => {
  assert.equal(secondPassDue(after(...live, fact('audio.removed'))), null);
  const renamed = fact('speakers.renamed', { texts: 'again' });
  assert.equal(secondPassDue(after(...live, renamed)), null);
  assert.deepEqual(secondPassDue(after(...live, renamed, fact('title.chosen'))), due);
  assert.equal(secondPassDue(after(fact('audio.imported'), fact('transcription.completed'))), null);
});

test('it is planned with what was recognised live, where the engine has another model of that name', () => {
  const warned: object[] = [];
  const log = { warn: (fields: object) => void warned.push(fields) };
  const started = fact('stage.started', { stage: 'follow' });
  const heard = [
    fact('recording.started'),
    started,
    fact('speech.followed'),
    fact('utterance.recognised'),
  ];
  const has = (model: string) => ({ model: 'small', withModel: () => ({ model }) as never });
  const plan = (facts: RecordingFact[], engine: Parameters<typeof secondPassBy>[1]) =>
    secondPassBy(after(...facts), engine, { secondPass: () => 'better', log });
  assert.deepEqual(plan(heard, has('better')), { second_pass: 'better' });
  assert.deepEqual(plan(heard, { model: 'better' }), {});
  assert.deepEqual(
    plan(
      heard.filter((one) => one !== started),
      has('better'),
    ),
    {},
  );
  assert.deepEqual(plan([...heard, again({})], has('better')), {});
  assert.equal(warned.length, 0);
  assert.deepEqual(plan(heard, has('small')), {});
  assert.deepEqual(plan(heard, { model: null }), {});
  assert.equal(warned.length, 2);
});
