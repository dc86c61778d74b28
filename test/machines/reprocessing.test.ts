import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noResults } from '../../events/facts/counting.ts';
import { recordingStory, upTo } from '../support/recording-story.ts';

const fromSpeech = { from: 'speech-to-text' };
const finishing = 'transcribing.finishing(punctuate.running,summarise.running)';
const attributing = 'transcribing.attributing(diarize.running,identify.running)';

test('from speech-to-text does everything again but keeps audio, name and documents', () => {
  const story = upTo.saved('meeting');
  const { results } = story.context();
  story.take('reprocessing.requested', { ...fromSpeech, language: 'fr', speakers: null });
  assert.equal(story.state(), 'transcribing.recognising');
  const { audio, named, saved } = results;
  assert.deepEqual(story.context().results, {
    ...noResults,
    audio,
    named,
    saved,
  });
  const { run, attempt, documents, utterances, labels } = story.context();
  assert.deepEqual([run, attempt, documents], [2, 0, 1]);
  assert.deepEqual([utterances, labels], [0, []]);
});

test('from language-model keeps words, turns and names', () => {
  const story = upTo.saved('meeting');
  const { results, labels } = story.context();
  story.take('reprocessing.requested');
  assert.equal(story.state(), finishing);
  assert.deepEqual(story.context().results, {
    ...results,
    punctuated: null,
    summary: null,
    title: null,
  });
  assert.deepEqual(story.context().labels, labels);
  story.does('transcript.punctuated').does('summary.completed').does('title.chosen');
  story.start('write').answer('documents.saved', { version: 2 });
  assert.equal(story.state(), 'idle.saved');
  assert.equal(story.context().documents, 2);
});

test('from language-model without words is refused', () => {
  upTo.kept().refuse('reprocessing.requested').take('reprocessing.requested', fromSpeech);
});

test('what was cancelled with words can go on from the words', () => {
  const solo = upTo.finishing().take('processing.cancelled').take('reprocessing.requested');
  assert.equal(solo.state(), finishing);
});

test('a meeting whose speakers were found but not named waits for the names first', () => {
  const cancelled = upTo.awaitingSpeakers().take('processing.cancelled');
  assert.equal(cancelled.take('reprocessing.requested').state(), 'awaiting-speakers');
});

test('a meeting whose speakers were skipped is asked again', () => {
  const skipped = upTo.awaitingSpeakers().take('speakers.skipped').take('processing.cancelled');
  assert.equal(skipped.take('reprocessing.requested').state(), 'awaiting-speakers');
});

test('a meeting whose speakers were never found is attributed first', () => {
  const story = upTo.attributing().take('processing.cancelled').take('reprocessing.requested');
  assert.equal(story.state(), attributing);
});

test('a further run that is given up leaves what the documents were made of', () => {
  const story = upTo.saved('meeting');
  const { results, labels, utterances, stretches } = story.context();
  story.take('reprocessing.requested', fromSpeech).does('speech.detected', { stretches: [] });
  story.answer('transcription.completed').take('processing.cancelled');
  const after = story.context();
  assert.deepEqual(after.results, results);
  assert.deepEqual(
    [after.labels, after.utterances, after.stretches],
    [labels, utterances, stretches],
  );
  assert.equal(story.take('reprocessing.requested').state(), finishing);

  story.start('punctuate').fail('punctuate').take('error.cleared');
  assert.deepEqual(story.context().results, results);
});

test('names given in a run from the words outlive the run', () => {
  const story = upTo.awaitingSpeakers().take('speakers.skipped');
  story.does('transcript.punctuated').does('summary.completed').does('title.chosen');
  story.does('documents.named').answer('documents.saved');
  story.take('reprocessing.requested').take('speakers.named').take('processing.cancelled');
  assert.notEqual(story.context().results.names, null);
  assert.equal(story.take('reprocessing.requested').state(), finishing);
});

test('reprocessing is for what stands still', () => {
  for (const story of [recordingStory(), upTo.finishing(), upTo.awaitingSpeakers()]) {
    story.refuse('reprocessing.requested').refuse('reprocessing.requested', fromSpeech);
  }
});
