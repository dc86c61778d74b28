import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownDoubt, withDoubts } from '../../src/speech/doubt.ts';

const doubtsOf = (...texts: string[]) =>
  withDoubts(texts.map((text, i) => ({ start: i, end: i + 1, text, words: [] }))).map(
    ({ doubt }) => doubt,
  );
const said = (...texts: string[]) => doubtsOf(...texts).find((doubt) => doubt !== undefined);

test('a segment is judged, not all that was asked for at once', () => {
  const talk = Array.from({ length: 12 }, (_, at) => `This is sentence number ${at}.`);
  assert.deepEqual(doubtsOf(...talk, 'Thanks for watching!'), [
    ...talk.map(() => undefined),
    'known-phrase',
  ]);
  assert.deepEqual(doubtsOf('So', ...Array<string>(8).fill('no'), 'that is it'), [
    undefined,
    ...Array<string>(8).fill('repetition'),
    undefined,
  ]);
});

test('what Whisper doubts itself is doubted by the limits of its authors', () => {
  const sure = { noSpeech: 0.02, logprob: -0.3, compression: 1.6 };
  assert.equal(ownDoubt(sure), undefined);
  assert.equal(ownDoubt({ ...sure, noSpeech: 0.99 }), undefined, 'sure of the words');
  assert.equal(ownDoubt({ ...sure, noSpeech: 0.97, logprob: -1.9 }), 'no-speech');
  assert.equal(ownDoubt({ ...sure, logprob: -1.3 }), 'low-confidence');
  assert.equal(ownDoubt({ ...sure, compression: 3.1 }), 'repetition');
  const unknown = { noSpeech: undefined, logprob: undefined, compression: undefined };
  assert.equal(ownDoubt(unknown), undefined);
});

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
