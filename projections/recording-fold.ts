import type { LoggedRecordingFact } from '../events/facts/catalogue.ts';
import { counting, leadsBy } from '../events/facts/counting.ts';
import { type Stage, recordingOf } from '../events/facts/recording.ts';
import { type Digest, digestAfter, isErased, noDigest } from './recording/digest.ts';
import { withKnownNames } from './recording/labels-in-text.ts';
import type { ReadFact } from './recording/recording.ts';
import { draft, durationOf, shown } from './recording/reading.ts';
import { utcTime } from './list-page.ts';
import type { RecordingRow } from './recording-row.ts';

/**
 * Everything that is kept of a recording; `recordingRow` makes of it what a reader sees. `facts`, `said` and
 * `texts` are sealed: they are missing when the key is.
 */
export type KeptRecording = {
  /** Nothing a person said or wrote: readable without the recording's key. */
  core: Omit<
    RecordingRow,
    | 'owner'
    | 'started_at'
    | 'audio'
    | 'ledger'
    | 'title'
    | 'source'
    | 'abstract'
    | 'language'
    | 'speakers'
    | 'notes'
    | 'suggestions'
    | 'documents'
    | 'error'
  > & {
    error: Omit<NonNullable<RecordingRow['error']>, 'message'> | null;
    /** What the documents' paths begin with and has no words: they are found by it. None: there are no documents. */
    files: string[];
    /** SHA-256 of the file it was imported from, as it came; null: captured, or erased. */
    imported_sha256: string | null;
    /** It waits for its speakers, and was put off: it is not asked for any more. */
    postponed: boolean;
  };
  /** Which facts count, whose it is and its files: versions, labels and hashes, no words. */
  counted: Omit<Digest, 'facts'>;
  /** The facts that count, without their long texts. */
  facts?: readonly ReadFact[];
  /** What lists show of it, read once: while nothing goes on. Missing otherwise, and of what was erased. */
  said?: Said;
  /** Paths of the documents, which titles are in, and the message of `core.error`. */
  texts?: Texts;
  /** Seconds recorded before the last pause, and since when it has been running again. */
  clock: { seconds: number; runningSince: string | null };
  /** What is sealed cannot be opened: the key is missing or damaged, not erased. */
  unreadable?: true;
};

/** A recording after a fact. */
export type FoldedRecording = KeptRecording & { facts: readonly ReadFact[]; texts: Texts };

type Said = Pick<RecordingRow, 'title' | 'source' | 'abstract' | 'language' | 'speakers' | 'notes'>;
type Texts = { documents: RecordingRow['documents']; failure: string | null };

/** The recording after a fact of its stream; undefined while it has not begun. Pure. */
export function foldRecording(
  kept: KeptRecording | undefined,
  fact: LoggedRecordingFact,
): FoldedRecording | undefined {
  const begun = kept ?? beginning(fact);
  if (!begun) return undefined;
  const unreadable = fact.unreadable ?? begun.unreadable;
  const digest = digestIn(begun);
  const after = digestAfter(digest, fact);
  const { facts } = after;
  const counted = after === digest ? begun.counted : countedIn(after);
  const texts = textsAfter(begun.texts ?? noTexts, fact);
  // One copy, then changed: this runs for every fact of a recording.
  const core = { ...begun.core };
  const state = fact.to ?? core.state;
  if (state !== core.state || kept === undefined) {
    core.state = state;
    core.status = statusOfState(state);
    core.position = fact.position;
    core.since = fact.at;
    core.postponed = false;
  }
  const change = lastingChange(fact);
  if (change) Object.assign(core, change);
  const { draft, published } = counted.sources;
  core.kind = (published ?? draft).kind ?? core.kind;
  core.run = counted.sources.run;
  // As its documents say, also while others are made.
  if (after !== digest) core.duration = durationOf(after, published ?? draft) ?? core.duration;
  const { status } = core;
  if (status === 'transcribing') core.running = without(running(begun.core, fact), 'follow');
  else if (status === 'recording') core.running = running(begun.core, fact);
  else if (core.running.length > 0) core.running = [];
  core.error = status === 'error' ? (failureIn(fact) ?? begun.core.error) : null;
  const clock = tick(begun.clock, fact, status === 'recording');
  if (isErased(fact)) return { core: emptied(core), counted, facts, texts: noTexts, clock };
  const folded = { core, counted, facts, texts, clock, ...(unreadable ? { unreadable } : {}) };
  if (status !== 'idle') return folded;
  return { ...folded, said: (after === digest && begun.said) || saidIn(after) };
}

function countedIn(digest: Digest): KeptRecording['counted'] {
  const { facts: _facts, ...counted } = digest;
  return counted;
}

/** The digest that is kept; without its key, of no facts. */
export const digestIn = ({ counted, facts = [] }: KeptRecording): Digest => ({ ...counted, facts });

/** What a reader sees. */
export function recordingRow(kept: KeptRecording): RecordingRow {
  const { texts = noTexts, unreadable = false } = kept;
  const { files: _, imported_sha256: _sha256, postponed: _postponed, ...core } = kept.core;
  const { audio, ledger } = kept.counted.files;
  const { said = saidIn(digestIn(kept)) } = kept;
  const isKnown = said.notes.some(({ code }) => code === 'unreadable');
  return {
    ...core,
    owner: keptOwner(kept),
    started_at: keptStart(kept),
    audio: audio && { path: audio.path, bytes: audio.bytes, sha256: audio.sha256 },
    ledger,
    documents: texts.documents,
    error: core.error && { ...core.error, message: texts.failure },
    ...said,
    notes:
      unreadable && !isKnown ? [...said.notes, { code: 'unreadable', detail: '' }] : said.notes,
    suggestions: core.status === 'awaiting-speakers' ? draft(digestIn(kept)).suggestions : [],
  };
}

