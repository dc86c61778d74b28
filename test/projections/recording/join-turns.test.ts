import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Segment, Word } from '../../../events/facts/transcript.ts';
import {
  type LabelledTurn,
  joinTurns,
  onlySpeaker,
  speakingTimes,
} from '../../../projections/recording/join-turns.ts';
import { paragraphs } from '../../../projections/recording/paragraphs.ts';
import type { Utterance } from '../../../projections/recording/utterances.ts';
import { fc } from '../../support/properties.ts';
import { cpuMicros } from '../../support/cpu-time.ts';

const [A, B, C] = ['SPEAKER_00', 'SPEAKER_01', 'SPEAKER_02'] as const;

/** Words of half a second each, one behind the other, with marks as whisper writes them. */
function segment(text: string, start: number, each = 0.5): Segment {
  const words = text
    .split(' ')
    .map((word, i): Word => ({ text: word, start: start + i * each, end: start + (i + 1) * each }));
  return { start, end: words.at(-1)!.end, text, words };
}

const utterance = (...segments: Segment[]): Utterance => ({
  index: 0,
  start: segments[0]?.start ?? 0,
  end: segments.at(-1)?.end ?? 0,
  language: 'en',
  segments,
});

const turnsOf = (segments: readonly Segment[], turns: readonly LabelledTurn[]) =>
  joinTurns([utterance(...segments)], turns).map(({ speaker, text }) => [speaker, text]);

test('each word is under the one who speaks, also where a segment holds two', () => {
  const spoken = segment('Shall we start? Yes, I am ready. Good.', 0);
  const turns: LabelledTurn[] = [
    [0, 1.5, A],
    [1.5, 3.5, B],
    [3.5, 4, A],
  ];
  const joined = joinTurns([utterance(spoken)], turns);
  assert.deepEqual(
    joined.map(({ id, speaker, start, end, text }) => ({ id, speaker, start, end, text })),
    [
      { id: 't-0001', speaker: A, start: 0, end: 1.5, text: 'Shall we start?' },
      { id: 't-0002', speaker: B, start: 1.5, end: 3.5, text: 'Yes, I am ready.' },
      { id: 't-0003', speaker: A, start: 3.5, end: 4, text: 'Good.' },
    ],
  );
  assert.deepEqual(
    joined.flatMap(({ words }) => words),
    spoken.words,
  );
  assert.deepEqual(speakingTimes(joined), [
    { label: A, seconds: 2 },
    { label: B, seconds: 2 },
  ]);
});

test('a word within 300 ms of a border follows its sentence, forward and back', () => {
  // The border lies in the sentence's last word, or behind the first of the next.
  for (const border of [1.2, 1.75]) {
    const spoken = segment('Shall we start? Yes, I am ready.', 0);
    const turns: LabelledTurn[] = [
      [0, border, A],
      [border, 3.5, B],
    ];
    assert.deepEqual(turnsOf([spoken], turns), [
      [A, 'Shall we start?'],
      [B, 'Yes, I am ready.'],
    ]);
  }
});

test('a sentence that another cuts short is cut, and a short answer keeps its words', () => {
  const spoken = segment('I think that we should Yes. move the deadline to the end of March.', 0);
  const turns: LabelledTurn[] = [
    [0, 7, A],
    [2.45, 3.05, B],
  ];
  assert.deepEqual(turnsOf([spoken], turns), [
    [A, 'I think that we should'],
    [B, 'Yes.'],
    [A, 'move the deadline to the end of March.'],
  ]);
});

test('overlapping speech keeps both, and words where nobody was heard go to the nearest', () => {
  const spoken = segment('one two three four five six', 0, 1);
  const turns: LabelledTurn[] = [
    [0, 4, A],
    [3, 4.4, B],
  ];
  assert.deepEqual(turnsOf([spoken], turns), [
    [A, 'one two three'],
    [B, 'four five six'],
  ]);
  assert.deepEqual(turnsOf([segment('too early', 0)], [[5, 9, C]]), [[C, 'too early']]);
});

test('what the recogniser gave to a speaker stays theirs, also where they speak at once', () => {
  const said: Segment[] = [
    { ...segment('we should move it', 0), speaker: A },
    { ...segment('yes', 1.2), speaker: B },
    { ...segment('to the end of March', 2), speaker: A },
    segment('or so', 4.6),
  ];
  const turns: LabelledTurn[] = [
    [0, 2, A],
    [1.2, 1.7, B],
    [2, 4.5, A],
  ];
  assert.deepEqual(turnsOf(said, turns), [
    [A, 'we should move it'],
    [B, 'yes'],
    [A, 'to the end of March or so'],
  ]);
});

test('without word times a segment is shared out by its length, and its text is whole', () => {
  const text = 'Guten Morgen zusammen. Guten Morgen Herr Kaya.';
  const untimed: Segment = { start: 0, end: 4, text, words: [] };
  const turns: LabelledTurn[] = [
    [0, 2, A],
    [2, 4, B],
  ];
  assert.deepEqual(turnsOf([untimed], turns), [
    [A, 'Guten Morgen zusammen.'],
    [B, 'Guten Morgen Herr Kaya.'],
  ]);
});

