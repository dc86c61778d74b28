import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { noResults } from '../../events/facts/counting.ts';
import { recordingOf, recordingStream } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';
import {
  type RecordingSnapshot,
  nextSnapshot,
  initialState,
  machineVersion,
} from '../../machines/recording.ts';
import { toMachineEvent } from '../../machines/context.ts';
import { stateName } from '../../machines/states.ts';
import {
  documentFilesOf,
  type ReadFact,
  type Recording,
  evolve as evolveRecording,
  noRecording,
} from '../../projections/recording/recording.ts';
import { read } from '../../projections/recording/reading.ts';
import { restoration } from '../../projections/recording/versions.ts';
import { documentsInput } from '../documents/documents.ts';
import type { LoggedRecordingFact } from '../../events/facts/catalogue.ts';
import { UnknownRecording } from './refusals.ts';
import { type FindingSaid, finding } from '../words/findings.ts';

/** What folding the whole log again shows. */
export type LogCheck = {
  facts: number;
  recordings: number;
  /** Documents rendered again and compared with the hashes recorded when they were written. */
  documents: number;
  /** Documents not compared, and of them those that were erased or are unreadable; the others another version wrote. */
  notCompared: number;
  erased: number;
  differences: { recording_id: string; version: number; said: FindingSaid }[];
};

/** Differences listed; of more only that there are more. */
const differencesMax = 1000;

/**
 * Folds every recording's stream with the machine and compares each fact's `from` and `to` with what
 * the machine says, then renders the documents from the log and compares their hashes with the recorded
 * ones. Changes nothing.
 * @param only one recording's id; all when absent.
 * @throws {UnknownRecording} there is no such recording
 */
export async function checkLog(store: EventStore, only?: string): Promise<LogCheck> {
  const check: LogCheck = {
    facts: 0,
    recordings: 0,
    documents: 0,
    notCompared: 0,
    erased: 0,
    differences: [],
  };
  const recordings = new Set<string>(only === undefined ? [] : [only]);
  if (only === undefined) {
    for await (const fact of store.readAll()) {
      check.facts += 1;
      const recordingId = recordingOf(fact.stream);
      if (recordingId !== undefined) recordings.add(recordingId);
    }
  }
  for (const recordingId of recordings) {
    check.recordings += 1;
    const differ: Differ = (version, said) => {
      if (check.differences.length < differencesMax) {
        check.differences.push({ recording_id: recordingId, version, said });
      }
    };
    const folded = await fold(store, recordingId, differ);
    if (folded.facts === 0) throw new UnknownRecording(recordingId);
    if (only !== undefined) check.facts = folded.facts;
    await compareDocuments(recordingId, folded, check, differ);
  }
  return check;
}

type Differ = (version: number, said: FindingSaid) => void;

type Folded = {
  facts: number;
  recording: Recording;
  erased: boolean;
  saved: ReadFact<'documents.saved'> | null;
};

async function fold(store: EventStore, recordingId: string, differ: Differ): Promise<Folded> {
  let facts = 0;
  let state = initialState(recordingId);
  let recording = noRecording(recordingId);
  let erased = false;
  let saved: ReadFact<'documents.saved'> | null = null;
  for await (const fact of store.read(recordingStream(recordingId))) {
    facts += 1;
    erased ||= fact.erased === true || fact.unreadable === true;
    compareState(state, fact, differ);
    state = nextSnapshot(state, toMachineEvent(fact));
    compareRestored(recording, fact, differ);
    recording = evolveRecording(recording, fact);
    if (fact.type === 'documents.saved') saved = fact;
  }
  return { facts, recording, erased, saved };
}

function compareState(state: RecordingSnapshot, fact: LoggedRecordingFact, differ: Differ): void {
  const before = stateName(state.value);
  const event = toMachineEvent(fact);
  if (fact.machine === machineVersion && !state.can(event)) {
    differ(fact.version, finding('event-refused', { type: fact.type, state: before }));
  }
  const after = stateName(nextSnapshot(state, event).value);
  const differs = (
    code: 'state-before-differs' | 'state-after-differs',
    computed: string,
    saved = '',
  ) => differ(fact.version, finding(code, { saved, computed }));
  if (fact.from !== before) differs('state-before-differs', before, fact.from);
  if (fact.to !== after) differs('state-after-differs', after, fact.to);
}

/** What was restored is what folding says of that version. */
function compareRestored(recording: Recording, fact: LoggedRecordingFact, differ: Differ): void {
  if (fact.type !== 'version.restored') return;
  const { version } = fact.data;
  const folded = restoration(recording, version);
  const logged = { ...noResults, ...fact.data.material.results };
  const same = (a: unknown, b: unknown) => isDeepStrictEqual(a, b);
  if (!folded || !same(folded.data.material, { ...fact.data.material, results: logged })) {
    differ(fact.version, finding('version-differs', { version }));
  } else if (fact.content && !same(folded.content, fact.content)) {
    differ(fact.version, finding('version-content-differs', { version }));
  }
}

async function compareDocuments(
  recordingId: string,
  { recording, erased, saved }: Folded,
  check: LogCheck,
  differ: Differ,
): Promise<void> {
  if (saved === null) return;
  // With the first check: the start of the service must not wait for what documents are written with.
  const { renderDocuments, rendererVersion } = await import('../documents/render.ts');
  const source = recording.sources.saved;
  if (erased || source === null || saved.data.renderer !== rendererVersion) {
    check.notCompared += 1;
    if (erased || source === null) check.erased += 1;
    return;
  }
  const { named } = documentFilesOf(recording, source);
  if (!named?.content) {
    differ(saved.version, finding('documents-nameless'));
    return;
  }
  const documents = renderDocuments(
    documentsInput(
      recordingId,
      read(recording, source),
      { ...named.data, ...named.content },
      saved.data,
      saved.content,
    ),
  );
  check.documents += 1;
  for (const name of ['index', 'transcript', 'summary'] as const) {
    const sha256 = hash('sha256', documents[name], 'hex');
    if (sha256 !== saved.data.sha256[name]) {
      differ(saved.version, finding('document-differs', { document: name }));
    }
  }
}
