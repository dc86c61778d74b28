import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OfferedFact } from '../../events/facts/catalogue.ts';
import { recordingStream } from '../../events/facts/recording.ts';
import { draft } from '../../projections/recording/reading.ts';
import { readRecording } from '../../projections/recording/recording.ts';
import { renderDocuments } from '../../src/documents/render.ts';
import { documentsInput } from '../../src/documents/documents.ts';
import { memoryStore } from '../support/memory-store.ts';
import { sampleFact } from '../support/sample-facts.ts';

const named = {
  base: 'A talk',
  title: 'A talk',
  local_start: '2026-11-20T10:00:00+01:00',
  ui_language: 'en',
} as const;

for (const [gaps, said] of [
  [
    [
      [3.5, 0.25],
      [7, 12.5],
    ],
    /Parts of the recording are missing \(12\.8\ss\)\./,
  ],
  [[[1, 0.01]], /Parts of the recording are missing \(0\.1\ss\)\./],
  [[], null],
] as const) {
  test(`of ${gaps.length} gaps in what was captured the index says how long they are`, async () => {
    const index = await indexAfter('audio.captured', gaps);
    if (said === null) assert.doesNotMatch(index, /missing/);
    else assert.match(index, said);
  });
}

test('gaps are told also when the capture was interrupted, and after the audio was compressed', async () => {
  const index = await indexAfter('capture.interrupted', [[3.5, 4]], true);
  assert.match(index, /Parts of the recording are missing \(4\ss\)\./);
});

/** The index of a recording that was captured like this and said nothing. */
async function indexAfter(
  type: 'audio.captured' | 'capture.interrupted',
  gaps: readonly (readonly [number, number])[],
  compressed = false,
): Promise<string> {
  const store = memoryStore();
  const recordingId = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
  const started = sampleFact('recording.started');
  const sample = sampleFact(type);
  assert.ok(sample.type === type && sample.data.ledger);
  const ledger = { ...sample.data.ledger, gaps: gaps.map((gap): [number, number] => [...gap]) };
  const captured = { ...sample, data: { ...sample.data, ledger } } as OfferedFact;
  const facts = [started, captured, ...(compressed ? [sampleFact('audio.compressed')] : [])];
  await store.append(recordingStream(recordingId), facts, 0);
  const reading = draft(await readRecording(store, recordingId));
  return renderDocuments(documentsInput(recordingId, reading, named, {})).index;
}