test('a script without blanks is cut between words', () => {
  const text = '我们今天开始讨论预算好的我已经准备好了谢谢大家非常感谢';
  const words = Array.from(text, (char, i): Word => ({ text: char, start: i, end: i + 1 }));
  const turns: LabelledTurn[] = [
    [0, 10, A],
    [10, text.length, B],
  ];
  for (const timed of [words, []]) {
    const spoken = { start: 0, end: text.length, text, words: timed };
    const joined = turnsOf([spoken], turns);
    assert.deepEqual(
      joined.map(([speaker]) => speaker),
      [A, B],
    );
    assert.equal(joined.map(([, said]) => said).join(''), text);
  }
});

test('without turns there is one speaker, whose paragraphs are cut at pauses', () => {
  const spoken = [segment('Good morning.', 0), segment('Well then.', 9)];
  const joined = joinTurns([utterance(...spoken)], []);
  assert.deepEqual(joined, paragraphs([utterance(...spoken)], onlySpeaker));
  assert.deepEqual(
    joined.map(({ speaker }) => speaker),
    [onlySpeaker, onlySpeaker],
  );
});

const word = fc.oneof(
  fc.constantFrom(
    'yes',
    'so.',
    '“Well',
    'gut!”',
    'ok?',
    '—',
    '3,50',
    'z.B.',
    '日本',
    "don't",
    '🙂',
  ),
  fc.string({ minLength: 1, maxLength: 6 }).map((text) => text.replaceAll(/\s/gu, '') || 'x'),
);
const spoken = fc
  .array(
    fc.record({
      words: fc.array(fc.record({ word, pause: fc.double({ min: -0.2, max: 2, noNaN: true }) }), {
        minLength: 1,
        maxLength: 12,
      }),
      times: fc.constantFrom('all', 'none', 'other'),
      glue: fc.constantFrom(' ', '  ', ''),
      doubt: fc.option(fc.constant('repetition'), { nil: undefined }),
      said: fc.option(fc.constantFrom(A, B, C), { nil: undefined }),
    }),
    { maxLength: 8 },
  )
  .map((parts) => {
    let at = 0;
    return parts.map(({ words, times, glue, doubt, said }, index): Utterance => {
      const timed = words.map(({ word: text, pause }): Word => {
        const start = Math.max(0, at + pause);
        at = start + 0.3;
        return { text, start, end: at };
      });
      const found: Segment = {
        start: timed[0]!.start,
        end: timed.at(-1)!.end,
        text: words.map(({ word: text }) => text).join(glue),
        words: times === 'none' ? [] : timed,
      };
      if (times === 'other') found.words = timed.map((one) => ({ ...one, text: `${one.text}x` }));
      if (said !== undefined) found.speaker = said;
      const { start, end } = found;
      return { index, start, end, language: null, segments: [found], doubt };
    });
  });
const someTurns = fc.array(
  fc
    .tuple(
      fc.double({ min: 0, max: 60, noNaN: true }),
      fc.double({ min: 0.1, max: 9, noNaN: true }),
      fc.constantFrom(A, B, C),
    )
    .map(([start, length, label]): LabelledTurn => [start, start + length, label]),
  { maxLength: 12 },
);
const letters = (texts: readonly string[]) => texts.join(' ').replaceAll(/\s/gu, '');

test('no word is lost, doubled or reordered, whoever speaks when', () => {
  const property = fc.property(spoken, someTurns, (utterances, turns) => {
    const blocks = joinTurns(utterances, turns);
    const segments = utterances.flatMap((one) => one.segments);
    assert.equal(
      letters(blocks.map(({ text }) => text)),
      letters(segments.map(({ text }) => text)),
    );
    // A paragraph of which some words have no times keeps none.
    const timed = blocks.flatMap(({ words }) => words);
    if (segments.every(({ words }) => words.length > 0) && blocks.every((b) => b.words.length > 0))
      assert.deepEqual(
        timed,
        segments.flatMap(({ words }) => words),
      );
    const told = segments.map(({ speaker }) => speaker ?? onlySpeaker);
    const known = new Set([...turns.map(([, , label]) => label), ...told]);
    for (const { speaker, start, end } of blocks) {
      assert.ok(known.has(speaker!));
      assert.ok(start <= end);
    }
    assert.deepEqual(
      blocks.map(({ id }) => Number(id.slice(2))),
      blocks.map((_, i) => i + 1),
    );
  });
  fc.assert(property, { numRuns: 500 });
});

test('twenty people talk for hours: the work grows with the length, not with its square', () => {
  const talk = (hours: number) => {
    const count = hours * 1200;
    const utterances = Array.from({ length: count }, (_, i) =>
      utterance(segment('this is what one of the twenty has to say', i * 3, 0.3)),
    );
    const turns = Array.from({ length: count }, (_, i): LabelledTurn => [
      i * 3,
      i * 3 + 2.8,
      `SPEAKER_${String((i * 7) % 20).padStart(2, '0')}`,
    ]);
    // The least of several: what disturbs only makes slower.
    const times = [0, 1].map(() =>
      cpuMicros(() => assert.equal(joinTurns(utterances, turns).length, count)),
    );
    return Math.min(...times) / 1000;
  };
  talk(1); // compiled
  const [one, four] = [talk(1), talk(4)];
  assert.ok(four < 4 * one * 3 + 50, `1 h: ${one} ms, 4 h: ${four} ms`);
});
