import { type CallbackActorLogic, type EventObject, fromCallback } from 'xstate';
import type { ChangingFactType } from '../events/facts/counting.ts';
import { type Stage, stages } from '../events/facts/recording.ts';
import type { RecordingContext } from './context.ts';

/** A transition that takes the fact into the context. */
export const noted = (target: string) => ({ target, actions: 'note' }) as const;
/** The answer that ends a stage. */
export const answers = <S extends Stage>(stage: S, target: string) =>
  ({
    guard: { type: 'answersThisAttempt', params: { stage } },
    target,
    actions: 'note',
  }) as const;

/** What every state that runs a stage has: its activity, and the stage's name as its tag. */
const running = <S extends Stage>(stage: S) =>
  ({
    tags: stage,
    invoke: {
      id: stage,
      src: stage,
      input: ({ context }: { context: RecordingContext }): ActivityInput => ({
        recordingId: context.recordingId,
        run: context.sources.run,
      }),
    },
    exit: { type: 'leave', params: { stage } },
  }) as const;

/** Nothing is left but the skeleton. */
export const erased = noted('#recording.idle.erased');

/** The facts that any stage may lead to while it runs. */
const stageFacts = <S extends Stage>(stage: S) =>
  ({
    'stage.started': { guard: { type: 'startsThisStage', params: { stage } }, ...noting },
    'stage.interrupted': {
      guard: { type: 'interruptsThisStage', params: { stage } },
      ...noting,
    },
    'stage.failed': {
      guard: { type: 'failsThisStage', params: { stage } },
      target: '#recording.error',
      actions: 'note',
    },
  }) as const;

/** A state that runs a stage. @param on besides what any stage may lead to */
export const staged = <S extends Stage, const On>(stage: S, on: On) =>
  ({ ...running(stage), on: { ...stageFacts(stage), ...on } }) as const;

/** A stage beside others: its part is done when `on` leads to `done`. */
export const region = <S extends Stage, const On>(stage: S, on: On) =>
  ({
    initial: 'running',
    states: { running: staged(stage, on), done: { type: 'final' } },
  }) as const;

const [capture, follow] = [running('capture'), running('follow')] as const;
/** Two activities side by side: one brings the audio, the other recognises what has come. */
export const capturing = {
  tags: [capture.tags, follow.tags],
  invoke: [capture.invoke, follow.invoke],
  exit: [capture.exit, follow.exit],
};

/** A language model was missing: the built-in way is taken, or, where there is a target, the stage is left. */
export const fallback = <S extends Stage>(stage: S, target?: string) =>
  ({
    'summary.fallback_used': {
      guard: { type: 'fallsBackInThisStage', params: { stage } },
      ...(target === undefined ? noting : noted(target)),
    },
  }) as const;

/** Takes the fact into the context, and leaves the state as it is. */
export const noting = { actions: 'note' } as const;

const [ofCapture, ofFollow] = [stageFacts('capture'), stageFacts('follow')] as const;
/** What follows a recording never fails it: what is left is recognised when it has ended. */
export const captureFacts = {
  ...ofCapture,
  'stage.started': [ofCapture['stage.started'], ofFollow['stage.started']],
  'stage.interrupted': [ofCapture['stage.interrupted'], ofFollow['stage.interrupted']],
  'speech.followed': { guard: 'growsPlan', ...noting },
  'utterance.recognised': { guard: 'recognisesFollowed', ...noting },
  'voices.named': noting,
  'audio.interrupted': noting,
  'people.given': noting,
} as const;

/** What people may say of voices, and how these sound: no document says it. */
export const ofVoices = {
  'voice.renamed': noting,
  'voice.revoked': noting,
  'voice.measured': noting,
} as const;

/** Where people put it, with whom they share it, and that it is protected from deletion: lists say it. */
export const ofOrder = {
  'recording.filed': noting,
  'tags.changed': noting,
  'template.chosen': noting,
  'access.granted': noting,
  'access.withdrawn': noting,
  'link.created': noting,
  'link.revoked': noting,
  'hold.placed': noting,
  'hold.lifted': noting,
} as const;

/** What people may say in every state but the last. */
export const notes = {
  'title.changed': noting,
  'recording.handed_over': noting,
  'sidenote.written': noting,
  'sidenote.edited': noting,
  'sidenote.removed': noting,
  ...ofVoices,
  ...ofOrder,
} as const;

const whileItself = { guard: 'staysItself', ...noting } as const;

