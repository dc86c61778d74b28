import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block } from '../../events/facts/transcript.ts';
import { cutPassages, textOf } from '../../src/search/cut-passages.ts';

const block = (at: number, speaker: string, text: string): Block => ({
  id: `t-${at}`,
  speaker,
  start: at * 10,
  end: at * 10 + 9,
  text,
  words: [],
});

const sentence = (at: number) =>
  `This is sentence number ${at} of a talk that goes on for a while.`;

test('passages are cut at sentences, with one sentence in both; the title stands before the first', () => {
  const text = Array.from({ length: 40 }, (_, at) => sentence(at)).join(' ');
  const { texts, places } = cutPassages([block(0, 'A', text)], 'A title');
  assert.ok(texts.length >= 3 && texts.length <= 4);
  assert.ok(texts[0]!.startsWith('A title\nThis is sentence number 0 '));
  for (const [at, one] of texts.entries()) {
    assert.ok(one.length <= 920, String(one.length));
    assert.match(one, /while\.$/u);
    const [next] = texts[at + 1]?.match(/^This is sentence number \d+ /u) ?? [];
    if (next !== undefined) assert.ok(one.includes(next), 'shared');
  }
  assert.deepEqual(
    places.map((place) => textOf([block(0, 'A', text)], place)),
    [texts[0]!.replace('A title\n', ''), ...texts.slice(1)],
  );
});

test('blocks of one speaker are joined, and short turns with their answers; long ones are not', () => {
  const long = [0, 1, 2, 3, 4, 5].map(sentence).join(' ');
  const blocks = [
    block(0, 'A', 'How much is left?'),
    block(1, 'B', 'Nine hundred.'),
    block(2, 'A', long),
    block(3, 'A', 'And one more thing.'),
    block(4, 'B', long),
  ];
  const { texts, places } = cutPassages(blocks, null);
  assert.deepEqual(
    places.map(({ block: first, last }) => [first, last]),
    [
      ['t-0', 't-3'],
      ['t-4', 't-4'],
    ],
  );
  assert.ok(texts[0]!.startsWith('How much is left? Nine hundred. This is'));
});

test('text without end, without words and without blocks is cut too', () => {
  const endless = `${'word '.repeat(1000)}end`;
  const { texts } = cutPassages([block(0, 'A', endless), block(1, 'A', '… — !')], null);
  assert.ok(texts.every((one) => one.length <= 900));
  assert.equal(texts.join(' ').split(' ').length, 1001);
  assert.ok(cutPassages([block(0, 'A', 'x'.repeat(5000))], null).texts.length >= 5);
  assert.deepEqual(cutPassages([], 'A title'), { texts: [], places: [] });
  assert.equal(textOf([], { block: 't-0', from: 0, last: 't-0', to: 9 }), '');
});
