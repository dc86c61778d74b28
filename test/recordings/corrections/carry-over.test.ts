import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Block } from '../../../events/facts/transcript.ts';
import {
  carryOver,
  corrected,
  correctionsBetween,
} from '../../../projections/recording/carry-over.ts';
import { splitWords } from '../../../projections/recording/timed-words.ts';
import { wordPatches } from '../../../src/shared/word-patches.ts';
import { fc } from '../../support/properties.ts';

/** Few words, so that they repeat: the hard case for finding a place. */
const word = fc.constantFrom('ja', 'genau', 'Köln', 'the', 'plan', 'Mayer,', 'well.', '42');
const words = fc.array(word, { minLength: 0, maxLength: 12 });

/** Blocks one after another, a second a word, timed or not. */
function blocksOf(texts: readonly string[][], timed: boolean, speakers = ['SPEAKER_1']): Block[] {
  let at = 0;
  return texts.map((tokens, index) => {
    const start = at;
    const spoken = tokens.map((text) => ({ text, start: at++, end: at }));
    at += 1;
    return {
      id: `t-${index + 1}`,
      speaker: speakers[index % speakers.length]!,
      start,
      end: Math.max(start, at - 1),
      text: tokens.join(' '),
      words: timed ? spoken : [],
    };
  });
}

const transcript = fc.record({
  texts: fc.array(words, { minLength: 1, maxLength: 6 }),
  timed: fc.boolean(),
});
const edits = fc.array(fc.record({ block: fc.nat(5), text: words, speaker: fc.boolean() }), {
  maxLength: 6,
});

function edited(blocks: readonly Block[], changes: readonly Edit[]): Block[] {
  const result = blocks.map((block) => ({ ...block }));
  for (const { block: index, text, speaker } of changes) {
    const block = result[index % result.length]!;
    Object.assign(block, corrected(block, text.join(' ')));
    if (speaker) block.speaker = 'SPEAKER_2';
  }
  return result;
}
type Edit = { block: number; text: string[]; speaker: boolean };

test('carried over to the very same transcript, corrections lead to the same text', () => {
  fc.assert(
    fc.property(transcript, edits, ({ texts, timed }, changes) => {
      const recognised = blocksOf(texts, timed, ['SPEAKER_1', 'SPEAKER_2']);
      const wanted = edited(recognised, changes);
      const corrections = correctionsBetween(recognised, wanted, {});
      const { blocks, unplaced, placed } = carryOver(corrections, recognised, {});
      assert.equal(placed + unplaced.length, corrections.length);
      // Only a block in which nothing was heard gives a correction nothing to be placed by.
      for (const one of unplaced) assert.equal(one.before, '');
      for (const [index, block] of blocks.entries()) {
        if (recognised[index]!.text === '') continue;
        assert.equal(block.speaker, wanted[index]!.speaker);
        assert.equal(splitWords(block.text).join(' '), splitWords(wanted[index]!.text).join(' '));
      }
    }),
    {
      numRuns: 400,
      // Seed 3333: words put before and after the same word; the second was taken for done.
      examples: [
        [
          { texts: [['well.', 'the'], []], timed: false },
          [{ block: 0, text: ['ja', 'well.', 'the', 'the'], speaker: false }],
        ],
      ],
    },
  );
});

test('carried over to any transcript, each correction is placed or handed back, and nothing else is touched', () => {
  fc.assert(
    fc.property(transcript, edits, transcript, (old, changes, fresh) => {
      const recognised = blocksOf(old.texts, old.timed);
      const corrections = correctionsBetween(recognised, edited(recognised, changes), {});
      const next = blocksOf(fresh.texts, fresh.timed);
      const before = structuredClone(next);
      const { blocks, placed, unplaced } = carryOver(corrections, next, {});
      assert.deepEqual(next, before, 'what is handed in stays');
      assert.equal(placed + unplaced.length, corrections.length);
      for (const one of unplaced) assert.ok(corrections.includes(one));
      assert.deepEqual(
        blocks.map(({ id, start, end }) => ({ id, start, end })),
        next.map(({ id, start, end }) => ({ id, start, end })),
      );
      // Each word of the result was heard, or a person wrote it.
      const written = corrections.flatMap(({ after }) => splitWords(after));
      for (const [index, block] of blocks.entries()) {
        const heard = splitWords(next[index]!.text);
        for (const one of splitWords(block.text)) {
          assert.ok(heard.includes(one) || written.includes(one), one);
        }
      }
      if (placed === 0) assert.deepEqual(blocks, next);
    }),
    { numRuns: 400 },
  );
});

