import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readable } from '../../../web/pages/recording/readable.ts';
import { seed, seeded } from '../../support/seeded.ts';

const read = (text: string, language: string | null): string =>
  readable(text.split(' '), language)
    .map((word) => word.text)
    .join(' ');

test('sounds of hesitation are left out, with their commas; sentences keep beginnings and ends', () => {
  assert.equal(read('Um, the plan is, uh, simple.', 'en'), 'The plan is simple.');
  assert.equal(
    read('We meet on Friday, um. Er, or Monday.', 'en'),
    'We meet on Friday. Or Monday.',
  );
  assert.equal(read('Ähm, wir treffen uns, äh, am Freitag.', 'de'), 'Wir treffen uns am Freitag.');
  assert.equal(read('“Well,” uh, she said', 'en-GB'), '“Well,” she said');
});

test('what is a word in the language stays', () => {
  assert.equal(read('Er bat um Ruhe.', 'de'), 'Er bat um Ruhe.');
  assert.equal(read('Er um uh', null), 'Er um');
  assert.equal(read('Er um uh', 'ja'), 'Er um');
});

test('small words and phrases that are said twice are said once', () => {
  assert.equal(read('I, I think the the price is right.', 'en'), 'I think the price is right.');
  assert.equal(read('The the price', 'en'), 'The price');
  assert.equal(read('I think, I think we should should go.', 'en'), 'I think we should go.');
  assert.equal(read('Wir wir müssen, wir müssen das klären.', 'de'), 'Wir müssen das klären.');
  assert.equal(read('we um we want', 'en'), 'we want');
});

test('what is said twice on purpose stays', () => {
  for (const [text, language] of [
    ['No, no, that that had had is very very good.', 'en'],
    ['Die, die das sagen, sagen nein nein.', 'de'],
    ['The number is 0 0 7 7 0 0 7 7.', 'en'],
    ['I know. I know it.', 'en'],
    ['Vor- und Nachteile', 'de'],
  ] as const)
    assert.equal(read(text, language), text);
});

test('words that broke off are left out before the whole word', () => {
  assert.equal(read('Th- this is the con- conference.', 'en'), 'This is the conference.');
  assert.equal(read('Die Kon- Konferenz beginnt.', 'de'), 'Die Konferenz beginnt.');
});

test('a turn of sounds alone stays as it is', () => {
  assert.equal(read('Hm.', 'en'), 'Hm.');
  assert.equal(read('', 'en'), '');
});

test(`each word that stays was said there, in that order, and no other word is lost (SEED=${seed})`, () => {
  const random = seeded(seed);
  const said =
    'um the The budget I I, think think, uh. No 7 7 con- conference äh… “Um,” is. that Ready?'.split(
      ' ',
    );
  const bare = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  for (let run = 0; run < 2000; run += 1) {
    const words = Array.from({ length: random.below(14) }, () => random.pick(said));
    const left = readable(words, random.pick(['en', 'de', null]));
    assert.deepEqual(
      left.map(({ text }) => bare(text)),
      left.map(({ at }) => bare(words[at]!)),
    );
    assert.deepEqual(
      left.map(({ at }) => at),
      left.map(({ at }) => at).toSorted((a, b) => a - b),
    );
    const kept = new Set(left.map(({ text }) => bare(text)));
    const lost = words
      .map(bare)
      .filter((word) => !kept.has(word) && !/^(um|uh|äh|con)$/.test(word));
    assert.deepEqual(lost, [], words.join(' '));
  }
});
