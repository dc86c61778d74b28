import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block } from '../../../events/facts/transcript.ts';
import type { LabelledTurn } from '../../../projections/recording/join-turns.ts';
import { voiceSamples } from '../../../projections/recording/voices.ts';

const [A, B] = ['SPEAKER_00', 'SPEAKER_01'] as const;

/** A turn with a word each second. */
function turn(speaker: string, start: number, text: string, more: Partial<Block> = {}): Block {
  const words = text
    .split(' ')
    .map((word, at) => ({ text: word, start: start + at, end: start + at + 0.9 }));
  return { id: `t-${start}`, speaker, start, end: words.at(-1)!.end, text, words, ...more };
}
const turns = [
  turn(A, 0, 'Good morning. We begin with the budget. Yes. Who writes that report today?'),
  turn(B, 20, 'I can do that until Friday I think and send it round.'),
  turn(A, 40, 'Short one here. This is the longest sentence that Anna says in all of it.'),
];
const texts = (label: string, diarized: readonly LabelledTurn[], among = turns) =>
  voiceSamples(label, among, diarized).map(({ text }) => text);
const longest = 'This is the longest sentence that Anna says in all of it.';

test('a speaker is shown by their longest sentence with its span, and two more to choose from', () => {
  const [first, ...more] = voiceSamples(A, turns, []);
  assert.deepEqual(first, { text: longest, start: 43, end: 54.9 });
  assert.deepEqual(
    more.map(({ text }) => text),
    ['We begin with the budget.', 'Who writes that report today?'],
  );
});

test('a sentence over which another speaks, or whose words are doubtful, is none while there are others', () => {
  const overIt: LabelledTurn[] = [
    [43, 60, A],
    [50, 51, B],
  ];
  assert.ok(!texts(A, overIt).includes(longest));
  assert.equal(texts(A, overIt).length, 3);
  const [first, , last] = turns;
  assert.ok(!texts(A, [], [first!, { ...last!, doubt: 'repetition' }]).includes(longest));
  // Where nothing else was said it is better than nothing.
  assert.deepEqual(texts(B, [[0, 99, A]]), [
    'I can do that until Friday I think and send it round.',
  ]);
});

test('of a sentence without end the beginning is shown; without times of words its share', () => {
  const endless = Array.from({ length: 80 }, (_, at) => `word${at}`).join(' ');
  const [timed] = voiceSamples(A, [turn(A, 0, endless)], []);
  assert.match(timed!.text, /^word0 .* word39 …$/);
  assert.equal(timed!.end, 39.9);
  const [untimed] = voiceSamples(A, [turn(A, 0, endless, { words: [], end: 80 })], []);
  assert.match(untimed!.text, /^word0 .* word39 …$/);
  assert.equal(untimed!.end, 40);
});
