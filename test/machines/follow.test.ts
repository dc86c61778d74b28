import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordingStory } from '../support/recording-story.ts';

const recording = () => recordingStory().take('recording.started').start('follow');
const current = (story: ReturnType<typeof recording>) => ({
  run: 1,
  attempt: story.context().running.follow,
});

test('while it is recorded the plan grows, and its stretches are recognised in order or once more', () => {
  const story = recording();
  story.refuse('utterance.recognised', { index: 0 }, current(story));
  story.answer('speech.followed').answer('speech.followed');
  story.refuse('utterance.recognised', { index: 1 }, current(story));
  for (const index of [0, 0, 1, 0]) {
    story.take('utterance.recognised', { index }, current(story));
  }
  story.refuse('utterance.recognised', { index: 2 }, current(story));
  story.refuse('utterance.recognised', { index: 1 }, { run: 1, attempt: 7 });
  const { stretches, utterances, heardSince } = story.context();
  assert.deepEqual(
    [stretches, utterances, heardSince, story.state()],
    [2, 2, 0, 'recording.active'],
  );
});

test('following goes on while paused, fails nothing, and ends with the capture', () => {
  const story = recording().take('recording.paused').answer('speech.followed');
  story.take('utterance.recognised', { index: 0 }, current(story));
  story.refuse('stage.failed', { stage: 'follow' }, current(story));
  const late = current(story);
  story.take('audio.captured');
  story.refuse('speech.followed', {}, late).refuse('utterance.recognised', { index: 0 }, late);
});

test('what was followed counts in the plan of the whole; without a plan nothing goes on', () => {
  const story = recording().answer('speech.followed').answer('speech.followed');
  story.take('utterance.recognised', { index: 0 }, current(story)).take('audio.captured');
  story.start('transcribe');
  const now = () => ({ run: 1, attempt: story.context().running.transcribe });
  story.refuse('utterance.recognised', { index: 1 }, now());
  story.refuse('transcription.completed', {}, now());
  const stretches = [
    [0, 1],
    [2, 3],
    [4, 5],
  ];
  story.take('speech.detected', { stretches, live: { utterances: 1 } }, now());
  for (const index of [1, 2]) story.take('utterance.recognised', { index }, now());
  assert.equal(story.context().heardSince, 0);
  assert.equal(
    story.take('transcription.completed', {}, now()).state(),
    'transcribing.finishing(punctuate.running,summarise.running)',
  );
});

test('a plan that does not say so begins with its first stretch', () => {
  const story = recording().answer('speech.followed');
  story.take('utterance.recognised', { index: 0 }, current(story)).take('audio.captured');
  story.does('speech.detected');
  assert.deepEqual([story.context().utterances, story.context().heardSince], [0, story.version()]);
});
