import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordingStory, upTo, type RecordingStory } from '../support/recording-story.ts';

const at = (story: RecordingStory, state: string) => assert.equal(story.state(), state);
const attributing = 'transcribing.attributing(diarize.running,identify.running)';
const finishing = 'transcribing.finishing(punctuate.running,summarise.running)';
const attempt = (run: number, number: number) => ({ run, attempt: number });

test('a recording begins as idle.new, where it can only be started or imported', () => {
  const story = recordingStory('r7');
  at(story, 'idle.new');
  assert.equal(story.context().recordingId, 'r7');
  story.refuse('recording.erased').refuse('reprocessing.requested').refuse('error.cleared');
});

test('recording.started begins the capture and run 1', () => {
  const story = recordingStory().take('recording.started', { kind: 'meeting', language: 'de' });
  at(story, 'recording.active');
  const { owner, kind, run, audio } = story.context();
  assert.deepEqual(
    { owner, kind, run, audio },
    {
      owner: 'ada',
      kind: 'meeting',
      run: 1,
      audio: false,
    },
  );
  story.refuse('recording.started').refuse('audio.imported').refuse('processing.cancelled');
});

test('a recording is paused and resumed, and its capture starts once', () => {
  const story = recordingStory().take('recording.started').start('capture');
  at(story.take('recording.paused'), 'recording.paused');
  story.refuse('recording.paused');
  assert.equal(story.context().running.capture, 1, 'a pause does not leave the capture');
  at(story.take('recording.resumed'), 'recording.active');
  story.refuse('recording.resumed');
});

for (const type of ['audio.captured', 'capture.interrupted'] as const) {
  for (const paused of [false, true]) {
    test(`${type} leads from recording ${paused ? 'paused' : 'active'} to recognising`, () => {
      const story = recordingStory().take('recording.started');
      if (paused) story.take('recording.paused');
      at(story.take(type), 'transcribing.recognising');
      assert.equal(story.context().audio, true);
      assert.equal(story.context().results.audio, paused ? 3 : 2);
    });
  }
}

test('recording.discarded erases what was being recorded', () => {
  at(recordingStory().take('recording.started').take('recording.discarded'), 'idle.erased');
});

test('a capture that failed can be cleared', () => {
  const story = recordingStory().take('recording.started').start('capture');
  at(story.fail('capture', { retriable: false }), 'error');
  at(story.take('error.cleared'), 'idle.erased');
});

test('a capture that failed goes on where it was, also when it had failed for good', () => {
  const story = recordingStory().take('recording.started').start('capture');
  story.fail('capture', { retriable: true }).take('retry.requested');
  at(story, 'recording.active');
  story.take('recording.paused').fail('capture', { retriable: false }).take('retry.requested');
  at(story, 'recording.paused');
});

test('audio.imported goes straight to recognising', () => {
  const story = upTo.recognising('meeting');
  at(story, 'transcribing.recognising');
  assert.equal(story.context().results.audio, 1);
});

test('utterances are taken in the order of the plan and no further than it goes', () => {
  const story = upTo.recognising('solo').start('transcribe');
  story.answer('speech.detected', { stretches: [[0, 1], [2, 3]] }); // prettier-ignore
  story.refuse('speech.detected', {}, attempt(1, 1));
  story.refuse('utterance.recognised', { index: 1 }, attempt(1, 1));
  story.answer('utterance.recognised', { index: 0 });
  story.refuse('utterance.recognised', { index: 0 }, attempt(1, 1));
  story.refuse('transcription.completed', {}, attempt(1, 1));
  story.answer('utterance.recognised', { index: 1 });
  story.refuse('utterance.recognised', { index: 2 }, attempt(1, 1));
  at(story, 'transcribing.recognising');
  at(story.answer('transcription.completed'), finishing);
});

test('audio without speech is completed without an utterance', () => {
  const story = upTo.recognising('solo').does('speech.detected', { stretches: [] });
  at(story.answer('transcription.completed'), finishing);
});

test('transcription.completed leads to finishing when solo, to attributing in a meeting', () => {
  at(upTo.finishing('solo'), finishing);
  at(upTo.attributing(), attributing);
});

for (const diarization of ['diarization.completed', 'diarization.skipped'] as const) {
  for (const identification of ['identification.completed', 'identification.skipped'] as const) {
    test(`${diarization} and ${identification}, in either order, lead to joining`, () => {
      const first = upTo.attributing().does(diarization);
      at(first, 'transcribing.attributing(diarize.done,identify.running)');
      at(first.does(identification), 'transcribing.joining');
      const second = upTo.attributing().does(identification);
      at(second, 'transcribing.attributing(diarize.running,identify.done)');
      at(second.does(diarization), 'transcribing.joining');
    });
  }
}

test('turns.joined waits for the speakers, also for a single one', () => {
  const story = upTo.joining().does('turns.joined', {
    speakers: [{ label: 'SPEAKER_1', seconds: 3 }],
  });
  at(story, 'awaiting-speakers');
  assert.deepEqual(story.context().labels, ['SPEAKER_1']);
});

test('speakers.named leads to finishing, and only known labels can be named', () => {
  const story = upTo.awaitingSpeakers();
  story.refuse('speakers.named', { labels: ['SPEAKER_1', 'SPEAKER_3'] });
  at(story.take('speakers.named', { labels: ['SPEAKER_2', 'SPEAKER_1'] }), finishing);
  assert.notEqual(story.context().results.names, null);
});

test('speakers.skipped leads to finishing without names', () => {
  const story = upTo.awaitingSpeakers().take('speakers.skipped');
  at(story, finishing);
  assert.equal(story.context().results.names, null);
});

