import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Stage } from '../../events/facts/recording.ts';
import { activeStages } from '../../machines/states.ts';
import { type AnswerType, stageOfAnswer } from '../support/plausible-events.ts';
import { type RecordingStory, recordingStory, upTo } from '../support/recording-story.ts';

/** How to come to where each stage runs, not yet started. */
const arrivals: Record<Stage, () => RecordingStory> = {
  capture: () => recordingStory().take('recording.started'),
  follow: () => recordingStory().take('recording.started'),
  assemble: upTo.assembling,
  continue: upTo.continuing,
  transcribe: () => upTo.recognising('meeting'),
  diarize: upTo.attributing,
  identify: upTo.attributing,
  join: upTo.joining,
  punctuate: () => upTo.finishing('meeting'),
  summarise: () => upTo.finishing('meeting'),
  entitle: () => upTo.entitling('meeting'),
  write: () => upTo.writing('meeting'),
};
/** All but the one that fails nothing. */
const stages = (Object.keys(arrivals) as Stage[]).filter((stage) => stage !== 'follow');
const answers = Object.entries(stageOfAnswer) as [AnswerType, Stage][];
const exact = { 'utterance.recognised': { index: 0 }, 'documents.saved': { version: 1 } } as Record<
  string,
  object
>;

/** An utterance needs a plan; the start that made it is over. */
const plan = (story: RecordingStory) =>
  story
    .does('speech.detected')
    .take('stage.interrupted', { stage: 'transcribe' }, { run: 1, attempt: 1 });

for (const [type, stage] of answers) {
  test(`${type} counts only as the answer of the present start of ${stage}`, () => {
    const story = arrivals[stage]();
    const data = exact[type];
    if (type === 'utterance.recognised') plan(story);
    const { run } = story.context();
    story.refuse(type, data, { run });
    story.refuse(type, data, { run, attempt: story.context().attempt });
    story.start(stage);
    const attempt = story.context().running[stage]!;
    story.refuse(type, data, { run: run + 1, attempt });
    story.refuse(type, data, { run, attempt: attempt - 1 });
    story.refuse(type, data, { run, attempt: attempt + 1 });
    story.refuse(type, data, { run });
    story.refuse(type, data, { attempt });
    story.refuse(type, data);

    story.start(stage);
    story.refuse(type, data, { run, attempt });
    story.answer(type, data);
  });

  // It fails nothing, and is never tried again.
  if (stage === 'follow') continue;
  test(`${type} of an attempt that was left does not count when ${stage} runs again`, () => {
    const story = arrivals[stage]().start(stage);
    if (type === 'utterance.recognised') story.answer('speech.detected');
    const late = { run: 1, attempt: story.context().running[stage] };
    story.fail(stage).refuse(type, exact[type], late);
    story.take('retry.requested').refuse(type, exact[type], late);
    story.start(stage).refuse(type, exact[type], late);
    // What is made of parts of others is not cancelled: another recording may be made of it.
    if (stage === 'assemble' || stage === 'continue') story.fail(stage).take('error.cleared');
    else story.take('processing.cancelled');
    story.refuse(type, exact[type], late);
    story.take('reprocessing.requested', { from: 'speech-to-text' });
    story.refuse(type, exact[type], late);
    if (stage === 'transcribe') story.start(stage).refuse(type, exact[type], late);
  });
}

/** Where the version of each answer is kept; utterances are counted instead. */
const resultOf = {
  'speech.detected': 'plan',
  'transcription.completed': 'transcription',
  'diarization.completed': 'diarization',
  'diarization.skipped': 'diarization',
  'identification.completed': 'identification',
  'identification.skipped': 'identification',
  'turns.joined': 'turns',
  'transcript.punctuated': 'punctuated',
  'summary.completed': 'summary',
  'title.chosen': 'title',
  'documents.named': 'named',
  'documents.saved': 'saved',
} as const;
/** Answers within a stage that do not show that it gets on. */
const noProgress = new Set<string>(['speech.detected', 'documents.named']);

for (const [type, result] of Object.entries(resultOf) as [keyof typeof resultOf, 'plan'][]) {
  const stage = stageOfAnswer[type];
  test(`${type} is remembered by its version and ${noProgress.has(type) ? 'keeps' : 'forgets'} the deaths`, () => {
    const story = arrivals[stage]().start(stage, stage);
    const before = story.context().results;
    story.answer(type, exact[type]);
    const { results, deaths } = story.context();
    assert.deepEqual(results, { ...before, [result]: story.version() });
    assert.deepEqual(deaths, noProgress.has(type) ? { [stage]: 2 } : {});
  });
}