test('a corrected name is placed where another recogniser heard a third one', () => {
  const old = blocksOf([['we', 'met', 'Mayer', 'in', 'Köln']], true);
  const wanted = [{ ...old[0]!, ...corrected(old[0]!, 'we met Meier in Köln') }];
  const fresh = blocksOf(
    [
      ['we', 'met'],
      ['Maier', 'in', 'Bonn'],
    ],
    true,
  ).map((block, index) =>
    index === 0
      ? block
      : {
          ...block,
          start: 2,
          words: block.words.map((w) => ({ ...w, start: w.start - 1, end: w.end - 1 })),
        },
  );
  const { blocks, unplaced } = carryOver(correctionsBetween(old, wanted, {}), fresh, {});
  assert.deepEqual([blocks.map(({ text }) => text), unplaced], [['we met', 'Meier in Bonn'], []]);
});

test('what was corrected where nothing is heard any more is handed back', () => {
  const old = blocksOf([['one', 'two'], ['three']], true);
  const wanted = [old[0]!, { ...old[1]!, ...corrected(old[1]!, 'tree') }];
  const { blocks, unplaced } = carryOver(correctionsBetween(old, wanted, {}), [old[0]!], {});
  assert.deepEqual(blocks, [old[0]]);
  assert.deepEqual(unplaced, [{ start: 3, end: 4, before: 'three', after: 'tree' }]);
});

test('a speaker is carried over by name, to a label of their own where nobody has the name', () => {
  const old = blocksOf([['a'], ['b']], true, ['SPEAKER_1', 'SPEAKER_2']);
  const wanted = old.map((block) => ({ ...block, speaker: 'SPEAKER_3' }));
  const corrections = correctionsBetween(old, wanted, { SPEAKER_3: 'Ada' });
  const known = carryOver(corrections, old, { SPEAKER_2: 'Ada' });
  assert.deepEqual(
    [known.blocks.map(({ speaker }) => speaker), known.names],
    [['SPEAKER_2', 'SPEAKER_2'], {}],
  );
  const fresh = carryOver(corrections, old, {});
  assert.deepEqual(fresh.names, { SPEAKER_3: 'Ada' });
  assert.deepEqual(
    fresh.blocks.map(({ speaker }) => speaker),
    ['SPEAKER_3', 'SPEAKER_3'],
  );
});

test('a speaker without a name is carried over without one: a label is nobody’s name', () => {
  const old = blocksOf([['a'], ['b']], true, ['SPEAKER_1', 'SPEAKER_2']);
  const wanted = old.map((block) => ({ ...block, speaker: 'SPEAKER_4' }));
  for (const before of [{}, { SPEAKER_4: ' ' }] as Record<string, string>[]) {
    const corrections = correctionsBetween(old, wanted, before);
    const { blocks, labels, names } = carryOver(corrections, old, {});
    assert.deepEqual([labels, names], [['SPEAKER_4'], {}]);
    assert.deepEqual(
      blocks.map(({ speaker }) => speaker),
      ['SPEAKER_4', 'SPEAKER_4'],
    );
  }
});

test('words that stay keep their times; what a person wrote shares the time between', () => {
  const [block] = blocksOf([['we', 'met', 'Mayer,', 'here']], true);
  const { words: timed } = corrected(block!, 'we met Ada Meier here');
  assert.deepEqual(
    timed.map(({ text, start, end }) => [text, start, end]),
    [
      ['we', 0, 1],
      ['met', 1, 2],
      ['Ada', 2, 2.375],
      ['Meier', 2.375, 3],
      ['here', 3, 4],
    ],
  );
});

test('patches lead from one text to the other, and are the least', () => {
  fc.assert(
    fc.property(words, words, (before, after) => {
      const patches = wordPatches(before, after);
      const result: string[] = [...before];
      for (const { from, to, inserted } of patches.toReversed()) {
        result.splice(from, to - from, ...inserted);
      }
      assert.deepEqual(result, after);
      const [kept, changed] = [patches.reduce((sum, p) => sum + p.to - p.from, 0), patches.length];
      assert.ok(before.length - kept >= 0 && changed <= Math.max(before.length, after.length) + 1);
      if (before.join(' ') === after.join(' ')) assert.deepEqual(patches, []);
    }),
    { numRuns: 500 },
  );
});
