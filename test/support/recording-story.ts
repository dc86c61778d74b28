import assert from 'node:assert/strict';
import type { Kind, RecordingFactType, Stage } from '../../events/facts/recording.ts';
import { type RecordingSnapshot, nextSnapshot, initialState } from '../../machines/recording.ts';
import { stateName } from '../../machines/states.ts';
import { type AnswerType, sampleEvent, stageOfAnswer } from './plausible-events.ts';

type Attempt = { run?: number; attempt?: number | undefined };

/** A recording's life told fact by fact; a fact that is refused where it is told ends the test. */
export interface RecordingStory {
  snapshot(): RecordingSnapshot;
  /** Canonical name of the present state. */
  state(): string;
  /** What the machine remembers, with the sources of the next documents spread out. */
  context(): ReturnType<typeof spread>;
  /** Version of the last fact. */
  version(): number;
  /** A fact that must be accepted. */
  take(type: RecordingFactType, data?: object, attempt?: Attempt): RecordingStory;
  /** A fact that must be refused and change nothing. */
  refuse(type: RecordingFactType, data?: object, attempt?: Attempt): RecordingStory;
  /** `stage.started` for each of the stages. */
  start(...stages: Stage[]): RecordingStory;
  /** The answer of the start that counts. */
  answer(type: AnswerType, data?: object): RecordingStory;
  /** Starts the stage and answers at once. */
  does(type: AnswerType, data?: object): RecordingStory;
  /** `stage.failed` of the start that counts. */
  fail(stage: Stage, data?: object): RecordingStory;
}

export function recordingStory(recordingId = 'r1'): RecordingStory {
  let snapshot = initialState(recordingId);
  let version = 0;
  const current = (stage: Stage): Attempt => ({
    run: snapshot.context.sources.run,
    attempt: snapshot.context.running[stage],
  });
  const story: RecordingStory = {
    snapshot: () => snapshot,
    state: () => stateName(snapshot.value),
    context: () => spread(snapshot),
    version: () => version,
    take(type, data, attempt) {
      const event = sampleEvent(type, version + 1, data, attempt);
      assert.ok(snapshot.can(event), `${type} is refused in ${story.state()}`);
      snapshot = nextSnapshot(snapshot, event);
      version += 1;
      return story;
    },
    refuse(type, data, attempt) {
      const event = sampleEvent(type, version + 1, data, attempt);
      assert.ok(!snapshot.can(event), `${type} is accepted in ${story.state()}`);
      assert.equal(nextSnapshot(snapshot, event), snapshot);
      return story;
    },
    start(...stages) {
      for (const stage of stages) {
        const { run, attempt } = spread(snapshot);
        story.take('stage.started', { stage }, { run, attempt: attempt + 1 });
      }
      return story;
    },
    answer: (type, data) => story.take(type, data, current(stageOfAnswer[type])),
    does: (type, data) => story.start(stageOfAnswer[type]).answer(type, data),
    fail: (stage, data) => story.take('stage.failed', { stage, ...data }, current(stage)),
  };
  return story;
}

const spread = (snapshot: RecordingSnapshot) => {
  const { files, ...context } = snapshot.context;
  const { draft, run, saved, published, versions } = context.sources;
  const { owner, handedOver, audio } = files;
  return {
    ...context,
    owner,
    handedOver,
    audio: audio !== null,
    ...draft,
    run,
    saved,
    published,
    documents: versions.length,
  };
};

/** The story up to a state of the first run. */
export const upTo = {
  recognising: (kind: Kind) => recordingStory().take('audio.imported', { kind }),
  attributing: () =>
    upTo
      .recognising('meeting')
      .does('speech.detected')
      .answer('utterance.recognised')
      .answer('transcription.completed'),
  joining: () => upTo.attributing().does('diarization.completed').does('identification.completed'),
  awaitingSpeakers: () => upTo.joining().does('turns.joined'),
  finishing: (kind: Kind = 'solo') =>
    kind === 'meeting'
      ? upTo.awaitingSpeakers().take('speakers.named')
      : upTo
          .recognising('solo')
          .does('speech.detected')
          .answer('utterance.recognised')
          .answer('transcription.completed'),
  entitling: (kind: Kind = 'solo') =>
    upTo.finishing(kind).does('transcript.punctuated').does('summary.completed'),
  continuing: () => upTo.saved().take('recording.continued'),
  assembling: () => upTo.saved().take('recording.cut'),
  writing: (kind: Kind = 'solo') => upTo.entitling(kind).does('title.chosen'),
  saved: (kind: Kind = 'solo') =>
    upTo.writing(kind).does('documents.named').answer('documents.saved'),
  kept: (kind: Kind = 'solo') => upTo.recognising(kind).take('processing.cancelled'),
};
