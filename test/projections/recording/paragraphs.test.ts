import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paragraphs } from '../../../projections/recording/paragraphs.ts';
import type { Utterance } from '../../../projections/recording/utterances.ts';
import { cpuMicros } from '../../support/cpu-time.ts';

/** Words of 0.3 s, each with a pause after it; without one where it is 0. */
function said(words: readonly (readonly [text: string, pause: number])[]): Utterance[] {
  const utterances: Utterance[] = [];
  const timed = [];
  let now = 0;
  for (const [text, pause] of words) {
    timed.push({ text, start: now, end: now + 0.3 });
    now += 0.3 + pause;
  }
  for (let at = 0; at < timed.length; at += 60) {
    const part = timed.slice(at, at + 60);
    const [start, end] = [part[0]!.start, part.at(-1)!.end];
    const text = ` ${part.map((word) => word.text).join(' ')}`;
    const segments = [{ start, end, text, words: part }];
    utterances.push({ index: at / 60, start, end, language: 'en', segments });
  }
  return utterances;
}

const talk = (length: number, pauses: Record<number, number> = {}) =>
  said(Array.from({ length }, (_, at) => [`word${at}`, pauses[at] ?? 0.05] as const));

test('talk without sentences breaks at the longest pause between words, not where a stretch of audio ended', () => {
  const blocks = paragraphs(talk(400, { 150: 0.7, 170: 0.4, 239: 0 }), null);
  assert.match(blocks[0]!.text, /^word0 .* word150$/);
  assert.match(blocks[1]!.text, /^word151 /);
  assert.equal(blocks[1]!.start, blocks[1]!.words[0]!.start);
  const text = blocks.map((block) => block.text).join(' ');
  assert.equal(text, Array.from({ length: 400 }, (_, at) => `word${at}`).join(' '));
  assert.equal(blocks.flatMap((block) => block.words).length, 400);
});

test('a pause within a segment of the recogniser starts a paragraph', () => {
  const blocks = paragraphs(talk(20, { 9: 1.6 }), null);
  assert.deepEqual(
    blocks.map(({ text }) => text.split(' ').length),
    [10, 10],
  );
});

test('words that follow each other without a pause are cut at an edge of the recogniser’s own, never inside of one', () => {
  const words = Array.from({ length: 300 }, (_, at) => [`word${at}`, 0] as const);
  const utterances = said(words);
  assert.equal(paragraphs(utterances, null).length, 1, 'all edges are those of stretches');
  const [first, ...rest] = utterances;
  const segments = [first!, ...rest].flatMap((utterance) => utterance.segments);
  const one: Utterance = { ...first!, end: segments.at(-1)!.end, segments };
  const [block] = paragraphs([one], null);
  assert.match(block!.text, /word(?:119|179|239)$/);
});

test('Chinese is cut into paragraphs as other languages are, between words or segments, never before a mark', () => {
  const characters = Array.from('我们今天谈了花园的事情。'.repeat(100));
  const words = characters.map((text, at) => ({ text, start: at * 0.3, end: at * 0.3 + 0.25 }));
  // As recognisers give it: a stretch of audio each, as one segment.
  const utterances = Array.from({ length: 10 }, (_, index): Utterance => {
    const part = words.slice(index * 120, (index + 1) * 120);
    const [start, end] = [part[0]!.start, part.at(-1)!.end];
    const text = part.map((word) => word.text).join('');
    const segments = [{ start, end, text, words: part }];
    return { index, start, end, language: 'zh', segments };
  });
  const blocks = paragraphs(utterances, null);
  assert.equal(blocks.map(({ text }) => text).join(''), characters.join(''));
  for (const { text } of blocks) assert.ok(text.length <= 500, `${text.length}`);
  for (const { text } of blocks) assert.doesNotMatch(text, /^。/u);
  const unended = characters.map((text) => text.replace('。', '的'));
  const one = { index: 0, start: 0, end: 360, language: 'zh' };
  const timed = words.map((word, at) => ({ ...word, text: unended[at]! }));
  const [segment] = [{ start: 0, end: 360, text: unended.join(''), words: timed }];
  const cut = paragraphs([{ ...one, segments: [segment] }], null);
  assert.ok(cut.length > 1, `${cut.length}`);
  assert.equal(cut.map(({ text }) => text).join(''), unended.join(''));
});

test('a mark or an apostrophe that is a word of its own stays with its word', () => {
  const text = " it 's an F -16 's";
  const words = ['it', "'s", 'an', 'F', '-16', "'s"].map((word, at) => ({
    text: word,
    start: at * 2,
    end: at * 2 + 0.3,
  }));
  const joined = text.replaceAll(" '", "'").replaceAll(' -', '-');
  const segments = [{ start: 0, end: 11, text: joined, words }];
  const blocks = paragraphs([{ index: 0, start: 0, end: 11, language: 'en', segments }], null);
  assert.deepEqual(
    blocks.map((block) => block.text),
    ["it's", 'an', "F-16's"],
  );
});

test('an hour without a pause takes ten times what six minutes do, not a hundred times', () => {
  const ms = (words: number) => {
    const utterances = said(Array.from({ length: words }, (_, at) => [`word${at}`, 0] as const));
    const times = Array.from({ length: 5 }, () => cpuMicros(() => paragraphs(utterances, null)));
    return Math.min(...times);
  };
  ms(1000); // to warm up
  const [few, many] = [ms(1000), ms(10_000)];
  assert.ok(many < 40 * few, `${few} µs, then ${many} µs`);
});

test('a doubtful segment is marked within its paragraph; without times of words it is one of its own', () => {
  const timed = said([
    ['Good', 0.1],
    ['morning.', 0.1],
  ]);
  const [first] = timed[0]!.segments;
  const thanks = {
    start: 0.9,
    end: 1.5,
    text: 'Thank you.',
    words: [
      { text: 'Thank', start: 0.9, end: 1.2 },
      { text: 'you.', start: 1.2, end: 1.5 },
    ],
    doubt: 'no-speech',
  };
  const doubts = [{ start: 0.9, end: 1.5, reason: 'no-speech' }];
  const of = (segments: Utterance['segments']) =>
    paragraphs([{ ...timed[0]!, segments }], null).map(({ text, doubts: own }) => [text, own]);
  assert.deepEqual(of([first!, thanks]), [['Good morning. Thank you.', doubts]]);
  assert.deepEqual(
    of([
      { ...first!, words: [] },
      { ...thanks, words: [] },
    ]),
    [
      ['Good morning.', undefined],
      ['Thank you.', doubts],
    ],
  );
});
