import assert from 'node:assert/strict';
import test from 'node:test';
import type { Word } from '../../events/facts/transcript.ts';
import { packedParts } from '../../src/language/talk.ts';
import { punctuate, punctuatedWords } from '../../src/language/punctuate.ts';
import { wellBehaved } from '../support/language-servers-brains.ts';
import { openOn } from '../support/language-servers-open.ts';
import { talk } from '../support/language-servers-talk.ts';
import { fc } from '../support/properties.ts';

const { signal } = new AbortController();
const vocabulary = [
  'ja',
  'das',
  'Müller',
  '3,5',
  '10:30',
  "geht's",
  'E-Mail',
  '50%',
  '日本',
  '[2]',
  '–',
];
const word = fc.oneof(fc.constantFrom(...vocabulary), fc.string({ minLength: 1, maxLength: 6 }));
const text = fc
  .array(word, { maxLength: 12 })
  .map((words) => words.join(' ').replaceAll(/\s+/gu, ' ').trim());
const texts = fc.array(text, { minLength: 1, maxLength: 6 });

/** What a server may do to a right answer; or it answers anything at all. */
const spoiling = fc.oneof(
  fc
    .record({ from: fc.nat(), to: fc.nat(), put: word })
    .map(({ from, to, put }) => (answer: string) => {
      const [a, b] = [from % (answer.length + 1), to % (answer.length + 1)].toSorted(
        (x, y) => x - y,
      );
      return answer.slice(0, a) + put + answer.slice(b);
    }),
  fc.constant((answer: string) => answer.split('\n').toReversed().join('\n')),
  fc.constant((answer: string) => answer.toUpperCase()),
  fc.constant((answer: string) => answer.replaceAll(' ', ', ')),
  fc.constant((answer: string) => answer.split('\n').slice(1).join('\n')),
  fc.string().map((anything) => () => anything),
);

/**
 * What must not change, by rules of the test's own: all letters and digits in order, and numbers with
 * the signs within them. The product compares words, by `spokenWords`.
 */
const said = (text: string) => {
  const plain = text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');
  return {
    letters: plain.replaceAll(/[^\p{L}\p{M}\p{N}]/gu, ''),
    numbers: plain.match(/\p{N}+(?:[.,:/]\p{N}+)*/gu) ?? [],
  };
};

/** Letters and times of the words that have any: a mark alone may fall away. */
const timed = (words: readonly Word[]) =>
  words
    .map(({ text, start, end }) => [said(text).letters, start, end])
    .filter(([letters]) => letters !== '');

test('whatever the server answers, no word changes, none is lost and all keep their times', async (t) => {
  const { model, server } = await openOn(t, { flavour: 'openai' });
  const property = fc.asyncProperty(texts, spoiling, async (texts, spoil) => {
    server.brain = (prompt) => spoil(wellBehaved(prompt));
    const before = talk(texts, ['SPEAKER_1', 'SPEAKER_2']);
    const { blocks, kept } = await punctuate(before, model, {
      signal,
      language: null,
      onProgress() {},
    });
    assert.equal(blocks.length, before.length);
    for (const [index, block] of blocks.entries()) {
      const old = before[index]!;
      assert.deepEqual(said(block.text), said(old.text));
      assert.deepEqual({ ...block, text: '', words: [] }, { ...old, text: '', words: [] });
      assert.deepEqual(timed(block.words), timed(old.words));
    }
    assert.ok(kept.every((id) => before.some((block) => block.id === id)));
  });
  await fc.assert(property, { numRuns: 150 });
});

test('parts hold every piece once, in order, and no part is too large unless it cannot be cut', () => {
  const property = fc.property(
    fc.array(fc.string({ minLength: 1, maxLength: 400 }), { maxLength: 20 }),
    fc.integer({ min: 20, max: 300 }),
    (texts, tokensMax) => {
      const pieces = texts.map((text, block) => ({
        block,
        speaker: null,
        text,
        words: [],
        glue: ' ' as const,
      }));
      const parts = packedParts(pieces, tokensMax).flat();
      assert.deepEqual(
        parts.map(({ block }) => block),
        parts.map(({ block }) => block).toSorted((a, b) => a - b),
      );
      for (const [block, text] of texts.entries()) {
        const own = parts.filter((piece) => piece.block === block).map((piece) => piece.text);
        assert.equal(own.join('').replaceAll(/\s/gu, ''), text.replaceAll(/\s/gu, ''));
      }
    },
  );
  fc.assert(property, { numRuns: 300 });
});

test('words take the display of a text of the same words, and of no other', () => {
  // A word more, a word less and other letters; and the same words as a sentence.
  const property = fc.property(text, text, (one, other) => {
    const { words } = talk([one])[0]!;
    const shown = punctuatedWords(words, other, null);
    assert.deepEqual(timed(shown), timed(words));
    if (said(one).letters !== said(other).letters) assert.deepEqual(shown, words);
  });
  fc.assert(property, { numRuns: 500 });
  const plain = fc.array(fc.constantFrom('ja', 'das', 'Müller', "geht's"), { minLength: 1 });
  const sentence = fc.property(plain, (tokens) => {
    const display = tokens.map((token) => `${token[0]!.toUpperCase()}${token.slice(1)},`);
    const shown = punctuatedWords(talk([tokens.join(' ')])[0]!.words, display.join(' '), null);
    assert.deepEqual(
      shown.map(({ text }) => text),
      display,
    );
  });
  fc.assert(sentence);
});