for (const stage of stages) {
  test(`${stage} starts, is interrupted and fails only while it runs`, () => {
    const story = arrivals[stage]();
    assert.ok(activeStages(story.snapshot()).includes(stage));
    for (const other of stages) {
      if (activeStages(story.snapshot()).includes(other)) continue;
      story.refuse('stage.started', { stage: other }, { run: 1 });
      story.refuse('stage.interrupted', { stage: other }, { run: 1 });
      story.refuse('stage.failed', { stage: other }, { run: 1 });
    }
    story.refuse('stage.interrupted', { stage }, { run: 1 });
    story.refuse('stage.started', { stage }, { run: 2 });
    story.refuse('stage.failed', { stage }, { run: 1, attempt: story.context().attempt + 1 });
    story.start(stage);
    const attempt = story.context().running[stage]!;
    story.refuse('stage.failed', { stage });
    story.refuse('stage.failed', { stage }, { run: 1 });
    story.refuse('stage.failed', { stage }, { run: 2, attempt });
    story.refuse('stage.failed', { stage }, { run: 1, attempt: attempt + 1 });
    story.refuse('stage.interrupted', { stage }, { run: 1, attempt: attempt + 1 });
    story.fail(stage, { retriable: false });
    assert.equal(story.state(), 'error');
    assert.equal(story.context().failed, stage);
    assert.deepEqual(story.context().running, {});
  });

  test(`${stage} can fail before it ever started`, () => {
    for (const metadata of [{}, { run: 1 }]) {
      const story = arrivals[stage]();
      assert.equal(story.take('stage.failed', { stage }, metadata).state(), 'error');
    }
  });

  if (stage === 'capture') continue;
  test(`retry.requested after ${stage} failed leads back to it`, () => {
    const story = arrivals[stage]();
    const state = story.state();
    story.start(stage).fail(stage).take('retry.requested');
    assert.equal(story.state(), state);
    assert.equal(story.context().failed, null);
    assert.deepEqual(story.context().deaths, {});
  });
}

test('a retry runs again only the regions that were not done', () => {
  const attributing = upTo.attributing().does('diarization.completed').start('identify');
  attributing.fail('identify').take('retry.requested');
  assert.deepEqual(activeStages(attributing.snapshot()), ['identify']);
  assert.equal(attributing.does('identification.skipped').state(), 'transcribing.joining');

  const finishing = upTo.finishing().does('summary.completed').start('punctuate');
  finishing.fail('punctuate').take('retry.requested');
  assert.deepEqual(activeStages(finishing.snapshot()), ['punctuate']);
  assert.equal(finishing.does('transcript.punctuated').state(), 'transcribing.entitling');
});

test('when one region fails, the start of the other does not count either', () => {
  const story = upTo.attributing().start('diarize', 'identify');
  const late = { run: 1, attempt: story.context().running.identify };
  story.fail('diarize').take('retry.requested');
  assert.deepEqual(activeStages(story.snapshot()), ['diarize', 'identify']);
  story.refuse('identification.completed', {}, late);
});

test('utterances recognised before a failure are not recognised again', () => {
  const story = upTo.recognising('solo').start('transcribe');
  story.answer('speech.detected', { stretches: [[0, 1], [2, 3]] }).answer('utterance.recognised'); // prettier-ignore
  story.fail('transcribe').take('retry.requested').start('transcribe');
  story.refuse('speech.detected', {}, { run: 1, attempt: 2 });
  story.answer('utterance.recognised', { index: 1 });
});

test('attempts are counted over the run, deaths over starts without progress', () => {
  const story = upTo.recognising('solo').start('transcribe', 'transcribe', 'transcribe');
  assert.deepEqual(story.context().deaths, { transcribe: 3 });
  assert.equal(story.context().attempt, 3);
  story.answer('speech.detected');
  assert.deepEqual(story.context().deaths, { transcribe: 3 }, 'a plan is not progress yet');
  story.answer('utterance.recognised');
  assert.deepEqual(story.context().deaths, {});
  story.start('transcribe').answer('transcription.completed');
  assert.deepEqual(story.context().deaths, {});
  story.start('punctuate', 'summarise', 'summarise');
  assert.deepEqual(story.context().deaths, { punctuate: 1, summarise: 2 });
  assert.equal(story.context().attempt, 7);
  story.answer('transcript.punctuated');
  assert.deepEqual(story.context().deaths, {}, 'any stage that completes is progress');
});

test('a service that is asked to stop is no death, and its start counts no more', () => {
  const story = upTo.recognising('solo').start('transcribe', 'transcribe');
  story.take('stage.interrupted', { stage: 'transcribe' }, { run: 1, attempt: 2 });
  assert.deepEqual(story.context().deaths, { transcribe: 1 });
  assert.equal(story.context().attempt, 2, 'the number of a start is not given twice');
  story.refuse('speech.detected', {}, { run: 1, attempt: 2 });
  story.refuse('stage.interrupted', { stage: 'transcribe' }, { run: 1, attempt: 2 });
  assert.equal(story.start('transcribe').context().running.transcribe, 3);
});

test('who lost a stage to another process and lives takes its own start back, and the other goes on', () => {
  const story = upTo.recognising('solo').start('transcribe', 'transcribe');
  story.refuse('stage.interrupted', { stage: 'transcribe' }, { run: 2, attempt: 1 });
  story.refuse('stage.interrupted', { stage: 'transcribe' }, { run: 1, attempt: 3 });
  story.take('stage.interrupted', { stage: 'transcribe' }, { run: 1, attempt: 1 });
  assert.deepEqual(story.context().deaths, { transcribe: 1 });
  assert.equal(story.context().running.transcribe, 2);
  story.answer('speech.detected');
});

test('retry and a new run forget the deaths', () => {
  const story = upTo.recognising('solo').start('transcribe', 'transcribe', 'transcribe');
  story.fail('transcribe').take('retry.requested');
  assert.deepEqual(story.context().deaths, {});
  story.start('transcribe').take('processing.cancelled');
  story.take('reprocessing.requested', { from: 'speech-to-text' });
  assert.deepEqual(story.context().deaths, {});
  assert.deepEqual(story.context().running, {});
});
