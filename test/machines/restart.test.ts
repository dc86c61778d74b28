import { type EventObject, type Snapshot, createActor, fromCallback } from 'xstate';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Stage, stages } from '../../events/facts/recording.ts';
import { activeStages, isSettled, stateName } from '../../machines/states.ts';
import { recordingMachine } from '../../machines/recording.ts';
import type { StageActorLogic, ActivityInput } from '../../machines/transitions.ts';
import type { RecordingMachineEvent } from '../../machines/context.ts';
import { sampleEvent } from '../support/plausible-events.ts';
import { type RecordingStory, recordingStory, upTo } from '../support/recording-story.ts';

/** What a restarted service does: an actor from the folded state, which has been on disk. */
function restart(story: RecordingStory) {
  const started: string[] = [];
  const stopped: string[] = [];
  const inputs: ActivityInput[] = [];
  const actors = Object.fromEntries(
    stages.map((stage) => [
      stage,
      fromCallback<EventObject, ActivityInput>(({ input }) => {
        started.push(stage);
        inputs.push(input);
        return () => void stopped.push(stage);
      }),
    ]),
  ) as Record<Stage, StageActorLogic>;
  const persisted: unknown = JSON.parse(
    JSON.stringify(recordingMachine.getPersistedSnapshot(story.snapshot())),
  );
  const actor = createActor(recordingMachine.provide({ actors }), {
    snapshot: persisted as Snapshot<unknown>,
  });
  const errors: unknown[] = [];
  actor.subscribe({ error: (error) => errors.push(error) });
  actor.start();
  return {
    started,
    stopped,
    inputs,
    errors,
    send: (event: RecordingMachineEvent) => actor.send(event),
    state: () => stateName(actor.getSnapshot().value),
    context: () => actor.getSnapshot().context,
    stop: () => actor.stop(),
  };
}

const places: Record<string, { story: () => RecordingStory; runs: string[] }> = {
  'a capture': {
    story: () => recordingStory().take('recording.started'),
    runs: ['capture', 'follow'],
  },
  'a paused capture': {
    story: () => recordingStory().take('recording.started').take('recording.paused'),
    runs: ['capture', 'follow'],
  },
  recognising: { story: () => upTo.recognising('solo').start('transcribe'), runs: ['transcribe'] },
  attributing: { story: upTo.attributing, runs: ['diarize', 'identify'] },
  'attributing half done': {
    story: () => upTo.attributing().does('diarization.completed').start('identify'),
    runs: ['identify'],
  },
  joining: { story: upTo.joining, runs: ['join'] },
  'awaiting speakers': { story: upTo.awaitingSpeakers, runs: [] },
  finishing: { story: () => upTo.finishing('meeting'), runs: ['punctuate', 'summarise'] },
  'finishing half done': {
    story: () => upTo.finishing().does('summary.completed'),
    runs: ['punctuate'],
  },
  entitling: { story: upTo.entitling, runs: ['entitle'] },
  writing: { story: upTo.writing, runs: ['write'] },
  saved: { story: upTo.saved, runs: [] },
  kept: { story: upTo.kept, runs: [] },
  error: { story: () => upTo.attributing().start('diarize').fail('diarize'), runs: [] },
  erased: { story: () => upTo.kept().take('recording.erased'), runs: [] },
};

for (const [name, { story: tell, runs }] of Object.entries(places)) {
  test(`a restart in ${name} starts ${runs.join(' and ') || 'nothing'}, once`, () => {
    const story = tell();
    assert.deepEqual(activeStages(story.snapshot()), runs);
    assert.equal(isSettled(story.snapshot()), runs.length === 0);
    const service = restart(story);
    assert.deepEqual(service.started.toSorted(), runs);
    assert.ok(service.inputs.every(({ recordingId, run }) => recordingId === 'r1' && run === 1));
    assert.equal(service.state(), story.state());
    assert.deepEqual(service.context(), story.snapshot().context);
    service.stop();
    assert.deepEqual(service.stopped.toSorted(), runs);
    assert.deepEqual(service.errors, []);
  });
}

test('an error outlives the restart with the regions that a retry goes back to', () => {
  const story = upTo.attributing().does('diarization.completed').start('identify').fail('identify');
  const service = restart(story);
  assert.deepEqual(service.started, []);
  service.send(sampleEvent('retry.requested', 20));
  assert.equal(service.state(), 'transcribing.attributing(diarize.done,identify.running)');
  assert.deepEqual(service.started, ['identify']);
});

test('facts that keep the state start no activity again; leaving it stops the activity', () => {
  const service = restart(upTo.recognising('solo').start('transcribe'));
  const answer = { run: 1, attempt: 1 };
  service.send(sampleEvent('speech.detected', 3, {}, answer));
  service.send(sampleEvent('utterance.recognised', 4, {}, answer));
  assert.deepEqual([service.started, service.stopped], [['transcribe'], []]);
  service.send(sampleEvent('transcription.completed', 5, {}, answer));
  assert.deepEqual(service.stopped, ['transcribe']);
  assert.deepEqual(service.started.toSorted(), ['punctuate', 'summarise', 'transcribe']);
  service.send(sampleEvent('processing.cancelled', 6));
  assert.deepEqual(service.stopped.toSorted(), ['punctuate', 'summarise', 'transcribe']);
});

test('an activity nobody provided is an error that is heard', () => {
  const actor = createActor(recordingMachine, {
    snapshot: recordingMachine.getPersistedSnapshot(upTo.writing().snapshot()),
  });
  let heard: unknown;
  actor.subscribe({ error: (error) => (heard = error) });
  actor.start();
  assert.match(String(heard), /No activity was provided for the stage write/);
});
