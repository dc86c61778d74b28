import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordingFact } from '../../../events/facts/recording.ts';
import type { Block } from '../../../events/facts/transcript.ts';
import { nameVoices } from '../../../projections/recording/decide.ts';
import { liveNames } from '../../../projections/recording/earlier-names.ts';
import { evolve, noRecording } from '../../../projections/recording/recording.ts';
import { shown } from '../../../projections/recording/reading.ts';
import { suggestNames } from '../../../projections/recording/suggest-names.ts';

const recordingOf = (facts: readonly RecordingFact[]) =>
  facts.reduce(
    (recording, fact, at) =>
      evolve(recording, { ...fact, version: at + 1, at: '2026-03-01T10:00:00Z', by: 'anna' }),
    noRecording('r1'),
  );
const started: RecordingFact = {
  type: 'recording.started',
  data: {
    owner: 'anna',
    kind: 'meeting',
    language: null,
    speakers: null,
    device: null,
    trigger: 'api',
  },
  content: {},
};
const heard = (index: number, start: number, end: number, voice?: string): RecordingFact => ({
  type: 'utterance.recognised',
  data: { index, start, end, words: 1, language: 'en', ...(voice ? { voice } : {}) },
  content: { segments: [{ start, end, text: 'word', words: [] }] },
});
const followed: RecordingFact = {
  type: 'speech.followed',
  data: { detector: 'webrtc', stretches: [[0, 1]] },
};
const live = [
  started,
  followed,
  followed,
  followed,
  heard(0, 0, 10, 'VOICE_1'),
  heard(1, 10, 14, 'VOICE_2'),
  heard(2, 14, 20, 'VOICE_1'),
];
const named = (facts: readonly RecordingFact[], names: Record<string, string>) => {
  const decided = nameVoices(names)(recordingOf(facts));
  assert.ok(!('refused' in decided), JSON.stringify(decided));
  return [...facts, ...decided];
};
const turn = (speaker: string | null, start: number, end: number): Block => ({
  id: `t-${start}`,
  speaker,
  start,
  end,
  text: 'word',
  words: [],
});
/** The first voice was two people: most of it is the second one’s. */
const turns = [
  turn('SPEAKER_00', 0, 4),
  turn('SPEAKER_01', 4, 10),
  turn('SPEAKER_02', 10, 14),
  turn('SPEAKER_01', 14, 20),
];

test('a name of a live voice is suggested for who holds most of its seconds, as less than certain', () => {
  const recording = recordingOf(named(live, { VOICE_1: 'Änne', VOICE_2: 'Ben' }));
  assert.deepEqual(liveNames(recording, turns), [
    { label: 'SPEAKER_01', name: 'Änne', confidence: 0.9 * 0.75, reason: 'named-live' },
    { label: 'SPEAKER_02', name: 'Ben', confidence: 0.9, reason: 'named-live' },
  ]);
  const suggested = suggestNames({
    turns,
    identified: [],
    carried: new Map([['SPEAKER_02', { name: 'Cem', confidence: 1 }]]),
    voices: liveNames(recording, turns),
    people: [],
  });
  // What a person confirmed before weighs more.
  assert.deepEqual(
    [...suggested].map(([label, { name }]) => [label, name]),
    [
      ['SPEAKER_01', 'Änne'],
      ['SPEAKER_02', 'Cem'],
    ],
  );
});

test('names of voices add up, can be taken away, and are of voices that were heard', () => {
  let facts = named(live, { VOICE_1: 'Änne' });
  facts = named(facts, { VOICE_2: 'Ben' });
  assert.deepEqual(
    shown(recordingOf(facts)).speakers.map(({ label, name }) => [label, name]),
    [
      ['VOICE_1', 'Änne'],
      ['VOICE_2', 'Ben'],
    ],
  );
  assert.deepEqual(nameVoices({ VOICE_2: 'Ben' })(recordingOf(facts)), []);
  facts = named(facts, { VOICE_1: '' });
  assert.deepEqual(
    liveNames(recordingOf(facts), turns).map(({ name }) => name),
    ['Ben'],
  );
  const refused = nameVoices({ VOICE_3: 'Cem' })(recordingOf(facts));
  assert.equal('refused' in refused && refused.refused, 'UNKNOWN_LABELS');
});

test('a stretch that was recognised once more, and those of a further run, count once', () => {
  const facts = named([...live, heard(1, 10, 14, 'VOICE_1'), heard(0, 50, 60), heard(1, 60, 90)], {
    VOICE_1: 'Änne',
  });
  const [one] = liveNames(recordingOf(facts), [
    turn('SPEAKER_00', 0, 10),
    turn('SPEAKER_01', 10, 90),
  ]);
  assert.deepEqual([one?.label, one?.confidence], ['SPEAKER_00', 0.45]);
});

test('names of voices are of the audio in which they were heard: put together with other audio it has none', () => {
  const assembled: RecordingFact = {
    type: 'audio.assembled',
    data: {
      path: 'audio-10.wav',
      bytes: 1,
      sha256: 'a',
      duration: 50,
      replaces: 'audio.wav',
      parts: [
        { recording: 'r2', from: 0, to: 20 },
        { recording: 'r1', from: 0, to: 30 },
      ],
    },
  };
  const facts = [...named(live, { VOICE_1: 'Änne', VOICE_2: 'Ben' }), assembled];
  assert.deepEqual(liveNames(recordingOf(facts), turns), []);
});