test('punctuation and summary, in either order, lead to entitling', () => {
  const first = upTo.finishing().does('transcript.punctuated');
  at(first, 'transcribing.finishing(punctuate.done,summarise.running)');
  at(first.does('summary.completed'), 'transcribing.entitling');
  const second = upTo.finishing().does('summary.completed');
  at(second, 'transcribing.finishing(punctuate.running,summarise.done)');
  at(second.does('transcript.punctuated'), 'transcribing.entitling');
});

test('summary.fallback_used is noted for the stage that says so, and moves nothing', () => {
  const story = upTo.finishing().start('punctuate', 'summarise');
  for (const [stage, number] of [
    ['punctuate', 1],
    ['summarise', 2],
  ] as const) {
    // prettier-ignore
    const given = { run: 1, attempt: story.context().running[stage] };
    at(story.take('summary.fallback_used', { stage }, given), finishing);
    story.refuse('summary.fallback_used', { stage }, attempt(1, 90 + number));
  }
  story.refuse('summary.fallback_used', { stage: 'entitle' }, attempt(1, 1));
  const entitling = upTo.entitling().start('entitle');
  const given = { run: 1, attempt: entitling.context().running.entitle };
  at(
    entitling.take('summary.fallback_used', { stage: 'entitle' }, given),
    'transcribing.entitling',
  );
});

test('title.chosen leads to writing', () => at(upTo.writing(), 'transcribing.writing'));

test('documents are named once and saved in the order of their versions', () => {
  const story = upTo.writing().does('documents.named');
  at(story, 'transcribing.writing');
  const given = { run: 1, attempt: story.context().running.write };
  story.refuse('documents.named', {}, given);
  story.refuse('documents.saved', { version: 2 }, given);
  at(story.answer('documents.saved'), 'idle.saved');
  assert.equal(story.context().documents, 1);
});

test('a meeting reaches idle.saved too', () => at(upTo.saved('meeting'), 'idle.saved'));

const insideTranscribing = {
  recognising: () => upTo.recognising('meeting'),
  attributing: upTo.attributing,
  'attributing half done': () => upTo.attributing().does('diarization.skipped'),
  joining: upTo.joining,
  'awaiting speakers': upTo.awaitingSpeakers,
  finishing: upTo.finishing,
  'finishing half done': () => upTo.finishing().does('summary.completed'),
  entitling: upTo.entitling,
  writing: upTo.writing,
};
for (const [name, story] of Object.entries(insideTranscribing)) {
  test(`processing.cancelled while ${name} keeps the audio`, () => {
    at(story().take('processing.cancelled'), 'idle.kept');
  });
}

test('processing.cancelled of a further run leads back to idle.saved', () => {
  const story = upTo.saved().take('reprocessing.requested');
  at(story.take('processing.cancelled'), 'idle.saved');
  const meeting = upTo.saved('meeting').take('reprocessing.requested', { from: 'speech-to-text' });
  meeting.does('speech.detected').answer('utterance.recognised').answer('transcription.completed');
  meeting.does('diarization.completed').does('identification.completed').does('turns.joined');
  at(meeting, 'awaiting-speakers');
  at(meeting.take('processing.cancelled'), 'idle.saved');
});

test('error.cleared leads to what there is: documents, audio, or nothing', () => {
  at(
    upTo.recognising('solo').start('transcribe').fail('transcribe').take('error.cleared'),
    'idle.kept',
  );
  const again = upTo.saved().take('reprocessing.requested').start('summarise').fail('summarise');
  at(again.take('error.cleared'), 'idle.saved');
  assert.equal(again.context().failed, null);
  at(
    recordingStory().take('recording.started').fail('capture').take('error.cleared'),
    'idle.erased',
  );
});

test('recording.erased is for what stands still', () => {
  for (const story of [
    upTo.saved(),
    upTo.kept(),
    upTo.awaitingSpeakers(),
    upTo.recognising('solo').fail('transcribe'),
  ]) {
    at(story.take('recording.erased'), 'idle.erased');
    assert.equal(story.context().audio, false);
    assert.equal(story.context().documents, 0);
  }
  for (const story of [
    recordingStory(),
    upTo.finishing(),
    recordingStory().take('recording.started'),
  ]) {
    story.refuse('recording.erased');
  }
});

test('nothing is possible once a recording is erased', () => {
  const story = upTo.kept().take('recording.erased');
  story.refuse('recording.erased').refuse('reprocessing.requested').refuse('recording.started');
});

test('audio that was removed cannot be heard again, and its words outlive every failure', () => {
  const story = upTo.saved('meeting').take('audio.removed');
  at(story, 'idle.saved');
  assert.equal(story.context().audio, false);
  story.refuse('audio.removed').refuse('audio.compressed');
  for (const from of ['speech-to-text', 'diarize'])
    story.refuse('reprocessing.requested', { from });
  story.take('documents.deleted');
  at(story, 'idle.kept');
  story.take('reprocessing.requested', { from: 'language-model' }).fail('summarise');
  at(story.take('error.cleared'), 'idle.kept');
});

test('audio that was compressed is audio; what is worked on keeps its own', () => {
  at(upTo.saved().take('audio.compressed'), 'idle.saved');
  at(upTo.kept().take('audio.removed').refuse('audio.removed'), 'idle.kept');
  const story = upTo.kept().take('audio.compressed');
  at(story, 'idle.kept');
  story.take('reprocessing.requested', { from: 'speech-to-text' });
  story.refuse('audio.compressed').refuse('audio.removed');
});
