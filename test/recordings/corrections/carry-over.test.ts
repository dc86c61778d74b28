import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noResults } from '../../../events/facts/counting.ts';
import type { Block, Correction } from '../../../events/facts/transcript.ts';
import { carriedOver } from '../../../projections/recording/carried-corrections.ts';
import type { Reading } from '../../../projections/recording/reading.ts';
import {
  carryOver,
  corrected,
  correctionsBetween,
} from '../../../projections/recording/carry-over.ts';
import { cutTurn, joinedTurns } from '../../../projections/recording/turn-changes.ts';
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
      // Blocks may be cut where another speaker begins; each part lies in its block, in order.
      const wholes = blocks.filter(({ id }) => next.some((one) => one.id === id));
      assert.deepEqual(
        wholes.map(({ id, start }) => ({ id, start })),
        next.map(({ id, start }) => ({ id, start })),
      );
      // Each word of the result was heard, or a person wrote it.
      const written = corrections.flatMap(({ after }) => splitWords(after));
      for (const block of blocks) {
        const whole = next.find(({ start, end }) => start <= block.start && block.end <= end)!;
        const heard = splitWords(whole.text);
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

/** Who says what, in order. */
const saidBy = (blocks: readonly Block[]) => blocks.map(({ speaker, text }) => [speaker, text]);

test('turns that a person joined are the one speaker’s in the next transcript, too', () => {
  const old = blocksOf([['we', 'meet'], ['on'], ['Monday', 'then']], true, [
    'SPEAKER_1',
    'SPEAKER_2',
    'SPEAKER_1',
  ]);
  const joined = joinedTurns(joinedTurns(old[0]!, old[1]!), old[2]!);
  const { blocks, unplaced } = carryOver(correctionsBetween(old, [joined], {}), old, {});
  assert.deepEqual(saidBy(blocks), [
    ['SPEAKER_1', 'we meet'],
    ['SPEAKER_1', 'on'],
    ['SPEAKER_1', 'Monday then'],
  ]);
  assert.deepEqual(unplaced, []);
});

test('a speaker is given to all that was said in the time of the turn, and to no more', () => {
  const long = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
  const [turn] = blocksOf([long], true, ['SPEAKER_2']);
  const mine = [{ ...turn!, speaker: 'SPEAKER_1' }];
  const names = { SPEAKER_1: 'Anna', SPEAKER_2: 'Ben' };
  // The next transcription has several turns in its place.
  const several = [0, 1, 2, 3, 4].map((at) => ({
    ...turn!,
    id: `t-${at + 1}`,
    start: 2 * at,
    end: 2 * at + 2,
    text: long.slice(2 * at, 2 * at + 2).join(' '),
    words: turn!.words.slice(2 * at, 2 * at + 2),
  }));
  const [after] = blocksOf([['later']], true, ['SPEAKER_2']);
  const behind = { ...after!, id: 't-6', start: 9.8, end: 12 };
  const corrections = correctionsBetween([turn!], mine, names);
  const placed = carryOver(corrections, [...several, behind], names);
  assert.deepEqual(
    placed.blocks.map(({ speaker }) => names[speaker as keyof typeof names]),
    [...Array.from({ length: 5 }, () => 'Anna'), 'Ben'],
  );
  // And another one has it in a longer one, without times of words.
  const around = { ...turn!, start: -10, end: 20, text: 'x'.repeat(10).split('').join(' ') };
  const inLonger = carryOver(corrections, [{ ...around, words: [] }], names);
  assert.deepEqual(saidBy(inLonger.blocks), [
    ['SPEAKER_2', 'x x x'],
    ['SPEAKER_1', 'x x x x'],
    ['SPEAKER_2', 'x x x'],
  ]);
});

test('in the same transcript only the turn itself changes hands, not what others said at that time', () => {
  const [long] = blocksOf([['a', 'b', 'c', 'd']], true, ['SPEAKER_1']);
  const between = { ...long!, id: 't-2', speaker: 'SPEAKER_3', start: 1, end: 2, text: 'ja' };
  const old = [long!, { ...between, words: [{ text: 'ja', start: 1, end: 2 }] }];
  const wanted = [{ ...old[0]!, speaker: 'SPEAKER_2' }, old[1]!];
  const { blocks } = carryOver(correctionsBetween(old, wanted, {}), old, {});
  assert.deepEqual(saidBy(blocks), [
    ['SPEAKER_2', 'a b c d'],
    ['SPEAKER_3', 'ja'],
  ]);
});

/** Two who speak at the same time, each in a channel of their own: a long turn, and what the other puts in. */
function twoChannels(shift: number): Block[] {
  const [long] = blocksOf([['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']], true);
  const [short] = blocksOf([['Ja,', 'genau,', 'so', 'ist', 'es']], true, ['SPEAKER_2']);
  const later = (block: Block, by: number): Block => ({
    ...block,
    start: block.start + by,
    end: block.end + by,
    words: block.words.map((word) => ({ ...word, start: word.start + by, end: word.end + by })),
  });
  return [later(long!, shift), { ...later(short!, 3 - shift), id: 't-2' }];
}

test('in another transcript, too, a speaker is given to nobody who spoke at that time in the other channel', () => {
  const names = { SPEAKER_1: 'Ada', SPEAKER_2: 'Ben', SPEAKER_3: 'Cleo' };
  const [old, next] = [twoChannels(0), twoChannels(0.2)];
  const speakersWith = (changed: number) => {
    const wanted = old.map((one, at) => (at === changed ? { ...one, speaker: 'SPEAKER_3' } : one));
    const { blocks, unplaced } = carryOver(correctionsBetween(old, wanted, names), next, names);
    assert.deepEqual(unplaced, []);
    return saidBy(blocks);
  };
  assert.deepEqual(speakersWith(0), [
    ['SPEAKER_3', 'a b c d e f g h i j'],
    ['SPEAKER_2', 'Ja, genau, so ist es'],
  ]);
  assert.deepEqual(speakersWith(1), [
    ['SPEAKER_1', 'a b c d e f g h i j'],
    ['SPEAKER_3', 'Ja, genau, so ist es'],
  ]);
});

test('a turn that is heard as two is theirs who said them, though the other channel said something long meanwhile', () => {
  const said = (id: string, speaker: string, [start, end]: [number, number]): Block => {
    const spoken = Array.from({ length: end - start }, (_, at) => `${id}${at}`);
    const words = spoken.map((text, at) => ({ text, start: start + at, end: start + at + 1 }));
    return { id, speaker, text: spoken.join(' '), start, end, words };
  };
  const old = [said('a', 'SPEAKER_1', [10, 40]), said('b', 'SPEAKER_2', [15, 38])];
  const next = [
    said('a', 'SPEAKER_1', [10, 20]),
    said('b', 'SPEAKER_2', [15, 38]),
    said('c', 'SPEAKER_1', [22, 40]),
  ];
  const names = { SPEAKER_1: 'Ada', SPEAKER_2: 'Ben', SPEAKER_3: 'Cleo' };
  const wanted = [{ ...old[0]!, speaker: 'SPEAKER_3' }, old[1]!];
  const { blocks, unplaced } = carryOver(correctionsBetween(old, wanted, names), next, names);
  assert.deepEqual(unplaced, []);
  assert.deepEqual(
    blocks.map(({ speaker }) => speaker),
    ['SPEAKER_3', 'SPEAKER_2', 'SPEAKER_3'],
  );
});

test('turns of two channels that were cut, and left to whom they were, stay so', () => {
  const old = twoChannels(0.2);
  const cut = old.flatMap((block, at) => cutTurn(block, at === 0 ? 5 : 2, old) ?? []);
  assert.equal(cut.length, 4);
  assert.deepEqual(correctionsBetween(old, cut, {}), []);
  // Nor does what a person gave to a third take anything from the other.
  const wanted = cut.map((one, at) => (at === 3 ? { ...one, speaker: 'SPEAKER_3' } : one));
  assert.deepEqual(saidBy(carryOver(correctionsBetween(old, wanted, {}), old, {}).blocks), [
    ['SPEAKER_1', 'a b c d e f g h i j'],
    ['SPEAKER_2', 'Ja, genau,'],
    ['SPEAKER_3', 'so ist es'],
  ]);
});

test('a label of another diarization is nobody’s here: what was given to one without a name is handed back', () => {
  const blocks = blocksOf([['a'], ['b']], true, ['SPEAKER_00', 'SPEAKER_01']);
  const reading = (turns: number, shown: readonly Block[], unplaced: Correction[] = []) =>
    ({
      source: { results: { ...noResults, turns, punctuated: turns + 1 } },
      basis: turns + 1,
      names: {},
      heard: blocks,
      raw: blocks,
      recognised: blocks,
      blocks: shown,
      unplaced,
    }) as unknown as Reading;
  const corrected = [{ ...blocks[0]!, speaker: 'SPEAKER_01' }, blocks[1]!];
  const carried = carriedOver(reading(20, blocks), reading(5, corrected));
  assert.deepEqual([carried?.data.placed, carried?.data.unplaced], [0, 1]);
  const { unplaced, blocks: same } = carried!.content!;
  assert.deepEqual([same, unplaced.map(({ speaker }) => speaker)], [blocks, ['SPEAKER_01']]);
  // Nor is it later, and where the turns are the same it is placed.
  const later = carriedOver(reading(40, blocks), reading(20, blocks, unplaced));
  assert.deepEqual(later?.content?.unplaced, unplaced);
  const again = reading(5, blocks);
  const placed = carriedOver({ ...again, basis: 7 }, reading(5, corrected));
  assert.deepEqual(placed?.content?.blocks, corrected);
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

/** A block of a text without blanks, a second a letter, in words of so many letters. */
function unspacedBlock(text: string, letters: number): Block {
  const words = Array.from(text.match(new RegExp(`.{1,${letters}}`, 'gu')) ?? [], (part, at) => {
    const start = at * letters;
    return { text: part, start, end: start + part.length };
  });
  return { id: 't-1', speaker: null, start: 0, end: text.length, text, words };
}

test('in a script without blanks a correction changes the letters that it is about, whoever recognises again', () => {
  for (const [heard, write, next, expected] of [
    [
      '我们今天和张先生开会',
      '我们今天和章先生开会',
      '我们明天和张先生开会吧',
      '我们明天和章先生开会吧',
    ],
    [
      '我们今天和张先生开会',
      '我们今天和章先生开会',
      '我们明天和长先生开会吧',
      '我们明天和章先生开会吧',
    ],
    [
      '今日は木村さん と話す',
      '今日は北村さん と話す',
      '今日は木村さん と話す',
      '今日は北村さん と話す',
    ],
    ['วันนี้คุยกับนายดำ', 'วันนี้คุยกับนายแดง', 'วันนี้พูดกับนายดำ', 'วันนี้พูดกับนายแดง'],
  ] as const)
    for (const letters of [1, 2]) {
      const old = unspacedBlock(heard, letters);
      const wanted = [{ ...old, ...corrected(old, write) }];
      const later = old.words.at(-1)!;
      assert.deepEqual(wanted[0]!.words.at(-1)!.end, later.end);
      assert.equal(wanted[0]!.words[1]!.text, splitWords(write)[1]);
      const { blocks, unplaced } = carryOver(
        correctionsBetween([old], wanted, {}),
        [unspacedBlock(next, 3 - letters)],
        {},
      );
      assert.deepEqual([blocks.map(({ text }) => text), unplaced], [[expected], []]);
    }
});
