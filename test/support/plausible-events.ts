import {
  reprocessedFrom,
  stages,
  type RecordingFactOf,
  type RecordingFactType,
} from '../../events/facts/recording.ts';
import { basisOf } from '../../events/facts/sources.ts';
import type { RecordingSnapshot } from '../../machines/recording.ts';
import type { RecordingMachineEvent } from '../../machines/context.ts';

/** Data of every type of fact as it may really look, so that a schema would take it. */
export const sampleData: { [T in RecordingFactType]: RecordingFactOf<T>['data'] } = {
  'recording.started': {
    owner: 'ada',
    kind: 'solo',
    language: 'en',
    speakers: null,
    device: null,
    trigger: 'web',
  },
  'recording.paused': {},
  'recording.resumed': {},
  'recording.discarded': {},
  'audio.captured': { path: 'audio.wav', bytes: 10, sha256: 'aa', duration: 1 },
  'capture.interrupted': {
    path: 'audio.wav',
    bytes: 10,
    sha256: 'aa',
    duration: 1,
    reason: 'device',
  },
  'audio.imported': {
    owner: 'ada',
    kind: 'meeting',
    language: null,
    speakers: 2,
    path: 'audio.wav',
    bytes: 10,
    sha256: 'aa',
    duration: null,
    started_at: '2026-01-02T03:04:05Z',
  },
  'stage.started': { stage: 'transcribe' },
  'stage.interrupted': { stage: 'transcribe' },
  'stage.failed': { stage: 'transcribe', code: 'engine-away', retriable: true },
  'speech.followed': { detector: 'vad', stretches: [[0, 2]] },
  'speech.detected': { detector: 'vad', duration: 2, stretches: [[0, 2]], warnings: [] },
  'utterance.recognised': { index: 0, start: 0, end: 2, words: 3, language: 'en' },
  'transcription.completed': {
    engine: 'local',
    model: 'm',
    language: 'en',
    utterances: 1,
    words: 3,
  },
  'diarization.completed': { engine: 'local', model: 'm', turns: [[0, 2, 'SPEAKER_1']] },
  'diarization.skipped': { reason: 'no-engine' },
  'identification.completed': { engine: 'language-model', model: 'm' },
  'identification.skipped': { reason: 'no-language-model' },
  'turns.joined': {
    speakers: [
      { label: 'SPEAKER_1', seconds: 1 },
      { label: 'SPEAKER_2', seconds: 1 },
    ],
  },
  'speakers.named': { labels: ['SPEAKER_1'] },
  'speakers.skipped': {},
  'speakers.postponed': {},
  'voices.named': { labels: ['VOICE_1'] },
  'voice.renamed': { labels: ['SPEAKER_1'] },
  'voice.revoked': { labels: ['SPEAKER_1'] },
  'voice.measured': { embedding_model: 'm', labels: ['SPEAKER_1'] },
  'transcript.punctuated': { engine: 'language-model', model: 'm', parts: 1, kept: [] },
  'summary.fallback_used': { stage: 'summarise', reason: 'no-language-model' },
  'summary.completed': { engine: 'language-model', model: 'm', parts: 1, language: 'en' },
  'title.chosen': { engine: 'language-model', model: 'm' },
  'documents.named': { local_start: '2026-01-02T04:04:05+01:00', ui_language: 'en', renderer: 1 },
  'documents.saved': {
    version: 1,
    renderer: 1,
    sha256: { index: 'a', transcript: 'b', summary: 'c' },
    kept: [],
  },
  'documents.rendered': { version: 1, sha256: { index: 'a', transcript: 'b', summary: 'c' } },
  'title.changed': {},
  'speakers.renamed': { labels: [] },
  'people.given': {},
  'kind.changed': { kind: 'meeting' },
  'language.set': { language: 'de' },
  'start.changed': { local_start: '2024-05-06T07:08:09+02:00' },
  'recording.handed_over': { owner: 'ben' },
  'turn.edited': { basis: 1, block: 't-0001', speaker: null },
  'turns.recut': {
    basis: 1,
    replaced: ['t-0001'],
    by: [
      { id: 't-0001', speaker: null, start: 0, end: 1 },
      { id: 't-0009', speaker: null, start: 1, end: 2 },
    ],
  },
  'document.edited': { document: 'summary', own: true, replaces: 'c' },
  'audio.interrupted': {
    at: 1.5,
    from: '2026-01-02T14:03:00+01:00',
    to: '2026-01-02T14:07:00+01:00',
  },
  'sidenote.written': { note: 1, at: 1.5 },
  'sidenote.edited': { note: 1 },
  'sidenote.removed': { note: 1 },
  'recording.filed': { folder: 'F1' },
  'access.granted': { to: 'u-U2', role: 'read', audio: false },
  'access.withdrawn': { to: 'u-U2' },
  'link.created': {
    link: 'L1',
    sha256: 'd',
    expires_at: null,
    audio: false,
    live: true,
    password: false,
  },
  'link.revoked': { link: 'L1' },
  'hold.placed': { until: null },
  'hold.lifted': {},
  'tags.changed': { tags: ['T1'] },
  'template.chosen': { template: 'meeting' },
  'documents.outdated': {},
  'summary.edited': { basis: 1, turns: null, edits: [{ line: '1-1', did: 'changed' }] },
  'task.checked': { basis: 1, turns: null, line: '1-1', done: true },
  'corrections.carried_over': { placed: 1, unplaced: 0, labels: [] },
  'documents.deleted': { documents: ['index', 'transcript', 'summary'] },
  'version.restored': {
    version: 1,
    material: { kind: 'solo', results: {}, labels: [], stretches: null, utterances: 0 },
    speakers: [],
    language: null,
  },
  'audio.compressed': { path: 'audio.flac', bytes: 5, sha256: 'bb', replaces: 'audio.wav' },
  'audio.extended': {
    path: 'audio-2.wav',
    bytes: 64_044,
    sha256: 'cc',
    duration: 2,
    before: 1,
    replaces: 'audio.wav',
  },
  'recording.joined': { with: 'other' },
  'sidenotes.carried': {
    notes: [{ note: 1, at: 1, by: 'ada', written_at: '2026-01-02T03:04:05Z' }],
  },
  'recording.continued': { into: 'continued' },
  'recording.kept_apart': { reason: 'gone' },
  'recording.cut': { at: 1, into: 'second' },
  'passage.removed': { from: 0.5, to: 1 },
  'audio.assembled': {
    path: 'audio-3.wav',
    bytes: 64_044,
    sha256: 'dd',
    duration: 2,
    replaces: 'audio.wav',
  },
  'audio.removed': { path: 'audio.wav' },
  'processing.cancelled': {},
  'error.cleared': {},
  'retry.requested': {},
  'reprocessing.requested': { from: 'language-model' },
  'recording.erased': {},
};

