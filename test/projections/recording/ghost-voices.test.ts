import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LabelledTurn, joinTurns } from '../../../projections/recording/join-turns.ts';
import type { Segment } from '../../../events/facts/transcript.ts';

const [A, B, X] = ['SPEAKER_00', 'SPEAKER_01', 'SPEAKER_02'] as const;

/** Words of 0.4 s, one behind the other. */
function heard(text: string, speaker?: string): Segment {
  const words = text
    .split(' ')
    .map((word, at) => ({ text: word, start: at * 0.4, end: at * 0.4 + 0.4 }));
  const told = speaker === undefined ? {} : { speaker };
  return { start: 0, end: words.at(-1)!.end, text, words, ...told };
}

const joined = (segments: Segment[], turns: LabelledTurn[], speakersMin?: number) => {
  const end = Math.max(...segments.map((one) => one.end));
  const blocks = joinTurns(
    [{ index: 0, start: 0, end, language: 'en', segments }],
    turns,
    speakersMin,
  );
  return blocks.map(({ speaker, text, doubts }) => ({ speaker, text, doubts }));
};

const talk =
  'ask the woman for a better room because it is late and we are all tired now by the way';

test('a voice of two words in another’s sentence is theirs, and the words say that it may be someone else', () => {
  // The recogniser set no marks, and nobody pauses.
  const turns: LabelledTurn[] = [
    [0, 2, A],
    [2, 2.8, X],
    [2.8, 8, A],
  ];
  const [block, ...others] = joined([heard(talk)], turns);
  assert.deepEqual([block?.speaker, block?.text, others], [A, talk, []]);
  const [doubt] = block!.doubts!;
  assert.deepEqual([doubt?.start, doubt?.reason, block!.doubts!.length], [2, 'other-speaker', 1]);
  assert.ok(Math.abs(doubt!.end - 2.8) < 0.001);
});

test('a voice of a word between two others goes to the one whose sentence it is in', () => {
  const said =
    'ask the woman for a better room. because it is late and we are all tired now by the way';
  const turns: LabelledTurn[] = [
    [0, 2.8, A],
    [2.8, 3.2, X],
    [3.2, 8, B],
  ];
  assert.deepEqual(
    joined([heard(said)], turns).map(({ speaker, text }) => [speaker, text.split(' ').length]),
    [
      [A, 7],
      [B, 13],
    ],
  );
});

test('one who speaks elsewhere too loses a word in the middle of a sentence, but no answer of their own', () => {
  const [own, answer] = [
    'we should move it by to monday or so.',
    'yes. and what about the other thing then',
  ];
  const said = `${own} ${answer}`;
  const answers: LabelledTurn[] = [
    [0, 1.6, A],
    [1.6, 2, B],
    [2, 3.6, A],
    [3.6, 10, B],
  ];
  assert.deepEqual(
    joined([heard(said)], answers).map(({ speaker, text }) => [speaker, text]),
    [
      [A, own],
      [B, answer],
    ],
  );
});

test('a voice stays that has a sentence of its own, that the recogniser tells, or that is said to be there', () => {
  const turns: LabelledTurn[] = [
    [0, 2.8, A],
    [2.8, 4, X],
    [4, 16, A],
  ];
  const speakers = (speakersMin: number) =>
    joined([heard(`${talk} ${talk}`)], turns, speakersMin).map(({ speaker }) => speaker);
  assert.deepEqual(speakers(2), [A, X, A]);
  assert.deepEqual(speakers(1), [A]);
  const answer =
    'so that is all for today. Goodbye! and thank you for having been here all the time';
  const last: LabelledTurn[] = [
    [0, 2.4, A],
    [2.4, 2.8, X],
    [2.8, 8, A],
  ];
  assert.deepEqual(
    joined([heard(answer)], last).map(({ speaker }) => speaker),
    [A, X, A],
  );
  const told = [heard(talk, A), { ...heard('yes', X), start: 9, end: 9.4, words: [] }];
  assert.deepEqual(
    joined(told, []).map(({ speaker }) => speaker),
    [A, X],
  );
});