/** What people may say at any time after the capture: it counts when documents are written. */
export const remarks = {
  ...ofVoices,
  ...ofOrder,
  'title.changed': whileItself,
  'recording.handed_over': whileItself,
  'sidenote.written': whileItself,
  'sidenote.edited': whileItself,
  'sidenote.removed': whileItself,
  'start.changed': whileItself,
  'turn.edited': { guard: 'editsShownTurns', ...noting },
  'turns.recut': { guard: 'editsShownTurns', ...noting },
  'summary.edited': { guard: 'editsShownSummary', ...noting },
  'task.checked': { guard: 'editsShownSummary', ...noting },
} as const;

/** A meeting that waits for its speakers: its turns can be corrected before there are documents. */
export const corrections = {
  'turn.edited': { guard: 'editsTurns', ...noting },
  'turns.recut': { guard: 'editsTurns', ...noting },
} as const;

/** What people change of documents that are there: they are written again, without any engine. */
export const changes = (target: string) => {
  const again = { ...noted(target), reenter: true } as const;
  return {
    'title.changed': again,
    'recording.handed_over': again,
    'kind.changed': again,
    'language.set': again,
    'start.changed': again,
    'turn.edited': { guard: 'editsShownTurns', ...again },
    'turns.recut': { guard: 'editsShownTurns', ...again },
    'document.edited': { guard: 'hasDocuments', ...again },
    'speakers.renamed': { guard: 'namesKnownLabels', ...again },
    'sidenote.written': again,
    'sidenote.edited': again,
    'sidenote.removed': again,
    'summary.edited': { guard: 'hasDocuments', ...again },
    'task.checked': { guard: 'hasDocuments', ...again },
    'documents.outdated': { guard: 'hasDocuments', ...again },
  } as const satisfies Record<ChangingFactType, object>;
};

/** It was recorded behind another, and goes into that one. */
export const continued = {
  'recording.continued': { guard: 'hasAudio', ...noted('#recording.transcribing.continuing') },
} as const;

/**
 * The documents have names that people changed; what a language model wrote mentions them still, and is made again.
 * Without one the documents stay as they are. What people change meanwhile is written first.
 */
export const retelling = {
  initial: 'summarising',
  on: { ...changes('#recording.transcribing.writing'), ...continued },
  states: {
    summarising: staged('summarise', {
      ...fallback('summarise', '#recording.idle.saved'),
      'summary.completed': answers('summarise', 'entitling'),
    }),
    entitling: staged('entitle', {
      ...fallback('entitle', '#recording.transcribing.writing'),
      'title.chosen': answers('entitle', '#recording.transcribing.writing'),
    }),
  },
} as const;

/** More audio than was worked on: all of it is recognised again, in another run. */
export const extended = {
  'audio.extended': {
    guard: 'takesMoreAudio',
    ...noted('#recording.transcribing.recognising'),
    reenter: true,
  },
} as const;

/** Back to what there is; not to what was before it was made of parts of others. */
export const toIdle = [
  { guard: 'goesBackToDocuments', ...noted('#recording.idle.saved') },
  { guard: 'mayBeGivenUp', ...noted('#recording.idle.kept') },
] as const;

/** A person wants it made of parts of others, or parts of it made others. */
export const assembling = {
  'recording.joined': { guard: 'hasAudio', ...noted('#recording.transcribing.assembling') },
  'recording.cut': { guard: 'hasAudio', ...noted('#recording.transcribing.assembling') },
  'passage.removed': { guard: 'hasAudio', ...noted('#recording.transcribing.assembling') },
} as const;

/** The rest of it, which was made another recording, takes it up. */
export const absorbed = {
  'recording.erased': { guard: 'isBySystem', ...noted('#recording.idle.erased') },
} as const;

/** It is taken up by the recording behind which it was recorded, or stays; until that one is asked, a person may delete it. */
export const continuing = staged('continue', {
  'recording.erased': [
    { guard: 'isBySystem', ...erased },
    { guard: 'staysItself', ...erased },
  ],
  'recording.kept_apart': answers('continue', 'writing'),
});

/** What an activity gets when it starts; the rest it reads from the log. */
export type ActivityInput = { recordingId: string; run: number };

/** What does a stage's work, made with `fromCallback<EventObject, ActivityInput>`. */
export type StageActorLogic = CallbackActorLogic<EventObject, ActivityInput>;

/** Activities live outside: the caller provides them with `machine.provide({ actors })`. */
const stub = (stage: Stage) =>
  fromCallback<EventObject, ActivityInput>(() => {
    throw new Error(`No activity was provided for the stage ${stage}`);
  });

/** A stage's activity has the stage's name. */
export const unprovided = Object.fromEntries(stages.map((stage) => [stage, stub(stage)])) as Record<
  Stage,
  StageActorLogic
>;
