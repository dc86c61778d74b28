import { type SnapshotFrom, assign, initialTransition, setup, transition } from 'xstate';
import type { Stage } from '../events/facts/recording.ts';
import {
  absorbed,
  answers,
  assembling,
  captureFacts,
  capturing,
  changes,
  continued,
  continuing,
  corrections,
  erased,
  extended,
  fallback,
  noting,
  noted,
  notes,
  ofOrder,
  ofVoices,
  remarks,
  retelling,
  region,
  staged,
  toIdle,
  unprovided,
} from './transitions.ts';
import {
  type RecordingContext,
  type RecordingMachineEvent,
  contextAfter,
  initialContext,
  withoutAttempt,
} from './context.ts';
import { guards } from './guards.ts';

/** Stored with each fact. Another meaning of a fact needs another version. */
export const machineVersion = 1;

const parts = setup({
  types: {
    context: {} as RecordingContext,
    events: {} as RecordingMachineEvent,
    // Optional, because an actor made from a folded state needs none.
    input: {} as { recordingId: string } | undefined,
    tags: {} as Stage,
  },
  actors: unprovided,
  actions: {
    /** Takes the fact into the context. */
    note: assign(({ context, event }) => contextAfter(context, event)),
    /** From here on no answer of the stage's present start counts. */
    leave: assign(({ context }, { stage }: { stage: Stage }) => withoutAttempt(context, stage)),
  },
  guards,
});

const reprocessing = [
  { guard: 'fromSpeech', ...noted('#recording.transcribing.recognising') },
  { guard: 'fromSpeakers', ...noted('#recording.transcribing.attributing') },
  { guard: 'fromTurns', ...noted('#recording.transcribing.joining') },
  { guard: 'fromWords', ...noted('#recording.transcribing.finishing') },
  { guard: 'fromWordsWithoutNames', ...noted('#recording.awaiting-speakers') },
  { guard: 'fromWordsWithoutTurns', ...noted('#recording.transcribing.attributing') },
  { guard: 'fromTitle', ...noted('#recording.transcribing.entitling') },
  { guard: 'fromDocuments', ...noted('#recording.transcribing.writing') },
] as const;
const restored = {
  'version.restored': { guard: 'restoresVersion', ...noted('#recording.transcribing.writing') },
} as const;
const saved = parts.createStateConfig({
  on: {
    ...changes('#recording.transcribing.writing'),
    ...ofVoices,
    ...ofOrder,
    ...restored,
    ...extended,
    ...assembling,
    ...continued,
    'audio.compressed': { guard: 'hasAudio', ...noting },
    'audio.removed': { guard: 'hasAudio', ...noting },
    'documents.deleted': [{ guard: 'deletesAll', ...noted('#recording.idle.kept') }, noting],
    'reprocessing.requested': [
      { guard: 'fromSummary', ...noted('#recording.transcribing.retelling') },
      ...reprocessing,
    ],
    'recording.erased': erased,
  },
});
const kept = parts.createStateConfig({
  on: {
    ...notes,
    'kind.changed': noting,
    'language.set': noting,
    'start.changed': noting,
    'audio.compressed': { guard: 'hasAudio', ...noting },
    'audio.removed': { guard: 'hasAudio', ...noting },
    ...restored,
    ...extended,
    'reprocessing.requested': reprocessing,
    'recording.erased': erased,
  },
});

