import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokensOf, wordsFromTokens } from '../../src/speech/parse-transcript.ts';

const texts = (...pieces: string[]) =>
  wordsFromTokens(pieces.map((text, i) => ({ text, start: i, end: i + 1 }))).map(
    ({ text }) => text,
  );

test('a word begins at each leading space, or at SentencePiece’s sign for one', () => {
  assert.deepEqual(texts(' Don', 'aud', 'ampf', ' schiff'), ['Donaudampf', 'schiff']);
  assert.deepEqual(texts('▁Hel', 'lo', '▁world'), ['Hello', 'world']);
  assert.deepEqual(texts('▁', 'Hello', ' ', 'world'), ['Hello', 'world']);
});

test('punctuation stays with the word before it', () => {
  assert.deepEqual(texts(' so', ',', ' my', ' …', '!'), ['so,', 'my…!']);
});

test('scripts without spaces give a word a character, and mix with others', () => {
  assert.deepEqual(texts('你', '好', '。', 'App', 'le', ' ok'), ['你', '好。', 'Apple', 'ok']);
});

test('a word lasts from its first token’s start to its last one’s end', () => {
  const tokens = tokensOf(
    { tokens: [' a', 'b', ' c'], timestamps: [1, 1.2, 5], durations: [] },
    5.1,
  );
  assert.deepEqual(wordsFromTokens(tokens), [
    // 0.6 s at most: the pause before the next word is not part of this one.
    { text: 'ab', start: 1, end: 1.7999999999999998 },
    { text: 'c', start: 5, end: 5.1 },
  ]);
});

test('without a time for each token there are no words', () => {
  assert.deepEqual(tokensOf({ tokens: [' a', ' b'], timestamps: [1] }, 5), []);
  assert.deepEqual(tokensOf({}, 5), []);
});
