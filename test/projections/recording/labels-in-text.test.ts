import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  replaceLabels,
  speakerNumber,
  withKnownNames,
} from '../../../projections/recording/written-texts.ts';

const labels = Array.from({ length: 11 }, (_, at) => `SPEAKER_${String(at).padStart(2, '0')}`);
const shown = (text: string, of = labels) => replaceLabels(text, of, (label) => `<${label}>`);

test('labels are found however a model spells them', () => {
  for (const text of [
    'SPEAKER_00',
    'speaker_00',
    'Speaker 00',
    'SPEAKER_0',
    'SPEAKER 0',
    'Speaker 1',
    'speaker-1',
    'Sprecher 1',
    'Sprecherin 1',
    'SPEAKER\\_00',
  ]) {
    assert.equal(
      shown(`${text}: yes. „${text}“ **${text}**’s`),
      '<SPEAKER_00>: yes. „<SPEAKER_00>“ **<SPEAKER_00>**’s',
    );
  }
  // The label of the eleventh, and the number of the tenth.
  assert.equal(shown('SPEAKER_10, Speaker 10'), '<SPEAKER_10>, <SPEAKER_09>');
  assert.equal(
    shown('SPEAKER_1 and Speaker 2', ['SPEAKER_1', 'SPEAKER_2']),
    '<SPEAKER_1> and <SPEAKER_2>',
  );
});

test('what is no label of the recording stays', () => {
  const text =
    'Loudspeaker 1, XSPEAKER_00, SPEAKER_00a, SPEAKER_001x, Speaker 12, Speaker 1000, speakers 1';
  assert.equal(shown(text), text);
  assert.equal(shown('Speaker 1 crackles', []), 'Speaker 1 crackles');
});

test('a name with signs of a replacement comes out as typed, and who has none keeps the label', () => {
  const speakers = [
    { label: 'SPEAKER_00', name: '$& $1 SPEAKER_01' },
    { label: 'SPEAKER_01', name: null },
  ];
  assert.equal(
    withKnownNames('Speaker 1 asked SPEAKER_01.', speakers),
    '$& $1 SPEAKER_01 asked SPEAKER_01.',
  );
});

test('two digits count from 00, one digit from 1', () => {
  assert.deepEqual(['SPEAKER_00', 'SPEAKER_09', 'SPEAKER_1', 'Anna'].map(speakerNumber), [
    1,
    10,
    1,
    null,
  ]);
});
