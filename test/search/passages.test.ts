import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block } from '../../events/facts/transcript.ts';
import { passagesOf } from '../../src/search/passages.ts';

const block = (at: number, text: string): Block => ({
  id: `t-${at}`,
  speaker: `SPEAKER_0${at % 2}`,
  start: at * 10,
  end: at * 10 + 9,
  text,
  words: text
    .split(' ')
    .map((word, place) => ({ text: word, start: at * 10 + place, end: at * 10 + place + 1 })),
});

const blocks = [
  block(0, 'Nothing of that here.'),
  block(1, 'And the lift? Without the Lift we stay.'),
  block(2, 'The lift needs an inspection soon.'),
  block(3, 'Lift again.'),
];

test('those passages are chosen that have most of the words, and stand as they were said', () => {
  const { passages, all } = passagesOf(blocks, [], ['lift', 'inspection'], 2);
  assert.equal(all, 3);
  assert.deepEqual(
    passages.map(({ block: id, speaker, start, end }) => [id, speaker, start, end]),
    [
      ['t-1', 'SPEAKER_01', 12, 19],
      ['t-2', 'SPEAKER_00', 21, 29],
    ],
  );
  const marked = passages.map(({ text, marks }) => marks.map(([from, to]) => text.slice(from, to)));
  assert.deepEqual(marked, [
    ['lift', 'Lift'],
    ['lift', 'inspection'],
  ]);
});

test('of a long passage the part with the words is shown, and marked where it is shown', () => {
  const filler = 'und dann noch etwas anderes '.repeat(40);
  const long = block(0, `${filler}Müllers Aufzug ${filler}`);
  const [passage] = passagesOf([long], [], ['mullers', 'aufzug'], 3).passages;
  assert.ok(passage !== undefined && passage.text.length < 400);
  assert.deepEqual(
    passage.marks.map(([from, to]) => passage.text.slice(from, to)),
    ['Müllers', 'Aufzug'],
  );
});

test('what was written, not said, is a passage without a place; what is nowhere is none', () => {
  const { passages, all } = passagesOf(blocks, ['', 'A title with budget'], ['budget'], 3);
  assert.equal(all, 1);
  assert.deepEqual(passages, [
    {
      block: null,
      start: null,
      end: null,
      speaker: null,
      text: 'A title with budget',
      marks: [[13, 19]],
    },
  ]);
  assert.deepEqual(passagesOf(blocks, ['other'], ['budget'], 3), { passages: [], all: 0 });
});

test('a block of 100,000 blanks or letters is searched in no time worth naming', () => {
  for (const filler of [' ', '\n', '*', 'a', 'ä']) {
    const text = `${filler.repeat(100_000)} budget ${filler.repeat(100_000)}`;
    const { all } = passagesOf([{ ...block(0, 'x'), text, words: [] }], [], ['budget'], 3);
    assert.equal(all, 1);
  }
});
