import type { Kind, Stage } from '../events/facts/recording.ts';

/** What the machine remembers of a recording: identifiers, counters and versions of facts, never text. */
export type RecordingContext = {
  recordingId: string;
  /** User id. Null, like `kind`, until the recording has begun. */
  owner: string | null;
  kind: Kind | null;
  /** ISO 639-1 code, or null to let the engine find out; as asked for, not as heard. */
  language: string | null;
  /** How many people speak, if somebody said so. */
  speakers: number | null;
  /** Which pass through the pipeline this is, from 1; 0 before the first. */
  run: number;
  /** Starts of stages in this run; each start is known by the number it got. */
  attempt: number;
  /** The start that counts of each stage that has started and whose state has not been left since. */
  running: Partial<Record<Stage, number>>;
  /** Starts of each stage without any progress since. After a crash: how often the process died in it. */
  deaths: Partial<Record<Stage, number>>;
  /** Stretches in the plan of what to recognise; null without a plan. */
  stretches: number | null;
  /** Utterances recognised, which is also the index of the next one. */
  utterances: number;
  /** Speaker labels that were found and may be named. */
  labels: string[];
  results: Results;
  failed: { stage: Stage; retriable: boolean } | null;
  /** Whether there is audio to work on. */
  audio: boolean;
  /** Version of the documents; 0: none yet. */
  documents: number;
  /**
   * What the present documents were made of, to return to when a further run comes to nothing; null
   * while there are none.
   */
  behindDocuments: Material | null;
  /** Version of the fact that handed it to its present owner; null: it has always been theirs. */
  handedOver: number | null;
};

/** Versions, in the recording's stream, of the facts that hold the results that count. */
export type Results = {
  audio: number | null;
  plan: number | null;
  transcription: number | null;
  diarization: number | null;
  identification: number | null;
  turns: number | null;
  /** The `speakers.named` that counts; null also after `speakers.skipped`. */
  names: number | null;
  punctuated: number | null;
  summary: number | null;
  title: number | null;
  named: number | null;
  /** The last `documents.saved`, also of an earlier run: its documents are there until the next. */
  saved: number | null;
  /** The `corrections.carried_over` into this run's transcript, and the `version.restored` it is. */
  carried: number | null;
  restored: number | null;
  /** What people said last: title, language, corrections, own versions. No run takes it back. */
  titled: number | null;
  languageSet: number | null;
  edited: number | null;
  authored: number | null;
};

/** What documents are made of. */
export type Material = Pick<
  RecordingContext,
  'kind' | 'results' | 'labels' | 'stretches' | 'utterances'
>;

/** Version of the fact whose blocks are the transcript, before corrections by their ids. */
export const basisOf = ({ restored, carried, punctuated }: Results): number | null =>
  restored ?? carried ?? punctuated;

const noResults: Results = {
  audio: null,
  plan: null,
  transcription: null,
  diarization: null,
  identification: null,
  turns: null,
  names: null,
  punctuated: null,
  summary: null,
  title: null,
  named: null,
  saved: null,
  carried: null,
  restored: null,
  titled: null,
  languageSet: null,
  edited: null,
  authored: null,
};

/** The context of a recording before its first fact. */
export const initialContext = (recordingId: string): RecordingContext => ({
  recordingId,
  owner: null,
  kind: null,
  language: null,
  speakers: null,
  run: 0,
  attempt: 0,
  running: {},
  deaths: {},
  stretches: null,
  utterances: 0,
  labels: [],
  results: noResults,
  failed: null,
  audio: false,
  documents: 0,
  behindDocuments: null,
  handedOver: null,
});