function saidIn(digest: Digest): Said {
  const { title, filename, abstract, language, speakers, notes } = shown(digest);
  const named = abstract && withKnownNames(abstract, speakers);
  return { title, source: filename, abstract: named, language, speakers, notes };
}

/** Whose it is: a user id. */
export const keptOwner = ({ counted }: KeptRecording): string => counted.files.owner ?? '';

/** When it began, in the one notation that sorts. */
export const keptStart = ({ counted }: KeptRecording): string => utcTime(counted.startedAt ?? '');

/** Of what is not sealed alone: as if the recording's key were not there. */
export const wordlessRow = ({ core, counted, clock }: KeptRecording): RecordingRow =>
  recordingRow({ core, counted, clock });

/** The machine's top-level state of a canonical state name. */
export const statusOfState = (state: string): RecordingRow['status'] =>
  state.split(/[.(]/, 1)[0] as RecordingRow['status'];

const noTexts: Texts = { documents: null, failure: null };

/** The same object when the fact has no say in them: lists are looked at only when they change. */
function textsAfter(texts: Texts, fact: LoggedRecordingFact): Texts {
  switch (fact.type) {
    case 'documents.saved':
      return { documents: fact.content?.paths ?? null, failure: null };
    case 'documents.deleted':
      return fact.data.documents.length === 3 ? { ...texts, documents: null } : texts;
    case 'stage.failed':
      return { ...texts, failure: fact.content?.message ?? null };
    default:
      return texts;
  }
}

function beginning(fact: LoggedRecordingFact): KeptRecording | undefined {
  if (fact.type !== 'recording.started' && fact.type !== 'audio.imported') return undefined;
  const imported = fact.type === 'audio.imported';
  const recordingId = recordingOf(fact.stream) ?? fact.stream;
  const { facts: _none, ...counted } = noDigest(recordingId);
  return {
    core: {
      recording_id: recordingId,
      kind: fact.data.kind,
      status: 'idle',
      state: imported ? 'transcribing.recognising' : 'recording.active',
      position: fact.position,
      since: fact.at,
      run: 0,
      running: [],
      duration: null,
      device: imported ? null : fact.data.device,
      error: null,
      document_hashes: null,
      files: [],
      imported_sha256: imported ? fact.data.sha256 : null,
      postponed: false,
      version: 0,
    },
    counted,
    clock: { seconds: 0, runningSince: null },
  };
}

/** What a fact says for good, whatever becomes of the run it belongs to. */
function lastingChange(fact: LoggedRecordingFact): Partial<KeptRecording['core']> | undefined {
  switch (fact.type) {
    case 'speakers.postponed':
      return { postponed: true };
    case 'documents.deleted':
      return fact.data.documents.length === 3 ? { document_hashes: null, files: [] } : {};
    case 'documents.saved': {
      const { version, sha256 } = fact.data;
      const files = [...new Set(Object.values(fact.content?.paths ?? {}).map(minuteIn))];
      return { document_hashes: sha256, files, version };
    }
    default:
      return undefined;
  }
}

const emptied = (core: KeptRecording['core']): KeptRecording['core'] => ({
  ...core,
  error: null,
  document_hashes: null,
  files: [],
  imported_sha256: null,
  running: [],
});

type Running = RecordingRow['running'];

function running(before: { running: Running }, fact: LoggedRecordingFact): Running {
  if (fact.type === 'stage.started') {
    const { stage } = fact.data;
    const attempt = fact.attempt ?? 1;
    return [...without(before.running, stage), { stage, attempt, since: fact.at }];
  }
  if (fact.type === 'stage.failed') return without(before.running, fact.data.stage);
  if (fact.type === 'stage.interrupted') {
    // Another process may have started it again since.
    const { stage } = fact.data;
    return before.running.filter((one) => one.stage !== stage || one.attempt !== fact.attempt);
  }
  // A run begins, or it is written anew: what was being done counts no more.
  const leads = leadsBy(fact.type);
  if (leads === 'begins' || (leads === 'changes' && fact.to === 'transcribing.writing')) return [];
  // The stage is left as it is: its texts stay.
  if (fact.type === 'summary.fallback_used' && fact.to === 'transcribing.writing')
    return without(before.running, fact.data.stage);
  const ended = counting[fact.type]?.ends;
  return ended === undefined ? before.running : without(before.running, ended);
}

const without = (running: Running, stage: Stage): Running =>
  running.filter((one) => one.stage !== stage);

/**
 * What a document's path says without its words: when the recording began, to the minute; empty where it says something
 * else. A hash of the path would confirm a guess of the title.
 */
export const minuteIn = (path: string): string =>
  /^\d{4}-\d{2}-\d{2} \d{2}\.\d{2}(?!\d)/.exec(path)?.[0] ?? '';

function failureIn(fact: LoggedRecordingFact): KeptRecording['core']['error'] {
  if (fact.type !== 'stage.failed') return null;
  const { stage, code, retriable } = fact.data;
  return { stage, code, retriable, at: fact.at };
}

function tick(
  clock: KeptRecording['clock'],
  fact: LoggedRecordingFact,
  recording: boolean,
): KeptRecording['clock'] {
  if (fact.type === 'recording.started' || fact.type === 'recording.resumed') {
    return { ...clock, runningSince: fact.at };
  }
  if (clock.runningSince === null) return clock;
  if (recording && fact.type !== 'recording.paused') return clock;
  return {
    seconds: clock.seconds + secondsBetween(clock.runningSince, fact.at),
    runningSince: null,
  };
}

/** Never negative: a clock may have been set back in between. */
export const secondsBetween = (from: string, to: string): number =>
  Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000);
