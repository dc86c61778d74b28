import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block } from '../../../events/facts/transcript.ts';
import { carriedNames } from '../../../projections/recording/earlier-names.ts';

const turn = (speaker: string | null, start: number, end: number): Block => ({
  id: `t-${start}`,
  speaker,
  start,
  end,
  text: '',
  words: [],
});

test('a label is suggested the name under which most of its speech was said before', () => {
  const before = [turn('SPEAKER_1', 0, 10), turn('SPEAKER_2', 10, 20), turn('SPEAKER_3', 20, 30)];
  const names = { SPEAKER_1: 'Ada', SPEAKER_2: 'Ben', SPEAKER_3: ' ' };
  const turns = [
    turn('SPEAKER_2', 0, 8),
    turn('SPEAKER_1', 8, 20),
    turn('SPEAKER_3', 20, 30),
    turn('SPEAKER_4', 40, 50),
    turn(null, 0, 50),
  ];
  assert.deepEqual(
    [...carriedNames(before, names, turns)],
    [
      ['SPEAKER_2', { name: 'Ada', confidence: 1 }],
      ['SPEAKER_1', { name: 'Ben', confidence: 10 / 12 }],
    ],
  );
});

test('who spoke less than half of the time under a name is nobody known', () => {
  const before = [turn('SPEAKER_1', 0, 4)];
  assert.equal(carriedNames(before, { SPEAKER_1: 'Ada' }, [turn('SPEAKER_1', 0, 10)]).size, 0);
});