export const recordingFactTypes = Object.keys(sampleData) as RecordingFactType[];

/** The stage that answers with a fact of this type; the others are people's, or any stage's. */
export const stageOfAnswer = {
  'speech.followed': 'follow',
  'audio.assembled': 'assemble',
  'recording.kept_apart': 'continue',
  'speech.detected': 'transcribe',
  'utterance.recognised': 'transcribe',
  'transcription.completed': 'transcribe',
  'diarization.completed': 'diarize',
  'diarization.skipped': 'diarize',
  'identification.completed': 'identify',
  'identification.skipped': 'identify',
  'turns.joined': 'join',
  'transcript.punctuated': 'punctuate',
  'summary.completed': 'summarise',
  'title.chosen': 'entitle',
  'documents.named': 'write',
  'documents.rendered': 'write',
  'corrections.carried_over': 'write',
  'documents.saved': 'write',
} as const;
export type AnswerType = keyof typeof stageOfAnswer;

/** An event with the sample data, some of it replaced. */
export const sampleEvent = (
  type: RecordingFactType,
  version: number,
  data: object = {},
  attempt: { run?: number; attempt?: number | undefined } = {},
): RecordingMachineEvent =>
  ({
    type,
    data: { ...sampleData[type], ...data },
    version,
    by: 'ada',
    command: `command-${version}`,
    ...attempt,
  }) as RecordingMachineEvent;

/**
 * For a state, events of all types with the data, run and attempt that its context calls for. Not
 * all are acceptable: which ones are is the machine's to say.
 */
export function plausibleEvents(snapshot: RecordingSnapshot): RecordingMachineEvent[] {
  const { context } = snapshot;
  const { running, sources } = context;
  const { run, draft, published, versions } = sources;
  // Some version that no sample has yet; graphs do not care which.
  const version = 1000 + context.attempt;
  const exact: Partial<Record<RecordingFactType, object>> = {
    'utterance.recognised': {
      // While it is recorded, and when all are there, one may be recognised once more.
      index: Math.min(draft.utterances, Math.max(0, (draft.stretches ?? 0) - 1)),
      ...(draft.utterances >= (draft.stretches ?? 0) ? { heard: 'nl' } : {}),
    },
    'documents.saved': { version: versions.length + 1 },
    'documents.rendered': { version: versions.length + 1 },
    'turn.edited': { basis: basisOf(published ?? draft) ?? 1 },
    'turns.recut': { basis: basisOf(published ?? draft) ?? 1 },
    'version.restored': {
      version: versions.length,
      material: versions.at(-1) ?? sampleData['version.restored'].material,
    },
    'speakers.named': { labels: draft.labels },
  };
  return recordingFactTypes.flatMap((type) => {
    switch (type) {
      case 'recording.started':
      case 'audio.imported':
        return (['solo', 'meeting'] as const).map((kind) => sampleEvent(type, version, { kind }));
      case 'stage.started':
        return stages.map((stage) =>
          sampleEvent(type, version, { stage }, { run, attempt: context.attempt + 1 }),
        );
      case 'stage.interrupted':
      case 'stage.failed':
      case 'summary.fallback_used':
        return stages.map((stage) =>
          sampleEvent(type, version, { stage }, { run, attempt: running[stage] }),
        );
      case 'reprocessing.requested':
        return reprocessedFrom.map((from) => sampleEvent(type, version, { from }));
      case 'recording.erased':
        return [sampleEvent(type, version), { ...sampleEvent(type, version), by: 'system' }];
      case 'kind.changed':
        return (['solo', 'meeting'] as const).map((kind) => sampleEvent(type, version, { kind }));
      case 'speakers.renamed':
        return [{}, { texts: 'again' }].map((data) => sampleEvent(type, version, data));
      case 'documents.deleted':
        return [{}, { documents: ['summary'] }].map((data) => sampleEvent(type, version, data));
      default: {
        const stage = type in stageOfAnswer ? stageOfAnswer[type as AnswerType] : undefined;
        // Recognised while it is recorded, or after.
        const by = stage === 'transcribe' && snapshot.matches('recording') ? 'follow' : stage;
        const metadata = by === undefined ? {} : { run, attempt: running[by] };
        return [sampleEvent(type, version, exact[type], metadata)];
      }
    }
  });
}
