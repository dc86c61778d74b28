import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block } from '../../../events/facts/transcript.ts';
import {
  type TurnChange,
  blocksAfter,
  cutTurn,
  joinedTurns,
} from '../../../projections/recording/turn-changes.ts';

const block = (id: string, start: number, said: string, more: Partial<Block> = {}): Block => {
  const words = said
    .split(' ')
    .map((text, at) => ({ text, start: start + at, end: start + at + 1 }));
  return {
    id,
    speaker: 'SPEAKER_00',
    start,
    end: start + words.length,
    text: said,
    words,
    ...more,
  };
};

test('a turn that is joined with the next has what may be wrong of both', () => {
  const no = { start: 1, end: 2, reason: 'no-speech' } as const;
  const other = { start: 3, end: 4, reason: 'other-speaker' } as const;
  const one = block('t-0001', 0, 'so it begins', { doubts: [no] });
  const next = block('t-0002', 3, 'yes indeed', { doubts: [other] });
  assert.deepEqual(joinedTurns(one, next).doubts, [no, other]);
  assert.deepEqual(joinedTurns(block('t-0001', 0, 'so it begins'), next).doubts, [other]);
  // Of older logs, where all of a turn may be wrong.
  const older = joinedTurns(one, block('t-0002', 3, 'yes indeed', { doubt: 'no-speech' }));
  assert.deepEqual(older.doubts, [no, { start: 3, end: 5, reason: 'no-speech' }]);
  const oldest = joinedTurns(block('t-0001', 0, 'so it begins', { doubt: 'no-speech' }), next);
  assert.deepEqual(
    [oldest.doubt, oldest.doubts],
    [undefined, [{ start: 0, end: 3, reason: 'no-speech' }, other]],
  );
});

test('a turn that is cut and joined again is what it was', () => {
  const whole = block('t-0001', 0, 'the Kubernetes cluster is down', {
    doubts: [
      { start: 0, end: 1, reason: 'no-speech' },
      { start: 1, end: 4, reason: 'other-speaker' },
    ],
    replaced: [{ start: 1, end: 2, heard: 'cooper netties', write: 'Kubernetes' }],
  });
  const [first, second] = cutTurn(whole, 2, [whole])!;
  assert.deepEqual(joinedTurns(first, second), whole);
});

test('what is read after turns were joined has what may be wrong of both', () => {
  const other = { start: 3, end: 4, reason: 'other-speaker' } as const;
  const blocks = [
    block('t-0001', 0, 'so it begins', { doubt: 'no-speech' }),
    block('t-0002', 3, 'yes indeed', { doubts: [other] }),
  ];
  const joined = joinedTurns(blocks[0]!, blocks[1]!);
  const { id, speaker, start, end, text, words } = joined;
  const recut = {
    type: 'turns.recut',
    version: 9,
    data: { basis: 1, replaced: ['t-0001', 't-0002'], by: [{ id, speaker, start, end }] },
    content: { turns: [{ text, words }] },
  } as unknown as TurnChange;
  assert.deepEqual(blocksAfter(blocks, [recut]), [joined]);
});
