import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basisOf } from '../../events/facts/sources.ts';
import { recordingStory, upTo } from '../support/recording-story.ts';

const changes = [
  ['title.changed', {}],
  ['kind.changed', { kind: 'meeting' }],
  ['language.set', { language: 'fr' }],
  ['start.changed', { local_start: '2024-05-06T07:08:09+02:00' }],
  ['recording.handed_over', { owner: 'ben' }],
  ['document.edited', {}],
  ['sidenote.written', { note: 1, at: 2 }],
  ['speakers.renamed', { labels: [] }],
] as const;
const writing = 'transcribing.writing';

for (const [type, data] of changes) {
  test(`${type} writes the documents again, in the same run, as their next version`, () => {
    const story = upTo.saved().take(type, data);
    assert.equal(story.state(), writing);
    assert.deepEqual([story.context().run, story.context().documents], [1, 1]);
    // While they are written, what was begun does not count any more.
    story.start('write');
    const { running } = story.context();
    story.take(type, data);
    story.refuse('documents.saved', { version: 2 }, { run: 1, attempt: running.write });
    if (type === 'recording.handed_over') story.does('documents.named');
    else story.start('write');
    story.answer('documents.rendered', { version: 2 }).answer('documents.saved', { version: 2 });
    assert.deepEqual([story.state(), story.context().documents], ['idle.saved', 2]);
  });
}

test('what a person changed is not taken back by a run that comes to nothing', () => {
  const story = upTo.saved();
  const basis = basisOf(story.context().published!);
  story.take('turn.edited', { basis }).take('title.changed').take('language.set');
  const { edited, titled, languageSet } = story.context().results;
  story.fail('write', {}).take('error.cleared');
  assert.equal(story.state(), 'idle.saved');
  const { results, saved, published } = story.context();
  assert.deepEqual(
    [results.edited, results.titled, results.languageSet],
    [edited, titled, languageSet],
  );
  assert.ok([edited, titled, languageSet].every((version) => version !== null));
  assert.equal(saved!.results.titled, null, 'the documents are still without it');
  assert.equal(published!.results.titled, titled, 'but it is shown');
});

test('changes that follow each other quickly are no deaths', () => {
  const story = upTo.saved();
  for (let change = 0; change < 5; change += 1) story.take('title.changed').start('write');
  assert.equal(story.context().deaths.write, 1);
});

test('a correction means a turn of the present documents, at any time but before there are any', () => {
  upTo.writing().refuse('turn.edited', { basis: 5 });
  const story = upTo.saved();
  const basis = basisOf(story.context());
  story.refuse('turn.edited', { basis: basis! + 1 });
  story.take('reprocessing.requested').start('punctuate').take('turn.edited', { basis });
  assert.match(story.state(), /^transcribing\.finishing/);
});

test('only once in a space are documents named', () => {
  const story = upTo.saved().take('title.changed').start('write');
  const { run, running } = story.context();
  story.refuse('documents.named', {}, { run, attempt: running.write! });
  story.take('recording.handed_over', { owner: 'ben' }).does('documents.named');
  assert.equal(story.context().owner, 'ben');
});

test('without documents there is nothing to write: what is said is kept for when there are', () => {
  const story = upTo.kept().take('title.changed').take('recording.handed_over', { owner: 'ben' });
  assert.equal(story.state(), 'idle.kept');
  story.refuse('document.edited').refuse('documents.deleted').refuse('version.restored');
});

test('documents.deleted of all leads to idle.kept, of one nowhere; a version can be had back', () => {
  const story = upTo.saved();
  const material = story.context().saved;
  story.take('documents.deleted', { documents: ['summary'] });
  assert.equal(story.state(), 'idle.saved');
  story.take('documents.deleted');
  assert.deepEqual([story.state(), story.context().saved], ['idle.kept', null]);
  story.refuse('version.restored', { version: 2, material });
  story.take('version.restored', { version: 1, material });
  assert.equal(story.state(), writing);
  story.start('write').answer('documents.saved', { version: 2 });
  assert.equal(story.state(), 'idle.saved');
});

test('a restored version counts as what its documents were made of, until the next run', () => {
  const story = upTo.saved();
  const first = story.context().saved!;
  story.take('reprocessing.requested').does('transcript.punctuated').does('summary.completed');
  story.does('title.chosen').start('write').answer('documents.saved', { version: 2 });
  const { punctuated } = story.context().results;
  story.take('version.restored', { version: 1, material: first });
  assert.equal(story.context().results.punctuated, first.results.punctuated);
  assert.equal(basisOf(story.context()), story.version());
  // Cancelled, it is what it was.
  story.take('processing.cancelled');
  assert.deepEqual(
    [story.context().results.punctuated, story.context().results.restored],
    [punctuated, null],
  );
});

test('from entitle and write only what comes after is done again', () => {
  const from = (stage: string) => upTo.saved().take('reprocessing.requested', { from: stage });
  assert.equal(from('entitle').state(), 'transcribing.entitling');
  assert.equal(from('write').state(), writing);
  upTo.kept().refuse('reprocessing.requested', { from: 'write' });
  upTo.saved('solo').refuse('reprocessing.requested', { from: 'join' });
  const meeting = upTo.saved('meeting').take('reprocessing.requested', { from: 'join' });
  assert.equal(meeting.state(), 'transcribing.joining');
  assert.notEqual(meeting.context().results.diarization, null);
});

test('nothing can be said of a recording that has not begun or was erased', () => {
  recordingStory().refuse('title.changed').refuse('recording.handed_over');
  upTo.saved().take('recording.erased').refuse('title.changed').refuse('version.restored');
});
