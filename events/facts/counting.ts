import type { RecordingFact, RecordingFactType, Stage } from './recording.ts';

/** What counts of a recording: the version, in its stream, of the fact that holds each result; null: none yet. */
export const noResults = {
  audio: null,
  plan: null,
  transcription: null,
  diarization: null,
  identification: null,
  turns: null,
  /** What people called the voices that were heard while it was recorded. */
  voiced: null,
  /** The naming that counts; null also after `speakers.skipped`. */
  names: null,
  punctuated: null,
  summary: null,
  /** What people made of the summary: no run takes it back, only a version that is restored. */
  reworded: null,
  title: null,
  named: null,
  /** The last `documents.saved`, also of an earlier run: its documents are there until the next. */
  saved: null,
  /** The `corrections.carried_over` into this run's transcript, and the `version.restored` it is. */
  carried: null,
  restored: null,
  /** Who may be heard, as it was said after the beginning. */
  people: null,
  /** The last time that nothing was recorded for a while. */
  interrupted: null,
  /** What people said last: title, language, start, corrections, own versions, side notes. No run takes it back. */
  titled: null,
  languageSet: null,
  startChanged: null,
  edited: null,
  authored: null,
  sidenotes: null,
};
export type Results = Readonly<Record<keyof typeof noResults, number | null>>;

/**
 * How facts count, by type: those that are not named are never read again once they were folded. The
 * rules of runs and versions are in `sources.ts`.
 */
export const counting: Readonly<Partial<Record<string, Counting>>> = {
  'audio.imported': { result: 'audio' },
  'audio.interrupted': { result: 'interrupted' },
  'people.given': { result: 'people' },
  'audio.captured': { result: 'audio', ends: 'capture' },
  'capture.interrupted': { result: 'audio', ends: 'capture' },
  'audio.extended': { result: 'audio' },
  'audio.assembled': { result: 'audio', ends: 'assemble' },
  'speech.detected': { result: 'plan', within: 'transcribe' },
  'transcription.completed': { result: 'transcription', ends: 'transcribe' },
  'diarization.completed': { result: 'diarization', ends: 'diarize', unread: ['voices'] },
  'diarization.skipped': { result: 'diarization', ends: 'diarize' },
  'identification.completed': { result: 'identification', ends: 'identify', unread: ['names'] },
  'identification.skipped': { result: 'identification', ends: 'identify' },
  'turns.joined': { result: 'turns', ends: 'join', texts: ['turns'] },
  'voices.named': { result: 'voiced' },
  'speakers.named': { result: 'names', within: 'join', unread: ['voices'] },
  'speakers.renamed': {
    result: 'names',
    within: 'join',
    unread: ['voices'],
    texts: ['summary', 'lines'],
  },
  'transcript.punctuated': { result: 'punctuated', ends: 'punctuate', texts: ['blocks'] },
  'corrections.carried_over': {
    result: 'carried',
    within: 'punctuate',
    texts: ['blocks', 'unplaced'],
  },
  'summary.completed': { result: 'summary', ends: 'summarise', texts: ['text', 'lines'] },
  'summary.edited': { result: 'reworded', texts: ['lines'] },
  'task.checked': { result: 'reworded', texts: ['lines'] },
  'title.chosen': { result: 'title', ends: 'entitle' },
  'documents.named': { result: 'named' },
  'documents.saved': { result: 'saved', ends: 'write' },
  'version.restored': {
    result: 'restored',
    within: 'entitle',
    texts: ['blocks', 'summary', 'lines'],
  },
  'title.changed': { result: 'titled' },
  'language.set': { result: 'languageSet' },
  'start.changed': { result: 'startChanged' },
  'turn.edited': { result: 'edited', texts: ['text', 'words'] },
  'turns.recut': { result: 'edited', texts: ['turns'] },
  'document.edited': { result: 'authored', inRows: false },
  'sidenote.written': { result: 'sidenotes', texts: ['text'] },
  'sidenote.edited': { result: 'sidenotes', texts: ['text'] },
  'sidenote.removed': { result: 'sidenotes' },
  'sidenotes.carried': { result: 'sidenotes', texts: ['texts'] },
} satisfies { [T in RecordingFactType]?: CountingOf<T> };

/**
 * Facts of people, or of the service for itself, that lead to documents. A fact `begins` a run, `answers` a meeting that
 * waits, or `changes` existing documents. The machine takes the changes (`changes` of `transitions.ts`); versions name the
 * facts that led to them.
 */
export const leading = {
  'recording.started': 'begins',
  'audio.imported': 'begins',
  'audio.extended': 'begins',
  'recording.joined': 'begins',
  'recording.cut': 'begins',
  'passage.removed': 'begins',
  'reprocessing.requested': 'begins',
  'version.restored': 'begins',
  'speakers.named': 'answers',
  'speakers.skipped': 'answers',
  'title.changed': 'changes',
  'recording.handed_over': 'changes',
  'kind.changed': 'changes',
  'language.set': 'changes',
  'start.changed': 'changes',
  'turn.edited': 'changes',
  'turns.recut': 'changes',
  'document.edited': 'changes',
  'speakers.renamed': 'changes',
  'sidenote.written': 'changes',
  'sidenote.edited': 'changes',
  'sidenote.removed': 'changes',
  'summary.edited': 'changes',
  'task.checked': 'changes',
  'documents.outdated': 'changes',
} as const satisfies { [T in RecordingFactType]?: 'begins' | 'answers' | 'changes' };

/** Facts that have documents written again. */
export type ChangingFactType = {
  [T in keyof typeof leading]: (typeof leading)[T] extends 'changes' ? T : never;
}[keyof typeof leading];

/** How a fact leads to documents; undefined: it does not. */
export const leadsBy = (type: string): 'begins' | 'answers' | 'changes' | undefined =>
  Object.hasOwn(leading, type) ? leading[type as keyof typeof leading] : undefined;

/** What stays as it is when a version is restored: files, and what people said since. */
export const staying = [
  'audio',
  'interrupted',
  'people',
  'named',
  'saved',
  'voiced',
  'startChanged',
  'edited',
  'authored',
  'sidenotes',
] as const satisfies (keyof Results)[];

export type Counting = {
  /** The result that it is. */
  result: keyof Results;
  /** The stage whose work it ends. */
  ends?: Stage;
  /** The stage that makes it void: a run from there, or from before, makes it again. Without: the one that it ends. */
  within?: Stage;
  /** Members of its content that are long: projections keep them apart. */
  texts?: readonly string[];
  /** Members of its content that only stages read, by the log: projections do not keep them. */
  unread?: readonly string[];
  /** False: rows keep nothing of it. */
  inRows?: false;
};

type CountingOf<T extends RecordingFactType> = Counting & {
  texts?: readonly ContentKey<T>[];
  unread?: readonly ContentKey<T>[];
};

type ContentKey<T extends RecordingFactType> =
  Extract<RecordingFact, { type: T }> extends { content?: infer C }
    ? Extract<keyof NonNullable<C>, string>
    : never;
