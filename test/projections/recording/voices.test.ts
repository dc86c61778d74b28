import assert from 'node:assert/strict';
import { test } from 'node:test';
import { measureVoices } from '../../../projections/recording/measured-voices.ts';
import { type ReadFact, noRecording } from '../../../projections/recording/recording.ts';
import { namedAfter } from '../../../projections/recording/voices.ts';

const voice = (label: string) => ({
  label,
  embedding_model: 'voices',
  embedding: [1, 0],
  seconds: 20,
});
const fact = (type: ReadFact['type'], data: object, content: object) =>
  ({ type, data, content, version: 1, position: 1, at: '2026-11-20T09:00:00Z' }) as never;

test('a voice from which speech was moved says nothing of anyone; one that got some is measured again', () => {
  const names = { A: 'Ada', B: 'Ben', C: 'Cem' };
  const labels = Object.keys(names);
  const named = namedAfter(
    [],
    fact('speakers.named', { labels }, { names, voices: labels.map(voice) }),
  );
  const moved = { from: ['A'], to: ['B'] };
  const after = namedAfter(named, fact('turns.recut', { moved }, {}));
  assert.deepEqual(
    after.map(({ label, voice: known, moved: isMoved }) => [label, known !== null, isMoved]),
    [
      ['A', false, true],
      ['B', true, true],
      ['C', true, undefined],
    ],
  );
});

test('what was measured of turns that are others by now is not taken in', () => {
  const plan = {
    labels: ['A'],
    speakers: ['A'],
    turns: [[0, 20, 0]] as [number, number, number][],
  };
  assert.deepEqual(measureVoices(plan, 'voices', [voice('A')])(noRecording('R1')), []);
});
