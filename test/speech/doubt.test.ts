import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doubtOf } from '../../src/speech/doubt.ts';

const said = (...texts: string[]) =>
  doubtOf(texts.map((text, i) => ({ start: i, end: i + 1, text, words: [] })));

test('a recogniser that got stuck is noticed, across segments too', () => {
  assert.equal(said('I think so. '.repeat(5)), 'repetition');
  assert.equal(said('So', ...Array<string>(9).fill('no')), 'repetition');
  assert.equal(
    said('we go home now', 'we go home now', 'We go home, now!', 'we go home now'),
    'repetition',
  );
  assert.equal(said('好好好好好好好好好'), 'repetition');
});

test('people repeat themselves without being doubted', () => {
  assert.equal(said('no no no no, that is not what I meant'), undefined);
  assert.equal(said('very, very, very good'), undefined);
  assert.equal(said('one two three one two three one two three'), undefined);
  assert.equal(said('yes', 'yes', 'thank you', 'bye bye'), undefined);
});

test('what models write over silence is noticed when it is a whole segment', () => {
  for (const text of [
    ' Thanks for watching!',
    'Untertitel der Amara.org-Community',
    'Untertitelung des ZDF, 2020',
    'Untertitel im Auftrag des ZDF für funk, 2017',
    "Sous-titres réalisés par la communauté d'Amara.org",
    'ご視聴ありがとうございました',
    '[Musik]',
    ' [BLANK_AUDIO]',
  ])
    assert.equal(said('Good morning.', text), 'known-phrase', text);
});

test('the same words inside a sentence are what somebody said', () => {
  assert.equal(said('He ends each film with: thanks for watching, and a smile.'), undefined);
  assert.equal(said('I like the music.'), undefined);
});

test('nothing is not doubtful', () => assert.equal(said(), undefined));
