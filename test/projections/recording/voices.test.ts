import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRefusal } from '../../../events/command-handler.ts';
import type { RecordingFact } from '../../../events/facts/recording.ts';
import { nameSpeakers } from '../../../projections/recording/decide.ts';
import { measureVoices } from '../../../projections/recording/measured-voices.ts';
import { type ReadFact, evolve, noRecording } from '../../../projections/recording/recording.ts';
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

test('a voice that was measured stays with its name where labels of a further run are other voices', () => {
  const heard = (labels: string[]): RecordingFact[] => [
    {
      type: 'diarization.completed',
      data: {
        engine: 'local',
        model: null,
        turns: labels.map((label, at): [number, number, string] => [at * 20, at * 20 + 20, label]),
      },
      content: {
        embedding_model: 'voices',
        voices: labels.map((label, at) => ({
          label,
          seconds: 20,
          embedding: [at === 0 ? 1 : 0, at],
        })),
      },
    },
    {
      type: 'turns.joined',
      data: { speakers: labels.map((label) => ({ label, seconds: 20 })) },
      content: {
        suggestions: [],
        turns: labels.map((speaker, at) => ({
          id: `t-${at + 1}`,
          speaker,
          start: at * 20,
          end: at * 20 + 20,
          text: 'word',
          words: [],
        })),
      },
    },
  ];
  const named = (facts: readonly RecordingFact[], names: Record<string, string>) => {
    const decided = nameSpeakers(names, { remember: true })(
      recordingOf(facts),
      'awaiting-speakers',
    );
    assert.ok(!isRefusal(decided), JSON.stringify(decided));
    return [...facts, ...decided];
  };
  const [A, B] = ['SPEAKER_00', 'SPEAKER_01'];
  const first = named([imported, ...heard([A, B])], { [A]: 'Anna', [B]: 'Ben' });
  const measured: RecordingFact = {
    type: 'voice.measured',
    data: { embedding_model: 'voices', labels: [A, B] },
    content: { voices: [voice(A), { ...voice(B), embedding: [0, 1] }] },
  };
  const again: RecordingFact = { type: 'reprocessing.requested', data: { from: 'diarize' } };
  const next = named([...first, measured, again, ...heard([B, A])], { [B]: 'Anna', [A]: 'Ben' });
  const fact = next.at(-1);
  assert.ok(fact?.type === 'speakers.named');
  assert.deepEqual(
    fact.content?.voices?.map(({ label, embedding }) => [label, embedding]),
    [
      [B, [1, 0]],
      [A, [0, 1]],
    ],
  );
});

const imported: RecordingFact = {
  type: 'audio.imported',
  data: {
    owner: 'anna',
    kind: 'meeting',
    language: null,
    speakers: null,
    path: 'audio.wav',
    bytes: 1,
    sha256: 'a',
    duration: 40,
    started_at: '2026-03-01T10:00:00Z',
  },
  content: { title: 'Talk' },
};

const recordingOf = (facts: readonly RecordingFact[]) =>
  facts.reduce(
    (recording, one, at) =>
      evolve(recording, { ...one, version: at + 1, at: '2026-03-01T10:00:00Z', by: 'anna' }),
    noRecording('r1'),
  );
