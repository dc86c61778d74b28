import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordingFact } from '../../../events/facts/recording.ts';
import type { LoggedRecordingFact } from '../../../events/facts/catalogue.ts';
import { digestAfter, noDigest } from '../../../projections/recording/digest.ts';
import { draft } from '../../../projections/recording/reading.ts';
import { evolve, noRecording } from '../../../projections/recording/recording.ts';

/** What is noted of an import in which an engine found these words. */
function notesFor(
  stretches: [number, number][],
  words: number,
  warnings: string[] = [],
  tracks?: { used: number; of: number },
): string[] {
  const worker = { engine: 'local', model: null };
  const facts: RecordingFact[] = [
    {
      type: 'audio.imported',
      data: {
        owner: 'anna',
        kind: 'solo',
        language: null,
        speakers: null,
        path: 'audio.wav',
        bytes: 1,
        sha256: 'a',
        duration: 4,
        started_at: '2026-03-01T10:00:00Z',
      },
      content: {},
    },
    {
      type: 'speech.detected',
      data: { detector: 'webrtc', duration: 4, stretches, warnings, ...(tracks && { tracks }) },
    },
    {
      type: 'transcription.completed',
      data: { ...worker, language: null, utterances: stretches.length, words },
    },
  ];
  const at = '2026-03-01T10:00:00Z';
  const recording = facts.reduce(
    (folded, fact, index) => evolve(folded, { ...fact, version: index + 1, at, by: 'system' }),
    noRecording('r1'),
  );
  const codes = draft(recording).notes.map(({ code }) => code);
  // Rows keep less of the facts, and say the same.
  const row = facts.reduce(
    (digest, fact, index) =>
      digestAfter(digest, { ...fact, version: index + 1, at, by: 'system' } as LoggedRecordingFact),
    noDigest('r1'),
  );
  assert.deepEqual(
    draft(row).notes.map(({ code }) => code),
    codes,
  );
  return codes;
}

test('it is noted that nobody speaks: where no speech is found, and where no word is, as in music', () => {
  assert.deepEqual(notesFor([], 0), ['no-speech']);
  assert.deepEqual(notesFor([[0, 4]], 0), ['no-speech']);
  assert.deepEqual(notesFor([[0, 4]], 5), []);
});

test('it is noted that of inverted channels one was taken, and nothing that is mended without loss', () => {
  assert.deepEqual(notesFor([[0, 4]], 5, ['one-channel', 'quiet']), ['one-channel']);
});

test('it is noted that a file has sound tracks behind the one that was used', () => {
  assert.deepEqual(notesFor([[0, 4]], 5, [], { used: 1, of: 2 }), ['other-tracks']);
  assert.deepEqual(notesFor([[0, 4]], 5, [], { used: 2, of: 2 }), []);
  assert.deepEqual(notesFor([], 0, [], { used: 1, of: 2 }), ['no-speech']);
});