/** The life of one recording. README.md says what it means, context.ts what it remembers. */
export const recordingMachine = parts.createMachine({
  id: 'recording',
  version: String(machineVersion),
  context: ({ input }) => {
    if (input === undefined) throw new Error('A recording gets its id when it begins');
    return initialContext(input.recordingId);
  },
  initial: 'idle',
  states: {
    idle: {
      initial: 'new',
      states: {
        new: {
          on: {
            'recording.started': noted('#recording.recording'),
            'audio.imported': noted('#recording.transcribing'),
          },
        },
        saved,
        kept,
        erased: { type: 'final' },
      },
    },

    recording: {
      ...capturing,
      initial: 'active',
      states: {
        active: { on: { 'recording.paused': noted('paused') } },
        paused: { on: { 'recording.resumed': noted('active') } },
        /** Where a retry of the capture goes: one that was paused stays so. */
        resume: { type: 'history', history: 'deep', target: 'active' },
      },
      on: {
        ...captureFacts,
        'audio.captured': noted('transcribing'),
        'capture.interrupted': noted('transcribing'),
        ...notes,
        'recording.discarded': erased,
      },
    },
    transcribing: {
      initial: 'recognising',
      on: {
        ...remarks,
        ...extended,
        'sidenotes.carried': { guard: 'wasMade', ...noting },
        'audio.interrupted': { guard: 'wasMade', ...noting },
        'processing.cancelled': toIdle,
      },
      states: {
        /** Its audio is made of parts of others; the facts of a run follow at once, up to the documents. */
        assembling: staged('assemble', {
          ...absorbed,
          'audio.assembled': answers('assemble', 'recognising'),
        }),
        recognising: staged('transcribe', {
          'speech.detected': { guard: 'plansThisAttempt', ...noting },
          'utterance.recognised': { guard: 'recognisesNextStretch', ...noting },
          'transcription.completed': [
            { guard: 'completesSolo', ...noted('finishing') },
            { guard: 'completesMeeting', ...noted('attributing') },
          ],
        }),
        attributing: {
          type: 'parallel',
          onDone: 'joining',
          states: {
            diarize: region('diarize', {
              'diarization.completed': answers('diarize', 'done'),
              'diarization.skipped': answers('diarize', 'done'),
            }),
            identify: region('identify', {
              'identification.completed': answers('identify', 'done'),
              'identification.skipped': answers('identify', 'done'),
            }),
          },
        },
        joining: staged('join', {
          'turns.joined': answers('join', '#recording.awaiting-speakers'),
        }),
        finishing: {
          type: 'parallel',
          onDone: 'entitling',
          states: {
            punctuate: region('punctuate', {
              ...fallback('punctuate'),
              'transcript.punctuated': answers('punctuate', 'done'),
            }),
            summarise: region('summarise', {
              ...fallback('summarise'),
              'summary.completed': answers('summarise', 'done'),
            }),
          },
        },
        entitling: staged('entitle', {
          ...fallback('entitle'),
          'title.chosen': answers('entitle', 'writing'),
        }),
        writing: staged('write', {
          ...changes('writing'),
          'summary.edited': { ...changes('writing')['summary.edited'], guard: 'rewordsSummary' },
          'corrections.carried_over': {
            guard: { type: 'answersThisAttempt', params: { stage: 'write' } },
            ...noting,
          },
          'documents.named': { guard: 'namesDocumentsOnce', ...noting },
          'documents.rendered': { guard: 'savesNextVersion', ...noting },
          'documents.saved': [
            { guard: 'savesAndRetells', ...noted('retelling') },
            { guard: 'savesNextVersion', ...noted('#recording.idle.saved') },
          ],
        }),
        retelling,
        continuing,
        /** Where a retry goes: regions that were done stay done, those that ran run again. */
        resume: { type: 'history', history: 'deep', target: 'recognising' },
      },
    },

    'awaiting-speakers': {
      on: {
        'speakers.named': {
          guard: 'namesKnownLabels',
          ...noted('#recording.transcribing.finishing'),
        },
        'speakers.skipped': noted('#recording.transcribing.finishing'),
        'speakers.postponed': noting,
        'people.given': noting,
        ...remarks,
        ...corrections,
        ...extended,
        'processing.cancelled': toIdle,
        'recording.erased': erased,
      },
    },

    error: {
      on: {
        ...remarks,
        ...extended,
        'retry.requested': [
          { guard: 'failedAfterCapture', ...noted('#recording.transcribing.resume') },
          { guard: 'failedInCapture', ...noted('#recording.recording.resume') },
        ],
        'error.cleared': [
          { guard: 'hasDocuments', ...noted('#recording.idle.saved') },
          { guard: 'wasCaptured', ...noted('#recording.idle.kept') },
          { guard: 'mayBeGivenUp', ...erased },
        ],
        'recording.erased': erased,
      },
    },
  },
});

export type RecordingSnapshot = SnapshotFrom<typeof recordingMachine>;

/** A recording before its first fact. */
export const initialState = (recordingId: string): RecordingSnapshot =>
  initialTransition(recordingMachine, { recordingId })[0];

/** The state after a fact; the same state when the machine does not accept it. Pure. */
export const nextSnapshot = (
  snapshot: RecordingSnapshot,
  event: RecordingMachineEvent,
): RecordingSnapshot => transition(recordingMachine, snapshot, event)[0];
