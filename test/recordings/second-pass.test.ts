import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordingFact } from '../../events/facts/recording.ts';
import { evolve, noRecording } from '../../projections/recording/recording.ts';
import { secondPassDue } from '../../src/recordings/second-pass.ts';
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
